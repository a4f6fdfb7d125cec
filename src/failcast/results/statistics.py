"""Means, intervals and quantiles of independent runs, as pure functions over arrays.

On the map: results. Nothing here knows what a scenario or a metric is. scipy is not imported: it
would cost a fifth of a second of start-up. A figure that the data cannot give is None, never NaN,
so that nobody computes on with it by mistake.
"""

from __future__ import annotations

import math
import numbers
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from failcast.results import notebook, quantiles
from failcast.results.errors import RequestError

Floats = NDArray[np.float64]

#: The quantiles of a summary by name.
QUANTILES: Final = {"p5": 0.05, "p50": 0.50, "p95": 0.95}


class Interval(NamedTuple):
    """A two-sided confidence interval, in the unit of the figure it belongs to."""

    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """What a sample says about one metric; all but `n` are in the unit of the metric.

    `low` and `high` bound the mean; `sd` is the standard deviation of single runs. With one value
    low, high and sd are None; with none every figure is. `p5_low` and `p5_high` bound the quantile
    p5, and so on; they are None where the sample is too small for that.
    """

    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    p5: float | None
    p5_low: float | None
    p5_high: float | None
    p50: float | None
    p50_low: float | None
    p50_high: float | None
    p95: float | None
    p95_low: float | None
    p95_high: float | None
    n: int

    def to_dict(self) -> dict[str, float | int | None]:
        """The figures by name."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return notebook.figures_html(self.to_dict())


@dataclass(frozen=True)
class Mtbf:
    """Mean operating hours between failures, see `mtbf`.

    `value` is None when no failure was seen; then `lower_bound` is the value that MTBF exceeds
    with the sample's confidence. `high` is None when the sample is too small to bound it. `runs`
    counts all runs, finished or not.
    """

    value: float | None
    low: float | None
    high: float | None
    lower_bound: float | None
    failures: int
    operating_hours: float
    runs: int

    def to_dict(self) -> dict[str, float | int | None]:
        """The figures by name."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return notebook.figures_html(self.to_dict())


@dataclass(frozen=True)
class Proportion:
    """A share of all runs, from 0 to 1, with the ends of its interval, see `proportion`.

    `count` of `runs` runs were counted. Of no runs there is no share: then the others are None.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int
    runs: int

    def to_dict(self) -> dict[str, float | int | None]:
        """The figures by name."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return notebook.figures_html(self.to_dict())


def check_confidence(confidence: float) -> float:
    """Return `confidence` if it lies strictly between 0 and 1; raise RequestError if not."""
    if not is_number(confidence) or not 0.0 < confidence < 1.0:
        raise RequestError(f"confidence must lie between 0 and 1, such as 0.95; got {confidence}.")
    return confidence


def is_number(value: object) -> bool:
    """Whether a value is a real number, numpy's too; True, False and text are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def t_quantile(degrees_of_freedom: int, confidence: float) -> float:
    """The factor of a two-sided Student-t interval: 2.776 at 4 degrees of freedom and 0.95.

    Source: W. S. Gosset ("Student"), The probable error of a mean, Biometrika 6 (1908).
    """
    check_confidence(confidence)
    return quantiles.t_quantile(degrees_of_freedom, confidence)


def mean(values: Floats) -> float | None:
    """The arithmetic mean; None of no values. Equal values give exactly that value."""
    if values.size == 0:
        return None
    if values.min() == values.max():
        return float(values[0])
    return float(values.mean())


def standard_deviation(values: Floats) -> float | None:
    """The standard deviation of single values with n - 1 in the divisor; None below two values."""
    if values.size < 2:
        return None
    if values.min() == values.max():
        return 0.0
    return float(values.std(ddof=1))


def mean_interval(values: Floats, confidence: float) -> Interval | None:
    """The Student-t interval of the mean of independent values; None below two values.

    Where no value is negative, neither is the mean: such an interval is cut at zero.
    """
    check_confidence(confidence)
    centre, spread = mean(values), standard_deviation(values)
    if centre is None or spread is None:
        return None
    half = t_quantile(values.size - 1, confidence) * spread / math.sqrt(values.size)
    low = centre - half
    return Interval(max(0.0, low) if values.min() >= 0.0 else low, centre + half)


def relative_half_width(values: Floats, confidence: float) -> float | None:
    """Half the Student-t interval of the mean, relative to the mean: 0.01 is 1 %.

    None below two values, and where the mean is zero: nothing is small compared with it.
    """
    check_confidence(confidence)
    centre, spread = mean(values), standard_deviation(values)
    if centre is None or spread is None or centre == 0.0:
        return None
    half = t_quantile(values.size - 1, confidence) * spread / math.sqrt(values.size)
    return half / abs(centre)


def quantile(values: Floats, q: float) -> float | None:
    """The q-quantile, q in [0, 1], by linear interpolation between order statistics.

    The values 1, 2, …, 20 have p5 = 1.95 and p95 = 19.05. None of no values. Source: definition 7
    of Hyndman and Fan, Sample quantiles in statistical packages, American Statistician 50 (1996).
    """
    _check_q(q)
    if values.size == 0:
        return None
    return float(np.quantile(values, q))


def quantile_interval(values: Floats, q: float, confidence: float) -> Interval | None:
    """An interval of the q-quantile between two order statistics, whatever the distribution.

    It is conservative: each end lies on the wrong side of the quantile with at most half of
    1 - confidence, by the binomial number of values below it, and so it is with ties too. None
    where the sample is too small to have such ends: of p5 and p95 at 0.95 below 72 values, of p50
    below 6. Source: H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition (2003), chapter
    7.1.
    """
    _check_q(q)
    ranks = order_ranks(values.size, q, check_confidence(confidence))
    if ranks is None:
        return None
    low, high = np.partition(values, ranks)[list(ranks)]
    return Interval(float(low), float(high))


def quantile_bounds(
    values: Floats, q: float, confidence: float
) -> tuple[float | None, float | None]:
    """One-sided bounds of the q-quantile from order statistics, each with this confidence.

    A bound is None where the sample is too small for it: an upper one of p95 at 0.95 below 59
    values. Source: as for `quantile_interval`.
    """
    _check_q(q)
    n, level = values.size, 1.0 - check_confidence(confidence)
    ordered = np.sort(values)
    # As in order_ranks, with all of the error on one side.
    low = bisect_right(range(n), level, key=lambda rank: quantiles.binomial_at_most(rank, n, q)) - 1
    high = bisect_left(range(n), -level, key=lambda rank: -quantiles.binomial_above(rank, n, q))
    return (
        float(ordered[low]) if low >= 0 else None,
        float(ordered[high]) if high < n else None,
    )


def share_bounds(count: int, runs: int, confidence: float) -> tuple[float, float]:
    """One-sided bounds of a share of which `count` of `runs` were seen, each with this confidence.

    Exact, by the binomial. Source: C. J. Clopper and E. S. Pearson, The use of confidence or
    fiducial limits illustrated in the case of the binomial, Biometrika 26 (1934).
    """
    level = 1.0 - check_confidence(confidence)
    low = 0.0
    if count > 0:  # the share with which so many or more are as rare as the level
        low = _solved(lambda p: quantiles.binomial_above(count - 1, runs, p) - level)
    high = 1.0
    if count < runs:
        high = _solved(lambda p: level - quantiles.binomial_at_most(count, runs, p))
    return low, high


def _solved(rising: Callable[[float], float]) -> float:
    """Where a rising function of a share is zero."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if rising(middle) > 0.0 else (middle, high)
    return 0.5 * (low + high)


@lru_cache(maxsize=1024)
def order_ranks(n: int, q: float, confidence: float) -> tuple[int, int] | None:
    """The order statistics, counted from 0, at the ends of the interval of a q-quantile.

    With B values below the quantile, binomial with n and q, the lower end is too high where
    B <= its rank, and the upper end too low where B > its rank.
    """
    half = 0.5 * (1.0 - confidence)
    # The chances are looked up by bisection: one grows with the rank, the other falls.
    low = bisect_right(range(n), half, key=lambda rank: quantiles.binomial_at_most(rank, n, q)) - 1
    high = bisect_left(range(n), -half, key=lambda rank: -quantiles.binomial_above(rank, n, q))
    return (low, high) if low >= 0 and high < n else None


def _check_q(q: float) -> None:
    if not is_number(q) or not 0.0 <= q <= 1.0:
        raise RequestError(f"a quantile is asked for by a number from 0 to 1; got {q}.")


def summarize(values: Floats, confidence: float) -> Summary:
    """All figures of one metric from its values over the runs."""
    low, high = mean_interval(values, confidence) or (None, None)
    figures: dict[str, float | None] = {}
    for name, q in QUANTILES.items():
        ends = quantile_interval(values, q, confidence) or (None, None)
        figures |= {name: quantile(values, q), f"{name}_low": ends[0], f"{name}_high": ends[1]}
    return Summary(
        mean=mean(values),
        low=low,
        high=high,
        sd=standard_deviation(values),
        n=int(values.size),
        **figures,
    )


def mtbf(operating_hours: Floats, failures: Floats, confidence: float) -> Mtbf:
    """Mean time between failures from each run's operating hours and number of failures.

    The value is the sum of operating hours over the sum of failures: the stretch that the end of a
    run cuts short counts as observed time, so the estimate is the censored one (a run of 1,440 h
    with one failure says 1,440 h, wherever the failure fell).

    The interval is that of the failure rate (failures per operating hour, a ratio of two means),
    by the delta method with Student's t over the runs, turned over; it needs two runs. A rate whose
    lower end is not above zero leaves `high` open. Source: W. G. Cochran, Sampling Techniques, 3rd
    edition (1977), chapter 6.

    Without any failure there is no estimate. Exponential lives would show none in T hours with
    probability exp(-T / MTBF), so MTBF exceeds T / -ln(1 - confidence) with that confidence
    (exact, Poisson).
    """
    check_confidence(confidence)
    hours, count, runs = float(operating_hours.sum()), float(failures.sum()), int(failures.size)
    if count == 0.0:
        bound = hours / -math.log1p(-confidence)
        return Mtbf(None, None, None, bound, 0, hours, runs)
    value = hours / count
    if runs < 2 or hours == 0.0:
        return Mtbf(value, None, None, None, int(count), hours, runs)
    rate = count / hours
    residual_sd = float(np.sqrt(np.sum((failures - rate * operating_hours) ** 2) / (runs - 1)))
    half = t_quantile(runs - 1, confidence) * residual_sd * math.sqrt(runs) / hours
    high = 1.0 / (rate - half) if rate > half else None
    return Mtbf(value, 1.0 / (rate + half), high, None, int(count), hours, runs)


def proportion(count: int, runs: int, confidence: float) -> Proportion:
    """The share that `count` of `runs` independent runs are, with its Wilson interval.

    Where none of the runs is counted, `high` is instead what the share is at most with the whole
    confidence, exactly: a larger one would show none with a chance below 1 - confidence. It is
    1 - (1 - confidence)^(1 / runs), near 3 / runs at 0.95. Where all are counted, `low` is its
    mirror image. Source: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits
    illustrated in the case of the binomial, Biometrika 26 (1934).
    """
    low, high = wilson(count, runs, confidence) or (None, None)
    if runs and count == 0:
        high = -math.expm1(math.log1p(-confidence) / runs)
    elif runs and count == runs:
        low = math.exp(math.log1p(-confidence) / runs)
    return Proportion(count / runs if runs else None, low, high, count, runs)


def wilson(count: float, runs: float, confidence: float) -> Interval | None:
    """The Wilson interval of a share that was seen in `count` of `runs` runs; None of no runs.

    It holds every share p from which count / runs lies no further than the two-sided normal
    quantile times the standard error sqrt(p (1 - p) / runs). It never leaves 0 to 1, and it has a
    width even where none or all of the runs were counted. Source: E. B. Wilson, Probable
    inference, the law of succession, and statistical inference, Journal of the American
    Statistical Association 22 (1927).
    """
    check_confidence(confidence)
    if runs == 0:
        return None
    square = quantiles.normal_quantile(confidence) ** 2
    share = count / runs
    centre = share + square / (2.0 * runs)
    half = math.sqrt(square * (share * (1.0 - share) + square / (4.0 * runs)) / runs)
    scale = 1.0 + square / runs
    low = 0.0 if count == 0 else (centre - half) / scale
    high = 1.0 if count == runs else (centre + half) / scale
    return Interval(low, high)
