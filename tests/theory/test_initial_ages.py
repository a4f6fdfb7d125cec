"""Servers that are not new at the start: what is left of their lives, and how often they fail.

`stationary` is the equilibrium renewal process of Cox, Renewal Theory (1962): what is left of a
life has the density S(x) / mean, and exactly t / mean failures are expected in any time t. A given
age leaves the lives that are longer. All against integrals of scipy's distribution functions, which
know nothing of how a life is drawn. On the map: engine/ages.py.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.theory.numbers import ERRORS, assert_mean, assert_variance, simulate, standard_error
from tests.theory.renewal import life_of_mean_1, renewals_after
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.engine.ages import initial_life
from failcast.engine.plan import make_plan
from failcast.engine.random import Chance
from failcast.scenario import (
    Constant,
    ConstantLife,
    Empirical,
    EmpiricalLife,
    Exponential,
    ExponentialLife,
    Gamma,
    GammaLife,
    Life,
    Lognormal,
    LognormalLife,
    MixtureLife,
    Scenario,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
)
from failcast.scenario.ages import survival

P_VALUE_LEAST = 1e-3
COUNT = 20_000
MEAN_LIFE = 50.0
SERVERS = 60
LIVES: list[Life] = [
    WeibullLife(shape=0.5),
    WeibullLife(shape=2.0),
    GammaLife(shape=0.4),
    GammaLife(shape=3.0),
    LognormalLife(sigma=1.0),
    UniformLife(spread=0.5),
    UniformLife(spread=1.0),
    ConstantLife(),
    EmpiricalLife(values=(1.0, 5.0, 5.0, 12.0, 40.0)),
    MixtureLife(parts=((0.3, Exponential(mean=1.0)), (0.7, Gamma(mean=4.0, shape=3.0)))),
    MixtureLife(
        parts=(
            (0.2, Constant(value=0.0)),
            (0.1, Constant(value=3.0)),
            (0.2, Empirical(values=(0.0, 0.5, 2.0, 9.0))),
            (0.2, Weibull(mean=5.0, shape=0.7)),
            (0.15, Lognormal(median=2.0, sigma=0.8)),
            (0.15, Uniform(low=1.0, high=4.0)),
        )
    ),
]


def scenario_of(life: Life, age: str | float, length: float = 100.0, **changes: Any) -> Scenario:
    """A job whose servers keep their slots, each with one life after the other."""
    return plain(
        SERVERS,
        length=length,
        mean_life=MEAN_LIFE,
        failures__life=life,
        failures__initial_age=age,
        diagnosis__probability=0.0,
        **changes,
    )


def first_lives(scenario: Scenario, defective: bool = False) -> np.ndarray:
    """What is left of the lives of many servers at the start, in hours."""
    plan, root = make_plan(scenario), Chance(3, 0).root
    return np.array([initial_life(plan, root, s, defective) for s in range(COUNT)])


def longer(life: Life, hours: np.ndarray) -> np.ndarray:
    """The share of lives of mean 1 that are longer than so many hours."""
    return np.asarray(1.0 - life_of_mean_1(life).cdf(hours), float)


def equilibrium(life: Life, at: np.ndarray) -> np.ndarray:
    """The integral of the share of longer lives up to each of some hours, for a mean of 1."""
    fine = np.concatenate([[0.0], np.geomspace(1e-9, 1e4, 400_000)])
    share = longer(life, fine)
    steps = np.diff(fine) * 0.5 * (share[1:] + share[:-1])
    whole = np.concatenate([[0.0], np.cumsum(steps)])
    assert whole[-1] == pytest.approx(1.0, rel=2e-4)
    return np.interp(at, fine, whole)


@pytest.mark.parametrize("life", LIVES, ids=repr)
def test_what_is_left_of_a_stationary_life_has_its_density(life: Life) -> None:
    left = first_lives(scenario_of(life, "stationary")) / MEAN_LIFE
    assert (left > 0.0).all()
    found = stats.kstest(left, lambda x: equilibrium(life, x))
    assert found.pvalue > P_VALUE_LEAST
    if not isinstance(life, MixtureLife | EmpiricalLife | ConstantLife):
        # E of what is left is (1 + cv^2) / 2 mean lives, which is the inspection paradox.
        assert_mean(left, 0.5 * (1.0 + float(life_of_mean_1(life).var())))


@pytest.mark.parametrize("life", LIVES, ids=repr)
def test_what_is_left_behind_an_age_is_that_of_longer_lives(life: Life) -> None:
    for age in (0.05, 0.6):
        left = first_lives(scenario_of(life, age * MEAN_LIFE)) / MEAN_LIFE
        alive = float(longer(life, np.array([age]))[0])
        assert survival(life, age) == pytest.approx(alive, rel=1e-9)
        points = np.unique(np.quantile(left, np.linspace(0.02, 0.98, 40)))
        for point in (p for p in points if _is_smooth(life, age + p)):
            expected = 1.0 - float(longer(life, np.array([age + point]))[0]) / alive
            below = int(np.sum(left <= point))
            assert stats.binomtest(below, COUNT, expected).pvalue > P_VALUE_LEAST / 40


def _is_smooth(life: Life, hours: float) -> bool:
    """Whether no single life has this length, so that rounding decides nothing."""
    law = life_of_mean_1(life)
    return bool(law.cdf(hours * (1 + 1e-9)) - law.cdf(hours * (1 - 1e-9)) < 1e-6)


@pytest.mark.parametrize("age", ["stationary", 0.5 * MEAN_LIFE])
def test_a_defective_server_has_its_own_mean(age: str | float) -> None:
    life = WeibullLife(shape=2.0)
    scenario = scenario_of(life, age, failures__systematic={"fraction": 0.5, "multiplier": 1.0})
    good, bad = first_lives(scenario), first_lives(scenario, defective=True)
    if age == "stationary":
        assert bad == pytest.approx(0.5 * good, rel=1e-12)
        return
    for left, mean in ((good, 1.0), (bad, 0.5)):
        alive = longer(life, np.array([0.5 / mean]))[0]
        law = lambda x, m=mean, a=alive: 1.0 - longer(life, (0.5 + x) / m) / a  # noqa: E731
        assert stats.kstest(left / MEAN_LIFE, law).pvalue > P_VALUE_LEAST


@pytest.mark.parametrize("life", LIVES, ids=repr)
def test_a_stationary_start_fails_at_the_long_term_rate_at_once(life: Life) -> None:
    for lives in (0.2, 1.0, 2.5):
        sample = simulate(scenario_of(life, "stationary", lives * MEAN_LIFE), 300)
        assert_mean(sample["failures"], SERVERS * lives, f"failures in {lives} mean lives")


@pytest.mark.parametrize(
    ("life", "sign"),
    [
        (WeibullLife(shape=0.5), 1),
        (WeibullLife(shape=2.0), -1),
        (GammaLife(shape=3.0), -1),
        (LognormalLife(sigma=1.0), -1),
        (UniformLife(spread=0.5), -1),
        (EmpiricalLife(values=(1.0, 5.0, 5.0, 12.0, 40.0)), 1),
    ],
    ids=repr,
)
def test_a_new_start_does_not(life: Life, sign: int) -> None:
    failures = simulate(scenario_of(life, "new", 0.2 * MEAN_LIFE), 300)["failures"]
    away = sign * (failures.mean() - SERVERS * 0.2)
    assert away > 2.0 * ERRORS * standard_error(failures)


@pytest.mark.parametrize("life", LIVES[:7], ids=repr)
def test_failures_from_an_age_on_are_a_delayed_renewal_process(life: Life) -> None:
    age, lives = 0.3, 1.5
    alive = longer(life, np.array([age]))[0]
    expected = renewals_after(life, lives, lambda x: 1.0 - longer(life, age + x) / alive)
    sample = simulate(scenario_of(life, age * MEAN_LIFE, lives * MEAN_LIFE), 400)
    assert_mean(sample["failures"], SERVERS * expected)


def test_stationary_good_and_defective_servers_fail_at_both_rates() -> None:
    # Nobody is repaired, so who is defective stays so: 15 of 60, at four times the rate.
    scenario = scenario_of(
        WeibullLife(shape=0.5),
        "stationary",
        MEAN_LIFE,
        failures__systematic={"fraction": 0.25, "multiplier": 3.0},
    )
    sample = simulate(scenario, 400)
    assert_mean(sample["failures"], 45.0 * 1.0 + 15.0 * 4.0)


def test_old_servers_with_infant_mortality_fail_less_and_worn_ones_more() -> None:
    for shape, sign in ((0.5, -1), (2.0, 1)):
        life = WeibullLife(shape=shape)
        counts = [
            float(simulate(scenario_of(life, age, 0.3 * MEAN_LIFE), 200)["failures"].mean())
            for age in ("new", 0.3 * MEAN_LIFE, 1.0 * MEAN_LIFE)
        ]
        assert all(sign * (later - sooner) > 0.0 for sooner, later in itertools.pairwise(counts))


@pytest.mark.parametrize("age", ["stationary", 0.7 * MEAN_LIFE])
def test_exponential_lives_have_no_age(age: str | float) -> None:
    new, aged = (scenario_of(ExponentialLife(), each) for each in ("new", age))
    assert trace(aged, seed=5).rows() == trace(new, seed=5).rows()


def test_an_age_of_zero_is_new() -> None:
    new, aged = (scenario_of(WeibullLife(shape=2.0), each) for each in ("new", 0.0))
    assert trace(aged, seed=5).rows() == trace(new, seed=5).rows()


def test_standbys_and_spares_are_as_old_as_the_rest() -> None:
    # A constant life of which 20 of 50 hours are over: whoever works, fails after 30.
    scenario = plain(
        3,
        standbys=3,
        length=31.0,
        mean_life=MEAN_LIFE,
        failures__life=ConstantLife(),
        failures__initial_age=20.0,
        cluster__spare_pool=3,
        preemption__wait=0.0,
        job__resume_with="job",
        repair__automated__time=1e5,
    )
    rows = trace(scenario, seed=2).rows()
    assert [time for time, event, _, _ in rows if event == "failure"] == [30.0] * 3
    later = scenario.with_(job__length=61.0)
    times = [time for time, event, _, _ in trace(later, seed=2).rows() if event == "failure"]
    assert times == [30.0] * 3 + [60.0] * 3


def test_a_fleet_whose_lives_have_a_heavy_tail_is_drawn_right() -> None:
    # Lognormal, sigma 2: the mean of what is left is exp(sigma^2) / 2 mean lives, 27 of them.
    left = first_lives(scenario_of(LognormalLife(sigma=2.0), "stationary")) / MEAN_LIFE
    logs = np.log(left)
    # ln(L U) with L length-biased: normal with mean sigma^2 / 2 behind a mean of 1, plus ln U.
    assert_mean(logs, 0.5 * 4.0 - 1.0)
    assert_variance(logs, 4.0 + 1.0)
    assert math.exp(4.0) / 2.0 == pytest.approx(27.3, rel=1e-3)
