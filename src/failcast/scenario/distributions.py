"""Distributions of durations: recovery, repair, waits. Shapes of lives are in ``lives.py``.

Each family is one class and one line in a registry. ``kernel()`` gives the three numbers that both
engines draw from, ``table()`` what three numbers cannot hold. All durations are hours.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias

from pydantic import model_validator

from failcast.scenario.drawn import (
    CONSTANT,
    EMPIRICAL,
    EXPONENTIAL,
    GAMMA,
    LOGNORMAL,
    MIXTURE,
    MIXTURE_ROW,
    UNIFORM,
    WEIBULL,
    Drawn,
    DurationFamily,
    Kernel,
)
from failcast.scenario.errors import Refused, shown
from failcast.scenario.expressions import Expression, Family, build, split
from failcast.scenario.measurements import Measured, Source
from failcast.scenario.rules import Context, Duration, Real, Rule, plain_text
from failcast.scenario.scalars import plain_scalar

#: Most components of a mixture: a draw looks through them one by one.
MOST_PARTS: Final = 20
_TOO_MANY_PARTS: Final = f"it must have at most {MOST_PARTS} parts"
#: How far the weights of a mixture may add up beside 1.
WEIGHT_ROUNDING: Final = 1e-9

Hours = Annotated[float, Duration()]
OptionalHours = Annotated[float | None, Duration(optional=True)]
#: Shapes outside these limits put the scale or the sample beyond floating point.
Shape = Annotated[float, Real(0.05, 1000.0)]
Sigma = Annotated[float, Real(0.0, 10.0)]


class Constant(DurationFamily):
    """Always ``value`` hours."""

    family: ClassVar[str] = "constant"
    positional: ClassVar[tuple[str, ...]] = ("value",)
    value: Hours

    @property
    def mean_hours(self) -> float:
        """Mean in hours."""
        return self.value

    def with_argument(self, name: str, value: Any, context: Context) -> Self:
        """Return another constant; its mean is its value. Raises Refused."""
        return super().with_argument("value" if name == "mean" else name, value, context)

    def kernel(self) -> Kernel:
        """Return (CONSTANT, value in hours, 0)."""
        return CONSTANT, self.value, 0.0

    def expression(self) -> str:
        """Return the bare duration, which means a constant."""
        return str(Duration().plain(self.value))


class Exponential(DurationFamily):
    """Exponential with ``mean`` hours."""

    family: ClassVar[str] = "exponential"
    positional: ClassVar[tuple[str, ...]] = ("mean",)
    mean: Hours

    @property
    def mean_hours(self) -> float:
        """Mean in hours."""
        return self.mean

    def kernel(self) -> Kernel:
        """Return (EXPONENTIAL, mean in hours, 0)."""
        return EXPONENTIAL, self.mean, 0.0


class MeanOrScale(DurationFamily):
    """A family with ``shape`` and either ``mean`` or ``scale`` in hours, in proportion."""

    positional: ClassVar[tuple[str, ...]] = ("mean", "shape")
    mean: OptionalHours = None
    scale: OptionalHours = None
    shape: Shape

    @model_validator(mode="after")
    def _one_of_mean_and_scale(self) -> Self:
        if (self.mean is None) == (self.scale is None):
            raise Refused("", sentence=f"{self.family} takes either mean or scale.")
        return self

    @abstractmethod
    def _mean_of_scale_1(self) -> float:
        """Return the mean, in hours, that this shape has at a scale of 1 h."""

    @property
    def mean_hours(self) -> float:
        """Mean in hours: scale × the mean that this shape has at scale 1."""
        return self._scale() * self._mean_of_scale_1() if self.mean is None else self.mean

    def _scale(self) -> float:
        return (self.mean or 0.0) / self._mean_of_scale_1() if self.scale is None else self.scale


class Weibull(MeanOrScale):
    """Weibull with ``shape`` and either ``mean`` or ``scale`` in hours.

    The mean is scale × Γ(1 + 1/shape).
    """

    family: ClassVar[str] = "weibull"

    def kernel(self) -> Kernel:
        """Return (WEIBULL, scale in hours, 1/shape)."""
        return WEIBULL, self._scale(), 1.0 / self.shape

    def _mean_of_scale_1(self) -> float:
        return math.gamma(1.0 + 1.0 / self.shape)


class Lognormal(DurationFamily):
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

    def kernel(self) -> Kernel:
        """Return (LOGNORMAL, median in hours, sigma)."""
        median = self.median
        if median is None:
            median = (self.mean or 0.0) * math.exp(-0.5 * self.sigma**2)
        return LOGNORMAL, median, self.sigma


class Gamma(MeanOrScale):
    """Gamma with ``shape`` and either ``mean`` or ``scale`` in hours: mean = scale × shape."""

    family: ClassVar[str] = "gamma"

    def kernel(self) -> Kernel:
        """Return (GAMMA, scale in hours, shape)."""
        return GAMMA, self._scale(), self.shape

    def _mean_of_scale_1(self) -> float:
        return self.shape


class Uniform(DurationFamily):
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

    def kernel(self) -> Kernel:
        """Return (UNIFORM, low, high), in hours."""
        return UNIFORM, self.low, self.high


class Empirical(Measured, DurationFamily):
    """One of the measured durations, each as likely as the others."""

    @property
    def mean_hours(self) -> float:
        """Mean in hours."""
        return math.fsum(self.values) / len(self.values)

    def kernel(self) -> Kernel:
        """Return (EMPIRICAL, 0, number of values)."""
        return EMPIRICAL, 0.0, float(len(self.values))

    def table(self) -> tuple[float, ...]:
        """Return the values in hours."""
        return self.values

    def scaled(self, factor: float) -> Self:
        """Return the values times ``factor``, still those of their file, which is named with it.

        Raises ScenarioError where a value would be out of its limits.
        """
        source = self.source
        if source is not None:
            source = replace(source, times=factor * source.times)
        return type(self)(values=tuple(factor * value for value in self.values), source=source)


@dataclass(frozen=True)
class Parts(Rule):
    """Pairs of a weight and a distribution of durations; the weights add up to 1."""

    def read(self, value: Any, *, units_required: bool) -> tuple[tuple[float, Any], ...]:
        return self.read_at(value, {"units_required": units_required})

    def read_at(self, value: Any, context: Context) -> tuple[tuple[float, Any], ...]:
        if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
            raise Refused("it must be pairs such as (0.7, '20 min')")
        pairs = list(islice(value, MOST_PARTS + 1))
        if not pairs:
            raise Refused("it must have at least one part")
        if len(pairs) > MOST_PARTS:
            raise Refused(_TOO_MANY_PARTS)
        parts = [self._part(n, pair, context) for n, pair in enumerate(pairs, start=1)]
        total = math.fsum(weight for weight, _ in parts)
        if abs(total - 1.0) > WEIGHT_ROUNDING:
            raise Refused(f"its weights must add up to 1, not to {total:.10g}")
        flat = tuple(leaf for weight, part in parts for leaf in _leaves(weight, part))
        if len(flat) > MOST_PARTS:
            raise Refused(_TOO_MANY_PARTS)
        return flat

    def _part(self, number: int, pair: Any, context: Context) -> tuple[float, Any]:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise Refused(f"its part {number} must be a weight and a distribution")
        try:
            weight = Real(0.0, 1.0, least_excluded=True).read(pair[0], units_required=False)
        except Refused as refused:
            rule = refused.rule.removeprefix("it ")
            raise Refused(f"its weight {number}, here {shown(pair[0])}, {rule}") from None
        try:
            return weight, DURATION.read_at(pair[1], context)
        except Refused as refused:
            rule = refused.rule
            raise Refused(f"its part {number}, here {shown(pair[1])}, is wrong: {rule}") from None


def _leaves(weight: float, part: DurationFamily) -> list[tuple[float, DurationFamily]]:
    """Return a part with its weight; of a mixture, which holds no other, its own parts."""
    if not isinstance(part, Mixture):
        return [(weight, part)]
    total = math.fsum(inner for inner, _ in part.parts)
    return [(weight * (inner / total), leaf) for inner, leaf in part.parts]


class Mixed(Drawn):
    """Each draw comes from one of several distributions, chosen by weight.

    ``parts`` are pairs of a weight and a distribution of durations. The parts of a mixture inside
    are taken over with their share of its weight.
    """

    family: ClassVar[str] = "mixture"
    usage: ClassVar[tuple[str, ...]] = (
        "mixture(0.7: exponential(mean=2 h), 0.3: lognormal(median=20 h, sigma=2.5))",
    )
    parts: Annotated[tuple[tuple[float, DurationFamily], ...], Parts()]

    @classmethod
    def from_text(cls, text: str, context: Context) -> Self:
        """Build it from parts such as "0.7: 20 min". Raises Refused."""
        pieces = [piece.partition(":") for piece in split(text)] if text.strip() else []
        open_ = next((before for before, colon, _ in pieces if not colon), None)
        if open_ is not None:
            raise Refused(
                f"{shown(open_.strip())} in it is no weight and distribution: write 0.7: 20 min"
            )
        pairs = [(plain_scalar(weight.strip()), part.strip()) for weight, _, part in pieces]
        return build(cls, {"parts": Parts().read_at(pairs, context)}, {})

    def expression(self) -> str:
        """Return the text that reads back to this object."""
        parts = (f"{plain_text(weight)}: {part.expression()}" for weight, part in self.parts)
        return f"{self.family}({', '.join(parts)})"

    def kernel(self) -> Kernel:
        """Return (MIXTURE, 0, number of parts)."""
        return MIXTURE, 0.0, float(len(self.parts))

    def sources(self) -> tuple[Source, ...]:
        """Return the files of its parts."""
        return tuple(source for _, part in self.parts for source in part.sources())

    def _mean(self) -> float:
        total = math.fsum(weight for weight, _ in self.parts)
        return math.fsum(weight / total * part.mean_hours for weight, part in self.parts)

    def _laid_out(self, factor: float) -> tuple[float, ...]:
        """Return a row for each part, then the values of empirical ones, all times ``factor``."""
        total = math.fsum(weight for weight, _ in self.parts)
        rows: list[float] = []
        values: list[float] = []
        reached = 0.0
        for weight, part in self.parts:
            reached += weight / total
            kind, a, b = part.kernel()
            if kind == EMPIRICAL:
                a = float(MIXTURE_ROW * len(self.parts) + len(values))
                values += [factor * value for value in part.table()]
            else:
                a, b = factor * a, factor * b if kind == UNIFORM else b
            rows += [reached, float(kind), a, b]
        return (*rows, *values)


class Mixture(Mixed, DurationFamily):
    """Each draw comes from one of several distributions, chosen by weight."""

    @property
    def mean_hours(self) -> float:
        """Mean in hours: that of the parts, by weight."""
        return self._mean()

    def table(self) -> tuple[float, ...]:
        """Return (cumulative weight, code, a, b) of each part, then values."""
        return self._laid_out(1.0)

    def scaled(self, factor: float) -> Self:
        """Return the mixture of the same weights with every part scaled."""
        return type(self)(parts=tuple((weight, part.scaled(factor)) for weight, part in self.parts))


Distribution: TypeAlias = (
    Constant | Exponential | Weibull | Lognormal | Gamma | Uniform | Empirical | Mixture
)

#: The distributions of durations, by their names in expressions.
DISTRIBUTIONS: Final[dict[str, type[Family]]] = {
    "exponential": Exponential,
    "weibull": Weibull,
    "lognormal": Lognormal,
    "gamma": Gamma,
    "constant": Constant,
    "uniform": Uniform,
    "empirical": Empirical,
    "mixture": Mixture,
}

#: The rule of a distribution of durations. A bare duration means a constant.
DURATION: Final = Expression(
    DISTRIBUTIONS, "distribution", "'exponential(mean=2 d)' or '20 min'", bare=Constant
)
#: A field that holds one.
DurationField = Annotated[Distribution, DURATION]
