"""The ziggurats: their layers close, and their tails are not a little too thin.

A Kolmogorov distance sees the bulk of a distribution. What a wrong retry in the tail does, a few
hundredths of a few ten-thousandths, only many draws can show.
"""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from failcast.engine import random

DRAWS = 60_000_000


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types for it here
def count_beyond(exponential: bool, edges: np.ndarray) -> np.ndarray:
    """Count the draws beyond each edge, of either sign."""
    counts = np.zeros(len(edges), np.int64)
    for i in range(DRAWS):
        word = random.bits(random.address(np.uint64(7), i & 0xFFFFF, i >> 20), random.LIFE)
        x = random.exponential(word) if exponential else abs(random.normal(word))
        for j in range(len(edges)):
            if x > edges[j]:
                counts[j] += 1
    return counts


@pytest.mark.parametrize("exponential", [True, False])
def test_tails_have_their_weight(exponential: bool) -> None:
    edges = np.array([0.5, 1.0, 2.0, 3.0, 3.6, 3.7, 4.2, 5.0, 7.0, 7.6, 7.8, 9.0, 11.0])
    expected = [math.exp(-edge) if exponential else math.erfc(edge / 2**0.5) for edge in edges]
    for count, p in zip(count_beyond(exponential, edges), expected, strict=True):
        error = math.sqrt(DRAWS * p * (1.0 - p))
        assert abs(count - DRAWS * p) <= 4.0 * error + 1.0


@pytest.mark.parametrize(
    ("x", "y", "tail_area"),
    [
        (random.EXPONENTIAL_X, random.EXPONENTIAL_Y, math.exp(-random.EXPONENTIAL_TAIL)),
        (
            random.NORMAL_X,
            random.NORMAL_Y,
            math.sqrt(0.5 * math.pi) * math.erfc(random.NORMAL_TAIL / math.sqrt(2.0)),
        ),
    ],
)
def test_all_layers_have_the_same_area(x: np.ndarray, y: np.ndarray, tail_area: float) -> None:
    area = x[1] * y[1] + tail_area
    layers = x[1:256] * np.diff(y[1:257])
    assert layers == pytest.approx(np.full(255, area), rel=1e-9)
    assert x[0] * y[1] == pytest.approx(area, rel=1e-12)
    assert (np.diff(x) < 0.0).all()
