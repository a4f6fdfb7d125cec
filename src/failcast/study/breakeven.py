"""Break-even: at which number of a field a goal stops holding, and how well that is known.

On the map: study, over curves.py. The figure of a goal is followed along a curve, and so are the
ends of its interval; all points share their chance, so that the curve is smooth where single points
are not exact.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from failcast.engine import Engine
from failcast.results.goals import OPERATORS, Goal
from failcast.scenario import Scenario
from failcast.scenario.spans import Span
from failcast.study import curve_notebook
from failcast.study.curves import POINTS, Curve, curve

#: A bracket around a break-even is divided into so many parts, so many times.
PARTS: Final = 4
ROUNDS: Final = 2
#: Brackets that are divided; a figure that crosses its limit more often is mostly noise.
MOST_BRACKETS: Final = 4
#: Figure of a goal -> the figures at the ends of its interval; others have none.
_ENDS: Final = {"mean": ("low", "high")} | {
    q: (f"{q}_low", f"{q}_high") for q in ("p5", "p50", "p95")
}
_NUMBER: Final = re.compile(r"[-+.\deE]+")


class Knot(NamedTuple):
    """A point of the curve of a goal's figure; `share` is where in the range the number lies.

    `low` and `high` bound the figure, NaN where the runs are too few for that.
    """

    share: float
    value: float
    figure: float
    low: float
    high: float


@dataclass(frozen=True)
class Crossing:
    """A number at which a goal stops holding, with its interval; an end outside the range is None.

    `fails_above` says on which side the goal fails.
    """

    value: float
    low: float | None
    high: float | None
    fails_above: bool


@dataclass(frozen=True)
class BreakEven:
    """Where along a span a goal holds.

    `fails` says of each of `values` whether the goal fails there, None where there is no figure.
    `crossings` are in the order of their numbers: one for a figure that only rises or only falls,
    several for one that turns round, none where the goal holds everywhere or nowhere. They have no
    intervals where `bounded` is false: the figure has none, or the runs are too few for it.
    """

    goal: Goal
    span: Span
    confidence: float
    values: tuple[float, ...]
    fails: tuple[bool | None, ...]
    crossings: tuple[Crossing, ...]
    bounded: bool

    def sentence(self) -> str:
        """What became of the goal, in one sentence."""
        goal, path = f"the goal '{self.goal.text}'", self.span.path
        there = [v for v, fails in zip(self.values, self.fails, strict=True) if fails is not None]
        known = [each for each in self.fails if each is not None]
        if not there:
            return f"{goal} has no figure at any {path} of the range."
        ends = f"from {self.written(there[0])} to {self.written(there[-1])}"
        if not self.crossings:
            if len(set(known)) > 1:
                return f"{goal} changes {ends} of {path} only where there is no figure."
            return f"{goal} {'fails' if known[0] else 'is kept'} at every {path} {ends}."
        parts = [self._crossing(each) for each in self.crossings]
        return f"{goal} fails {', and '.join(parts)}."

    def written(self, value: float) -> str:
        """A number with its unit, to four digits."""
        text = self.span.write(value if self.span.whole else self.span.snap(value))
        match = _NUMBER.match(text)
        if match is None or self.span.whole:
            return text
        return f"{float(match[0]):.4g}{text[match.end() :]}"

    def to_dict(self) -> dict[str, Any]:
        """The break-evens as numbers in the unit of the scenario and as texts, ready for JSON."""
        return {
            "goal": self.goal.text,
            "values": [self.span.write(value) for value in self.values],
            "fails": list(self.fails),
            "crossings": [
                {
                    "value": each.value,
                    "low": each.low,
                    "high": each.high,
                    "fails": "above" if each.fails_above else "below",
                    "text": self.written(each.value),
                }
                for each in self.crossings
            ],
        }

    def _repr_html_(self) -> str:
        return curve_notebook.break_even_html(self)

    def _crossing(self, found: Crossing) -> str:
        """`above recovery.time 1.83 h (95 % interval 1.79 h to 1.87 h)`."""
        side = "above" if found.fails_above else "below"
        level = f"{100.0 * self.confidence:g} % interval"
        if self.span.whole:
            edge = math.floor(found.value) + (1 if found.fails_above else 0)
            word = "from" if found.fails_above else "up to"
            tail = " on" if found.fails_above else ""
            return f"{word} {self.span.path} {edge:,}{tail}"
        if not self.bounded:
            return f"{side} {self.span.path} {self.written(found.value)}"
        low, high = found.low, found.high
        if low is None and high is None:
            interval = f"{level} wider than the range"
        elif low is None:
            interval = f"{level} up to {self.written(high or 0.0)}, and below the range"
        elif high is None:
            interval = f"{level} from {self.written(low)}, and beyond the range"
        else:
            first, last = self.written(low), self.written(high)
            unit = last[len(last.rstrip("dhmins/ year")) :]
            first = first.removesuffix(unit) if unit else first
            interval = f"{level} {first} to {last}"
        return f"{side} {self.span.path} {self.written(found.value)} ({interval})"


def break_even(
    scenario: Scenario,
    span: Span | str,
    goal: Goal | str,
    *,
    points: int = POINTS,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    on_progress: Callable[[int], None] | None = None,
) -> BreakEven:
    """At which numbers of a span a goal stops holding, the other fields being as they are.

    `span` may be a text such as `recovery.time=10min..3h`, and `goal` one such as
    `training_hours > 70d`; as with `--fail-if`, the goal fails where that is true. Other inputs may
    be uncertain. The interval holds every number at which the interval of the figure holds the
    limit (the confidence is that of the scenario, at each number); between points both are taken
    as straight. Where the figure of the goal is an end of an interval itself, such as `ettr.low`,
    there is no interval. Arguments as in `curve`. Raises RequestError or ScenarioError.
    """
    made = curve(
        scenario,
        span,
        points=points,
        replications=replications,
        seed=seed,
        threads=threads,
        engine=engine,
        on_progress=on_progress,
    )
    return break_even_of(made, Goal.parse(goal) if isinstance(goal, str) else goal)


def break_even_of(made: Curve, goal: Goal) -> BreakEven:
    """The break-even of a goal along a curve, which gets more points around it."""
    for _ in range(ROUNDS):
        knots = knots_of(made, goal)
        brackets = [
            (a, b)
            for a, b in itertools.pairwise(knots)
            if _neighbours(made, a, b) and _fails(goal, a.figure) != _fails(goal, b.figure)
        ]
        for a, b in brackets[:MOST_BRACKETS]:
            inner = (a.share + (b.share - a.share) * k / PARTS for k in range(1, PARTS))
            made.make(v for v in map(made.span.at, inner) if a.value < v < b.value)
    knots = knots_of(made, goal)
    figures = {knot.value: knot.figure for knot in knots}
    values = tuple(point.value for point in made.points)
    fails = tuple(_fails(goal, figures[v]) if v in figures else None for v in values)
    bounded = not any(math.isnan(knot.low) or math.isnan(knot.high) for knot in knots)
    found = tuple(_crossings(made, goal, knots, bounded))
    return BreakEven(goal, made.span, made.scenario.run.confidence, values, fails, found, bounded)


def knots_of(made: Curve, goal: Goal) -> list[Knot]:
    """The goal's figure and its interval along a curve, without the points that have no figure."""
    asked = [replace(goal, stat=stat) for stat in (goal.stat, *_ENDS.get(goal.stat, ()))]
    knots = []
    for point in made.points:
        if point.result is None:
            continue
        figure, low, high = [*(each.judge(point.result).value for each in asked), None, None][:3]
        if figure is not None:
            bounds = (math.nan if end is None else end for end in (low, high))
            knots.append(Knot(made.span.share(point.value), point.value, figure, *bounds))
    return knots


def _fails(goal: Goal, figure: float) -> bool:
    return OPERATORS[goal.comparison](figure, goal.limit)


def _neighbours(made: Curve, a: Knot, b: Knot) -> bool:
    """Whether no point without a figure lies between two knots."""
    return not any(a.value < point.value < b.value for point in made.points)


def _crossings(made: Curve, goal: Goal, knots: Sequence[Knot], bounded: bool) -> list[Crossing]:
    found = []
    for place, (a, b) in enumerate(itertools.pairwise(knots)):
        if _fails(goal, a.figure) == _fails(goal, b.figure) or not _neighbours(made, a, b):
            continue
        here = _between(a, b, (goal.limit - a.figure) / (b.figure - a.figure))
        low = _end(made, goal.limit, here, knots[place::-1]) if bounded else None
        high = _end(made, goal.limit, here, knots[place + 1 :]) if bounded else None
        value = _value(made.span, here.share)
        found.append(Crossing(value, low, high, _fails(goal, b.figure)))
    return found


def _end(made: Curve, limit: float, here: Knot, ahead: Sequence[Knot]) -> float | None:
    """The number, going along the knots, up to which the interval holds the limit; None: beyond."""
    before = here
    for knot in ahead:
        if before is not here and not _neighbours(made, *sorted((before, knot))):
            return None
        for edge, outside in (("low", knot.low > limit), ("high", knot.high < limit)):
            if outside:
                first, last = getattr(before, edge), getattr(knot, edge)
                part = 0.0 if first == last else (limit - first) / (last - first)
                share = _between(before, knot, min(1.0, max(0.0, part))).share
                return _value(made.span, share)
        before = knot
    return None


def _between(a: Knot, b: Knot, part: float) -> Knot:
    return Knot(*(x + part * (y - x) for x, y in zip(a, b, strict=True)))


def _value(span: Span, share: float) -> float:
    """The number at a share of the range, not rounded."""
    if span.spacing == "log":
        return float(span.low * (span.high / span.low) ** share)
    return span.low + share * (span.high - span.low)
