"""Faults that strike again: gaps between failures, servers of their own, who keeps a fault.

One server alone at work, so that the gaps between its failures are those of its lives. On the map:
MODEL, "failure" and "repair", with `repair.relapse`.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from tests.theory.numbers import assert_close, assert_mean, simulate
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.engine.random import Chance, beta
from failcast.scenario import (
    Constant,
    ConstantLife,
    Lognormal,
    Regeneration,
    Relapse,
    Scenario,
    Uniform,
    WeibullLife,
)

#: A Kolmogorov distance beyond this comes by chance as often as 4 standard errors do.
BEYOND_4_ERRORS = 2.0 * stats.norm.sf(4.0)


def alone(**changes: Any) -> Scenario:
    """One server, mostly never taken out, with a mean life of 20 h."""
    usual = {"diagnosis__probability": 0.0, "failures__life": WeibullLife(shape=0.7)}
    return plain(1, length=60_000.0, mean_life=20.0, **(usual | changes))


def gaps(scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
    """Hours of computing between failures, and which of them ended with a relapse."""
    rows = trace(scenario, seed=5).rows()
    failures = [(time, detail) for time, event, _, detail in rows if event == "failure"]
    times, causes = map(np.array, zip(*failures, strict=True))
    return np.diff(times), causes[1:] == 2


LIFE = stats.weibull_min(0.7, scale=20.0 / math.gamma(1.0 + 1.0 / 0.7))
TIMES: list[tuple[Any, Any]] = [
    (Uniform(low=0.0, high=12.0), stats.uniform(0.0, 12.0)),
    (Lognormal(median=5.0, sigma=1.5), stats.lognorm(1.5, scale=5.0)),
]


@pytest.mark.parametrize(("time", "drawn"), TIMES, ids=["uniform", "lognormal"])
@pytest.mark.parametrize("probability", [0.4, 1.0])
def test_a_gap_is_the_shorter_of_life_and_relapse(
    time: Any, drawn: Any, probability: float
) -> None:
    # P(gap > t) = P(life > t) (1 - p + p P(relapse > t)); the relapse comes first where it is
    # shorter, which has the probability p E[P(life > relapse)].
    scenario = alone(repair__relapse=Relapse(probability=probability, time=time))
    found, relapsed = gaps(scenario)
    survival = lambda t: LIFE.sf(t) * (1.0 - probability * drawn.cdf(t))  # noqa: E731
    assert stats.kstest(found, lambda t: 1.0 - survival(t)).pvalue > BEYOND_4_ERRORS
    first = quad(lambda u: LIFE.sf(drawn.ppf(u)), 0.0, 1.0)[0]
    assert_mean(relapsed, probability * first)


@pytest.mark.parametrize(("a", "b"), [(0.05, 0.1), (0.3, 2.0), (1.0, 1.0), (60.0, 3.0)])
def test_probabilities_of_servers_are_beta(a: float, b: float) -> None:
    bits = (np.uint64(Chance(1, 0).bits(52, server, 0)) for server in range(20_000))
    drawn = [float(beta(a, b, word)) for word in bits]
    assert stats.kstest(drawn, stats.beta(a, b).cdf).pvalue > BEYOND_4_ERRORS
    assert_mean(drawn, a / (a + b))


@pytest.mark.parametrize("escalate", [0.0, 1.0])
def test_only_a_silent_repair_leaves_the_fault(escalate: float) -> None:
    # Always diagnosed, rightly: a relapse needs a silent repair and then a fault that comes back.
    scenario = alone(
        diagnosis__probability=1.0,
        failures__life=ConstantLife(),
        repair__automated={"time": 0.0, "escalate": escalate, "silent_failure": 0.3},
        repair__manual={"time": 0.0, "silent_failure": 0.2},
        repair__relapse=Relapse(probability=0.6, time=Constant(value=3.0)),
    )
    found, relapsed = gaps(scenario)
    assert_mean(relapsed, 0.6 * (0.2 if escalate else 0.3))
    np.testing.assert_allclose(found, np.where(relapsed, 3.0, 20.0), rtol=1e-6)


def test_an_innocent_server_brings_no_fault_back() -> None:
    # Two servers, one fails, the other is blamed, and every repair is silent. The failed one stays
    # and may relapse; the innocent one comes back as sound as it went. So each relapse is of the
    # server that failed just before.
    scenario = plain(
        2, length=20_000.0, mean_life=200.0,
        diagnosis__wrong_server=1.0,
        repair__automated={"time": 0.0, "escalate": 0.0, "silent_failure": 1.0},
        repair__relapse=Relapse(probability=0.5, time=Constant(value=1e-3)),
    )  # fmt: skip
    rows = trace(scenario, seed=1).rows()
    failed = [(server, detail) for _, event, server, detail in rows if event == "failure"]
    pairs = list(itertools.pairwise(failed))
    assert all(before[0] == after[0] for before, after in pairs if after[1] == 2)
    assert_mean([after[1] == 2 for _, after in pairs], 0.5)


def test_a_fault_outlives_a_blame_of_its_server_for_another() -> None:
    # Servers 0 and 1: a fault waits in one of them for 1e5 h, both are blamed again and again for
    # the other, and all repairs are silent, so the fault is still there; drawn anew, it strikes.
    scenario = plain(
        2, length=3e6, mean_life=1e4,
        diagnosis__wrong_server=1.0,
        repair__automated={"time": 0.0, "escalate": 0.0, "silent_failure": 1.0},
        repair__relapse=Relapse(probability=1.0, time=Uniform(low=0.0, high=2e5)),
    )  # fmt: skip
    silent = simulate(scenario, 5)["relapses"]
    mended = simulate(scenario.with_(repair__automated__silent_failure=0.0), 5)["relapses"]
    assert silent.mean() > mended.mean() > 0.0


@pytest.mark.parametrize("concentration", [0.5, 3.0, math.inf])
@pytest.mark.parametrize("probability", [0.3, 0.7])
def test_each_server_has_a_probability_of_its_own(probability: float, concentration: float) -> None:
    # One failure after 1,000 h, then relapses after 1 h each until the fault stays away. With its
    # own q that happens k times or more with q**k; over all servers E[q**k] is the product of
    # (a + i) / (a + b + i), i < k, and not p**k.
    scenario = plain(
        1, length=1050.0, mean_life=1000.0, failures__life=ConstantLife(),
        diagnosis__probability=0.0,
        repair__relapse=Relapse(
            probability=probability, time=Constant(value=1.0), concentration=concentration
        ),
    )  # fmt: skip
    relapses = simulate(scenario, 6000)["relapses"]
    expected = 1.0
    for k in range(1, 9):
        if math.isinf(concentration):
            expected *= probability
        else:
            expected *= (probability * concentration + k - 1) / (concentration + k - 1)
        assert_close(
            float((relapses >= k).mean()), expected,
            math.sqrt(expected * (1.0 - expected) / len(relapses)), f"{k} relapses or more",
        )  # fmt: skip


def test_failures_are_the_sum_of_their_causes() -> None:
    scenario = plain(
        10, standbys=3, length=500.0, mean_life=50.0,
        failures__systematic={"fraction": 0.5, "multiplier": 3.0},
        diagnosis__probability=0.7,
        repair__relapse=Relapse(probability=0.5),
    )  # fmt: skip
    sample = simulate(scenario, 20)
    causes = ("failures_random", "failures_systematic", "relapses")
    assert (sample["failures"] == sum(sample[name] for name in causes)).all()
    assert all(sample[name].all() for name in causes)


def test_a_server_that_turns_defective_keeps_its_fault_where_it_is() -> None:
    # Failure at 20 h, fault due 8 h later, all servers defective at 24 h: the life of 20 h that is
    # then left for 16 h shrinks to 16 / 16 h, before the fault; with a multiplier of 1 it shrinks
    # to 8 h, and the fault at 28 h still comes first.
    for multiplier, time, cause in ((15.0, 25.0, (0, 1)), (1.0, 28.0, (2,))):
        scenario = plain(
            1, length=40.0, mean_life=20.0, failures__life=ConstantLife(),
            diagnosis__probability=0.0,
            failures__systematic={"fraction": 1e-9, "multiplier": multiplier},
            failures__regeneration=Regeneration(interval=24.0, share=1.0),
            repair__relapse=Relapse(probability=1.0, time=Constant(value=8.0)),
        )  # fmt: skip
        rows = trace(scenario, seed=1).rows()
        failures = [(at, detail) for at, event, _, detail in rows if event == "failure"]
        assert failures[1][0] == pytest.approx(time)
        assert failures[1][1] in cause


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        ("diagnosis__probability", 1.0, 0.6),
        ("diagnosis__wrong_server", 0.0, 0.4),
        ("repair__automated__silent_failure", 0.0, 0.5),
        ("repair__relapse__probability", 0.1, 0.7),
    ],
)
def test_with_faults_that_stay_worse_repair_and_diagnosis_do_not_help(
    path: str, good: float, bad: float
) -> None:
    base = plain(
        20, standbys=6, length=1000.0, mean_life=400.0,
        recovery__time=0.5,
        repair__automated={"time": 2.0, "escalate": 0.0, "silent_failure": 0.2},
        repair__relapse=Relapse(probability=0.8),
    )  # fmt: skip
    better, worse = (simulate(base.with_(**{path: each}), 200) for each in (good, bad))
    longer = worse["training_hours"] - better["training_hours"]
    assert longer.mean() > 4.0 * longer.std(ddof=1) / math.sqrt(len(longer))


def test_a_relapse_that_never_comes_changes_nothing() -> None:
    off = plain(5, standbys=2, length=500.0, mean_life=50.0, diagnosis__probability=0.5)
    on = off.with_(repair__relapse=Relapse(probability=0.0))
    one, other = simulate(off, 30), simulate(on, 30)
    assert all((one[name] == other[name]).all() or np.isnan(one[name]).all() for name in one)
