"""Distributions: of durations (recovery, repair, …) and of server lives (shape only).

Each family is one class and one line in a registry. ``kernel()`` gives the three numbers that both
engines draw from; the codes below are their meaning. All durations are hours.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Final, Self, TypeAlias

from pydantic import model_validator

from failcast.scenario.errors import Refused
from failcast.scenario.expressions import Expression, Family
from failcast.scenario.rules import Duration, Real

#: Codes of ``kernel()``; E is a unit exponential, Z a standard normal, U uniform on [0, 1).
CONSTANT: Final = 0  # a
EXPONENTIAL: Final = 1  # a·E
WEIBULL: Final = 2  # a·E**b
LOGNORMAL: Final = 3  # a·exp(b·Z)
UNIFORM: Final = 4  # a + (b - a)·U

Hours = Annotated[float, Duration()]
OptionalHours = Annotated[float | None, Duration(optional=True)]
#: Weibull shapes outside these limits put the scale or the sample beyond floating point.
Shape = Annotated[float, Real(0.05, 1000.0)]
Sigma = Annotated[float, Real(0.0, 10.0)]
Spread = Annotated[float, Real(0.0, 1.0, least_excluded=True)]


class Constant(Family):
    """Always ``value`` hours."""

    family: ClassVar[str] = "constant"
    positional: ClassVar[tuple[str, ...]] = ("value",)
    value: Hours

    @property
    def mean_hours(self) -> float:
        """Mean in hours."""
        return self.value

    def kernel(self) -> tuple[int, float, float]:
        """Return (CONSTANT, value in hours, 0)."""
        return CONSTANT, self.value, 0.0

    def expression(self) -> str:
        """Return the bare duration, which means a constant."""
        return str(Duration().plain(self.value))


class Exponential(Family):
    """Exponential with ``mean`` hours."""

    family: ClassVar[str] = "exponential"
    positional: ClassVar[tuple[str, ...]] = ("mean",)
    mean: Hours

    @property
    def mean_hours(self) -> float:
        """Mean in hours."""
        return self.mean

    def kernel(self) -> tuple[int, float, float]:
        """Return (EXPONENTIAL, mean in hours, 0)."""
        return EXPONENTIAL, self.mean, 0.0


class Weibull(Family):
    """Weibull with ``shape`` and either ``mean`` or ``scale`` in hours."""

    family: ClassVar[str] = "weibull"
    positional: ClassVar[tuple[str, ...]] = ("mean", "shape")
    mean: OptionalHours = None
    scale: OptionalHours = None
    shape: Shape

    @model_validator(mode="after")
    def _one_of_mean_and_scale(self) -> Self:
        if (self.mean is None) == (self.scale is None):
            raise Refused("", sentence="weibull takes either mean or scale.")
        return self

    @property
    def mean_hours(self) -> float:
        """Mean in hours: scale × Γ(1 + 1/shape)."""
        if self.mean is not None:
            return self.mean
        return self.kernel()[1] * math.gamma(1.0 + 1.0 / self.shape)

    def kernel(self) -> tuple[int, float, float]:
        """Return (WEIBULL, scale in hours, 1/shape)."""
        scale = self.scale
        if scale is None:
            scale = (self.mean or 0.0) / math.gamma(1.0 + 1.0 / self.shape)
        return WEIBULL, scale, 1.0 / self.shape


class Lognormal(Family):
    """Lognormal with ``sigma`` (of the logarithm) and either ``median`` or ``mean`` in hours."""

    family: ClassVar[str] = "lognormal"
    positional: ClassVar[tuple[str, ...]] = ("median", "sigma")
    median: OptionalHours = None
    mean: OptionalHours = None
    sigma: Sigma

    @model_validator(mode="after")
    def _one_of_median_and_mean(self) -> Self:
        if (self.median is None) == (self.mean is None):
            raise Refused("", sentence="lognormal takes either median or mean.")
        return self

    @property
    def mean_hours(self) -> float:
        """Mean in hours: median × exp(sigma²/2)."""
        if self.mean is not None:
            return self.mean
        return self.kernel()[1] * math.exp(0.5 * self.sigma**2)

    def kernel(self) -> tuple[int, float, float]:
        """Return (LOGNORMAL, median in hours, sigma)."""
        median = self.median
        if median is None:
            median = (self.mean or 0.0) * math.exp(-0.5 * self.sigma**2)
        return LOGNORMAL, median, self.sigma


class Uniform(Family):
    """Uniform between ``low`` and ``high`` hours."""

    family: ClassVar[str] = "uniform"
    positional: ClassVar[tuple[str, ...]] = ("low", "high")
    low: Hours
    high: Hours

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise Refused("", sentence="low must not be longer than high.")
        return self

    @property
    def mean_hours(self) -> float:
        """Mean in hours."""
        return 0.5 * (self.low + self.high)

    def kernel(self) -> tuple[int, float, float]:
        """Return (UNIFORM, low, high), in hours."""
        return UNIFORM, self.low, self.high


Distribution: TypeAlias = Constant | Exponential | Weibull | Lognormal | Uniform

#: The distributions of durations, by their names in expressions.
DISTRIBUTIONS: Final[dict[str, type[Family]]] = {
    "exponential": Exponential,
    "weibull": Weibull,
    "lognormal": Lognormal,
    "constant": Constant,
    "uniform": Uniform,
}

#: A field that holds a distribution of durations. A bare duration means a constant.
DurationField = Annotated[
    Distribution,
    Expression(DISTRIBUTIONS, "distribution", "'exponential(mean=2 d)' or '20 min'", bare=Constant),
]


class ExponentialLife(Family):
    """Lives without ageing: the risk of failing does not depend on age."""

    family: ClassVar[str] = "exponential"

    def kernel(self) -> tuple[int, float, float]:
        """Return the exponential of mean 1."""
        return EXPONENTIAL, 1.0, 0.0


class WeibullLife(Family):
    """Weibull lives: ``shape`` below 1 fails early (infant mortality), above 1 wears out."""

    family: ClassVar[str] = "weibull"
    positional: ClassVar[tuple[str, ...]] = ("shape",)
    shape: Shape

    def kernel(self) -> tuple[int, float, float]:
        """Return the Weibull of mean 1: scale 1/Γ(1 + 1/shape)."""
        return WEIBULL, 1.0 / math.gamma(1.0 + 1.0 / self.shape), 1.0 / self.shape


class LognormalLife(Family):
    """Lognormal lives; ``sigma`` is the standard deviation of the logarithm."""

    family: ClassVar[str] = "lognormal"
    positional: ClassVar[tuple[str, ...]] = ("sigma",)
    sigma: Sigma

    def kernel(self) -> tuple[int, float, float]:
        """Return the lognormal of mean 1: median exp(-sigma²/2)."""
        return LOGNORMAL, math.exp(-0.5 * self.sigma**2), self.sigma


class ConstantLife(Family):
    """Every server fails at exactly its mean life."""

    family: ClassVar[str] = "constant"

    def kernel(self) -> tuple[int, float, float]:
        """Return the constant 1."""
        return CONSTANT, 1.0, 0.0


class UniformLife(Family):
    """Lives uniform on mean × [1 - spread, 1 + spread]."""

    family: ClassVar[str] = "uniform"
    positional: ClassVar[tuple[str, ...]] = ("spread",)
    spread: Spread = 1.0

    def kernel(self) -> tuple[int, float, float]:
        """Return the uniform of mean 1."""
        return UNIFORM, 1.0 - self.spread, 1.0 + self.spread


Life: TypeAlias = ExponentialLife | WeibullLife | LognormalLife | ConstantLife | UniformLife

#: The shapes of server lives, by their names in expressions. Each server's own rate fixes the mean.
LIVES: Final[dict[str, type[Family]]] = {
    "exponential": ExponentialLife,
    "weibull": WeibullLife,
    "lognormal": LognormalLife,
    "constant": ConstantLife,
    "uniform": UniformLife,
}

#: A field that holds the shape of server lives.
LifeField = Annotated[Life, Expression(LIVES, "shape of lives", "'weibull(shape=0.8)'")]
