"""What a planner may choose, and what is to be small: `--choose` and `--minimize` as objects.

On the map: study, below bench.py. A setting is a position: a number for each choice, which is a
value of its range, or the place of a value in its list.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from failcast.engine import Runs
from failcast.results import RequestError
from failcast.results.errors import unknown_name
from failcast.results.measure import KNOWN, Measure
from failcast.results.request import texts_of
from failcast.scenario import Scenario
from failcast.scenario.scenario import overlap
from failcast.study.axes import Axis, Span, axis, span

#: A number for each choice.
Position: TypeAlias = tuple[float, ...]
#: What can be minimized besides measures of runs: the servers of both pools.
SERVERS: Final = "servers"
#: Values of a range that are tried first, by the number of ranges.
_FIRST_VALUES: Final = {1: 17, 2: 9, 3: 5}
_FEW_VALUES: Final = 3
#: A continuous choice is settled to this share of its range.
_FINEST: Final = 1.0 / 256.0


@dataclass(frozen=True)
class Choice:
    """A field that the planner may set: a range of numbers, or a list of values."""

    field: Span | Axis

    @property
    def path(self) -> str:
        """The field's path."""
        return self.field.path

    @property
    def is_range(self) -> bool:
        """Whether it is a range of numbers."""
        return isinstance(self.field, Span)

    def setting(self, value: float) -> str:
        """The override of a value."""
        if isinstance(self.field, Span):
            return self.field.setting(value)
        return self.field.settings()[int(value)]

    def text(self, value: float) -> str:
        """A value as the override has it."""
        return self.setting(value).partition("=")[2]

    def first_values(self, ranges: int) -> list[float]:
        """The values that are tried first, where so many choices are ranges."""
        if isinstance(self.field, Axis):
            return [float(number) for number in range(len(self.field.values))]
        count = _FIRST_VALUES.get(ranges, _FEW_VALUES)
        values = (self.field.at(step / (count - 1)) for step in range(count))
        return list(dict.fromkeys(values))

    def share(self, value: float) -> float:
        """Where in its range a value lies, 0 to 1; a list has no small and large."""
        if isinstance(self.field, Axis):
            return 0.0
        low, high = self.field.low, self.field.high
        if self.field.spacing == "log":
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    def steps(self, value: float, mesh: float) -> list[float]:
        """The value, and those a step of the mesh (a share of the range) below and above it.

        Of a list, all values.
        """
        if isinstance(self.field, Axis):
            return self.first_values(0)
        return list(dict.fromkeys([value, self._stepped(value, -mesh), self._stepped(value, mesh)]))

    def _stepped(self, value: float, mesh: float) -> float:
        """The value a step away, at least 1 where it counts something; within the range."""
        assert isinstance(self.field, Span)
        there = self.field.at(min(1.0, max(0.0, self.share(value) + mesh)))
        if self.field.whole and there == value:
            there = value + math.copysign(1.0, mesh)
        return min(self.field.high, max(self.field.low, there))

    def is_finest(self, mesh: float) -> bool:
        """Whether no smaller step is taken."""
        if isinstance(self.field, Axis):
            return True
        width = self.field.high - self.field.low
        return mesh * width < 1.0 if self.field.whole else mesh <= _FINEST

    def less(self, value: float, mesh: float) -> float | None:
        """The value one step less; None at the low end, and of a list."""
        if isinstance(self.field, Axis) or value <= self.field.low:
            return None
        return self._stepped(value, -mesh)


def read_choices(texts: Iterable[str], scenario: Scenario) -> tuple[Choice, ...]:
    """Read choices: `path=low..high`, `low..high:log` or `a,b,c`. Raises RequestError."""
    choices = tuple(_choice(text, scenario) for text in texts_of("choose", texts))
    if not choices:
        raise RequestError("a plan needs something to choose, such as cluster.spare_pool=0..400.")
    for number, one in enumerate(choices):
        other = overlap(one.path, (each.path for each in choices[:number]))
        if other is not None:
            raise RequestError(f"{one.path} overlaps with {other}, which is chosen too: keep one.")
    return choices


def _choice(text: str, scenario: Scenario) -> Choice:
    _, _, values = text.partition("=")
    low, dots, _ = values.partition("..")
    is_range = bool(dots) and "(" not in low and "," not in low and "|" not in low
    return Choice(span(text, scenario) if is_range else axis(text, scenario))


def first_positions(choices: Sequence[Choice]) -> Iterator[Position]:
    """The positions of the first, coarse grid."""
    ranges = sum(choice.is_range for choice in choices)
    return itertools.product(*(choice.first_values(ranges) for choice in choices))


@dataclass(frozen=True)
class Aim:
    """What is to be small: `servers`, or a measure of runs, such as the `cost`."""

    name: str
    measure: Measure | None = None

    def price(self, scenario: Scenario, runs: Runs | None) -> float:
        """The servers of a setting, or the mean over its runs; those that finish, of a metric."""
        if self.name == SERVERS:
            return float(scenario.cluster.working_pool + scenario.cluster.spare_pool)
        assert runs is not None
        assert self.measure is not None
        values = self.measure.of(runs)
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else math.inf


def read_aim(text: str) -> Aim:
    """What is to be small. Raises RequestError, with the nearest right name."""
    if text == SERVERS:
        return Aim(text)
    if not isinstance(text, str) or text.partition("(")[0].strip() not in KNOWN:
        raise unknown_name("aim", text, (SERVERS, *KNOWN))
    measure = Measure.parse(text)
    return Aim(measure.name, measure)
