"""What is varied, and over which values: `--vary` of the command line as objects.

On the map: study, below everything that varies a scenario. An axis is a field with the values it
takes in turn, each written as an override holds it; a span is a field with a range of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from failcast.results import RequestError
from failcast.scenario import Constant, Scenario, ScenarioError
from failcast.scenario.blocks import fields_of
from failcast.scenario.errors import Refused, shown
from failcast.scenario.expressions import Expression, split
from failcast.scenario.rules import Count, Duration, Percentage, Rate, Real, Rule, plain_text
from failcast.scenario.scenario import Place, place_of
from failcast.scenario.units import format_duration, format_rate, parse_duration, parse_rate

#: Most values of one axis.
MOST_VALUES: Final = 10_000

Spacing = Literal["linear", "log"]


class _Range(NamedTuple):
    """The texts of `low..high:count:log`; what is left out is empty."""

    low: str
    high: str
    steps: str
    log: bool

    @classmethod
    def of(cls, text: str) -> _Range | None:
        low, dots, rest = text.partition("..")
        if not dots or "(" in low:
            return None
        high, _, ending = rest.partition(":")
        log = ending == "log" or ending.endswith(":log")
        return cls(low.strip(), high.strip(), ending.removesuffix("log").removesuffix(":"), log)


@dataclass(frozen=True)
class Axis:
    """A field, by its path, and the values it takes, each as the text of an override."""

    path: str
    values: tuple[str, ...]

    def settings(self) -> tuple[str, ...]:
        """The overrides of the axis, such as `job.warm_standbys=32`."""
        return tuple(f"{self.path}={value}" for value in self.values)


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
    snap: Callable[[float], float]

    def at(self, share: float) -> float:
        """The number at a share of the range, 0 to 1; evenly spaced, or evenly in its logarithm.

        Between the ends it has six digits in a unit that a person would choose.
        """
        if share in (0.0, 1.0):
            return (self.low, self.high)[int(share)]
        if self.spacing == "log":
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + share * (self.high - self.low)
        return self.snap(value)

    def draw(self, share: float) -> float:
        """The number at a quantile in [0, 1) of the range; each whole number has the same share."""
        if self.whole and self.spacing == "linear":
            return min(self.high, math.floor(self.low + share * (self.high - self.low + 1.0)))
        return self.at(share)

    def setting(self, value: float) -> str:
        """The override that gives the field this number."""
        return f"{self.path}={self.write(value)}"


def axis(text: str, scenario: Scenario) -> Axis:
    """Read an axis: `path=a,b,c`, `path=a|b` where values hold commas, or `path=low..high:n`.

    A range has n values with even gaps, or with even ratios as `low..high:n:log`; of a field that
    counts something n may be left out, for every number. Raises RequestError or ScenarioError with
    the nearest right name.
    """
    path, rest = _parted(text)
    place = _place(path, text)
    found = _Range.of(rest)
    values = _spread(_span(place, found, text, scenario), found, text) if found else _listed(rest)
    return Axis(place.path, _usable(values, text))


def span(text: str, scenario: Scenario) -> Span:
    """Read a range: `path=low..high`, or `path=low..high:log` for one that is even in ratios.

    Raises RequestError or ScenarioError with the nearest right name.
    """
    path, rest = _parted(text)
    found = _Range.of(rest)
    if found is None or found.steps:
        raise RequestError(
            f"{shown(text)} is no range: write {path}=low..high, or low..high:log for even ratios."
        )
    return _span(_place(path, text), found, text, scenario)


def _parted(text: str) -> tuple[str, str]:
    path, equals, rest = text.partition("=")
    if not equals or not path.strip() or not rest.strip():
        raise RequestError(
            f"{shown(text)} says not what is varied: write path=a,b,c or path=low..high:n, such as "
            "job.warm_standbys=0,16,32."
        )
    return path.strip(), rest.strip()


def _place(path: str, text: str) -> Place:
    try:
        place = place_of(path)
    except ScenarioError as error:
        raise error.found_in(shown(text, quote=False), {}) from None
    if isinstance(place.kind, type) and place.kind.short_form:
        return _place(f"{path}.{place.kind.short_form}", text)
    if isinstance(place.kind, type):
        raise RequestError(f"{path} is a block of fields: vary one of its fields.")
    if place.path in ("run.seed", "run.replications", "run.precision", "name", "description"):
        raise RequestError(f"{path} does not change what is simulated: vary another field.")
    return place


def _listed(rest: str) -> list[str]:
    """The values between bars, or between commas outside parentheses."""
    try:
        parts = rest.split("|") if "|" in rest else split(rest)
    except Refused as refused:
        raise RequestError(f"{shown(rest)} cannot be read as values: {refused.rule}.") from None
    return [part.strip() for part in parts]


def _usable(values: Sequence[str], text: str) -> tuple[str, ...]:
    if len(values) > MOST_VALUES:
        raise RequestError(
            f"{shown(text)} has {len(values):,} values, but an axis takes at most {MOST_VALUES:,}."
        )
    for number, value in enumerate(values):
        if not value:
            raise RequestError(f"{shown(text)} has an empty value: take out a comma or bar.")
        if value in values[:number]:
            raise RequestError(f"{shown(text)} gives the value {value} twice: keep one of them.")
    return tuple(values)


def _spread(span: Span, found: _Range, text: str) -> list[str]:
    """The values of a range with a number of them."""
    if not found.steps and span.whole:
        steps = int(span.high - span.low) + 1
    elif found.steps.isascii() and found.steps.isdigit() and int(found.steps[:9]) >= 2:
        steps = int(found.steps[:9])
    else:
        raise RequestError(
            f"{shown(text)} needs a number of values from 2 on: write "
            f"{span.path}={found.low}..{found.high}:5."
        )
    if steps > MOST_VALUES:
        raise RequestError(
            f"{shown(text)} has {steps:,} values, but an axis takes at most {MOST_VALUES:,}."
        )
    numbers = (span.at(step / max(1, steps - 1)) for step in range(steps))
    return list(dict.fromkeys(span.write(number) for number in numbers))


def _span(place: Place, found: _Range, text: str, scenario: Scenario) -> Span:
    rule = _rule_of(place, scenario)
    kind = next((each for each in _KINDS if isinstance(rule, each)), None)
    if rule is None or kind is None:
        raise RequestError(
            f"{shown(text)} is a range, but {place.path} is no number: list its values."
            + _hint_of(place, scenario)
        )
    read, write, snap = _KINDS[kind]
    low, high = (_end(end, rule, read, place) for end in (found.low, found.high))
    spacing: Spacing = "log" if found.log else "linear"
    if low >= high:
        raise RequestError(f"{shown(text)} is empty: its first end must be below its second.")
    if spacing == "log" and low <= 0.0:
        raise RequestError(f"{shown(text)} has no even ratios: its first end must be above 0.")
    return Span(place.path, low, high, kind is Count, spacing, write, snap)


def _hint_of(place: Place, scenario: Scenario) -> str:
    """What may have been meant by the range of a field that holds a distribution."""
    if isinstance(place.kind, Expression) and place.kind.bare is not None and not place.argument:
        return f" For a range of its mean write {place.path}.mean."
    return ""


def _end(text: str, rule: Rule, read: Callable[[str], float], place: Place) -> float:
    """One end of a range, within the limits of its field."""
    try:
        number = read(text)
        rule.read(int(number) if isinstance(rule, Count) else number, units_required=False)
    except Refused as refused:
        raise RequestError(f"{place.path} is {shown(text)}, but {refused.rule}.") from None
    return number


def _rule_of(place: Place, scenario: Scenario) -> Rule | None:
    """The rule that a number of the field follows: its own, or that of an argument."""
    value = _value_of(scenario, place)
    if not place.argument and isinstance(value, Constant):
        return Duration()
    if not place.argument:
        return place.kind if isinstance(place.kind, Rule) else None
    rules = {name: rule for _, name, rule in fields_of(type(value))}
    rule = rules.get(place.argument)
    if rule is None and place.argument == "mean":
        return Duration()
    return rule if isinstance(rule, Rule) else None


def _value_of(scenario: Scenario, place: Place) -> Any:
    """What stands in the place, without regard to its argument; None in a block that is off."""
    value: Any = scenario
    for name in place.names:
        attributes = {known: attribute for attribute, known, _ in fields_of(type(value))}
        value = getattr(value, attributes[name])
        if value is None:
            break
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


def _nearest_whole(number: float) -> float:
    return float(math.floor(number + 0.5))


def _six_digits(number: float) -> float:
    return float(f"{number:.6g}")


def _neat_duration(hours: float) -> float:
    """The hours with six digits in the largest unit of which there is one."""
    per_hour = next((each for each in (1 / 24, 1, 60, 3600) if hours * each >= 1.0), 3.6e6)
    unit = {1 / 24: "d", 1: "h", 60: "min", 3600: "s"}.get(per_hour, "ms")
    return parse_duration(f"{hours * per_hour:.6g} {unit}")


def _neat_rate(per_hour: float) -> float:
    return parse_rate(f"{per_hour * 24:.6g} / day")


class _Kind(NamedTuple):
    """How the numbers of a kind of field are read, written, and rounded between two ends."""

    read: Callable[[str], float]
    write: Callable[[float], str]
    snap: Callable[[float], float]


_KINDS: Final[dict[type[Rule], _Kind]] = {
    Count: _Kind(_whole, lambda number: str(int(number)), _nearest_whole),
    Real: _Kind(_number, lambda number: plain_text(number), _six_digits),
    Percentage: _Kind(_number, lambda number: plain_text(number), _six_digits),
    Duration: _Kind(parse_duration, format_duration, _neat_duration),
    Rate: _Kind(parse_rate, format_rate, _neat_rate),
}
