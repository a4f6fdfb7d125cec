"""Paired differences with intervals, as pure functions over arrays.

On the map: study, below comparison.py. Nothing here knows what a scenario is. A figure that the
data cannot give is None.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from failcast.results import statistics
from failcast.results.statistics import Floats


@dataclass(frozen=True)
class Paired:
    """What every paired difference has: the figure in both scenarios, the gap, its interval."""

    base: float | None
    other: float | None
    difference: float | None
    low: float | None
    high: float | None
    pairs: int

    @property
    def shown(self) -> bool:
        """Whether the interval excludes zero: a difference is shown."""
        if self.low is None or self.high is None:
            return False
        return self.low > 0.0 or self.high < 0.0

    @property
    def direction(self) -> str:
        """What is shown of the other: "less" or "more" than the base, or "none" of both."""
        if not self.shown:
            return "none"
        return "less" if (self.high or 0.0) < 0.0 else "more"

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, and `shown`."""
        return asdict(self) | {"shown": self.shown}


@dataclass(frozen=True)
class Difference(Paired):
    """The paired difference of one metric, the other scenario minus the base, in its unit.

    `low` and `high` bound the mean difference; `sd` is the standard deviation of the differences of
    single pairs. `saved` says how many times as many runs of each scenario would be needed for the
    same interval without pairing: (var base + var other) / var difference. It is None where no
    pair differs, or with fewer than two pairs; then the interval is, too. `pairs` are the
    replications that finished in both.
    """

    metric: str
    sd: float | None
    correlation: float | None
    saved: float | None

    @property
    def zero(self) -> bool:
        """Whether the metric is zero in every run of both: no metric is ever negative."""
        return self.base == self.other == 0.0

    @property
    def same(self) -> bool:
        """Whether the metric is the same in each pair, and not zero in all."""
        return self.difference == 0.0 and not self.sd and not self.zero


@dataclass(frozen=True)
class ShareDifference(Paired):
    """The paired difference of the share of runs of which something is true.

    `gained` are the runs of which it is true in the other scenario only, `lost` those of which it
    is true in the base only. See `share_difference`.
    """

    name: str
    gained: int
    lost: int


def difference(metric: str, base: Floats, other: Floats, confidence: float) -> Difference:
    """The mean of other - base over pairs, with its Student-t interval over the pairs.

    `base` and `other` hold one value for each pair, in the same order.
    """
    gaps = other - base
    low, high = _interval(gaps, confidence)
    sd = statistics.standard_deviation(gaps)
    spreads = [statistics.standard_deviation(values) for values in (base, other)]
    saved = correlation = None
    if sd and None not in spreads:
        own = [float(spread or 0.0) for spread in spreads]
        saved = (own[0] ** 2 + own[1] ** 2) / sd**2
        if all(own):
            correlation = (own[0] ** 2 + own[1] ** 2 - sd**2) / (2.0 * own[0] * own[1])
    return Difference(
        metric=metric,
        base=statistics.mean(base),
        other=statistics.mean(other),
        difference=statistics.mean(gaps),
        low=low,
        high=high,
        sd=sd,
        correlation=correlation,
        saved=saved,
        pairs=int(gaps.size),
    )


def _interval(gaps: Floats, confidence: float) -> tuple[float | None, float | None]:
    """The Student-t interval of a mean that may be negative; it is not cut at zero."""
    centre, spread = statistics.mean(gaps), statistics.standard_deviation(gaps)
    if centre is None or spread is None:
        return None, None
    factor = statistics.t_quantile(gaps.size - 1, confidence)
    half = factor * spread / math.sqrt(gaps.size)
    return centre - half, centre + half


def share_difference(
    name: str, base: np.ndarray, other: np.ndarray, confidence: float
) -> ShareDifference:
    """The difference of two shares over the same pairs, with Newcombe's interval.

    `base` and `other` are boolean, one for each pair. The interval joins the Wilson intervals of
    both shares and takes account of their correlation; it never leaves -1 to 1, and has a width
    where all pairs agree. Source: R. G. Newcombe, Improved confidence intervals for the difference
    between binomial proportions based on paired data, Statistics in Medicine 17 (1998), method 10.
    """
    n = int(base.size)
    both, neither = int(np.sum(base & other)), int(np.sum(~base & ~other))
    gained, lost = int(np.sum(~base & other)), int(np.sum(base & ~other))
    before, after = (statistics.wilson(both + only, n, confidence) for only in (lost, gained))
    if before is None or after is None:
        return ShareDifference(None, None, None, None, None, 0, name, 0, 0)
    first, second = (both + lost) / n, (both + gained) / n
    phi = _phi(both, lost, gained, neither)
    low = second - first - joined(second - after.low, before.high - first, phi)
    high = second - first + joined(after.high - second, first - before.low, phi)
    return ShareDifference(first, second, second - first, low, high, n, name, gained, lost)


def joined(d: float, e: float, phi: float) -> float:
    """How far an interval reaches that joins two, which reach d and e; phi is the correlation."""
    return math.sqrt(max(0.0, d * d - 2.0 * phi * d * e + e * e))


def _phi(both: int, lost: int, gained: int, neither: int) -> float:
    """The correlation of the two shares, with Newcombe's correction where it is positive."""
    margins = (both + lost) * (gained + neither) * (both + gained) * (lost + neither)
    if margins == 0:
        return 0.0
    n = both + lost + gained + neither
    cross = float(both * neither - lost * gained)
    if cross > 0.0:
        cross = max(0.0, cross - n / 2.0)
    return cross / math.sqrt(margins)
