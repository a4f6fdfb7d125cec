"""Renewal theory by numerical integration: how often a slot fails whose lives are independent.

Independent of the engines: distribution functions from scipy, the renewal equation of Cox, Renewal
Theory (1962), solved as a Riemann-Stieltjes sum (Xie, On the solution of renewal-type integral
equations, Communications in Statistics B 18, 1989), which needs no density.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from failcast.scenario import (
    Constant,
    ConstantLife,
    Distribution,
    EmpiricalLife,
    Exponential,
    ExponentialLife,
    Gamma,
    GammaLife,
    Life,
    Lognormal,
    LognormalLife,
    MixtureLife,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
)


def life_of_mean_1(life: Life) -> Any:
    """Return scipy's distribution of a life, scaled to mean 1."""
    if isinstance(life, ExponentialLife):
        return stats.expon()
    if isinstance(life, WeibullLife):
        return stats.weibull_min(life.shape, scale=1.0 / math.gamma(1.0 + 1.0 / life.shape))
    if isinstance(life, LognormalLife):
        return stats.lognorm(life.sigma, scale=math.exp(-(life.sigma**2) / 2.0))
    if isinstance(life, GammaLife):
        return stats.gamma(life.shape, scale=1.0 / life.shape)
    if isinstance(life, MixtureLife):
        return Mixed(life.parts, 1.0 / sum(w * _law(part).mean() for w, part in life.parts))
    if isinstance(life, ConstantLife | EmpiricalLife):
        return _Values(np.array(life.table() or (1.0,)))
    assert isinstance(life, UniformLife)
    return stats.uniform(1.0 - life.spread, 2.0 * life.spread)


@dataclass(frozen=True)
class Mixed:
    """A mixture by scipy's distributions of its parts, each ``factor`` times as long."""

    parts: Sequence[tuple[float, Distribution]]
    factor: float = 1.0

    def cdf(self, hours: Any) -> Any:
        """The distribution function."""
        return sum(weight * _law(part).cdf(hours / self.factor) for weight, part in self.parts)

    def var(self) -> float:
        """The variance."""
        first = sum(weight * _law(part).mean() for weight, part in self.parts)
        second = sum(w * (_law(part).var() + _law(part).mean() ** 2) for w, part in self.parts)
        return float(second - first**2) * self.factor**2


@dataclass(frozen=True)
class _Values:
    values: np.ndarray

    def cdf(self, hours: Any) -> Any:
        return np.searchsorted(self.values, hours, side="right") / len(self.values)

    def mean(self) -> float:
        return float(self.values.mean())

    def var(self) -> float:
        return float(self.values.var())


def _law(part: Distribution) -> Any:
    """Return scipy's distribution of a duration in hours."""
    match part:
        case Exponential():
            return stats.expon(scale=part.mean)
        case Weibull():
            scale = part.mean_hours / math.gamma(1.0 + 1.0 / part.shape)
            return stats.weibull_min(part.shape, scale=scale)
        case Lognormal():
            return stats.lognorm(part.sigma, scale=part.mean_hours * math.exp(-(part.sigma**2) / 2))
        case Gamma():
            return stats.gamma(part.shape, scale=part.mean_hours / part.shape)
        case Uniform():
            return stats.uniform(part.low, part.high - part.low)
    return _Values(np.array([part.value] if isinstance(part, Constant) else part.values))


@dataclass(frozen=True)
class Count:
    """Mean and variance of the number of renewals in a period."""

    mean: float
    variance: float


def renewals(life: Life, period: float, steps: int = 2000) -> Count:
    """Return the count of renewals of lives of mean 1 in `period`, the first life new.

    The mean m solves m(t) = F(t) + int_0^t m(t - x) dF(x). The second moment of the count is
    m(t) + 2 int_0^t m(t - x) dm(x).
    """
    m = _renewal_function(life_of_mean_1(life).cdf, period, steps)
    middle = 0.5 * (m[1:] + m[:-1])
    second = m[-1] + 2.0 * float(middle[::-1] @ np.diff(m))
    return Count(float(m[-1]), second - float(m[-1]) ** 2)


def renewals_after(
    life: Life, period: float, first: Callable[[np.ndarray], np.ndarray], steps: int = 2000
) -> float:
    """Return the expected renewals in `period` where the first life has another distribution.

    `first` is its distribution function G: G(t) + int_0^t m(t - x) dG(x) of a delayed process.
    """
    m = _renewal_function(life_of_mean_1(life).cdf, period, steps)
    g = first(period / steps * np.arange(steps + 1))
    middle = 0.5 * (m[1:] + m[:-1])
    return float(g[-1] + middle[::-1] @ np.diff(g))


def _renewal_function(
    cdf: Callable[[np.ndarray], np.ndarray], period: float, steps: int
) -> np.ndarray:
    h = period / steps
    whole = cdf(h * np.arange(steps + 1))
    half = cdf(h * (np.arange(steps + 1) + 0.5))  # half[i] = F((i + 1/2) h)
    m = np.zeros(steps + 1)
    growth = np.zeros(steps + 1)  # growth[j] = m[j] - m[j - 1]
    for i in range(1, steps + 1):
        past = float(growth[1:i] @ half[i - 1 : 0 : -1])
        m[i] = (whole[i] + past - m[i - 1] * half[0]) / (1.0 - half[0])
        growth[i] = m[i] - m[i - 1]
    return m
