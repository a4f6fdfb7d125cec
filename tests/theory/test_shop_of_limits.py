"""A repair shop of limits against queueing theory: M/M/c, M/M/c/K, tandem queues, who is served.

Enough standbys make failures a Poisson stream into the shop; too few make the shop a finite source
of servers, as in the machine-repair queue. On the map: MODEL, "repair", with crews, shifts, parts
and requalification.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from tests.theory.numbers import assert_mean, server_hours, simulate
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.scenario import Constant, ConstantLife, Exponential

REPAIR = 8.0
#: The same exponential repair of 8 h as the one stage or as the other, with c crews.
STAGES: dict[str, Any] = {
    "automated": lambda crews: {
        "automated": {"time": Exponential(mean=REPAIR), "escalate": 0.0, "crews": crews},
    },
    "manual": lambda crews: {
        "automated": {"time": 0.0, "escalate": 1.0},
        "manual": {"time": Exponential(mean=REPAIR), "crews": crews},
    },
}


# --- Too few standbys: the machine-repair queue, M/M/c/K ------------------------------------------


def stalls(failure_rate: float, standbys: int, crews: int, length: float) -> float:
    """Expected stalls of a job of `length` hours on `standbys` more servers than it needs.

    On the job's clock the number in the shop goes up by failures (of the whole job, per hour) and
    down by repairs, of which at most `crews` go on at once. A failure when all standbys are there
    is a stall, and the next repair ends it.
    """
    size = standbys + 1
    q = np.zeros((size, size))
    for k in range(size):
        q[k, min(k + 1, size - 1)] += failure_rate
        repairs = min(k, crews) / REPAIR
        if k > 0:
            q[k, k - 1] += repairs
        q[k, k] -= failure_rate + repairs
    block = np.block([[q, np.eye(size)], [np.zeros((size, 2 * size))]])
    occupation = expm(block * length)[0, size:]
    return failure_rate * float(occupation[standbys])


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("standbys", "crews"), [(0, 1), (3, 1), (3, 2), (5, 3), (2, 9)])
def test_stalls_of_few_crews(stage: str, standbys: int, crews: int) -> None:
    scenario = plain(
        20,
        standbys=standbys,
        length=400.0,
        mean_life=4.0 * 20,
        job__resume_with="job",
        repair=STAGES[stage](crews),
    )
    sample = simulate(scenario, 600)
    expected = stalls(0.25, standbys, crews, 400.0)
    # While it stalls, standbys + 1 servers are in the shop, and the first to leave it ends that.
    longer = REPAIR / min(crews, standbys + 1)
    assert_mean(sample["stalls"], expected)
    assert_mean(sample["stalled_hours"], expected * longer)
    assert_mean(sample["training_hours"], 400.0 + expected * longer)


@pytest.mark.parametrize("crews", [1, 2, 4])
def test_the_share_of_stalled_time_is_that_of_the_machine_repair_queue(crews: int) -> None:
    # In the limit: birth-death weights with at most so many repairs at once.
    scenario = plain(
        20, standbys=4, length=20_000.0, mean_life=80.0, job__resume_with="job",
        repair=STAGES["automated"](crews),
    )  # fmt: skip
    weights = [1.0]
    for k in range(1, 6):
        weights.append(weights[-1] * 0.25 * REPAIR / min(k, crews))
    stalled = weights[5] / sum(weights)
    sample, hours = simulate(scenario, 60), server_hours(scenario, 60)
    # Starting with none in repair spares less than a stall in some hundred.
    assert_mean(sample["stalled_hours"] / sample["training_hours"], stalled)
    waiting = sum(max(0, k - crews) * weight for k, weight in enumerate(weights)) / sum(weights)
    assert_mean(hours["awaiting_repair"] / sample["training_hours"], waiting)


# --- Enough standbys: M/M/c -----------------------------------------------------------------------


def erlang_wait(rate: float, crews: int) -> float:
    """Mean hours of waiting in M/M/c with repairs of REPAIR hours (Erlang's C formula)."""
    load = rate * REPAIR
    weights = [load**k / math.factorial(k) for k in range(crews)]
    last = load**crews / math.factorial(crews) * crews / (crews - load)
    return last / (sum(weights) + last) * REPAIR / (crews - load)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("rate", "crews"), [(0.09, 1), (0.3, 3), (0.8, 8)])
def test_waiting_for_a_crew_is_erlangs(stage: str, rate: float, crews: int) -> None:
    # Little: hours of waiting = failures × mean wait. A long run forgets that the shop was empty.
    length = 40_000.0
    scenario = plain(
        40, standbys=150, length=length, mean_life=40 / rate, repair=STAGES[stage](crews)
    )
    hours = server_hours(scenario, 100)
    sample = simulate(scenario, 100)
    assert not sample["stalls"].any()
    # The start costs about the mean wait of those of a relaxation time, of 40,000 h.
    assert_mean(hours["awaiting_repair"] / length, rate * erlang_wait(rate, crews))
    other = "manual_repair" if stage == "automated" else "automated_repair"
    working = hours[f"{stage}_repair"]
    assert_mean(working / length, rate * REPAIR)
    assert not hours[other].any()


def test_the_stages_are_queues_in_tandem() -> None:
    # Burke: the output of M/M/c is Poisson again, so the manual stage sees one of 0.5 as much.
    rate, length = 0.2, 40_000.0
    repair = {
        "automated": {"time": Exponential(mean=REPAIR), "escalate": 0.5, "crews": 2},
        "manual": {"time": Exponential(mean=REPAIR), "crews": 1},
    }
    scenario = plain(40, standbys=200, length=length, mean_life=40 / rate, repair=repair)
    hours = server_hours(scenario, 100)
    waiting = rate * erlang_wait(rate, 2) + 0.5 * rate * erlang_wait(0.5 * rate, 1)
    assert_mean(hours["awaiting_repair"] / length, waiting)


def test_servers_waiting_are_down() -> None:
    # One crew that never gets done: each failure adds one to those that are down.
    scenario = plain(
        1, standbys=9, length=10.0, mean_life=1.0,
        repair__automated={"time": Constant(value=1e6), "crews": 1, "escalate": 0.0},
        failures__life=ConstantLife(),
    )  # fmt: skip
    sample, hours = simulate(scenario, 1), server_hours(scenario, 1)
    assert sample["down_p99"][0] == 9
    assert hours["automated_repair"][0] == pytest.approx(9.0)
    assert hours["awaiting_repair"][0] == pytest.approx(sum(range(9)))


def test_as_many_crews_as_servers_are_no_limit() -> None:
    base = plain(
        20, standbys=5, length=400.0, mean_life=80.0,
        repair__automated={"time": Exponential(mean=5.0), "escalate": 0.6},
        repair__manual={"time": Exponential(mean=20.0)},
    )  # fmt: skip
    many = base.with_(repair__automated__crews=25, repair__manual__crews=25)
    one, other = simulate(base, 50), simulate(many, 50)
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def test_first_come_first_served_and_ties_by_rank() -> None:
    # Three servers fail at 10 h of the job's clock, one after each recovery of 0.5 h; one crew for
    # each stage, 4 h each. A manual stage that ends at 18 h comes after an automated one.
    scenario = plain(
        3, length=30.0, mean_life=10.0, failures__life=ConstantLife(), standbys=3,
        recovery__time=0.5,
        repair__automated={"time": Constant(value=4.0), "escalate": 1.0, "crews": 1},
        repair__manual={"time": Constant(value=4.0), "crews": 1, "silent_failure": 0.0},
        job__resume_with="job",
    )  # fmt: skip
    rows = trace(scenario, seed=1).rows()
    first = [row for row in rows if "repair" in row[1]][:8]
    order = [server for _, event, server, _ in rows if event == "failure"][:3]
    a, b, c = order
    assert first == [
        (10.0, "automated_repair_begin", a, 0),
        (14.0, "automated_repair_end", a, 2),
        (14.0, "automated_repair_begin", b, 1),
        (14.0, "manual_repair_begin", a, 0),
        (18.0, "automated_repair_end", b, 2),
        (18.0, "automated_repair_begin", c, 0),
        (18.0, "manual_repair_end", a, 1),
        (18.0, "manual_repair_begin", b, 0),
    ]
