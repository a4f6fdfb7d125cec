"""Gamma, empirical and mixture draws: distributed right, scaled right, and inside their own slot.

Moments within 4 standard errors of the sample, frequencies and Kolmogorov distances at a p-value of
0.001, fixed seeds. On the map: engine/random.py and engine/plan.py, beside test_chance.py.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from scipy import special, stats
from tests.strategies import MIXED
from tests.theory.numbers import assert_mean, assert_variance
from tests.theory.renewal import Mixed

from failcast.engine.plan import Facts, lay_out, make_plan
from failcast.engine.random import AUTOMATED_TIME, LIFE, NUMBER_DTYPE, Chance, fresh, number_at
from failcast.scenario import (
    Constant,
    Distribution,
    Empirical,
    EmpiricalLife,
    Exponential,
    Gamma,
    GammaLife,
    Life,
    Lognormal,
    Mixture,
    MixtureLife,
    Scenario,
    Uniform,
    Weibull,
)

P_VALUE_LEAST = 1e-3
COUNT = 40_000
SHAPES = (0.05, 0.3, 1.0, 2.5, 50.0, 1000.0)
MEASURED = (0.5, 1.0, 1.0, 3.0, 4.5, 20.0)


def draws(part: Distribution | Life, count: int = COUNT, stream: int = LIFE) -> np.ndarray:
    """Draws of one server, life by life."""
    numbers = np.zeros(len(part.table()), NUMBER_DTYPE)
    law, chance = lay_out(part, numbers), Chance(3, 0)
    return np.array([chance.sample(law, stream, 7, n) for n in range(count)])


def words(count: int = COUNT) -> np.ndarray:
    """The uniform numbers that the same draws start from."""
    chance = Chance(3, 0)
    return np.array([chance.uniform(LIFE, 7, n) for n in range(count)])


# --- gamma ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_a_gamma_has_its_distribution_and_its_tails(shape: float) -> None:
    values = draws(Gamma(scale=2.0, shape=shape))
    expected = stats.gamma(shape, scale=2.0)
    assert stats.kstest(values, expected.cdf).pvalue > P_VALUE_LEAST
    for tail in (1e-3, 0.01, 0.99, 0.999):
        below = int(np.sum(values <= expected.ppf(tail)))
        assert stats.binomtest(below, COUNT, tail).pvalue > P_VALUE_LEAST


@pytest.mark.parametrize("shape", SHAPES)
def test_a_gamma_has_its_mean_and_variance(shape: float) -> None:
    values = draws(Gamma(mean=3.0, shape=shape))
    assert_mean(values, 3.0)
    assert_variance(values, 9.0 / shape)
    # The mean logarithm, where most of a small shape lies: digamma(shape) + log(scale).
    assert_mean(np.log(values), float(special.digamma(shape)) + math.log(3.0 / shape))


# --- empirical --------------------------------------------------------------------------------


def test_every_measured_value_is_as_likely_as_the_others() -> None:
    values = draws(Empirical(values=MEASURED))
    found = [int(np.sum(values == value)) for value in sorted(set(MEASURED))]
    assert sum(found) == COUNT
    expected = [COUNT * MEASURED.count(v) / len(MEASURED) for v in sorted(set(MEASURED))]
    assert stats.chisquare(found, expected).pvalue > P_VALUE_LEAST
    assert_mean(values, sum(MEASURED) / len(MEASURED))


def test_a_larger_uniform_number_draws_a_larger_value() -> None:
    values = draws(Empirical(values=MEASURED[::-1]), 2000)
    expected = [MEASURED[int(u * len(MEASURED))] for u in words(2000)]
    assert values.tolist() == expected


def test_one_value_is_a_constant() -> None:
    assert set(draws(Empirical(values=(1.5,)), 200)) == {1.5}


def test_many_values_are_all_reached() -> None:
    values = tuple(float(n) for n in range(1, 1001))
    assert set(draws(Empirical(values=values))) == set(values)


# --- mixture ----------------------------------------------------------------------------------


def test_a_mixture_draws_its_parts_by_weight() -> None:
    weights = (0.5, 0.3, 0.15, 0.05)
    parts = [(weight, Constant(value=float(n))) for n, weight in enumerate(weights)]
    found = np.bincount(draws(Mixture(parts=parts)).astype(int), minlength=len(weights))
    assert stats.chisquare(found, np.array(weights) * COUNT).pvalue > P_VALUE_LEAST


def test_a_mixture_of_twenty_parts_reaches_them_all() -> None:
    parts = [(0.05, Constant(value=float(n))) for n in range(20)]
    found = np.bincount(draws(Mixture(parts=parts)).astype(int), minlength=20)
    assert stats.chisquare(found).pvalue > P_VALUE_LEAST


def test_a_mixture_has_the_distribution_and_the_moments_of_its_parts() -> None:
    mixture = Mixture(parts=MIXED)
    values = draws(mixture)
    assert_mean(values, mixture.mean_hours)
    edges = np.quantile(values, np.linspace(0.005, 0.995, 60))
    for edge in edges[~np.isin(edges, (0.5, 1.0, 2.0, 2.5, 30.0))]:
        below = int(np.sum(values <= edge))
        assert stats.binomtest(below, COUNT, float(Mixed(MIXED).cdf(edge))).pvalue > P_VALUE_LEAST
    two = Mixture(parts=((0.7, Exponential(mean=2.0)), (0.3, Uniform(low=10.0, high=16.0))))
    second = 0.7 * 2.0 * 2.0**2 + 0.3 * (13.0**2 + 3.0)
    assert two.mean_hours == pytest.approx(0.7 * 2.0 + 0.3 * 13.0)
    assert_variance(draws(two), second - two.mean_hours**2)


def test_a_mixture_keeps_the_values_of_its_parts_apart() -> None:
    parts = [(0.25, Empirical(values=(n + 0.1, n + 0.2, n + 0.3))) for n in range(4)]
    values = draws(Mixture(parts=parts))
    found = [int(np.sum(values == n + tenth)) for n in range(4) for tenth in (0.1, 0.2, 0.3)]
    assert sum(found) == COUNT
    assert stats.chisquare(found).pvalue > P_VALUE_LEAST


@pytest.mark.parametrize(
    ("part", "alone"),
    [
        (Exponential(mean=2.0), stats.expon(scale=2.0)),
        (Weibull(scale=2.0, shape=0.5), stats.weibull_min(0.5, scale=2.0)),
        (Lognormal(median=2.0, sigma=1.0), stats.lognorm(1.0, scale=2.0)),
        (Gamma(scale=2.0, shape=0.3), stats.gamma(0.3, scale=2.0)),
        (Uniform(low=2.0, high=5.0), stats.uniform(2.0, 3.0)),
    ],
    ids=("exponential", "weibull", "lognormal", "gamma", "uniform"),
)
def test_which_part_is_drawn_says_nothing_about_its_value(part: Distribution, alone: Any) -> None:
    values, chosen = draws(Mixture(parts=((0.3, part), (0.7, part)))), words() < 0.3
    for group in (values[chosen], values[~chosen]):
        assert stats.kstest(group, alone.cdf).pvalue > P_VALUE_LEAST
    order = np.corrcoef(stats.rankdata(values), words())[0, 1]
    assert abs(order) < 4.0 / math.sqrt(COUNT)


def test_a_mixture_inside_a_mixture_is_drawn_as_its_parts() -> None:
    inner = Mixture(parts=((0.5, Constant(value=1.0)), (0.5, Empirical(values=(2.0, 3.0)))))
    outer = Mixture(parts=((0.6, inner), (0.4, Exponential(mean=1.0))))
    flat = Mixture(
        parts=(
            (0.3, Constant(value=1.0)),
            (0.3, Empirical(values=(2.0, 3.0))),
            (0.4, Exponential(mean=1.0)),
        )
    )
    assert outer == flat
    assert draws(outer, 500).tolist() == draws(flat, 500).tolist()


# --- lives ------------------------------------------------------------------------------------

LIVES: list[Life] = [
    *(GammaLife(shape=shape) for shape in SHAPES),
    EmpiricalLife(values=MEASURED),
    EmpiricalLife(values=(1e-9, 1e9)),
    MixtureLife(parts=MIXED),
    MixtureLife(parts=((0.9, Constant(value=1e-6)), (0.1, Exponential(mean=1e6)))),
    MixtureLife(parts=((0.5, Constant(value=0.0)), (0.5, Uniform(low=2.0, high=9.0)))),
]


@pytest.mark.parametrize("life", LIVES, ids=repr)
def test_lives_have_mean_1(life: Life) -> None:
    assert_mean(draws(life), 1.0)


def test_only_ratios_count_in_lives() -> None:
    one, other = EmpiricalLife(values=(1.0, 3.0)), EmpiricalLife(values=(10.0, 30.0))
    assert draws(one, 200) == pytest.approx(draws(other, 200), rel=1e-12)
    parts = [(weight, _times(7.0, part)) for weight, part in MIXED]
    same = MixtureLife(parts=parts)
    assert draws(MixtureLife(parts=MIXED), 500) == pytest.approx(draws(same, 500), rel=1e-12)


# --- scale, slots, memory ---------------------------------------------------------------------


def _times(factor: float, part: Distribution) -> Distribution:
    """The same distribution, so many times as long."""
    lengths = {"mean", "scale", "median", "value", "low", "high"}
    changed = {
        name: tuple(factor * v for v in value) if name == "values" else factor * value
        for name, value in dict(part).items()
        if value is not None and name in {*lengths, "values"}
    }
    return part.model_copy(update=changed)


@pytest.mark.parametrize("part", [part for _, part in MIXED], ids=repr)
def test_a_scale_changes_a_draw_in_proportion(part: Distribution) -> None:
    once, twice = draws(part, 300), draws(_times(2.0, part), 300)
    assert twice == pytest.approx(2.0 * once, rel=1e-12)
    one = Mixture(parts=((0.5, part), (0.5, Gamma(mean=1.0, shape=0.2))))
    two = Mixture(parts=((0.5, _times(2.0, part)), (0.5, Gamma(mean=2.0, shape=0.2))))
    assert draws(two, 300) == pytest.approx(2.0 * draws(one, 300), rel=1e-12)


@pytest.mark.parametrize(
    "part", [Gamma(mean=1.0, shape=0.3), Gamma(mean=1.0, shape=3.0), Mixture(parts=MIXED)], ids=repr
)
def test_draws_in_neighbouring_slots_are_independent(part: Distribution) -> None:
    ranks = stats.rankdata(draws(part))
    following = np.corrcoef(ranks[:-1], ranks[1:])[0, 1]
    next_stream = np.corrcoef(ranks, stats.rankdata(draws(part, stream=LIFE + 1)))[0, 1]
    chance = Chance(3, 0)
    plain = np.array([chance.uniform(AUTOMATED_TIME, 7, n) for n in range(COUNT)])
    for correlation in (following, next_stream, np.corrcoef(ranks, plain)[0, 1]):
        assert abs(correlation) < 4.0 / math.sqrt(COUNT - 1)


def test_the_words_inside_a_slot_are_all_different() -> None:
    inside: Callable[..., Any] = getattr(fresh, "py_func", fresh)
    with np.errstate(over="ignore"):
        found = {int(inside(np.uint64(word), k)) for word in range(50) for k in range(200)}
    assert len(found) == 50 * 200


def test_a_plan_keeps_its_tables_for_as_long_as_it_lives() -> None:
    scenario = Scenario().with_(
        repair__manual__time=Mixture(parts=MIXED),
        recovery__time=Empirical(values=MEASURED),
        failures__life=EmpiricalLife(values=(1.0, 3.0)),
    )
    plan = make_plan(scenario)
    tables = {"manual": Mixture(parts=MIXED).table(), "recovery": MEASURED, "life": (0.5, 1.5)}
    memory = plan.base
    while memory.base is not None:
        memory = memory.base
    begin, end = memory.ctypes.data, memory.ctypes.data + memory.nbytes
    del scenario, memory
    gc.collect()
    for name, table in tables.items():
        _, address, _ = Facts(plan).distribution(name)
        assert float(int(address)) == address < 2.0**53
        assert begin + plan.nbytes <= address <= end - 8 * len(table)
        found = [read(np.uint64(address), row) for row in range(len(table))]
        assert found == list(table)


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types for it here
def read(address: Any, row: int) -> Any:
    """The number in a row of a table."""
    return number_at(address, row).is_
