"""What is believed of an uncertain input: a range, a distribution, some options, or nothing.

On the map: scenario, over spans.py. A belief is about one value that is the same in the whole run,
such as the true failure rate; the chance inside a run is the business of distributions.py. Each is
read with the units and limits of its field. ``at(quantile)`` turns chance into a value.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final, NamedTuple

from failcast.scenario.errors import Refused, ScenarioError, did_you_mean, nearest, shown
from failcast.scenario.expressions import named, split
from failcast.scenario.rules import (
    AT_THE_DOOR,
    LEAST_HOURS,
    LEAST_PER_HOUR,
    MOST_HOURS,
    MOST_PER_HOUR,
    Count,
    Duration,
    Rate,
    Real,
    Rule,
    one_of,
    plain_text,
)
from failcast.scenario.scalars import plain_scalar
from failcast.scenario.scenario import Place, Scenario, place_of
from failcast.scenario.spans import (
    Kind,
    Range,
    Span,
    hint_of,
    kind_of,
    number_rule,
    read_number,
    read_span,
)
from failcast.scenario.uncertain import FIELD

#: Share of a belief that may lie beyond the limits of its field; it counts as the limit itself.
MOST_OUTSIDE: Final = 1e-3
#: Most options of `one_of`.
MOST_OPTIONS: Final = 100
#: Largest sigma of a lognormal belief: from p5 to p95 a factor of 3 × 10^14.
MOST_SIGMA: Final = 10.0
_STANDARD: Final = NormalDist()


@dataclass(frozen=True)
class Belief(ABC):
    """What is believed of the field `path`; `text` is how it was written."""

    path: str
    text: str

    @abstractmethod
    def at(self, quantile: float) -> str:
        """The value at a quantile in [0, 1), as the text of an override."""

    @abstractmethod
    def number(self, value: str) -> float | None:
        """A value that `at` gave as a number; None where values are options without an order."""


@dataclass(frozen=True)
class Ranged(Belief):
    """Each number of a range, or each ratio, is as likely as any other."""

    kind: Kind
    span: Span

    def at(self, quantile: float) -> str:
        return self.span.write(self.span.draw(quantile))

    def number(self, value: str) -> float | None:
        return self.kind.read(value)


@dataclass(frozen=True)
class Shaped(Belief):
    """A distribution of belief over the numbers of a field, cut at its limits.

    `inverse` is the inverse of its distribution function, before the limits.
    """

    kind: Kind
    limits: tuple[float, float]
    inverse: Callable[[float], float] = field(compare=False)

    def at(self, quantile: float) -> str:
        least, most = self.limits
        # A quantile of 0 has no finite value; 2**-54 is half the step between two draws.
        value = min(most, max(least, self.inverse(max(quantile, 2.0**-54))))
        return self.kind.write(min(most, max(least, self.kind.snap(value))))

    def number(self, value: str) -> float | None:
        return self.kind.read(value)


@dataclass(frozen=True)
class Options(Belief):
    """Each of some values is as likely as any other; they need no order."""

    values: tuple[str, ...]

    def at(self, quantile: float) -> str:
        return self.values[int(quantile * len(self.values))]

    def number(self, value: str) -> float | None:
        return float(self.values.index(value)) if len(self.values) == 2 else None


@dataclass(frozen=True)
class Unknown(Belief):
    """Nothing is believed; `span` is the range that a curve is drawn over, None without one."""

    span: Span | None

    def at(self, quantile: float) -> str:
        raise ValueError(f"{self.path} is unknown: there is no value to draw.")

    def number(self, value: str) -> float | None:
        return None


def beliefs_of(scenario: Scenario) -> tuple[Belief, ...]:
    """What is believed of the inputs of a scenario, in the order of their paths."""
    return tuple(read_belief(scenario, path, text) for path, text in scenario.uncertain)


def read_belief(scenario: Scenario, path: str, text: str) -> Belief:
    """Read what is believed of a field of `scenario`. Raises Refused with a whole sentence."""
    place = place_of(path)
    try:
        return _read(_Field(scenario, place, text))
    except ScenarioError as error:
        sentence = error.message
    except Refused as refused:
        sentence = refused.sentence or (
            f"{FIELD}.{path} is {shown(text)}, but {refused.rule}{_stop(refused.rule)}"
        )
    raise Refused("", sentence=sentence, fields=(f"{FIELD}.{path}",))


class _Field(NamedTuple):
    """The field that a belief is about, and the text of the belief."""

    scenario: Scenario
    place: Place
    text: str

    @property
    def number(self) -> tuple[Rule, Kind]:
        """The rule and the kind of its numbers. Raises Refused for a field without numbers."""
        rule = number_rule(self.place, self.scenario)
        kind = kind_of(rule)
        if rule is None or kind is None:
            hint = hint_of(self.place, self.scenario)
            raise Refused(
                "",
                sentence=f"{FIELD}.{self.place.path} is {shown(self.text)}, but "
                f"{self.place.path} is no number: write one_of(…, …) with its options.{hint}",
            )
        return rule, kind


def _read(about: _Field) -> Belief:
    name, inside = _call(about.text)
    if name is None:
        found = Range.of(about.text)
        if found is None:
            raise Refused(
                "it must be a range such as 'a..b', unknown(a..b), or one of "
                f"{one_of(BELIEFS)}, such as 'normal(20 min, 3 min)'"
            )
        if found.steps:
            raise Refused("a range of belief has no number of values: write a..b or a..b:log")
        return _ranged(about, found)
    if name == "unknown":
        return _unknown(about, inside)
    if name == "one_of":
        return _options(about, inside)
    if name not in _SHAPES:
        raise Refused(
            f"{shown(name)} is no distribution of belief: write {one_of(BELIEFS)}"
            f"{did_you_mean(nearest(name, BELIEFS))}"
        )
    rule, kind = about.number
    return _shaped(about, _arguments(name, inside, rule, kind), _SHAPES[name])


def _call(text: str) -> tuple[str | None, str]:
    """Name and inside of `name(inside)`; no name for a range."""
    name, bracket, rest = text.partition("(")
    if text == "unknown":
        return text, ""
    if not bracket or not name.strip().isidentifier():
        return None, ""
    if not rest.endswith(")"):
        raise Refused("its parentheses do not match")
    return name.strip(), rest[:-1].strip()


def _ranged(about: _Field, found: Range) -> Ranged:
    span = read_span(about.place, found, about.text, about.scenario)
    _, kind = about.number
    return Ranged(about.place.path, about.text, kind, span)


def _unknown(about: _Field, inside: str) -> Unknown:
    found = Range.of(inside)
    if not inside:
        span = None
    elif found is None or found.steps:
        raise Refused("its range must be written as in unknown(10 min..3 h)")
    else:
        span = read_span(about.place, found, about.text, about.scenario)
    return Unknown(about.place.path, about.text, span)


def _options(about: _Field, inside: str) -> Options:
    rule = number_rule(about.place, about.scenario) or about.place.kind
    if about.place.argument == "" and isinstance(about.place.kind, Rule):
        rule = about.place.kind
    assert isinstance(rule, Rule)
    values: list[str] = []
    for part in split(inside):
        try:
            plain = rule.plain(rule.read_at(plain_scalar(part.strip()), AT_THE_DOOR))
        except Refused as refused:
            raise Refused(f"in it {shown(part.strip())} is wrong: {refused.rule}") from None
        value = plain_text(plain)
        if value in values:
            raise Refused(f"it gives the option {value} twice")
        values.append(value)
    if not 2 <= len(values) <= MOST_OPTIONS:
        raise Refused(f"it must have 2 to {MOST_OPTIONS} options")
    return Options(about.place.path, about.text, tuple(values))


class _Shape(NamedTuple):
    """A distribution of belief: what its arguments must be, and its two functions.

    `check` returns a rule that is broken, or nothing; `cdf` and `inverse` take the arguments first.
    """

    check: Callable[..., str]
    cdf: Callable[..., float]
    inverse: Callable[..., float]


def _arguments(name: str, inside: str, rule: Rule, kind: Kind) -> list[float]:
    """The arguments of a shape as numbers, in order. Raises Refused."""
    names = list(BELIEFS[name])
    given: dict[str, str] = {}
    for number, part in enumerate(split(inside) if inside else []):
        pair = named(part)
        if pair is None and number >= len(names):
            raise Refused(f"{name} takes {one_of(dict.fromkeys(names))}")
        key, value = pair if pair is not None else (names[number], part.strip())
        if key not in names:
            raise Refused(f"{shown(key)} is no argument of it: {name} takes {', '.join(names)}")
        if key in given:
            raise Refused(f"it gives {shown(key)} twice")
        given[key] = value
    missing = next((key for key in names if key not in given), None)
    if missing is not None:
        raise Refused(f"its {missing} is missing: {name} takes {', '.join(names)}")
    return [_argument(key, given[key], rule, kind) for key in names]


def _argument(key: str, text: str, rule: Rule, kind: Kind) -> float:
    try:
        if key == "sigma":
            return float(Real(0.0, MOST_SIGMA, True).read(plain_scalar(text), units_required=True))
        if key == "sd":
            width = float(text) if isinstance(rule, Count) else kind.read(text)
            if width > 0.0:
                return width
            raise Refused("it must be above 0")
        return read_number(text, rule, kind)
    except Refused as refused:
        words = refused.rule.removeprefix("it ")
        raise Refused(f"its {key}, here {shown(text)}, {words}") from None
    except ValueError:
        raise Refused(f"its {key}, here {shown(text)}, must be a number") from None


def _shaped(about: _Field, arguments: list[float], shape: _Shape) -> Shaped:
    broken = shape.check(*arguments)
    if broken:
        raise Refused(broken)
    rule, kind = about.number
    least, most = limits_of(rule)
    below = shape.cdf(*arguments, least) if math.isfinite(least) else 0.0
    above = 1.0 - shape.cdf(*arguments, most)
    if below + above > MOST_OUTSIDE:
        floor = 0.0 if isinstance(rule, Duration | Rate) else least
        side = f"below {kind.write(floor)}" if below >= above else f"above {kind.write(most)}"
        raise Refused(
            f"{100.0 * (below + above):.2g} % of it lies outside what the field takes, mostly "
            f"{side}: make it narrower, or take lognormal, triangular or a range"
        )
    return Shaped(
        about.place.path,
        about.text,
        kind,
        (least, most),
        lambda quantile: shape.inverse(*arguments, quantile),
    )


def limits_of(rule: Rule) -> tuple[float, float]:
    """The least and the most number that a belief about a field may give.

    Of times and rates these are the ends without the zero, which no rounding is to reach.
    """
    match rule:
        case Count():
            return float(rule.least), float(rule.most)
        case Real():
            low = math.nextafter(rule.least, math.inf) if rule.least_excluded else rule.least
            return low, math.nextafter(rule.most, -math.inf) if rule.most_excluded else rule.most
        case Duration():
            return LEAST_HOURS, MOST_HOURS
        case Rate():
            return LEAST_PER_HOUR, MOST_PER_HOUR
    raise TypeError(f"no limits for the rule {rule!r}")


def _stop(rule: str) -> str:
    return "" if rule.endswith(("?", ".")) else "."


def _normal_cdf(mean: float, sd: float, x: float) -> float:
    return NormalDist(mean, sd).cdf(x)


def _lognormal_cdf(median: float, sigma: float, x: float) -> float:
    return _STANDARD.cdf(math.log(x / median) / sigma) if x > 0.0 else 0.0


def _lognormal_inverse(median: float, sigma: float, quantile: float) -> float:
    return median * math.exp(sigma * _STANDARD.inv_cdf(quantile))


def _uniform_cdf(low: float, high: float, x: float) -> float:
    return min(1.0, max(0.0, (x - low) / (high - low)))


def _triangular_cdf(low: float, mode: float, high: float, x: float) -> float:
    if x <= low or x >= high:
        return float(x >= high)
    if x < mode:
        return (x - low) ** 2 / ((high - low) * (mode - low))
    return 1.0 - (high - x) ** 2 / ((high - low) * (high - mode))


def _triangular_inverse(low: float, mode: float, high: float, quantile: float) -> float:
    if quantile * (high - low) < mode - low:
        return low + math.sqrt(quantile * (high - low) * (mode - low))
    return high - math.sqrt((1.0 - quantile) * (high - low) * (high - mode))


def _ordered(*numbers: float) -> str:
    rising = all(a <= b for a, b in itertools.pairwise(numbers))
    return "" if rising and numbers[0] < numbers[-1] else "its low must be below its high"


#: Distribution of belief -> its arguments, in order.
BELIEFS: Final[Mapping[str, tuple[str, ...]]] = {
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
    "lognormal": ("median", "sigma"),
    "triangular": ("low", "mode", "high"),
    "one_of": (),
    "unknown": (),
}
_SHAPES: Final[dict[str, _Shape]] = {
    "uniform": _Shape(_ordered, _uniform_cdf, lambda low, high, q: low + q * (high - low)),
    "normal": _Shape(
        lambda mean, sd: "", _normal_cdf, lambda mean, sd, q: NormalDist(mean, sd).inv_cdf(q)
    ),
    "lognormal": _Shape(
        lambda median, sigma: "" if median > 0.0 else "its median must be above 0",
        _lognormal_cdf,
        _lognormal_inverse,
    ),
    "triangular": _Shape(_ordered, _triangular_cdf, _triangular_inverse),
}
