"""Bootstrap intervals of figures that are functions of means over rows.

On the map: study, below the methods of ranking. The rows are independent: rows of a design, or
trajectories. All figures of a study are looked at in the same resamples, so that the difference of
two of them has an interval too. Source: B. Efron and R. Tibshirani, An Introduction to the
Bootstrap (1993), chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from failcast.engine.uniforms import RESAMPLE, uniforms
from failcast.results import quantiles
from failcast.results.statistics import Floats

#: Enough for intervals of the usual confidences; stricter ones go by the spread.
RESAMPLES: Final = 4000
#: Draws that are held in memory at once.
_DRAWS_AT_ONCE: Final = 1 << 20

#: From means, shape (…, terms), to figures, shape (…, figures).
Figures = Callable[[Floats], Floats]


class Estimate(NamedTuple):
    """A figure with the ends of its interval."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float | None]:
        """The figure and its ends by name, ready for JSON; None for what the data cannot give."""
        return {k: v if math.isfinite(v) else None for k, v in self._asdict().items()}


def resampled_means(terms: Floats, seed: int, resamples: int = RESAMPLES) -> Floats:
    """The means of `terms`, shape (rows, terms), in each resample of its rows.

    Returns shape (resamples, terms). The draws depend on the seed and the number of rows alone.
    """
    rows = len(terms)
    means = np.empty((resamples, terms.shape[1]))
    step = max(1, _DRAWS_AT_ONCE // rows)
    for first in range(0, resamples, step):
        count = min(step, resamples - first)
        chosen = (uniforms(seed, RESAMPLE, count, rows, first) * rows).astype(np.int64)
        flat = (chosen + np.arange(count)[:, np.newaxis] * rows).ravel()
        weights = np.bincount(flat, minlength=count * rows).reshape(count, rows)
        means[first : first + count] = weights @ terms / rows
    return means


def interval(figures: Floats, rows: int, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the percentile intervals of figures, shape (resamples, figures).

    The percentiles are widened for few rows, as Student's t is wider than the normal and a resample
    varies by (n - 1) / n of what a sample does. Source: T. Hesterberg, What teachers should know
    about the bootstrap, The American Statistician 69 (2015), section 5.2.
    """
    factor = quantiles.t_quantile(rows - 1, confidence) * math.sqrt(rows / (rows - 1))
    tail = 0.5 * math.erfc(factor / math.sqrt(2.0))
    low, high = np.quantile(figures, (tail, 1.0 - tail), axis=0)
    return low, high


def spread_interval(
    point: Floats, figures: Floats, rows: int, confidence: float
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of Student's intervals around `point` with the spread of its resamples.

    For confidences so high that resamples hold too few figures beyond the ends to count them.
    """
    half = quantiles.t_quantile(rows - 1, confidence) * figures.std(axis=0, ddof=1)
    return point - half, point + half


def estimates(values: Floats, low: np.ndarray, high: np.ndarray) -> tuple[Estimate, ...]:
    """Figures with the ends of their intervals."""
    return tuple(Estimate(*map(float, each)) for each in zip(values, low, high, strict=True))


def strict(confidence: float, comparisons: int) -> float:
    """The confidence of one interval with which all of so many hold together (Bonferroni)."""
    return 1.0 - (1.0 - confidence) / max(1, comparisons)


def places(
    figures: Floats, shown: np.ndarray, rows: int, confidence: float
) -> tuple[tuple[int, int] | None, ...]:
    """The best and the worst place of each figure that is shown, the largest first; else None.

    One figure stands before another where the interval of their difference excludes zero, and the
    interval is over the resamples, shape (resamples, figures), that both are in.
    """
    among = np.flatnonzero(shown)
    found: list[tuple[int, int] | None] = [None] * len(shown)
    for one in among:
        low, high = interval(figures[:, among] - figures[:, [one]], rows, confidence)
        found[one] = (1 + int(np.sum(low > 0.0)), len(among) - int(np.sum(high < 0.0)))
    return tuple(found)
