"""What the engines draw from: the codes of its kinds, and the base of all families that have one.

On the map: scenario, below distributions.py and lives.py. The codes are compiled into the kernel.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from failcast.scenario.blocks import fields_of
from failcast.scenario.expressions import Family
from failcast.scenario.rules import Duration

if TYPE_CHECKING:
    from failcast.scenario.measurements import Source

#: Codes of ``kernel()``; E is a unit exponential, Z a standard normal, U uniform on [0, 1), G a
#: gamma of shape b and scale 1. Those from EMPIRICAL on have a table, and a is their first row.
CONSTANT: Final = 0  # a
EXPONENTIAL: Final = 1  # a·E
WEIBULL: Final = 2  # a·E**b
LOGNORMAL: Final = 3  # a·exp(b·Z)
UNIFORM: Final = 4  # a + (b - a)·U
GAMMA: Final = 5  # a·G
EMPIRICAL: Final = 6  # one of the b values from row a on
MIXTURE: Final = 7  # one of the b components from row a on
#: Numbers of a mixture's component: cumulative weight, then its own code, a and b.
MIXTURE_ROW: Final = 4

#: Code, a and b.
Kernel: TypeAlias = tuple[int, float, float]


class Drawn(Family):
    """A family that the engines draw from."""

    @abstractmethod
    def kernel(self) -> Kernel:
        """Return (code, a, b): what the engines draw, in hours or for a mean of 1."""

    def table(self) -> tuple[float, ...]:
        """Return the numbers behind ``kernel()``, whose rows count from the first of them."""
        return ()

    def sources(self) -> tuple[Source, ...]:
        """Return the files that the values were read from."""
        return ()


class DurationFamily(Drawn):
    """A distribution of durations."""

    @property
    @abstractmethod
    def mean_hours(self) -> float:
        """Mean in hours."""

    def scaled(self, factor: float) -> Self:
        """Return the distribution whose every draw is ``factor`` times as long; same shape.

        All arguments that are durations are in proportion to what is drawn; the others are shapes.
        Raises ScenarioError where a duration would be out of its limits.
        """
        arguments = {name: getattr(self, name) for name, _, _ in fields_of(type(self))}
        for name, _, rule in fields_of(type(self)):
            if isinstance(rule, Duration) and arguments[name] is not None:
                arguments[name] *= factor
        return type(self)(**arguments)
