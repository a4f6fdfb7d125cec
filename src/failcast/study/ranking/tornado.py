"""One input at a time: what its low and its high end change against the scenario as it is.

On the map: study, a method of ranking; pure functions over arrays. All scenarios run the same
replications, and each difference is taken replication by replication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from failcast.results.statistics import Floats
from failcast.study import differences
from failcast.study.ranking import resampling
from failcast.study.ranking.resampling import Estimate

LEAST_ROWS: Final = 2


@dataclass(frozen=True)
class Swings:
    """What the ends of ranges change about one output; the figures of inputs are in their order.

    `at_low` and `at_high` are the differences to the scenario as it is, and `swing` that of the
    high end to the low end, in the output's unit. `shown` says which inputs have an effect: one
    of the three differences, all of all inputs at once with the confidence; `bound` is
    the swing at that strictness, so that it holds zero where none is shown. `places` holds for each
    input that is shown the best and the worst place that it may have by the size of its swing.
    """

    mean: float
    at_low: tuple[Estimate, ...]
    at_high: tuple[Estimate, ...]
    swing: tuple[Estimate, ...]
    bound: tuple[Estimate, ...]
    shown: tuple[bool, ...]
    places: tuple[tuple[int, int] | None, ...]
    rows: int


def swings(base: Floats, low: Floats, high: Floats, confidence: float, *, share: bool) -> Swings:
    """The differences of outputs: `base` of shape (replications,), the others (inputs, …) of it.

    Intervals are Student's over the pairs; where the output is a `share`, whether something is true
    (0 or 1), they are Newcombe's, and those of two inputs are joined for their places. See
    `study.differences`.
    """
    count = len(low)
    pairs = [(base, low[k]) for k in range(count)] + [(base, high[k]) for k in range(count)]
    pairs += [(low[k], high[k]) for k in range(count)]
    found = [_difference(one, two, confidence, share) for one, two in pairs]
    level = resampling.strict(confidence, len(pairs))
    sure = [_difference(one, two, level, share) for one, two in pairs]
    shown = np.asarray(np.reshape([*map(_excludes_zero, sure)], (3, count)).any(axis=0))
    return Swings(
        mean=float(base.mean()),
        at_low=tuple(found[:count]),
        at_high=tuple(found[count : 2 * count]),
        swing=tuple(found[2 * count :]),
        bound=tuple(sure[2 * count :]),
        shown=tuple(map(bool, shown)),
        places=_places(low, high, shown, confidence, share),
        rows=len(base),
    )


def _difference(one: Floats, two: Floats, confidence: float, share: bool) -> Estimate:
    found: differences.Paired
    if share:
        found = differences.share_difference("", one > 0.5, two > 0.5, confidence)
    else:
        found = differences.difference("", one, two, confidence)
    ends = (found.difference, found.low, found.high)
    return Estimate(*(np.nan if end is None else end for end in ends))


def _excludes_zero(estimate: Estimate) -> bool:
    return estimate.low > 0.0 or estimate.high < 0.0


def _places(
    low: Floats, high: Floats, shown: np.ndarray, confidence: float, share: bool
) -> tuple[tuple[int, int] | None, ...]:
    """The best and the worst place by the size of the swing, from the intervals of pairs."""
    among = np.flatnonzero(shown)
    found: list[tuple[int, int] | None] = [None] * len(shown)
    between = _between_shares if share else _between
    for one in among:
        intervals = [between(low[[one, two]], high[[one, two]], confidence) for two in among]
        above = sum(least > 0.0 for least, _ in intervals)
        below = sum(most < 0.0 for _, most in intervals)
        found[one] = (1 + above, len(among) - below)
    return tuple(found)


def _between(low: Floats, high: Floats, confidence: float) -> tuple[float, float]:
    """The interval of how much larger the second of two swings is, by Student's t over pairs."""
    gaps = high - low
    sizes = gaps * np.sign(gaps.mean(axis=1))[:, np.newaxis]
    found = differences.difference("", sizes[0], sizes[1], confidence)
    return (found.low or 0.0, found.high or 0.0)


def _between_shares(low: Floats, high: Floats, confidence: float) -> tuple[float, float]:
    """The interval of how much larger the second of two swings of a share is.

    Newcombe's intervals of both are joined as he joins those of two shares, with the correlation of
    the swings. Source: G. Y. Zou and A. Donner, Construction of confidence limits about effect
    measures: a general approach, Statistics in Medicine 27 (2008), equation 9.
    """
    sizes = []
    for one, two in zip(low, high, strict=True):
        value, *ends = _difference(one, two, confidence, True)
        signed = (value, *ends) if value >= 0.0 else (-value, -ends[1], -ends[0])
        sizes.append(Estimate(*signed))
    first, second = sizes
    gaps = high - low
    gaps *= np.where(np.mean(gaps, axis=1) < 0.0, -1.0, 1.0)[:, np.newaxis]
    still = np.any(np.ptp(gaps, axis=1) == 0.0)
    tied = 0.0 if still else float(np.asarray(np.corrcoef(gaps))[0, 1])
    gap = second.value - first.value
    down = differences.joined(second.value - second.low, first.high - first.value, tied)
    up = differences.joined(second.high - second.value, first.value - first.low, tied)
    return gap - down, gap + up
