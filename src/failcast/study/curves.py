"""Curves: a scenario at several numbers of one field, on the same chance.

On the map: study, below breakeven.py. Each point is an ordinary sample or, where other inputs are
uncertain, a prediction over what is believed of them; points are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from failcast.engine import METRICS, Engine
from failcast.results import InputFile, RequestError, Sample, simulate, wording
from failcast.results.manifest import manifest
from failcast.results.request import check_request, whole
from failcast.scenario import Scenario, ScenarioError, override, to_dict
from failcast.scenario.beliefs import Unknown, beliefs_of
from failcast.scenario.scenario import place_of
from failcast.scenario.spans import Span, kind_of, number_rule, value_of
from failcast.scenario.uncertain import FIELD
from failcast.study import curve_notebook
from failcast.study.axes import span as read_span
from failcast.study.uncertain.prediction import Prediction, check_prediction, predict

SCHEMA: Final = "failcast.curve/1"
#: Numbers of a field that a curve has at first, and at most when it is asked for.
POINTS: Final = 9
MOST_POINTS: Final = 1000


@dataclass(frozen=True)
class Point:
    """A scenario at one number of a field; `result` is None where no cluster could have it.

    `problem` then says why.
    """

    value: float
    text: str
    result: Sample | Prediction | None
    problem: str = ""


@dataclass(frozen=True, eq=False)
class Curve:
    """A scenario over a span, point by point; all points run on the same chance.

    `how` are arguments of `simulate` or `predict`; `even` are the numbers that it was asked for.
    """

    scenario: Scenario
    span: Span
    how: dict[str, Any]
    even: tuple[float, ...]
    _made: dict[float, Point] = field(default_factory=dict, repr=False)

    @property
    def points(self) -> tuple[Point, ...]:
        """The points that were made, in the order of their numbers."""
        return tuple(self._made[value] for value in sorted(self._made))

    @property
    def shown(self) -> tuple[Point, ...]:
        """The points at the numbers that the curve was asked for: those worth a table."""
        return tuple(point for point in self.points if point.value in self.even)

    @property
    def results(self) -> tuple[Sample | Prediction, ...]:
        """The results of the points that have one."""
        return tuple(point.result for point in self.points if point.result is not None)

    def make(self, values: Iterable[float]) -> None:
        """Make the points at these numbers, as far as they are not there.

        A number that is wrong for itself is refused with ScenarioError; one that does not fit to
        other fields makes a point with a problem.
        """
        for value in values:
            if value not in self._made:
                self._made[value] = self._point(value)

    def answer(self) -> str:
        """Between which ends training takes how long. Raises RequestError where nothing runs."""
        path = self.span.path
        ends = [point for point in self.points if point.result is not None]
        if not ends:
            raise RequestError(self.nothing)
        where = f"between {ends[0].text} and {ends[-1].text}"
        times = [
            (hours, point.text)
            for point in ends
            if point.result is not None
            and (hours := point.result.summary("training_hours").mean) is not None
        ]
        if not times:
            return f"No run finishes at any {path} {where}."
        (least, low), (most, high) = min(times), max(times)
        unit = wording.time_unit(most)
        decimals = wording.decimals_for_value(most / unit.hours, digits=4)
        shown = [wording.number(hours / unit.hours, decimals) for hours in (least, most)]
        if shown[0] == shown[1]:
            return f"Training takes {shown[0]} {unit.name} at every {path} {where}."
        at = ("", "")
        if {low, high} != {ends[0].text, ends[-1].text}:
            at = (f" (at {low})", f" (at {high})")
        return (
            f"{path} is not known: {where}, training takes {shown[0]}{at[0]} to {shown[1]} "
            f"{unit.name}{at[1]}."
        )

    def to_dict(
        self,
        *,
        argv: Sequence[str] | None = None,
        created: str | None = None,
        inputs: Sequence[InputFile] = (),
        by: Sequence[float] = (),
        goals: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """The curve, ready for JSON; `goals` are break-evens, the others as those of `Sample`."""
        results = self.results
        if not results:
            raise RequestError(self.nothing)
        return {
            "schema": SCHEMA,
            "manifest": manifest(results[0], argv=argv, created=created, inputs=inputs),
            "scenario": to_dict(self.scenario),
            "unknown": self.span.path,
            "range": [self.span.write(self.span.low), self.span.write(self.span.high)],
            "spacing": self.span.spacing,
            "points": [_point(point, by) for point in self.points],
            "goals": list(goals),
        }

    def _repr_html_(self) -> str:
        return curve_notebook.curve_html(self)

    @property
    def nothing(self) -> str:
        """The sentence for a range in which no number makes a scenario."""
        return (
            f"no number of {self.span.path} in its range makes a scenario: {self.points[0].problem}"
        )

    def _point(self, value: float) -> Point:
        text = self.span.write(value)
        try:
            scenario = override(self._plain(), [self.span.setting(value)])
        except ScenarioError as error:
            if error.problems[0].others:
                return Point(value, text, None, error.message)
            raise
        run = predict if scenario.uncertain else simulate
        return Point(value, text, run(scenario, **self.how))

    def _plain(self) -> Scenario:
        """The scenario without a belief about the field of the curve."""
        kept = {path: text for path, text in self.scenario.uncertain if path != self.span.path}
        return self.scenario.model_copy(update={"uncertain": kept})


def curve(
    scenario: Scenario,
    span: Span | str | None = None,
    *,
    points: int = POINTS,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    on_progress: Callable[[int], None] | None = None,
) -> Curve:
    """Run `scenario` at some numbers of one field, evenly spaced over a span; the same chance.

    `span` is one, or a text such as `recovery.time=10min..3h`; without it, it is that of the input
    that is unknown. `replications` (of each point) and `seed` default to the scenario's, `threads`
    to one. Raises RequestError or ScenarioError.
    """
    found = span_of(scenario) if span is None else _span(span, scenario)
    count = whole("points", points, 2, MOST_POINTS)
    check_curve(scenario, found, replications=replications, seed=seed)
    how = {
        "replications": replications,
        "seed": seed,
        "threads": threads,
        "engine": engine,
        "on_progress": on_progress,
    }
    values = even(found, count)
    made = Curve(scenario, found, how, tuple(values))
    made.make(values)
    return made


def even(span: Span, count: int) -> list[float]:
    """About evenly spaced numbers over a span, with both ends: of two digits if that will do."""
    shares = [step / (count - 1) for step in range(count)]
    found = [[span.at(share, digits) for share in shares] for digits in (2, 6)]
    short = next((each for each in found if len(set(each)) == count), found[-1])
    return sorted(set(short))


def span_of(scenario: Scenario) -> Span:
    """The range of the input that is unknown. Raises RequestError where there is not one alone."""
    unknown = [each for each in beliefs_of(scenario) if isinstance(each, Unknown)]
    if not unknown:
        raise RequestError(
            "the scenario has no unknown input: give a range such as recovery.time=10min..3h."
        )
    if len(unknown) > 1:
        paths = " and ".join(each.path for each in unknown[:2])
        raise RequestError(
            f"{paths} are unknown, but a curve is over one input: say what is believed of the "
            "others."
        )
    found = unknown[0]
    if found.span is None:
        raise RequestError(
            f"{found.path} is unknown, and no number is invented for it: say over which range a "
            f"curve is to be drawn, as in {FIELD}.{found.path}=unknown({_around(scenario, found)})."
        )
    return found.span


def _around(scenario: Scenario, unknown: Unknown) -> str:
    """A range that one might mean: half to twice what the field holds."""
    place = place_of(unknown.path)
    kind = kind_of(number_rule(place, scenario))
    value = value_of(scenario, place)
    value = getattr(value, place.argument or "value", value)
    if kind is None or not isinstance(value, int | float) or not value:
        return "low..high"
    return "..".join(kind.write(kind.snap(value * factor)) for factor in (0.5, 2.0))


def check_curve(
    scenario: Scenario,
    span: Span,
    *,
    points: int = POINTS,
    replications: object = None,
    seed: object = None,
) -> int:
    """Raise as `curve` would before anything runs; return the runs of all its points."""
    others = [each for each in beliefs_of(scenario) if each.path != span.path]
    if not others:
        return points * check_request(scenario, replications=replications, seed=seed)[1]
    rest = {each.path: each.text for each in others}
    believed = scenario.model_copy(update={"uncertain": rest})
    draws, each = check_prediction(believed, replications=replications, seed=seed)
    return points * draws * each


def _span(span: Span | str, scenario: Scenario) -> Span:
    return read_span(span, scenario) if isinstance(span, str) else span


def _point(point: Point, by: Sequence[float]) -> dict[str, Any]:
    found = point.result
    data: dict[str, Any] = {"value": point.text, "problem": point.problem or None}
    if found is None:
        return data | {"status": None, "finished_by": None, "metrics": None}
    return data | {
        "status": found.status_counts(),
        "finished_by": [
            {"hours": float(hours), **found.finished_by(hours).to_dict()} for hours in by
        ],
        "metrics": {name: found.summary(name).to_dict() for name in METRICS},
    }
