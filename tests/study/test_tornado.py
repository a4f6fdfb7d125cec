"""One input at a time: paired differences, places, and no place for noise."""

from __future__ import annotations

import numpy as np
import pytest
from tests.study.functions import noise

from failcast.study import differences
from failcast.study.ranking import tornado
from failcast.study.ranking.tornado import Swings

CONFIDENCE = 0.95


def swings(seed: int, lows: list[float], highs: list[float], pairs: int = 50) -> Swings:
    """Ends that change the output by so much, with noise of each scenario's own of sd 0.5."""
    shared = 10.0 * noise(seed, pairs)
    own = 0.5 * noise(seed + 10_000, 1 + 2 * len(lows), pairs)
    low = shared + own[1 : 1 + len(lows)] + np.array(lows)[:, np.newaxis]
    high = shared + own[1 + len(lows) :] + np.array(highs)[:, np.newaxis]
    return tornado.swings(shared + own[0], low, high, CONFIDENCE, share=False)


def test_the_ends_are_compared_pair_by_pair() -> None:
    found = swings(1, [-2.0, 0.0, -5.0], [3.0, 0.0, -1.0])
    assert found.swing[0].value == pytest.approx(5.0, abs=0.4)
    assert found.at_low[2].value == pytest.approx(-5.0, abs=0.4)
    assert found.at_high[2].value == pytest.approx(-1.0, abs=0.4)
    assert found.shown == (True, False, True)
    assert found.places == ((1, 1), None, (2, 2))


def test_equal_swings_share_their_places_whatever_their_sign() -> None:
    assert swings(2, [1.0, -1.0, 0.0], [-1.0, 1.0, 9.0]).places == ((2, 3), (2, 3), (1, 1))


def test_an_input_with_both_ends_alike_has_a_place_though_it_has_no_swing() -> None:
    found = swings(3, [4.0, 0.0], [4.0, 0.0])
    assert found.shown == (True, False)
    assert found.swing[0].low < 0.0 < found.swing[0].high


def test_shares_have_the_interval_of_shares() -> None:
    base, high = (noise(seed, 200) > level for seed, level in ((1, 0.0), (2, -1.0)))
    found = tornado.swings(
        base.astype(float), base[np.newaxis] * 1.0, high[np.newaxis] * 1.0, CONFIDENCE, share=True
    )
    wanted = differences.share_difference("", base, high, CONFIDENCE)
    assert found.swing[0] == (wanted.difference, wanted.low, wanted.high)


def true_in(*counts: int, runs: int = 10) -> np.ndarray:
    """A share for each input: true in the first so many of the runs."""
    return np.array([np.arange(runs) < count for count in counts], dtype=float)


def test_places_of_shares_are_not_surer_than_their_intervals() -> None:
    """10 and 6 of 10 runs: Student's t over the pairs takes them apart, shares of so few do not."""
    base = true_in(0)[0]
    found = tornado.swings(base, true_in(0, 0), true_in(10, 6), CONFIDENCE, share=True)
    assert found.shown == (True, True)
    assert found.places == ((1, 2), (1, 2))
    apart = tornado.swings(base, true_in(0, 0), true_in(10, 6), CONFIDENCE, share=False)
    assert apart.places == ((1, 1), (2, 2))


def test_places_of_shares_are_told_apart_where_runs_are_many() -> None:
    base = true_in(0, runs=200)[0]
    low, high = true_in(0, 200, 0, runs=200), true_in(190, 20, 60, runs=200)
    found = tornado.swings(base, low, high, CONFIDENCE, share=True)
    assert found.places == ((1, 2), (1, 2), (3, 3))


def test_equal_swings_of_shares_are_seldom_told_apart() -> None:
    """Coverage: the swings of both are 0.5, with chance that they share; runs are few."""
    studies, runs, apart, both = 1000, 30, 0, 0
    for seed in range(studies):
        shared, own = noise(seed, runs), noise(seed + 10_000, 4, runs)
        low, high = (
            (0.6 * shared + 0.8 * own[at : at + 2] < level).astype(float)
            for at, level in ((0, -0.6745), (2, 0.6745))
        )
        places = tornado.swings(low[0], low, high, CONFIDENCE, share=True).places
        both += None not in places
        apart += places in (((1, 1), (2, 2)), ((2, 2), (1, 1)))
    assert both > 0.8 * studies
    assert apart / both < 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / both)


def test_noise_seldom_has_a_place() -> None:
    """Six inert inputs: in at most 5 % of tornados has any of them a place."""
    false = sum(any(swings(seed, [0.0] * 6, [0.0] * 6, 20).shown) for seed in range(400))
    assert false / 400 < 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / 400)
