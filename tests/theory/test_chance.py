"""Addressed draws are what they claim: distributed right, independent along every coordinate.

Kolmogorov distances against scipy, fixed seeds: a test that passes passes always. A p-value of
0.001 is the limit, for some forty tests. On the map: MODEL, "chance has an address".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.theory.numbers import assert_mean, simulate
from tests.theory.renewal import life_of_mean_1
from tests.theory.scenarios import plain

from failcast.engine import draw, trace
from failcast.engine import random as chance
from failcast.engine.random import LIFE, STREAMS, Chance
from failcast.scenario import (
    Constant,
    Distribution,
    Exponential,
    ExponentialLife,
    Life,
    Lognormal,
    LognormalLife,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
    load,
)

P_VALUE_LEAST = 1e-3
COUNT = 20_000

FAMILIES: list[tuple[Distribution | Life, Any]] = [
    (Exponential(mean=48.0), stats.expon(scale=48.0)),
    (Weibull(scale=3.0, shape=0.6), stats.weibull_min(0.6, scale=3.0)),
    (Weibull(mean=2.0, shape=2.0), stats.weibull_min(2.0, scale=2.0 / math.gamma(1.5))),
    (Lognormal(median=20.0, sigma=2.5), stats.lognorm(2.5, scale=20.0)),
    (Lognormal(mean=20.0, sigma=0.5), stats.lognorm(0.5, scale=20.0 * np.exp(-0.125))),
    (Uniform(low=2.0, high=5.0), stats.uniform(2.0, 3.0)),
    *(
        (life, life_of_mean_1(life))
        for life in (
            ExponentialLife(),
            WeibullLife(shape=0.5),
            WeibullLife(shape=3.0),
            LognormalLife(sigma=1.0),
            UniformLife(spread=0.5),
        )
    ),
]


@pytest.mark.parametrize(("family", "expected"), FAMILIES, ids=[repr(f) for f, _ in FAMILIES])
def test_a_family_has_its_distribution(family: Distribution | Life, expected: Any) -> None:
    one = Chance(3, 0)
    values = np.array([one.sample(family.kernel(), LIFE, 7, n) for n in range(COUNT)])
    assert stats.kstest(values, expected.cdf).pvalue > P_VALUE_LEAST
    # The tails again, where a distance of distribution functions is blind.
    for tail in (0.001, 0.999):
        below = np.sum(values <= expected.ppf(tail))
        assert stats.binomtest(int(below), COUNT, tail).pvalue > P_VALUE_LEAST


def test_a_constant_is_constant() -> None:
    one = Chance(3, 0)
    assert {one.sample(Constant(value=1.5).kernel(), LIFE, 7, n) for n in range(100)} == {1.5}


@pytest.mark.parametrize(
    "life", [WeibullLife(shape=0.7), LognormalLife(sigma=0.8), UniformLife(spread=0.3)], ids=repr
)
def test_lives_have_mean_1(life: Life) -> None:
    one = Chance(4, 0)
    assert_mean(np.array([one.sample(life.kernel(), LIFE, 1, n) for n in range(COUNT)]), 1.0)


def test_a_scale_changes_a_draw_in_proportion() -> None:
    # What common random numbers rest on: twice the mean is twice the very same draw.
    one = Chance(5, 2)
    for single, double in (
        (Exponential(mean=3.0), Exponential(mean=6.0)),
        (Weibull(mean=3.0, shape=0.7), Weibull(mean=6.0, shape=0.7)),
        (Lognormal(median=3.0, sigma=1.0), Lognormal(median=6.0, sigma=1.0)),
    ):
        for n in range(20):
            value = one.sample(single.kernel(), LIFE, 7, n)
            assert one.sample(double.kernel(), LIFE, 7, n) == pytest.approx(2 * value, rel=1e-12)


def lives_by_server(i: int) -> float:
    """First lives, server by server."""
    return draw(1, 0, LIFE, i, 0)


def lives_in_turn(i: int) -> float:
    """One server's lives, one after the other."""
    return draw(1, 0, LIFE, 9, i)


def by_replication(i: int) -> float:
    """The same draw, replication by replication."""
    return draw(1, i, LIFE, 9, 3)


def by_seed(i: int) -> float:
    """The same draw, seed by seed."""
    return draw(i, 0, LIFE, 9, 3)


def by_stream(i: int) -> float:
    """All streams of a place, place by place."""
    return draw(1, 0, 1 + i % len(STREAMS), i // len(STREAMS), 2)


def inside_a_slot(i: int) -> float:
    """What a sampler draws further inside one slot."""
    return Chance(1, 0).further(LIFE, 9, 3, i)


ALONG: list[Callable[[int], float]] = [
    lives_by_server,
    lives_in_turn,
    by_replication,
    by_seed,
    by_stream,
    inside_a_slot,
]


@pytest.mark.parametrize("along", ALONG, ids=lambda along: along.__name__)
def test_draws_along_one_coordinate_are_uniform_and_independent(
    along: Callable[[int], float],
) -> None:
    values = np.array([along(i) for i in range(COUNT)])
    assert stats.kstest(values, "uniform").pvalue > P_VALUE_LEAST
    for lag in (1, 2, len(STREAMS)):
        correlation = float(np.corrcoef(values[:-lag], values[lag:])[0, 1])
        assert abs(correlation) < 4.0 / np.sqrt(COUNT - lag)
    # Serial pairs, and triples, fall evenly into the cells of a square and of a cube.
    for width, cells in ((2, 16), (3, 6)):
        grid = (values[: COUNT // width * width].reshape(-1, width) * cells).astype(int)
        counts = np.bincount(grid @ cells ** np.arange(width), minlength=cells**width)
        assert stats.chisquare(counts).pvalue > P_VALUE_LEAST


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda i: draw(1, 0, LIFE, i, 0), lambda i: draw(1, 0, LIFE, i, 1)),
        (lambda i: draw(1, 0, LIFE, i, 0), lambda i: draw(1, 0, LIFE, 0, i)),
        (lambda i: draw(1, 0, LIFE, i, 0), lambda i: draw(1, 0, LIFE + 1, i, 0)),
        (lambda i: draw(1, 0, LIFE, i, 0), lambda i: draw(1, 1, LIFE, i, 0)),
        (lambda i: draw(42, 0, LIFE, i, 0), lambda i: draw(43, 0, LIFE, i, 0)),
        (lambda i: draw(42, 1, LIFE, i, 0), lambda i: draw(43, 0, LIFE, i, 0)),
        (lambda i: Chance(1, 0).further(LIFE, i, 0, 1), lambda i: draw(1, 0, LIFE + 1, i, 0)),
    ],
    ids=["next life", "server or life", "next stream", "next replication", "next seed",
         "B21", "further or next stream"],
)  # fmt: skip
def test_neighbouring_sequences_are_independent(
    one: Callable[[int], float], other: Callable[[int], float]
) -> None:
    pairs = np.array([(one(i), other(i)) for i in range(1, COUNT // 2)])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 4.0 / np.sqrt(len(pairs))
    cells = (pairs * 10).astype(int) @ [1, 10]
    assert stats.chisquare(np.bincount(cells, minlength=100)).pvalue > P_VALUE_LEAST


def test_every_address_has_its_own_bits() -> None:
    # Among 27,200 addresses two equal words of 64 bits have a probability of 2e-11.
    one = Chance(7, 3)
    entities, renewals, streams = range(40), range(40), range(1, len(STREAMS) + 1)
    places = list(itertools.product(streams, entities, renewals))
    assert len({one.bits(*place) for place in places}) == len(places)
    roots = {
        int(Chance(seed, replication).root) for seed in range(150) for replication in range(150)
    }
    assert len(roots) == 150 * 150


def test_streams_have_numbers_of_their_own() -> None:
    numbers = [number for number, _, _ in STREAMS.values()]
    assert len(set(numbers)) == len(numbers)
    assert all(getattr(chance, name.upper()) == number for name, (number, _, _) in STREAMS.items())


def test_half_of_the_bits_change_with_any_bit_of_an_address() -> None:
    # The avalanche criterion, for the bits that entities and renewals really use.
    one = Chance(11, 0)
    flips = [
        bin(one.bits(LIFE, entity, n) ^ one.bits(LIFE, entity ^ (1 << bit), n)).count("1")
        for entity in range(0, 4096, 37)
        for n in (0, 3)
        for bit in range(20)
    ] + [
        bin(one.bits(LIFE, entity, n) ^ one.bits(LIFE, entity, n ^ (1 << bit))).count("1")
        for entity in range(0, 4096, 37)
        for n in (0, 3)
        for bit in range(10)
    ]
    assert_mean(np.array(flips, dtype=float), 32.0)
    assert 4 <= min(flips) <= max(flips) <= 60


def test_b21_neighbouring_seeds_share_no_replication() -> None:
    # In the original, replications 1 to 4 of seed 42 are replications 0 to 3 of seed 43.
    small = load("small")
    samples = {seed: simulate(small, 400, seed=seed) for seed in (42, 43)}
    hours = [samples[seed]["training_hours"] for seed in (42, 43)]
    assert abs(np.corrcoef(*hours)[0, 1]) < 4.0 / 20.0
    assert abs(np.corrcoef(hours[0][1:], hours[1][:-1])[0, 1]) < 4.0 / 20.0
    assert abs(np.corrcoef(hours[0][1:], hours[0][:-1])[0, 1]) < 4.0 / 20.0
    rows = [tuple(row) for sample in samples.values() for row in np.array([*sample.values()]).T]
    assert len(set(rows)) == len(rows)


def test_b05_random_selection_is_uniform() -> None:
    # 3 of 10 servers are chosen anew after each failure, all lives are exponential and equal, so
    # each server has a tenth of the failures. The original takes a prefix of the pool.
    scenario = plain(3, idle=7, length=3000.0, mean_life=2.0)
    rows = trace(scenario, seed=1).rows()
    failing = [server for _, event, server, _ in rows if event == "failure"]
    counts = np.bincount(failing, minlength=10)
    assert stats.chisquare(counts).pvalue > P_VALUE_LEAST


def test_b05_random_selection_orders_the_standbys_uniformly() -> None:
    # 2 of 10 work, 3 stand by. The first to fail, the first promoted, the second promoted: each
    # is one of ten.
    scenario = plain(2, standbys=3, idle=5, length=100.0, mean_life=2.0)
    first = []
    for replication in range(1000):
        rows = trace(scenario, seed=1, replication=replication).rows()
        failing = next(server for _, event, server, _ in rows if event == "failure")
        promoted = [server for _, event, server, _ in rows if event == "promotion"]
        first.append((failing, *promoted[:2]))
    for place in np.array(first).T:
        assert stats.chisquare(np.bincount(place, minlength=10)).pvalue > P_VALUE_LEAST
