"""The rules of single fields: what a value may be, how it is read, how it is written back.

A field of a block is ``Annotated[type, rule]``. The rule reads a value for pydantic, says in words
what would be right, and turns the value into text with units for ``check`` and for files.
"""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from failcast.scenario.errors import Refused, did_you_mean, nearest
from failcast.scenario.scalars import plain_scalar, vanishes
from failcast.scenario.units import (
    format_duration,
    format_percentage,
    format_rate,
    parse_duration,
    parse_percentage,
    parse_rate,
)

#: Longest duration, about 114,000 years, and the shortest above zero, about 4 microseconds.
MOST_HOURS = 1e9
LEAST_HOURS = 1e-9
#: Highest rate and the lowest above zero, per hour.
MOST_PER_HOUR = 1e6
LEAST_PER_HOUR = 1e-15

#: The validation context in which a bare number is no duration and no rate: files and overrides.
#: In Python, without it, a bare number is hours or per hour.
AT_THE_DOOR: Final[dict[str, Any]] = {"units_required": True}
#: What validation knows besides the value: the entry above, and ``folder``, against which the names
#: of files are read; without it that is the current folder.
Context = Mapping[str, Any]

#: How a block or a field that is switched off is written.
OFF = "off"

#: What a value looks like in a file: canonical, and read back to the same value.
Plain = str | int | float | bool | Mapping[str, str]


class Rule(ABC):
    """What one field may hold."""

    @abstractmethod
    def read(self, value: Any, *, units_required: bool) -> Any:
        """Return the value as the scenario keeps it. Raises Refused."""

    def read_at(self, value: Any, context: Context) -> Any:
        """Return the value as ``read`` does, for a rule that needs more of the context."""
        return self.read(value, units_required=bool(context.get("units_required")))

    def plain(self, value: Any) -> Plain:
        """Return the value as a file holds it."""
        return value  # type: ignore[no-any-return]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Hand the reading of this field from pydantic to ``read``."""
        return core_schema.with_info_plain_validator_function(self._validate)

    def _validate(self, value: Any, info: core_schema.ValidationInfo[Any]) -> Any:
        return self.read_at(value, info.context or {})


@dataclass(frozen=True)
class Count(Rule):
    """A whole number within ``least`` and ``most``. ``1e5`` counts as one, ``10.5`` does not."""

    least: int
    most: int

    def read(self, value: Any, *, units_required: bool) -> int:
        whole = _whole(value)
        if whole is None or not self.least <= whole <= self.most:
            limits = f"from {self.least:,} to {self.most:,}"
            raise Refused(f"it must be a whole number {limits}{_written_as_text(value)}")
        return whole


@dataclass(frozen=True)
class Real(Rule):
    """A number within ``least`` and ``most``, each included unless it is marked as excluded."""

    least: float
    most: float
    least_excluded: bool = False
    most_excluded: bool = False

    def read(self, value: Any, *, units_required: bool) -> float:
        real = _real(value)
        low, high = self.least, self.most
        if (
            real is None
            or not low <= real <= high
            or (self.least_excluded and real == low)
            or (self.most_excluded and real == high)
        ):
            raise Refused(f"it must be a number {self._limits()}{_written_as_text(value)}")
        return real

    def _limits(self) -> str:
        low, high = f"{self.least:,.10g}", f"{self.most:,.10g}"
        if self.least_excluded and self.most_excluded:
            return f"between {low} and {high}, both excluded"
        if self.least_excluded:
            return f"above {low} and at most {high}"
        return f"from {low} to {high}"


@dataclass(frozen=True)
class Percentage(Rule):
    """A share above 0 and below 1, as a percentage such as ``1 %`` or as a number; None: off."""

    def read(self, value: Any, *, units_required: bool) -> float | None:
        if value is None or value == OFF:
            return None
        share = parse_percentage(value) if isinstance(value, str) else _real(value)
        if share is None or not 0.0 < share < 1.0:
            hint = _written_as_text(value)
            raise Refused(f"it must be above 0 and below 100 %, such as '1 %' or 0.01{hint}")
        return share

    def plain(self, value: Any) -> Plain:
        return format_percentage(value)


@dataclass(frozen=True)
class Duration(Rule):
    """A duration in hours; text carries its unit. ``positive`` excludes zero.

    An ``optional`` one may be left out, one that ``may_be_off`` may be switched off: both are None.
    """

    positive: bool = False
    optional: bool = False
    may_be_off: bool = False

    def read(self, value: Any, *, units_required: bool) -> float | None:
        if value is None and (self.optional or self.may_be_off):
            return None
        if value == OFF and self.may_be_off:
            return None
        if isinstance(value, str):
            hours = parse_duration(value)
        else:
            number = _real(value)
            if number is None:
                raise Refused("it must be a duration such as '20 min' or '2 d'")
            if units_required and number > 0:
                raise Refused(f"it has no unit: write '{value} min' or '{value} h'")
            hours = number
        if hours < 0:
            raise Refused("it must not be negative")
        if self.positive and hours == 0:
            raise Refused("it must be longer than 0")
        if hours != 0 and not LEAST_HOURS <= hours <= MOST_HOURS:
            raise Refused(f"it must be 0 or from {LEAST_HOURS:g} h to {MOST_HOURS:,.0f} h")
        return hours

    def plain(self, value: Any) -> Plain:
        return format_duration(value)


@dataclass(frozen=True)
class Rate(Rule):
    """A rate per hour; text carries its unit."""

    def read(self, value: Any, *, units_required: bool) -> float:
        if isinstance(value, str):
            rate = parse_rate(value)
        else:
            number = _real(value)
            if number is None:
                raise Refused("it must be a rate such as '0.01 / day'")
            if units_required and number > 0:
                raise Refused(f"it has no unit: write '{value} / day' or '{value} / h'")
            rate = number
        if rate < 0:
            raise Refused("it must not be negative")
        if rate != 0 and not LEAST_PER_HOUR <= rate <= MOST_PER_HOUR:
            raise Refused(
                f"it must be 0 or from {LEAST_PER_HOUR:g} / h to {MOST_PER_HOUR:,.0f} / h"
            )
        return rate

    def plain(self, value: Any) -> Plain:
        return format_rate(value)


@dataclass(frozen=True)
class Flag(Rule):
    """True or false, and nothing that only looks like it."""

    def read(self, value: Any, *, units_required: bool) -> bool:
        if not isinstance(value, bool):
            raise Refused("it must be true or false")
        return value


@dataclass(frozen=True)
class Choice(Rule):
    """One of the names of a registry, which maps each name to its meaning."""

    registry: Mapping[str, str]

    def read(self, value: Any, *, units_required: bool) -> str:
        if isinstance(value, str) and value in self.registry:
            return value
        hint = did_you_mean(nearest(value, self.registry)) if isinstance(value, str) else ""
        raise Refused(f"it must be {one_of(self.registry)}{hint}")


@dataclass(frozen=True)
class Text(Rule):
    """Printable text of limited length; only ``lines`` allows more than one line."""

    most: int
    lines: bool = False

    def read(self, value: Any, *, units_required: bool) -> str:
        if not isinstance(value, str):
            raise Refused("it must be text: put it in quotes")
        if len(value) > self.most:
            raise Refused(f"it must be at most {self.most:,} characters long")
        if not all(c.isprintable() or (self.lines and c in "\n\t") for c in value):
            raise Refused("it must be printable text" + ("" if self.lines else " on one line"))
        return value


def plain_text(plain: Plain) -> str:
    """Return a plain value as text in one place; whole floats lose their ".0"."""
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float) and plain.is_integer() and abs(plain) < 1e15:
        return str(int(plain))
    return str(plain)


def one_of(names: Mapping[str, Any]) -> str:
    """Return the names as a sentence lists them: "a", "a or b", "a, b or c"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, numbers.Integral):
        return int(value)
    real = _real(value)
    return int(real) if real is not None and real.is_integer() else None


def _real(value: Any) -> float | None:
    """Return a finite number as a float, negative zero as zero; None for anything else.

    Raises Refused for a number, such as a fraction, that only rounding would turn into zero.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        real = float(value)
    except OverflowError:
        return None
    if real == 0.0 and value != 0:
        raise Refused("it is too close to 0: write 0 if that is what you mean")
    return real + 0.0 if math.isfinite(real) else None


def _written_as_text(value: Any) -> str:
    """Return the hint for a text that would be a number if it were written otherwise."""
    if not isinstance(value, str):
        return ""
    if isinstance(plain_scalar(value), int | float):
        return ", without quotes"
    if vanishes(value):
        return ", and not this close to 0"
    bare = value.lstrip("+-").lstrip("0")
    if bare != value and isinstance(plain_scalar(bare), int | float):
        return ", without leading zeros"
    return ""
