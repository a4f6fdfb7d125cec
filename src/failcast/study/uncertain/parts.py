"""Spread in two parts, that of uncertain inputs and that of chance, as pure functions over arrays.

On the map: study, below prediction.py. `values` always are (draws, runs): each row holds the runs
of one draw of the inputs, NaN for a run that has no value. Rows are independent, and so are the
runs of a row given its inputs. A figure that the data cannot give is None.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from failcast.results import statistics
from failcast.results.statistics import Floats, Interval, Proportion


@dataclass(frozen=True)
class Parts:
    """The standard deviations of single runs from inputs, from chance and from both.

    `share` is the part of the variance that inputs make, with the ends of its interval. All are
    None without spread, and the ends where the draws are too few to tell.
    """

    inputs_sd: float
    chance_sd: float
    total_sd: float
    share: float | None
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return asdict(self)


class Moments(NamedTuple):
    """Sums over rows that leave one row out each, or none: what variances are made of.

    Each is an array over the rows that are left out, or of one element.
    """

    rows: Floats
    runs: Floats
    squares: Floats
    between: Floats
    within: Floats

    @property
    def mean_squares(self) -> tuple[Floats, Floats]:
        """Mean squares between and within rows."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.between / (self.rows - 1.0), self.within / (self.runs - self.rows)

    @property
    def size(self) -> Floats:
        """The runs of a row that count, where rows differ: their number where they do not."""
        return (self.runs - self.squares / self.runs) / (self.rows - 1.0)

    @property
    def variances(self) -> tuple[Floats, Floats]:
        """The variances that inputs and chance make; that of inputs may be below zero."""
        between, within = self.mean_squares
        return (between - within) / self.size, within


def moments(values: Floats, *, leave_one_out: bool = False) -> Moments:
    """The sums of an analysis of variance of rows of unequal size.

    Source: S. R. Searle, G. Casella and C. E. McCulloch, Variance Components (1992), chapter 3.6.
    """
    n, means, inner = _rows(values)
    known = n > 0
    centred = np.where(known, means - means[known].mean(), 0.0)
    first, second = n * centred, n * centred**2
    terms = [known.astype(float), n, n**2, first, second, inner]
    sums = [np.array([term.sum()]) for term in terms]
    if leave_one_out:
        sums = [total - term[known] for total, term in zip(sums, terms, strict=True)]
    rows, count, squares, firsts, seconds, within = sums
    between = np.maximum(0.0, seconds - firsts**2 / count)
    return Moments(rows, count, squares, between, np.maximum(0.0, within))


def parts(values: Floats, confidence: float) -> Parts | None:
    """What inputs and what chance add to the variance; None where rows are too few.

    The interval is Student's of the jackknifed logarithm of the ratio of mean squares, which needs
    neither normal inputs nor the same chance for all of them. Source: J. N. Arvesen and
    T. H. Schmitz, Robust procedures for variance component problems using the jackknife, Biometrics
    26 (1970).
    """
    n, _, _ = _rows(values)
    if (n > 0).sum() < 3 or not (n > 1).any():
        return None
    whole = moments(values)
    inputs, chance = (float(part[0]) for part in whole.variances)
    inputs = max(0.0, inputs)
    total = inputs + chance
    share = inputs / total if total > 0.0 else None
    low, high = _share_interval(values, whole, confidence) or (None, None)
    return Parts(math.sqrt(inputs), math.sqrt(chance), math.sqrt(total), share, low, high)


def _share_interval(values: Floats, whole: Moments, confidence: float) -> Interval | None:
    between, within = (float(square[0]) for square in whole.mean_squares)
    if within == 0.0:
        return Interval(1.0, 1.0) if between > 0.0 else None
    if between == 0.0:
        return None
    less = moments(values, leave_one_out=True)
    squares, inner = less.mean_squares
    if not (squares > 0.0).all() or not (inner > 0.0).all():
        return None
    found = jackknife(math.log(between / within), np.log(squares / inner), confidence)
    size = float(whole.size[0])
    ends = [math.exp(end) for end in found]
    low, high = (max(0.0, (ratio - 1.0) / (ratio - 1.0 + size)) for ratio in ends)
    return Interval(low, high)


def jackknife(whole: float, without: Floats, confidence: float) -> Interval:
    """Student's interval of a figure from itself and from its values without one row each.

    Source: J. W. Tukey, Bias and confidence in not quite large samples, Annals of Mathematical
    Statistics 29 (1958).
    """
    n = without.size
    centre = without.mean()
    error = math.sqrt((n - 1) / n * float(np.sum((without - centre) ** 2)))
    half = statistics.t_quantile(n - 1, confidence) * error
    return Interval(whole - half, whole + half)


def mean_interval(values: Floats, confidence: float) -> tuple[float | None, Interval | None]:
    """The mean over all runs, and Student's interval with the rows as what is independent.

    Where rows differ in size it is a ratio of two means, by the delta method. Source:
    W. G. Cochran, Sampling Techniques, 3rd edition (1977), chapter 6.
    """
    n, means, _ = _rows(values)
    count, rows = float(n.sum()), int((n > 0).sum())
    mean = statistics.mean(values[~np.isnan(values)])
    if mean is None or rows < 2:
        return mean, None
    residuals = np.where(n > 0, n * (means - mean), 0.0)
    error = math.sqrt(rows / (rows - 1.0) * float(np.sum(residuals**2))) / count
    half = statistics.t_quantile(rows - 1, confidence) * error
    low = mean - half
    positive = np.nanmin(values) >= 0.0
    return mean, Interval(max(0.0, low) if positive else low, mean + half)


def quantile_interval(values: Floats, q: float, confidence: float) -> Interval | None:
    """An interval of the q-quantile over inputs and chance, whatever the distribution.

    The first runs of all rows are independent, and order statistics bound their quantile. So do the
    second runs, and so on: each end is the mean of these ends, which lies closer. Cautious, more
    so the less the inputs matter. None where the rows are too few, see
    statistics.quantile_interval.
    """
    ends = []
    for column in values.T:
        found = statistics.quantile_interval(column[~np.isnan(column)], q, confidence)
        if found is None:
            return None
        ends.append(found)
    low, high = np.mean(ends, axis=0)
    return Interval(float(low), float(high))


def proportion(values: Floats, confidence: float) -> Proportion:
    """The share of all runs of which something is true (1 and not 0), and Wilson's interval.

    It is that of as many independent runs as would be known as well: at least the rows, at most
    all runs. Where all runs agree it is the rows. Source: E. L. Korn and B. I. Graubard, Confidence
    intervals for proportions with small expected number of positive counts estimated from survey
    data, Survey Methodology 24 (1998).
    """
    rows, runs = values.shape
    count = int(values.sum())
    share = count / values.size
    if count in (0, values.size):
        found = statistics.proportion(rows * (count > 0), rows, confidence)
        return Proportion(share, found.low, found.high, count, values.size)
    spread = float(values.mean(axis=1).var(ddof=1)) / rows
    size = share * (1.0 - share) / spread if spread > 0.0 else math.inf
    size = min(float(values.size), max(float(rows), size))
    ends = statistics.wilson(share * size, size, confidence)
    low, high = ends or (None, None)
    return Proportion(share, low, high, count, rows * runs)


def _rows(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Number, mean and sum of squares around the mean of the values of each row."""
    there = ~np.isnan(values)
    n = there.sum(axis=1).astype(np.float64)
    filled = np.where(there, values, 0.0)
    means = filled.sum(axis=1) / np.maximum(n, 1.0)
    inner = np.where(there, filled - means[:, None], 0.0)
    return n, means, np.asarray(np.sum(inner**2, axis=1))
