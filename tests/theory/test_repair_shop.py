"""The repair shop against queueing theory: M/G/infinity, machine repair, alternating renewal.

Stalls are compared with the exact Markov chain of the number of servers in repair, seen on the
job's clock; there the chain starts with none in repair, so it is solved in time, not in the limit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import cumulative_trapezoid, trapezoid
from scipy.linalg import expm
from tests.theory.numbers import assert_mean, assert_variance, simulate
from tests.theory.renewal import renewals
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.scenario import (
    Constant,
    ConstantLife,
    Exponential,
    ExponentialLife,
    Life,
    Lognormal,
    Scenario,
    Uniform,
    Weibull,
    WeibullLife,
)

REPAIR = 8.0
#: The same exponential repair of 8 h as the one stage or as the other.
STAGES: dict[str, dict[str, Any]] = {
    "automated": {
        "automated": {"time": Exponential(mean=REPAIR), "escalate": 0.0},
        "manual": {"time": 1000.0},
    },
    "manual": {
        "automated": {"time": 0.0, "escalate": 1.0},
        "manual": {"time": Exponential(mean=REPAIR)},
    },
}


def stalls(failure_rate: float, standbys: int, length: float, back_at: int) -> float:
    """Expected stalls of a job of `length` hours on `standbys` more servers than it needs.

    On the job's clock the number in repair goes up by failures (of the whole job, per hour) and
    down by repairs; a failure when all standbys are in repair is a stall, after which `back_at`
    servers are in repair. Stalls = rate × the time spent without standbys.
    """
    size = standbys + 1
    q = np.zeros((size, size))
    for k in range(size):
        q[k, min(k + 1, size - 1) if k < standbys else back_at] += failure_rate
        if k > 0:
            q[k, k - 1] += k / REPAIR
        q[k, k] -= failure_rate + k / REPAIR
    # The top right block of this exponential is the integral of expm(q t) from 0 to length.
    block = np.block([[q, np.eye(size)], [np.zeros((size, 2 * size))]])
    occupation = expm(block * length)[0, size:]
    return failure_rate * float(occupation[standbys])


def job(servers: int, standbys: int, stage: str, resume_with: str) -> Scenario:
    """A job that fails every 4 h, on servers whose repair takes 8 h."""
    return plain(
        servers,
        standbys=standbys,
        length=400.0,
        mean_life=4.0 * servers,
        job__resume_with=resume_with,
        repair=STAGES[stage],
    )


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("servers", "standbys"), [(3, 0), (3, 2), (40, 3), (1, 1)])
def test_stalls_until_the_job_is_whole(servers: int, standbys: int, stage: str) -> None:
    # All standbys and one more are in repair; the first of these s + 1 repairs ends the stall.
    sample = simulate(job(servers, standbys, stage, "job"), 600)
    expected = stalls(0.25, standbys, 400.0, back_at=standbys)
    assert_mean(sample["stalls"], expected)
    assert_mean(sample["stalled_hours"], expected * REPAIR / (standbys + 1))
    assert_mean(sample["training_hours"], 400.0 + expected * REPAIR / (standbys + 1))


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("servers", "standbys"), [(3, 2), (40, 3), (1, 1)])
def test_stalls_until_the_standbys_are_back(servers: int, standbys: int, stage: str) -> None:
    # Now all s + 1 repairs must end: the maximum of as many exponentials, and none is left.
    sample = simulate(job(servers, standbys, stage, "job_and_standbys"), 600)
    expected = stalls(0.25, standbys, 400.0, back_at=0)
    longest = REPAIR * sum(1.0 / j for j in range(1, standbys + 2))
    assert_mean(sample["stalls"], expected)
    assert_mean(sample["stalled_hours"], expected * longest)


def test_the_share_of_stalled_time_is_that_of_the_machine_repair_queue() -> None:
    # In the limit: birth-death weights a**k / k!, a = failures per repair time; the state above
    # the standbys is the stall, in which nothing fails (Erlang's loss formula in another dress).
    sample = simulate(job(20, 3, "automated", "job").with_(job__length=20_000.0), 60)
    weights = [(0.25 * REPAIR) ** k / math.factorial(k) for k in range(5)]
    stalled = weights[4] / sum(weights)
    # Starting with none in repair spares a fraction of a stall in some 700.
    assert_mean(sample["stalled_hours"] / sample["training_hours"], stalled)
    assert_mean(sample["ettr"], 1.0 - stalled)


# --- Enough standbys: failures are Poisson, repairs are an infinite server -----------------------

LENGTH = 300.0
SHOPS: list[tuple[dict[str, Any], Any, Any, float]] = [
    # (repair, automated distribution, manual distribution, escalated)
    (
        {
            "automated": {"time": Exponential(mean=5.0), "escalate": 0.7},
            "manual": {"time": Lognormal(median=20.0, sigma=1.5)},
        },
        stats.expon(scale=5.0),
        stats.lognorm(1.5, scale=20.0),
        0.7,
    ),
    (
        {
            "automated": {"time": Uniform(low=0.0, high=30.0), "escalate": 0.4},
            "manual": {"time": Weibull(mean=80.0, shape=0.5)},
        },
        stats.uniform(0.0, 30.0),
        stats.weibull_min(0.5, scale=40.0),
        0.4,
    ),
]


@pytest.mark.parametrize(("repair", "automated", "manual", "escalated"), SHOPS, ids=["a", "b"])
def test_servers_in_repair_are_poisson(
    repair: dict[str, Any], automated: Any, manual: Any, escalated: float
) -> None:
    # M/G/infinity, empty at first: in a stage at the end is a Poisson number with mean rate × the
    # integral of P(still in it), whatever the shape of the repair times.
    rate = 0.5
    scenario = plain(50, standbys=300, length=LENGTH, mean_life=50 / rate, repair=repair)
    sample = simulate(scenario, 1000)
    assert not sample["stalls"].any()
    in_automated = sample["failures"] - sample["repairs_automated"]
    ended = sample["repairs_successful"] + sample["repairs_silent"]
    in_manual = sample["repairs_automated"] - ended
    hours = np.linspace(0.0, LENGTH, 30_001)
    first = rate * float(trapezoid(automated.sf(hours), hours))
    assert_mean(in_automated, first)
    assert_variance(in_automated, first)
    # An escalated repair that is x h old when its manual stage begins spends there, up to LENGTH,
    # the integral of P(still in it) from 0 to LENGTH - x.
    spent = cumulative_trapezoid(manual.sf(hours), hours, initial=0.0)[::-1]
    begun = np.diff(automated.cdf(hours))
    second = rate * escalated * float(begun @ (spent[1:] + spent[:-1])) / 2.0
    assert_mean(in_manual, second)
    assert_variance(in_manual, second)
    assert_mean(sample["repairs_manual"], rate * escalated * LENGTH - second - escalated * first)


# --- One server: computing and repair take turns -------------------------------------------------


@pytest.mark.parametrize("life", [ExponentialLife(), WeibullLife(shape=2.0)], ids=repr)
def test_the_only_server_computes_and_is_repaired_in_turns(life: Life) -> None:
    # Repair begins at the failure, in parallel with a recovery of 3 h, so a failure costs 3 h
    # and what a repair of 8 h takes longer: 8 exp(-3 / 8) h on average. Failures are renewals.
    scenario = plain(
        1,
        length=1000.0,
        mean_life=20.0,
        failures__life=life,
        recovery__time=3.0,
        selection__time=0.5,
        repair=STAGES["automated"],
    )
    sample = simulate(scenario, 600)
    failures = renewals(life, 50.0).mean
    longer = REPAIR * math.exp(-3.0 / REPAIR)
    assert_mean(sample["failures"], failures)
    assert_mean(sample["stalls"], failures * math.exp(-3.0 / REPAIR))
    assert_mean(sample["stalled_hours"], failures * longer)
    assert_mean(sample["training_hours"], 1000.5 + failures * (3.0 + longer + 0.5))


def test_a_repair_of_two_stages_adds_up() -> None:
    # Constant times, all in the trace: failure at 10 h of computing, 2 h and 5 h of repair while
    # the job recovers for 1 h, stalls for 6 h and selects for half an hour.
    scenario = plain(
        1, length=15.0, mean_life=10.0, failures__life=ConstantLife(),
        recovery__time=1.0, selection__time=0.5,
        repair__automated={"time": Constant(value=2.0), "escalate": 1.0},
        repair__manual={"time": Constant(value=5.0), "silent_failure": 0.0},
    )  # fmt: skip
    rows = trace(scenario, seed=1).rows()
    assert [(time, event) for time, event, _, _ in rows] == [
        (0.0, "selecting"),
        (0.5, "computing"),
        (10.5, "failure"),
        (10.5, "blame"),
        (10.5, "recovering"),
        (11.5, "stalled"),
        (12.5, "automated_repair_end"),
        (17.5, "manual_repair_end"),
        (17.5, "selecting"),
        (18.0, "computing"),
        (23.0, "finished"),
    ]
