"""Which uncertain input makes how much of the spread: a regression on all of them at once.

On the map: study, below prediction.py and beside parts.py. Inputs are drawn independently, so their
parts add up; what is not in proportion to one input, or due to several together, is left over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from failcast.results.statistics import Floats
from failcast.study.uncertain.parts import jackknife, moments

#: Draws of the inputs for each coefficient of the regression, at least.
DRAWS_PER_COEFFICIENT: Final = 5
#: Correlations closer to 1 than this are 1.
_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Cause:
    """What one uncertain input does to a metric.

    `share` is its part of the variance of single runs, as far as that is in proportion to the
    input, with the ends of its interval. `swing` is the change of the mean from the 5 % to the 95 %
    quantile of what is believed, None of more than two options.
    """

    path: str
    believed: str
    share: float
    low: float
    high: float
    swing: float | None = None
    swing_low: float | None = None
    swing_high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return asdict(self)


@dataclass(frozen=True)
class Factor:
    """The draws of one input as columns of a regression, (draws, coefficients).

    One column holds numbers; several are marks, 0 or 1, of the options but the first. `covariance`
    is that of the columns by what is believed, `width` the distance of a number between its 5 % and
    95 % quantiles.
    """

    path: str
    believed: str
    columns: Floats
    covariance: Floats
    width: float | None


def causes(values: Floats, factors: Sequence[Factor], confidence: float) -> tuple[Cause, ...]:
    """The parts of all inputs, the largest first; none where the draws are too few to tell.

    Coefficients are those of the means of rows, by least squares. A part is the square of the
    coefficient times the variance of the belief, over the sum of all parts and of what is left.
    Intervals are jackknifed over the rows: of a number by Fisher's z of its standardised
    coefficient, so that they also hold near 0 and 1; of options by their part itself. Sources:
    R. A. Fisher, Statistical Methods for Research Workers (1925), chapter 6; for the parts,
    A. Saltelli et al., Global Sensitivity Analysis: The Primer (2008), chapter 1.2.5.
    """
    there = ~np.isnan(values)
    known = there.any(axis=1)
    coefficients = 1 + sum(factor.columns.shape[1] for factor in factors)
    if known.sum() < max(3, DRAWS_PER_COEFFICIENT * coefficients):
        return ()
    kept = values[known]
    fit = _Fit.of(kept, [factor.columns[known] for factor in factors])
    places, first = [], 1
    for factor in factors:
        places.append(slice(first, first + factor.columns.shape[1]))
        first = places[-1].stop
    parts = [fit.part(place, each.covariance) for place, each in zip(places, factors, strict=True)]
    total = fit.left + sum(part[0] for part in parts)
    less = fit.left_without + sum((part[1] for part in parts), np.zeros(len(kept)))
    if not total > 0.0 or not (less > 0.0).all():
        return ()
    found = []
    for factor, place, (part, without) in zip(factors, places, parts, strict=True):
        if factor.columns.shape[1] == 1:
            found.append(_of_number(factor, fit, place, total, less, confidence))
        else:
            bias = fit.bias(place, factor.covariance) / total
            found.append(_of_options(factor, part / total, without / less, bias, confidence))
    return tuple(sorted(found, key=lambda cause: -cause.share))


@dataclass(frozen=True)
class _Fit:
    """Least squares on the means of rows: coefficients, and those without one row each.

    `left` is the variance of single runs that the fit leaves, `error` the covariance of the
    coefficients.
    """

    whole: Floats
    without: Floats
    left: float
    left_without: Floats
    error: Floats

    @classmethod
    def of(cls, values: Floats, columns: Sequence[Floats]) -> _Fit:
        """Fit the means of rows, each of which has a value."""
        y = np.nanmean(values, axis=1)
        x = np.column_stack([np.ones(len(y)), *(each - each.mean(axis=0) for each in columns)])
        scale = np.maximum(np.abs(x).max(axis=0), np.finfo(float).tiny)
        scaled = x / scale
        inverse = np.linalg.pinv(scaled.T @ scaled)
        whole = inverse @ scaled.T @ y
        residuals = y - scaled @ whole
        pull = scaled @ inverse
        room = 1.0 - np.minimum(np.einsum("ij,ij->i", pull, scaled), 1.0 - 1e-9)
        without = whole - pull * (residuals / room)[:, None]
        squares = float(residuals @ residuals)
        freedom = len(y) - x.shape[1]
        variance = squares / freedom
        less = np.maximum(0.0, squares - residuals**2 / room) / (freedom - 1)
        chance, chance_less = _chance(values)
        return cls(
            whole / scale,
            without / scale,
            variance + chance,
            less + chance_less,
            variance * inverse / np.outer(scale, scale),
        )

    def part(self, place: slice, covariance: Floats) -> tuple[float, Floats]:
        """The variance that the coefficients of one input make, and its values without one row.

        Of options it is made up for what the error of their coefficients adds.
        """
        weights, without = self.whole[place], self.without[:, place]
        bias = self.bias(place, covariance) if len(covariance) > 1 else 0.0
        whole = float(weights @ covariance @ weights) - bias
        return whole, np.einsum("ij,jk,ik->i", without, covariance, without) - bias

    def bias(self, place: slice, covariance: Floats) -> float:
        """What the error of the coefficients of one input adds to its variance."""
        return float(np.trace(covariance @ self.error[place, place]))


def _chance(values: Floats) -> tuple[float, Floats]:
    """The variance by chance of a single run beyond that of the mean of its row."""
    runs = (~np.isnan(values)).sum(axis=1)
    beyond = 1.0 - float((1.0 / runs).mean())
    if beyond <= 0.0:
        return 0.0, np.zeros(len(values))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = [moments(values, leave_one_out=out).mean_squares[1] for out in (False, True)]
    whole, less = (np.nan_to_num(each, nan=0.0, posinf=0.0) * beyond for each in found)
    return float(whole[0]), np.asarray(less)


def _of_number(
    factor: Factor,
    fit: _Fit,
    place: slice,
    total: float,
    less: Floats,
    confidence: float,
) -> Cause:
    sd = math.sqrt(float(factor.covariance[0, 0]))
    slope, slopes = float(fit.whole[place][0]), fit.without[:, place][:, 0]
    correlation = _bounded(np.array([slope * sd / math.sqrt(total)]))
    without = _bounded(slopes * sd / np.sqrt(less))
    ends = jackknife(float(np.arctanh(correlation)[0]), np.arctanh(without), confidence)
    low, high = (math.tanh(end) for end in ends)
    squares = sorted((low**2, high**2))
    least = 0.0 if low <= 0.0 <= high else squares[0]
    share = float(correlation[0] ** 2)
    if factor.width is None:
        return Cause(factor.path, factor.believed, share, least, squares[1])
    swing = slope * factor.width
    swing_ends = jackknife(swing, slopes * factor.width, confidence)
    return Cause(factor.path, factor.believed, share, least, squares[1], swing, *swing_ends)


def _of_options(
    factor: Factor, whole: float, without: Floats, bias: float, confidence: float
) -> Cause:
    """The part of options; near 0 it is skewed, so that the upper end is moved up by the bias."""
    ends = jackknife(whole, without, confidence)
    share, low, high = (min(1.0, max(0.0, each)) for each in (whole, ends.low, ends.high + bias))
    return Cause(factor.path, factor.believed, share, low, high)


def _bounded(correlations: Floats) -> Floats:
    return np.clip(correlations, _ROUNDING - 1.0, 1.0 - _ROUNDING)
