"""The shapes of server lives: each server's own failure rate fixes the mean.

Each family is one class and one line in the registry. ``kernel()`` and ``table()`` are those of a
life of mean 1, so that a life is the mean times a draw.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Final, Self, TypeAlias

from pydantic import model_validator

from failcast.scenario.distributions import Mixed, Shape, Sigma
from failcast.scenario.drawn import (
    CONSTANT,
    EMPIRICAL,
    EXPONENTIAL,
    GAMMA,
    LOGNORMAL,
    UNIFORM,
    WEIBULL,
    Drawn,
    Kernel,
)
from failcast.scenario.errors import Refused
from failcast.scenario.expressions import Expression, Family
from failcast.scenario.measurements import Measured, Measurements
from failcast.scenario.rules import Real

Spread = Annotated[float, Real(0.0, 1.0, least_excluded=True)]


class ExponentialLife(Drawn):
    """Lives without ageing: the risk of failing does not depend on age."""

    family: ClassVar[str] = "exponential"

    def kernel(self) -> Kernel:
        """Return the exponential of mean 1."""
        return EXPONENTIAL, 1.0, 0.0


class WeibullLife(Drawn):
    """Weibull lives: ``shape`` below 1 fails early (infant mortality), above 1 wears out."""

    family: ClassVar[str] = "weibull"
    positional: ClassVar[tuple[str, ...]] = ("shape",)
    shape: Shape

    def kernel(self) -> Kernel:
        """Return the Weibull of mean 1: scale 1/Γ(1 + 1/shape)."""
        return WEIBULL, 1.0 / math.gamma(1.0 + 1.0 / self.shape), 1.0 / self.shape


class LognormalLife(Drawn):
    """Lognormal lives; ``sigma`` is the standard deviation of the logarithm."""

    family: ClassVar[str] = "lognormal"
    positional: ClassVar[tuple[str, ...]] = ("sigma",)
    sigma: Sigma

    def kernel(self) -> Kernel:
        """Return the lognormal of mean 1: median exp(-sigma²/2)."""
        return LOGNORMAL, math.exp(-0.5 * self.sigma**2), self.sigma


class ConstantLife(Drawn):
    """Every server fails at exactly its mean life."""

    family: ClassVar[str] = "constant"

    def kernel(self) -> Kernel:
        """Return the constant 1."""
        return CONSTANT, 1.0, 0.0


class UniformLife(Drawn):
    """Lives uniform on mean × [1 - spread, 1 + spread]."""

    family: ClassVar[str] = "uniform"
    positional: ClassVar[tuple[str, ...]] = ("spread",)
    spread: Spread = 1.0

    def kernel(self) -> Kernel:
        """Return the uniform of mean 1."""
        return UNIFORM, 1.0 - self.spread, 1.0 + self.spread


class GammaLife(Drawn):
    """Gamma lives: ``shape`` below 1 fails early, above 1 wears out, milder than Weibull's."""

    family: ClassVar[str] = "gamma"
    positional: ClassVar[tuple[str, ...]] = ("shape",)
    shape: Shape

    def kernel(self) -> Kernel:
        """Return the gamma of mean 1: scale 1/shape."""
        return GAMMA, 1.0 / self.shape, self.shape


class EmpiricalLife(Measured):
    """One of the measured lives, each as likely as the others; only their ratios count."""

    values: Annotated[tuple[float, ...], Measurements(positive=True)]

    def kernel(self) -> Kernel:
        """Return (EMPIRICAL, 0, number of values)."""
        return EMPIRICAL, 0.0, float(len(self.values))

    def table(self) -> tuple[float, ...]:
        """Return the values over their mean."""
        mean = math.fsum(self.values) / len(self.values)
        return tuple(value / mean for value in self.values)


class MixtureLife(Mixed):
    """Each life comes from one of several distributions; only the ratios of their means count."""

    @model_validator(mode="after")
    def _lives_have_a_length(self) -> Self:
        if not self._mean() > 0.0:
            raise Refused("", sentence="a mixture of lives must have a mean longer than 0.")
        return self

    def table(self) -> tuple[float, ...]:
        """Return (cumulative weight, code, a, b) of each part, then values, for a mean of 1."""
        return self._laid_out(1.0 / self._mean())


Life: TypeAlias = (
    ExponentialLife
    | WeibullLife
    | LognormalLife
    | GammaLife
    | ConstantLife
    | UniformLife
    | EmpiricalLife
    | MixtureLife
)

#: The shapes of server lives, by their names in expressions. Each server's own rate fixes the mean.
LIVES: Final[dict[str, type[Family]]] = {
    "exponential": ExponentialLife,
    "weibull": WeibullLife,
    "lognormal": LognormalLife,
    "gamma": GammaLife,
    "constant": ConstantLife,
    "uniform": UniformLife,
    "empirical": EmpiricalLife,
    "mixture": MixtureLife,
}

#: A field that holds the shape of server lives.
LifeField = Annotated[Life, Expression(LIVES, "shape of lives", "'weibull(shape=0.8)'")]
