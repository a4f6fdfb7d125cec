"""Paired differences: figures by hand and from the literature, coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.results.coverage import lower_limit
from tests.results.synthetic import normals, uniforms

from failcast.study.differences import difference, share_difference

TRIALS = 4000


def pairs_of(both: int, gained: int, lost: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    """So many pairs of each kind, as two columns: base, other."""
    base = np.repeat([True, False, True, False], [both, gained, lost, neither])
    other = np.repeat([True, True, False, False], [both, gained, lost, neither])
    return base, other


def test_figures_of_four_pairs_by_hand() -> None:
    """Gaps 1, 2, 3, 2: mean 2, variance 2/3; t at 3 degrees of freedom and 95 % is 3.1824."""
    base, other = np.array([1.0, 5.0, 2.0, 4.0]), np.array([2.0, 7.0, 5.0, 6.0])
    found = difference("ettr", base, other, 0.95)
    half = 3.182446 * math.sqrt(2.0 / 3.0) / 2.0
    assert (found.base, found.other, found.difference, found.pairs) == (3.0, 5.0, 2.0, 4)
    assert (found.low, found.high) == pytest.approx((2.0 - half, 2.0 + half), rel=1e-6)
    assert found.correlation == pytest.approx(np.corrcoef(base, other)[0, 1])
    assert found.saved == pytest.approx((base.var(ddof=1) + other.var(ddof=1)) / (2.0 / 3.0))
    assert found.shown


def test_an_interval_of_gaps_is_not_cut_at_zero() -> None:
    """A mean of values from 0 on is; a difference may be of either sign."""
    found = difference("failures", np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.95)
    assert found.low is not None
    assert found.low < 0.0
    assert not found.shown


@pytest.mark.parametrize("count", [0, 1])
def test_few_pairs_have_no_interval(count: int) -> None:
    found = difference("ettr", np.ones(count), np.zeros(count), 0.95)
    assert (found.low, found.high, found.sd, found.saved) == (None, None, None, None)
    assert found.difference == (-1.0 if count else None)
    assert not found.shown


def test_pairs_that_never_differ_are_no_difference() -> None:
    values = np.array([1.0, 2.0, 3.0])
    found = difference("ettr", values, values, 0.95)
    assert (found.difference, found.low, found.high, found.saved) == (0.0, 0.0, 0.0, None)
    assert not found.shown


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.9])
def test_the_interval_covers_and_pairing_saves_what_it_says(correlation: float) -> None:
    """Normal pairs: 95 % of intervals hold the mean gap; the saving is 1 / (1 - correlation)."""
    base, fresh = normals(TRIALS, 30, salt=1), normals(TRIALS, 30, salt=2)
    other = 0.3 + correlation * base + math.sqrt(1.0 - correlation**2) * fresh
    found = [difference("ettr", a, b, 0.95) for a, b in zip(base, other, strict=True)]
    hits = sum(f.low <= 0.3 <= f.high for f in found if f.low is not None and f.high is not None)
    assert hits / TRIALS > lower_limit(0.95, TRIALS)
    saved = np.median([f.saved for f in found if f.saved is not None])
    assert saved == pytest.approx(1.0 / (1.0 - correlation), rel=0.05)


@pytest.mark.parametrize(
    ("cells", "interval"),
    [
        ((36, 12, 2, 0), (0.0569, 0.3404)),
        ((43, 0, 1, 53), (-0.0385, 0.0179)),
        ((0, 0, 0, 50), (-0.0713, 0.0713)),
        ((0, 50, 0, 0), (0.8991, 1.0)),
    ],
)
def test_shares_by_newcombes_method(
    cells: tuple[int, int, int, int], interval: tuple[float, float]
) -> None:
    """The first is an example of his paper; a pair that never differs has the width of Wilson's."""
    found = share_difference("depleted", *pairs_of(*cells), 0.95)
    assert (found.low, found.high) == pytest.approx(interval, abs=5e-5)
    assert found.difference == pytest.approx((cells[1] - cells[2]) / sum(cells))
    assert (found.gained, found.lost, found.pairs) == (cells[1], cells[2], sum(cells))


@pytest.mark.parametrize(
    ("runs", "first", "second"), [(50, 0.2, 0.25), (200, 0.02, 0.05), (200, 0.95, 0.9)]
)
def test_the_interval_of_a_difference_of_shares_covers(
    runs: int, first: float, second: float
) -> None:
    us, fresh, choice = (uniforms(TRIALS, runs, salt) for salt in (3, 4, 5))
    hits = 0
    for u, v in zip(us, np.where(choice < 0.5, us, fresh), strict=True):  # half is shared
        found = share_difference("finished", u < first, v < second, 0.95)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= second - first <= found.high
    assert hits / TRIALS > lower_limit(0.95, TRIALS)


def test_no_runs_have_no_shares() -> None:
    empty = np.zeros(0, dtype=bool)
    found = share_difference("finished", empty, empty, 0.95)
    assert (found.base, found.difference, found.low, found.pairs) == (None, None, None, 0)
