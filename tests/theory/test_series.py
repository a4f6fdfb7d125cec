"""Numbers of servers over time against a queue with a closed form, and the server-hours of runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import failcast as fc

RATE, SERVERS, REPAIR_HOURS = 0.002, 50, 10.0
SHOP = ("awaiting_repair", "automated_repair", "manual_repair", "requalification")


@pytest.fixture(scope="module")
def many_servers() -> fc.Series:
    """A job that always has its servers: failures are a Poisson process, repairs are in parallel.

    So the shop is a queue with infinitely many crews that begins empty, M/M/infinity.
    """
    scenario = fc.Scenario(
        cluster=fc.Cluster(working_pool=2 * SERVERS, spare_pool=0),
        job=fc.Job(servers=SERVERS, warm_standbys=SERVERS // 2, length=100.0),
        failures=fc.Failures(
            random=fc.RandomFailures(rate=RATE),
            systematic=fc.SystematicFailures(fraction=0.0),
        ),
        recovery=fc.Recovery(time=0.0),
        selection=fc.Selection(time=0.0),
        repair=fc.Repair(
            automated=fc.AutomatedRepair(time=fc.Exponential(mean=REPAIR_HOURS), escalate=0.0)
        ),
    )
    return fc.series(scenario, replications=4000, step=5.0, seed=11, threads=2)


def test_the_repair_shop_fills_as_a_queue_with_infinitely_many_crews_does(
    many_servers: fc.Series,
) -> None:
    """The number at time t is Poisson with mean rate × repair × (1 - exp(-t / repair))."""
    offered = RATE * SERVERS * REPAIR_HOURS
    runs = many_servers.sample.replications
    for hours, numbers in zip(many_servers.hours, many_servers.values("in_repair").T, strict=True):
        mean = offered * -math.expm1(-hours / REPAIR_HOURS)
        assert numbers.mean() == pytest.approx(mean, abs=4.0 * math.sqrt(mean / runs))
        none = math.exp(-mean)
        error = 4.0 * math.sqrt(none * (1.0 - none) / runs)
        assert (numbers == 0).mean() == pytest.approx(none, abs=error)


def test_every_other_server_is_where_it_should_be(many_servers: fc.Series) -> None:
    assert (many_servers.values("active") == SERVERS).all()
    assert (many_servers.values("spare") == 0).all()
    standby, idle = many_servers.values("standby"), many_servers.values("idle")
    assert (standby + idle + many_servers.values("in_repair") == SERVERS).all()
    assert many_servers.running.tolist() == [4000] * 20


@pytest.mark.parametrize(
    "repair",
    [
        {},
        {"repair__manual__crews": 1, "repair__requalification": {"time": "5 h", "detects": 0.9}},
    ],
    ids=["plain", "shop"],
)
def test_the_area_below_the_counts_is_the_server_hours(repair: dict[str, Any]) -> None:
    """A grid is too coarse by one step for each change, half of them each way."""
    step = 0.05
    scenario = fc.load("small").with_(job__length="5 d", **repair)
    found = fc.series(scenario, replications=4, step=step)
    if repair:
        assert all(found.sample.server_hours()[state].mean for state in SHOP)
    for row, counts in enumerate(found.counts):
        hours = dict(zip(fc.SERVER_STATES, found.sample.runs.server_hours[row], strict=True))
        hours["in_repair"] = sum(hours[state] for state in SHOP[1:])  # without those that wait
        area = np.nansum([found.values(state)[row] for state in found.states], axis=1) * step
        changes = np.abs(np.diff(counts, axis=0)).sum(axis=0) + counts.max(axis=0)
        for number, state in enumerate(found.states):
            assert area[number] == pytest.approx(hours[state], abs=step * (changes[number] + 1))
