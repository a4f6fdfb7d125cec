"""Which assumption would change a plan: up to where the chosen setting meets its goals.

On the map: study, below plan.py, over curves and break-evens. The assumptions are the uncertain
inputs of the scenario, and the main rates and times besides, from half to double.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from failcast.scenario import Scenario
from failcast.scenario.beliefs import Ranged, Unknown, beliefs_of
from failcast.scenario.scenario import overlap
from failcast.study.axes import Span
from failcast.study.breakeven import BreakEven, Crossing, break_even_of
from failcast.study.curves import curve
from failcast.study.planning.wanted import Wanted
from failcast.study.ranking.inputs import half_to_double

#: What is assumed about the world, where nobody says otherwise.
MAIN: Final = (
    "failures.random.rate",
    "failures.systematic.fraction",
    "recovery.time.mean",
    "preemption.wait.mean",
    "repair.automated.time.mean",
    "repair.automated.escalate",
    "repair.manual.time.mean",
)
#: Points of an assumption's range at first, and runs of each: as few as bound p95.
POINTS: Final = 3
REPLICATIONS: Final = 72
_OPPOSITE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Assumption:
    """How far an input may go until the goals are missed, by their estimates.

    `now` is what the scenario has; `above` and `below` are the break-evens on either side, None
    where the goals hold to the end of the range. `goals` are those that fail first, by their texts.
    """

    path: str
    now: str
    low: str
    high: str
    below: Crossing | None
    above: Crossing | None
    goals: tuple[str, ...]
    bounds: tuple[str, str]

    @property
    def matters(self) -> bool:
        """Whether the goals are missed anywhere in the range."""
        return self.below is not None or self.above is not None


def assumptions(
    scenario: Scenario,
    goals: Sequence[Wanted],
    chosen: Sequence[str],
    *,
    seed: int,
    threads: int,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[Assumption, ...]:
    """The assumptions of a scenario with a chosen setting; those that break soonest come first.

    `chosen` are the paths of the choices, which are no assumptions.
    """
    plain = scenario.model_copy(update={"uncertain": {}})
    how: dict[str, Any] = {"seed": seed, "threads": threads, "on_progress": on_progress}
    found = []
    for span in _spans(scenario, chosen):
        made = curve(plain, span, points=POINTS, replications=REPLICATIONS, **how)
        evens = [break_even_of(made, _failing(goal)) for goal in goals]
        found.append(_assumption(plain, span, list(zip(goals, evens, strict=True))))
    return tuple(sorted(found, key=lambda each: (not each.matters, _distance(plain, each))))


def _spans(scenario: Scenario, chosen: Sequence[str]) -> Iterator[Span]:
    """The ranges of what is assumed: declared ones, then the main numbers."""
    taken = list(chosen)
    for belief in beliefs_of(scenario):
        if isinstance(belief, Ranged | Unknown) and belief.span is not None:
            if overlap(belief.span.path, taken) is None:
                taken.append(belief.span.path)
                yield belief.span
    for path in MAIN:
        bare = path.removesuffix(".mean")
        if overlap(bare, taken) is None:
            span = half_to_double(path, scenario)
            if span is not None:
                taken.append(bare)
                yield span


def _failing(goal: Wanted) -> Any:
    """The goal as one that fails where it is true."""
    return replace(goal.goal, comparison=_OPPOSITE[goal.goal.comparison])


def _assumption(
    scenario: Scenario, span: Span, evens: Sequence[tuple[Wanted, BreakEven]]
) -> Assumption:
    now = _now(scenario, span.path)
    crossings = [(each, goal.goal.text) for goal, even in evens for each in even.crossings]
    # One on the far side of what the scenario has is a figure that noise took over its limit.
    above = [each for each in crossings if _is_above(each[0], now)]
    below = [each for each in crossings if _is_below(each[0], now)]
    first = min(above, key=lambda each: each[0].value, default=None)
    last = max(below, key=lambda each: each[0].value, default=None)
    written = evens[0][1].written
    return Assumption(
        path=span.path,
        now=written(now),
        low=span.write(span.low),
        high=span.write(span.high),
        below=None if last is None else last[0],
        above=None if first is None else first[0],
        goals=tuple(dict.fromkeys(each[1] for each in (last, first) if each is not None)),
        bounds=(
            "" if last is None else _text(last[0], written),
            "" if first is None else _text(first[0], written),
        ),
    )


def _is_above(crossing: Crossing, now: float) -> bool:
    end = crossing.value if crossing.high is None else crossing.high
    return crossing.fails_above and end >= now


def _is_below(crossing: Crossing, now: float) -> bool:
    end = crossing.value if crossing.low is None else crossing.low
    return not crossing.fails_above and end <= now


def _text(crossing: Crossing, written: Callable[[float], str]) -> str:
    """`21.3 min (20.1 min to 22.6 min)`."""
    text = written(crossing.value)
    if crossing.low is None or crossing.high is None:
        return text
    return f"{text} ({written(crossing.low)} to {written(crossing.high)})"


def _distance(scenario: Scenario, each: Assumption) -> float:
    """By which factor the input may change, as a logarithm."""
    ends = [end.value for end in (each.below, each.above) if end is not None and end.value > 0.0]
    now = _now(scenario, each.path)
    if not ends or now <= 0.0:
        return math.inf
    return min(abs(math.log(end / now)) for end in ends)


def _now(scenario: Scenario, path: str) -> float:
    """What the scenario has, in the unit of the field."""
    value: Any = scenario
    for name in path.removesuffix(".mean").split("."):
        value = getattr(value, name)
    return float(getattr(value, "mean_hours", value))
