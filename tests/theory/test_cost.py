"""Runs whose cost is known to the last unit: constant lives and times, followed by hand.

One server computes; the first selection ends at 0.5 h and each life lasts 10 h of computing. A
recovery takes 1 h, a selection 0.5 h, the automated stage of a repair 3 h and the manual one 2 h.
"""

from __future__ import annotations

from typing import Any, Literal

import pytest

import failcast as fc

PRICES = {"gpu_hour": 2.0, "idle_hour": 3.0}
ACTIONS = {"repair": 100.0, "automated_repair": 10.0, "manual_repair": 50.0}
GPUS = 4


def by_hand(length: float, servers: int, spares: int = 0, standbys: int = 0) -> fc.Scenario:
    """The scenario that the timelines below are of."""
    return fc.Scenario(
        cluster=fc.Cluster(working_pool=servers, spare_pool=spares, gpus_per_server=GPUS),
        job=fc.Job(servers=1, warm_standbys=standbys, length=length, resume_with="job"),
        failures=fc.Failures(
            random=fc.RandomFailures(rate=0.1),
            systematic=fc.SystematicFailures(fraction=0.0),
            life=fc.ConstantLife(),
        ),
        recovery=fc.Recovery(time=1.0),
        selection=fc.Selection(time=0.5),
        preemption=fc.Preemption(wait=2.0),
        repair=fc.Repair(
            automated=fc.AutomatedRepair(
                time=fc.Constant(value=3.0), escalate=1.0, silent_failure=0.0
            ),
            manual=fc.ManualRepair(time=fc.Constant(value=2.0), silent_failure=0.0),
        ),
        cost=fc.Cost(**PRICES, **ACTIONS),
    )


#: Scenario -> GPU-hours by cause, repairs that ended (automated and manual stage).
CASES: dict[str, tuple[fc.Scenario, dict[str, float], tuple[int, int]]] = {
    # A computes 0.5 to 10.5, is mended 10.5 to 15.5 and idle until 23. B is idle until 11.5, is
    # selected until 12 and computes until 22, is mended until 27 and idle until the end. A is
    # selected from 23 on and computes 23.5 to 28.5. The slot is vacant for both hours of recovery.
    "idle": (
        by_hand(25.0, servers=2),
        {"productive": 25.0, "recovery": 2.0, "selection": 1.5, "idle": 11.5 + 7.5 + 1.5},
        (2, 2),
    ),
    # The only server fails at 10.5; the job recovers until 11.5 and stalls until it is mended at
    # 15.5; then a selection, and 1 h of computing. The slot is vacant for 5 h.
    "stalled": (
        by_hand(11.0, servers=1),
        {"productive": 11.0, "recovery": 1.0, "selection": 1.0, "stalled": 4.0},
        (1, 1),
    ),
    # A spare is preempted at 11.5 and arrives at 13.5; the run ends at 15 with A in manual repair.
    "waiting": (
        by_hand(11.0, servers=1, spares=1),
        {"productive": 11.0, "recovery": 1.0, "selection": 1.0, "waiting": 2.0},
        (1, 0),
    ),
    # The standby takes over when the recovery ends at 11.5; the run ends at 12.5, before any stage
    # of the repair does.
    "standby": (
        by_hand(11.0, servers=2, standbys=1),
        {"productive": 11.0, "recovery": 1.0, "selection": 0.5, "standby": 11.5},
        (0, 0),
    ),
}


@pytest.mark.parametrize("engine", ["kernel", "reference"])
@pytest.mark.parametrize("case", CASES)
def test_the_cost_of_a_run_by_hand(case: str, engine: Literal["kernel", "reference"]) -> None:
    scenario, hours, (automated, manual) = CASES[case]
    sample = fc.simulate(scenario, replications=3, engine=engine)
    costs = sample.costs()
    expected: dict[str, float] = {line.cause: 0.0 for line in costs}
    for cause, number in hours.items():
        price = PRICES["idle_hour"] / GPUS if cause == "idle" else PRICES["gpu_hour"]
        assert mean(costs[cause].gpu_hours) == pytest.approx(GPUS * number)
        expected[cause] = GPUS * number * price
    expected["repair"] = 100.0 * automated
    expected["automated_repair"] = 10.0 * automated
    expected["manual_repair"] = 50.0 * manual
    assert {line.cause: mean(line.cost) for line in costs} == pytest.approx(expected)
    total = sum(expected.values())
    assert mean(costs.total.cost) == pytest.approx(total)
    assert sample.values("cost") == pytest.approx([total] * 3)
    assert mean(costs["manual_repair"].actions) == manual
    assert sum(line.share for line in costs) == pytest.approx(1.0)


def test_each_test_after_a_repair_has_a_price() -> None:
    # Mended at 15.5 as before, and tested until 16.5: the job stalls for an hour longer.
    scenario, _, _ = CASES["stalled"]
    tested = scenario.with_(
        repair__requalification={"time": fc.Constant(value=1.0)}, cost__requalification=7.0
    )
    before, after = (fc.simulate(each, replications=2).costs() for each in (scenario, tested))
    assert mean(after["requalification"].actions) == 1.0
    assert mean(after["requalification"].cost) == 7.0
    assert mean(before["requalification"].cost) == 0.0
    stalled = GPUS * PRICES["gpu_hour"] * 1.0
    assert mean(after.total.cost) - mean(before.total.cost) == pytest.approx(7.0 + stalled)


def mean(figures: Any) -> float:
    """The mean of a summary that is there."""
    assert figures is not None
    assert figures.mean is not None
    return float(figures.mean)
