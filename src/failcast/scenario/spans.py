"""Numbers of a field: how they are read with their unit, written, and ranged over.

On the map: scenario, below beliefs.py and everything that varies a scenario. A span is a field with
a range of its numbers, such as `recovery.time` from 10 to 30 minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from failcast.scenario.blocks import fields_of
from failcast.scenario.distributions import Constant
from failcast.scenario.errors import Refused, refuse, shown
from failcast.scenario.expressions import Expression
from failcast.scenario.rules import Count, Duration, Percentage, Rate, Real, Rule, plain_text
from failcast.scenario.scenario import default_at
from failcast.scenario.units import format_duration, format_rate, parse_duration, parse_rate

if TYPE_CHECKING:
    from failcast.scenario.scenario import Place, Scenario

Spacing = Literal["linear", "log"]


class Range(NamedTuple):
    """The texts of `low..high:count:log`; what is left out is empty."""

    low: str
    high: str
    steps: str
    log: bool

    @classmethod
    def of(cls, text: str) -> Range | None:
        """The texts of a range; None for a text that is none."""
        low, dots, rest = text.partition("..")
        if not dots or "(" in low:
            return None
        high, _, ending = rest.partition(":")
        log = ending == "log" or ending.endswith(":log")
        return cls(low.strip(), high.strip(), ending.removesuffix("log").removesuffix(":"), log)


@dataclass(frozen=True)
class Span:
    """A field that holds a number, and a range of it from `low` to `high`, both included.

    The numbers are in the unit of the scenario: hours, per hour, or none. `write` turns one into
    the text of an override; of a field that counts something it is the nearest whole number.
    """

    path: str
    low: float
    high: float
    whole: bool
    spacing: Spacing
    write: Callable[[float], str]
    snap: Callable[..., float]

    def at(self, share: float, digits: int = 6) -> float:
        """The number at a share of the range, 0 to 1; evenly spaced, or evenly in its logarithm.

        Between the ends it has so many digits in a unit that a person would choose.
        """
        if share in (0.0, 1.0):
            return (self.low, self.high)[int(share)]
        if self.spacing == "log":
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + share * (self.high - self.low)
        return min(self.high, max(self.low, self.snap(value, digits)))

    def share(self, value: float) -> float:
        """The share of the range at which a number lies: what `at` undoes."""
        if self.spacing == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def draw(self, share: float) -> float:
        """The number at a quantile in [0, 1) of the range; each whole number has the same share."""
        if self.whole and self.spacing == "linear":
            return min(self.high, math.floor(self.low + share * (self.high - self.low + 1.0)))
        return self.at(share)

    def setting(self, value: float) -> str:
        """The override that gives the field this number."""
        return f"{self.path}={self.write(value)}"


def read_span(place: Place, found: Range, text: str, scenario: Scenario) -> Span:
    """The span of a field of `scenario` that a range says; `text` is all that the user wrote.

    Raises ScenarioError.
    """
    rule = number_rule(place, scenario)
    kind = kind_of(rule)
    if rule is None or kind is None:
        raise refuse(
            f"{shown(text)} is a range, but {place.path} is no number: list its values."
            + hint_of(place, scenario),
            field=place.path,
        )
    low, high = (_end(end, rule, kind, place) for end in (found.low, found.high))
    spacing: Spacing = "log" if found.log else "linear"
    if low >= high:
        sentence = f"{shown(text)} is empty: its first end must be below its second."
        raise refuse(sentence, field=place.path)
    if spacing == "log" and low <= 0.0:
        sentence = f"{shown(text)} has no even ratios: its first end must be above 0."
        raise refuse(sentence, field=place.path)
    return Span(place.path, low, high, isinstance(rule, Count), spacing, kind.write, kind.snap)


def hint_of(place: Place, scenario: Scenario) -> str:
    """What may have been meant by a number in the place of a distribution."""
    if isinstance(place.kind, Expression) and place.kind.bare is not None and not place.argument:
        return f" For a range of its mean write {place.path}.mean."
    return ""


def _end(text: str, rule: Rule, kind: Kind, place: Place) -> float:
    """One end of a range, within the limits of its field."""
    try:
        return read_number(text, rule, kind)
    except Refused as refused:
        sentence = f"{place.path} is {shown(text)}, but {refused.rule}."
        raise refuse(sentence, field=place.path) from None


def read_number(text: str, rule: Rule, kind: Kind) -> float:
    """A number with its unit, within the limits of its field. Raises Refused."""
    number = kind.read(text)
    rule.read(int(number) if isinstance(rule, Count) else number, units_required=False)
    return number


def number_rule(place: Place, scenario: Scenario) -> Rule | None:
    """The rule that a number of the field follows: its own, or that of an argument."""
    value = value_of(scenario, place)
    if value is None and place.argument:
        return None  # an argument of what is off
    if not place.argument and isinstance(value, Constant):
        return Duration()
    if not place.argument:
        return place.kind if isinstance(place.kind, Rule) else None
    rules = {name: rule for _, name, rule in fields_of(type(value))}
    rule = rules.get(place.argument)
    if rule is None and place.argument == "mean":
        return Duration()
    return rule if isinstance(rule, Rule) else None


def value_of(scenario: Scenario, place: Place) -> Any:
    """What stands in the place, without regard to its argument; in a block that is off, what would.

    None in a place without a value.
    """
    value: Any = scenario
    for name in place.names:
        attributes = {known: attribute for attribute, known, _ in fields_of(type(value))}
        value = getattr(value, attributes[name])
        if value is None:
            return default_at(place.names)
    return value


def _number(text: str) -> float:
    try:
        number = float(text.replace("_", "x"))
    except ValueError:
        raise Refused("it must be a number") from None
    if not math.isfinite(number):
        raise Refused("it must be a finite number")
    return number


def _whole(text: str) -> float:
    number = _number(text)
    if not number.is_integer():
        raise Refused("it must be a whole number")
    return number


def _nearest_whole(number: float, digits: int = 0) -> float:
    return float(math.floor(number + 0.5))


def _short(number: float, digits: int = 6) -> float:
    return float(f"{number:.{digits}g}")


def _neat_duration(hours: float, digits: int = 6) -> float:
    """The hours with so many digits in the largest unit of which there is one."""
    per_hour = next((each for each in (1 / 24, 1, 60, 3600) if hours * each >= 1.0), 3.6e6)
    unit = {1 / 24: "d", 1: "h", 60: "min", 3600: "s"}.get(per_hour, "ms")
    return parse_duration(f"{hours * per_hour:.{digits}g} {unit}")


def _neat_rate(per_hour: float, digits: int = 6) -> float:
    return parse_rate(f"{per_hour * 24:.{digits}g} / day")


class Kind(NamedTuple):
    """How the numbers of a kind of field are read, written, and rounded between two ends.

    `snap` takes a number and how many digits it is to have, six unless told.
    """

    read: Callable[[str], float]
    write: Callable[[float], str]
    snap: Callable[..., float]


def kind_of(rule: Rule | None) -> Kind | None:
    """How the numbers of a field with this rule are read and written; None if it holds none."""
    return next((kind for each, kind in _KINDS.items() if isinstance(rule, each)), None)


_KINDS: Final[dict[type[Rule], Kind]] = {
    Count: Kind(_whole, lambda number: str(int(number)), _nearest_whole),
    Real: Kind(_number, lambda number: plain_text(number), _short),
    Percentage: Kind(_number, lambda number: plain_text(number), _short),
    Duration: Kind(parse_duration, format_duration, _neat_duration),
    Rate: Kind(parse_rate, format_rate, _neat_rate),
}
