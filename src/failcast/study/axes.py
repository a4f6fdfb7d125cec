"""What is varied, and over which values: `--vary` of the command line as objects.

On the map: study, below everything that varies a scenario. An axis is a field with the values it
takes in turn, each written as an override holds it; spans are those of scenario/spans.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from failcast.results import RequestError
from failcast.scenario import Scenario, ScenarioError
from failcast.scenario.errors import Refused, shown
from failcast.scenario.expressions import Expression, split
from failcast.scenario.files import override_value
from failcast.scenario.rules import Rule
from failcast.scenario.scenario import Place, place_of
from failcast.scenario.spans import Range, Span, number_rule, read_span
from failcast.scenario.uncertain import Uncertain

__all__ = ["MOST_VALUES", "Axis", "Span", "axis", "span"]

#: Most values of one axis.
MOST_VALUES: Final = 10_000


@dataclass(frozen=True)
class Axis:
    """A field, by its path, and the values it takes, each as the text of an override."""

    path: str
    values: tuple[str, ...]

    def settings(self) -> tuple[str, ...]:
        """The overrides of the axis, such as `job.warm_standbys=32`."""
        return tuple(f"{self.path}={value}" for value in self.values)


def axis(text: str, scenario: Scenario) -> Axis:
    """Read an axis: `path=a,b,c`, `path=a|b` where values hold commas, or `path=low..high:n`.

    A range has n values with even gaps, or with even ratios as `low..high:n:log`; of a field that
    counts something n may be left out, for every number. Raises RequestError or ScenarioError with
    the nearest right name.
    """
    path, rest = _parted(text)
    place = _place(path, text)
    found = Range.of(rest)
    values = (
        _spread(read_span(place, found, text, scenario), found, text) if found else _listed(rest)
    )
    return Axis(place.path, _usable(values, text, _reader(place, scenario)))


def span(text: str, scenario: Scenario) -> Span:
    """Read a range: `path=low..high`, or `path=low..high:log` for one that is even in ratios.

    Raises RequestError or ScenarioError with the nearest right name.
    """
    path, rest = _parted(text)
    found = Range.of(rest)
    if found is None or found.steps:
        raise RequestError(
            f"{shown(text)} is no range: write {path}=low..high, or low..high:log for even ratios."
        )
    return read_span(_place(path, text), found, text, scenario)


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
    if isinstance(place.kind, Uncertain):
        inner = place.argument or "recovery.time"
        raise RequestError(f"{path} is what is believed of an input: vary {inner} itself.")
    idle = place.path.startswith("run.") and place.path not in ("run.horizon", "run.max_events")
    if idle or place.path in ("name", "description"):
        raise RequestError(f"{path} does not change what is simulated: vary another field.")
    return place


def _listed(rest: str) -> list[str]:
    """The values between bars, or between commas outside parentheses."""
    try:
        parts = rest.split("|") if "|" in rest else split(rest)
    except Refused as refused:
        raise RequestError(f"{shown(rest)} cannot be read as values: {refused.rule}.") from None
    return [part.strip() for part in parts]


def _usable(values: Sequence[str], text: str, meaning: Callable[[str], object]) -> tuple[str, ...]:
    """The values, none of them empty or a second spelling of another; `meaning` reads one."""
    if len(values) > MOST_VALUES:
        raise RequestError(
            f"{shown(text)} has {len(values):,} values, but an axis takes at most {MOST_VALUES:,}."
        )
    spelled: dict[object, str] = {}
    for number, value in enumerate(values):
        if not value:
            raise RequestError(f"{shown(text)} has an empty value: take out a comma or bar.")
        other = spelled.setdefault(meaning(value), value)
        if len(spelled) == number:
            twice = f"{value} twice" if other == value else f"{other} twice, once as {value}"
            raise RequestError(f"{shown(text)} gives the value {twice}: keep one of them.")
    return tuple(values)


def _reader(place: Place, scenario: Scenario) -> Callable[[str], object]:
    """What a value of a field means, however it is spelled; the text where it cannot be read.

    What is wrong with such a value is told when the cells are made.
    """
    rule: object = place.kind
    if place.argument:
        rule = number_rule(place, scenario) if isinstance(place.kind, Expression) else None

    def meaning(text: str) -> object:
        if not isinstance(rule, Rule):
            return text
        try:
            return rule.read(override_value(text), units_required=True)
        except (Refused, ScenarioError):
            return text

    return meaning


def _spread(span: Span, found: Range, text: str) -> list[str]:
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
