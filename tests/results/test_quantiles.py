"""The quantiles that failcast computes itself are those of scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc, ndtri, stdtr, stdtrit

from failcast.results.quantiles import (
    binomial_above,
    binomial_at_most,
    normal_quantile,
    t_quantile,
)

CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)
FREEDOMS = (*range(1, 40), 99, 100, 199, 998, 999, 1000, 1001, 9_999, 10_000_000)


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_the_normal_quantile_is_that_of_scipy(confidence: float) -> None:
    assert normal_quantile(confidence) == pytest.approx(ndtri(0.5 + confidence / 2.0), rel=1e-14)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("freedom", FREEDOMS)
def test_students_quantile_is_that_of_scipy(freedom: int, confidence: float) -> None:
    """On both sides of the border between the sum and the expansion."""
    expected = stdtrit(freedom, 0.5 + confidence / 2.0)
    assert t_quantile(freedom, confidence) == pytest.approx(expected, rel=1e-11)


@given(st.integers(1, 10_000_000), st.floats(1e-3, 0.99999))
def test_the_probability_inside_the_quantile_is_the_confidence(freedom: int, inside: float) -> None:
    t = t_quantile(freedom, inside)
    assert 1.0 - 2.0 * stdtr(freedom, -t) == pytest.approx(inside, abs=1e-12)


@pytest.mark.parametrize("confidence", [5e-324, 1e-12, 1.0 - 10**-15.5, math.nextafter(1.0, 0.0)])
@pytest.mark.parametrize("freedom", [1, 2, 7, 721, 999, 1000])
def test_the_ends_of_the_range_give_numbers(freedom: int, confidence: float) -> None:
    t = t_quantile(freedom, confidence)
    assert math.isfinite(t)
    assert t >= 0.0


@given(st.integers(1, 3000), st.floats(0.0, 1.0), st.data())
def test_binomial_tails_are_those_of_scipy(n: int, q: float, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, n))
    assert binomial_at_most(count, n, q) == pytest.approx(bdtr(count, n, q), abs=1e-11)
    assert binomial_above(count, n, q) == pytest.approx(bdtrc(count, n, q), abs=1e-11)


@pytest.mark.parametrize("q", [0.0, 0.05, 0.5, 1.0])
def test_binomial_tails_at_their_ends(q: float) -> None:
    assert binomial_at_most(7, 7, q) == 1.0
    assert binomial_above(7, 7, q) == 0.0
    assert binomial_at_most(0, 7, q) == pytest.approx((1.0 - q) ** 7)
