"""Levers: what it would save to halve or double each main knob of a scenario.

On the map: study, beside comparison.py. Each lever is one change of the scenario, run on the same
chance as the scenario itself, so that small effects are seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

from failcast.engine import Engine
from failcast.results import RequestError, Sample, simulate, wording
from failcast.results.request import check_request
from failcast.scenario import Constant, Scenario, ScenarioError, format_duration, format_rate
from failcast.scenario.drawn import DurationFamily
from failcast.scenario.optimum import interval_hours
from failcast.scenario.recovering import PHASES
from failcast.study import notebook
from failcast.study.comparison import compare
from failcast.study.differences import Difference, ShareDifference
from failcast.study.wording import training

FACTORS: Final = (0.5, 2.0)
#: Units of `wording.time_unit` as scenarios write them.
_SHORT: Final = {"days": "d", "hours": "h", "minutes": "min"}
INTERRUPTED: Final = "it was interrupted before it ran."


@dataclass(frozen=True)
class Knob:
    """A main knob: what it is called, and the fields of a scenario that turn together."""

    name: str
    paths: tuple[str, ...]

    def turned(self, scenario: Scenario, factor: float) -> dict[str, Any]:
        """Path -> the value there times `factor`; numbers of servers are rounded down."""
        return {path: _times(value, factor) for path, value in self.values(scenario).items()}

    def values(self, scenario: Scenario) -> dict[str, Any]:
        """Path -> the value there."""
        return {path: reduce(getattr, path.split("."), scenario) for path in self.paths}

    def text(self, values: dict[str, Any], scenario: Scenario) -> str:
        """The values in words, `2 h, 2 d`; distributions by their means."""
        return ", ".join(map(_text, values.values()))

    def applies(self, scenario: Scenario) -> bool:
        """Whether the scenario has such a thing at all."""
        return True

    def is_zero(self, scenario: Scenario) -> bool:
        """Whether there is nothing to halve or to double."""
        values = self.values(scenario).values()
        return not any(v.mean_hours if isinstance(v, DurationFamily) else v for v in values)


@dataclass(frozen=True)
class RecoveryTime(Knob):
    """The whole recovery: what is not divided, and every phase that takes time."""

    def values(self, scenario: Scenario) -> dict[str, Any]:
        """Path -> the duration there, of those that are not zero; of the first if all are."""
        values = super().values(scenario)
        return {p: v for p, v in values.items() if v.mean_hours > 0.0} or dict(
            [*values.items()][:1]
        )

    def text(self, values: dict[str, Any], scenario: Scenario) -> str:
        """The mean of all of it."""
        return _text(Constant(value=math.fsum(part.mean_hours for part in values.values())))


@dataclass(frozen=True)
class CheckpointKnob(Knob):
    """A time of checkpoints, where any are written; the optimal interval counts as a number."""

    def values(self, scenario: Scenario) -> dict[str, Any]:
        """Path -> the value there, in hours where it is an interval."""
        values = super().values(scenario)
        if "checkpoint.interval" in values:
            values["checkpoint.interval"] = Constant(value=_finite(interval_hours(scenario)))
        return values

    def turned(self, scenario: Scenario, factor: float) -> dict[str, Any]:
        """Path -> the value there times `factor`."""
        turned = super().turned(scenario, factor)
        if "checkpoint.interval" in turned:
            turned["checkpoint.interval"] = turned["checkpoint.interval"].value
        return turned

    def text(self, values: dict[str, Any], scenario: Scenario) -> str:
        """The values in words."""
        known = (v if isinstance(v, DurationFamily) else Constant(value=v) for v in values.values())
        return ", ".join(map(_text, known))

    def applies(self, scenario: Scenario) -> bool:
        """Whether the job ever stops for a checkpoint."""
        return scenario.checkpoint.are_written


def _finite(hours: float) -> float:
    """The hours; none where nothing fails, and no interval is the best."""
    return hours if math.isfinite(hours) else 0.0


@dataclass(frozen=True)
class IdleServers(Knob):
    """Servers of the working pool beyond the job and its standbys."""

    def turned(self, scenario: Scenario, factor: float) -> dict[str, Any]:
        """The working pool with `factor` × as many idle servers."""
        idle = self._idle(scenario)
        (path,) = self.paths
        return {path: scenario.cluster.working_pool - idle + int(factor * idle)}

    def text(self, values: dict[str, Any], scenario: Scenario) -> str:
        """The idle servers that a working pool of this size leaves."""
        (pool,) = values.values()
        return f"{max(0, pool - scenario.cluster.working_pool + self._idle(scenario)):,}"

    def is_zero(self, scenario: Scenario) -> bool:
        """Whether the working pool holds no more than the job and its standbys."""
        return self._idle(scenario) == 0

    def _idle(self, scenario: Scenario) -> int:
        return max(
            0, scenario.cluster.working_pool - scenario.job.servers - scenario.job.warm_standbys
        )


KNOBS: Final = (
    RecoveryTime(
        "recovery time",
        ("recovery.time", *(f"recovery.{phase}" for phase in PHASES)),
    ),
    CheckpointKnob("checkpoint interval", ("checkpoint.interval",)),
    CheckpointKnob("checkpoint write", ("checkpoint.write",)),
    # Systematic failures are a multiple of the random ones, so this is the rate of both.
    Knob("failure rate", ("failures.random.rate",)),
    Knob("repair time", ("repair.automated.time", "repair.manual.time")),
    Knob("warm standbys", ("job.warm_standbys",)),
    Knob("spare pool", ("cluster.spare_pool",)),
    IdleServers("idle servers", ("cluster.working_pool",)),
    Knob("wait for spares", ("preemption.wait",)),
    Knob("selection time", ("selection.time",)),
)


@dataclass(frozen=True)
class Lever:
    """One knob halved or doubled, and what that does to the training time.

    `now` and `then` are its values in words. `difference` is that of training_hours, the changed
    scenario minus the present one, with an interval of `confidence`; `finished` that of the share
    of runs that finish. Where the change could not be tried, `reason` says why in a sentence, and
    the other figures are None.
    """

    knob: str
    paths: tuple[str, ...]
    factor: float
    now: str
    then: str | None
    confidence: float
    scenario: Scenario | None = None
    difference: Difference | None = None
    finished: ShareDifference | None = None
    reason: str = ""

    @property
    def saves(self) -> bool:
        """Whether it is shown to save training time."""
        return self.difference is not None and self.difference.direction == "less"

    @property
    def part(self) -> str:
        """The factor in a word: half or twice."""
        return "half" if self.factor < 1.0 else "twice"

    @property
    def subject(self) -> str:
        """`half the recovery time (10 min instead of 20 min)`."""
        return f"{self.part} the {self.knob} ({self.then} instead of {self.now})"

    def to_dict(self) -> dict[str, Any]:
        """The lever, ready for JSON."""
        return {
            "knob": self.knob,
            "paths": list(self.paths),
            "factor": self.factor,
            "now": self.now,
            "then": self.then,
            "training_hours": None if self.difference is None else self.difference.to_dict(),
            "finished": None if self.finished is None else self.finished.to_dict(),
            "reason": self.reason or None,
        }


class Levers(tuple[Lever, ...]):
    """All levers of a scenario, the one that saves most first, those not tried last."""

    def answer(self) -> str:
        """Which lever saves most, in a sentence, or that none is shown to save."""
        tried = [lever for lever in self if lever.difference is not None]
        if not tried:
            return "There was no lever to try."
        best = next((lever for lever in tried if lever.saves), None)
        sentences = [self._most_finish(tried)]
        if best is not None and best.difference is not None:
            text = training(best.difference, best.subject, "", best.confidence)
            sentences.append(f"The best lever: {text}")
        elif not any(sentences):
            sentences.append(f"None of {len(tried)} levers is shown to save training time.")
        return " ".join(filter(None, sentences))

    def to_list(self) -> list[dict[str, Any]]:
        """The levers, ready for JSON."""
        return [lever.to_dict() for lever in self]

    def _repr_html_(self) -> str:
        return notebook.levers_html(self)

    def _most_finish(self, tried: list[Lever]) -> str:
        """With which lever most runs finish, where one is shown to let more finish than now."""
        shares = [
            (lever.finished, lever.subject)
            for lever in tried
            if lever.finished is not None and lever.finished.direction == "more"
        ]
        if not shares:
            return ""
        share, subject = max(shares, key=lambda pair: pair[0].other or 0.0)
        after, before = (wording.percent(each or 0.0) for each in (share.other, share.base))
        return f"Most runs finish with {subject}: {after} instead of {before}."


def levers(
    base: Scenario | Sample,
    *,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    on_progress: Callable[[int], None] | None = None,
    keep_on_interrupt: bool = False,
) -> Levers:
    """Halve and double each main knob of `base`, and compare each change with it, pair by pair.

    A sample is not run again; its replications, seed and engine are used. Otherwise these are as
    in `compare`. `on_progress` is called with the number of runs just done, those of the base not
    counted. With `keep_on_interrupt`, Ctrl-C ends with the levers that are done. Each interval
    holds for itself, and the best of many looks a little better than it is. Raises RequestError
    for what cannot be used.
    """
    if isinstance(base, Sample) and not (replications is seed is None):
        raise RequestError("a sample as the base has its replications and its seed: give neither.")
    if not isinstance(base, Sample):
        check_request(base, replications=replications, seed=seed, threads=threads, engine=engine)
        base = simulate(base, replications=replications, seed=seed, threads=threads, engine=engine)
    found, interrupted = [], False
    for lever in planned_levers(base.scenario):
        if lever.scenario is None:
            found.append(lever)
            continue
        try:
            if not interrupted:
                found.append(_pulled(lever, base, threads, on_progress))
                continue
        except KeyboardInterrupt:
            if not keep_on_interrupt:
                raise
            interrupted = True
        found.append(replace(lever, reason=INTERRUPTED))
    return Levers(sorted(found, key=_cost))


def planned_levers(scenario: Scenario) -> tuple[Lever, ...]:
    """The levers that `levers` tries, without their figures; `scenario` is None where it cannot."""
    knobs = [knob for knob in KNOBS if knob.applies(scenario)]
    return tuple(_planned(scenario, knob, factor) for knob in knobs for factor in FACTORS)


def _planned(scenario: Scenario, knob: Knob, factor: float) -> Lever:
    values = knob.values(scenario)
    now = knob.text(values, scenario)
    plain = Lever(knob.name, tuple(values), factor, now, None, scenario.run.confidence)
    if knob.is_zero(scenario):
        return replace(plain, reason="it is zero.")
    try:
        values = knob.turned(scenario, factor)
        changed = scenario.with_(**{path.replace(".", "__"): v for path, v in values.items()})
    except ScenarioError as error:
        return replace(plain, reason=str(error).splitlines()[0])
    return replace(plain, then=knob.text(values, scenario), scenario=changed)


def _pulled(
    lever: Lever, base: Sample, threads: int | None, on_progress: Callable[[int], None] | None
) -> Lever:
    assert lever.scenario is not None
    (found,) = compare(base, lever.scenario, threads=threads, on_progress=on_progress)
    return replace(
        lever,
        difference=found.difference("training_hours"),
        finished=found.share_of("finished"),
    )


def _cost(lever: Lever) -> tuple[bool, bool, float]:
    """What a lever costs, to sort by; the untried come last.

    Before them come those without a pair that finished, the one with which most runs finish first.
    """
    if lever.difference is None or lever.finished is None:
        return True, True, 0.0
    mean = lever.difference.difference
    return False, mean is None, -(lever.finished.other or 0.0) if mean is None else mean


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, DurationFamily):
        return value.scaled(factor)
    return int(factor * value) if isinstance(value, int) else factor * value


def _text(value: Any) -> str:
    """A count, a rate, or a duration by its mean; long figures in four digits."""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, DurationFamily):
        hours = value.mean_hours
        unit = wording.time_unit(hours)
        size = hours / unit.hours
        short = f"{wording.number(size, wording.decimals_for_value(size))} {_SHORT[unit.name]}"
        exact = format_duration(hours)
    else:
        short, exact = f"{24.0 * value:.4g} / day", format_rate(value)
    return exact if len(exact) <= len(short) else short
