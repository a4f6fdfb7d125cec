"""Compare scenarios pair by pair: what a change saves, and how sure that is.

On the map: study. Both scenarios run the same replications of the same seed. A server's lives and
repairs are then the same draws in both, so most of their chance cancels in the difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from failcast.engine import METRICS, Engine, Status
from failcast.results import RequestError, Sample
from failcast.results.errors import unknown_name
from failcast.results.precision import Collection, StoppingRule, most_runs
from failcast.results.request import check_callable, check_request, confidence_of, size_of
from failcast.scenario import Scenario, scenario_hash, to_dict
from failcast.scenario.echo import changes
from failcast.study import differences, notebook, wording
from failcast.study.differences import Difference, ShareDifference
from failcast.study.pairs import SideBySide

#: Pairs that an interrupted comparison has at least: of one there is no interval.
LEAST_PAIRS: Final = 2


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two samples of the same replications, pair by pair; differences are `other` minus `base`.

    Metrics are compared over the pairs in which both runs finished; shares over all pairs.
    `label` is what the other scenario is called where its name would not do, see `name`.
    Raises RequestError where the samples are not of the same seed and number of replications.
    """

    base: Sample
    other: Sample
    label: str = ""

    def __post_init__(self) -> None:
        same = ("seed", "replications")
        if any(getattr(self.base, name) != getattr(self.other, name) for name in same):
            raise RequestError(
                "samples can be compared in pairs if they have the same seed and the same number "
                f"of replications; these have seeds {self.base.seed} and {self.other.seed}, and "
                f"{self.base.replications:,} and {self.other.replications:,} replications."
            )

    @property
    def changes(self) -> dict[str, tuple[str, str]]:
        """Each field that differs, with its value in the base and in the other, as texts."""
        return changes(self.base.scenario, self.other.scenario)

    @property
    def name(self) -> str:
        """What the other scenario is called: its name, or what it changes where the base has that.

        `recovery.time=10 min`, for example. A label goes before both.
        """
        own = self.other.scenario.name
        if self.label or own != self.base.scenario.name:
            return self.label or own
        return wording.changes_in_words(self.changes)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the comparison before all pairs were there."""
        return self.other.interrupted

    @property
    def pairs(self) -> int:
        """Number of replications that finished in both scenarios."""
        return int(self._both().sum())

    def difference(self, metric: str, confidence: float | None = None) -> Difference:
        """The paired difference of a metric. Raises RequestError for one that does not exist."""
        if metric not in METRICS:
            raise unknown_name("metric", metric, METRICS)
        both, column = self._both(), METRICS.index(metric)
        base, other = (sample.runs.values[both, column] for sample in (self.base, self.other))
        return differences.difference(metric, base, other, self._confidence(confidence))

    def differences(self, confidence: float | None = None) -> dict[str, Difference]:
        """The paired differences of all metrics, by name."""
        return {metric: self.difference(metric, confidence) for metric in METRICS}

    def share_of(self, status: str, confidence: float | None = None) -> ShareDifference:
        """The difference of the share of runs that ended with a status, such as "depleted"."""
        codes = {each.label: each for each in Status}
        if status not in codes:
            raise unknown_name("status", status, tuple(codes))
        base, other = (sample.runs.status == codes[status] for sample in (self.base, self.other))
        return differences.share_difference(status, base, other, self._confidence(confidence))

    def finished_by(self, hours: float, confidence: float | None = None) -> ShareDifference:
        """The difference of the share of runs that finished within so many hours."""
        self.base.finished_by(hours)  # refuses what is no time
        wall = METRICS.index("training_hours")
        base, other = (
            (sample.runs.status == Status.FINISHED) & (sample.runs.values[:, wall] <= hours)
            for sample in (self.base, self.other)
        )
        name = f"finished_by({hours:g} h)"
        return differences.share_difference(name, base, other, self._confidence(confidence))

    def answer(self) -> str:
        """What the change does to the training time, in one or two sentences."""
        return wording.answer(self)

    def to_dict(self, by: Sequence[float] = ()) -> dict[str, Any]:
        """The differences and the other scenario, ready for JSON; `by` are hours of `finished_by`.

        `scenario` is the other as it was run, with the seed and the replications of both samples.
        """
        other = self.other.scenario_as_run()
        return {
            "name": self.name,
            "changes": {path: list(values) for path, values in self.changes.items()},
            "scenario": to_dict(other),
            "scenario_hash": scenario_hash(other),
            "status": self.other.status_counts(),
            "pairs": self.pairs,
            "metrics": {name: each.to_dict() for name, each in self.differences().items()},
            "shares": {each.label: self.share_of(each.label).to_dict() for each in Status},
            "finished_by": [
                {"hours": float(hours), **self.finished_by(hours).to_dict()} for hours in by
            ],
        }

    def __repr__(self) -> str:
        return (
            f"<Comparison of {self.name} with {self.base.scenario.name}: "
            f"{self.pairs:,} pairs of {self.base.replications:,}, seed {self.base.seed}>"
        )

    def _repr_html_(self) -> str:
        return notebook.comparison_html(self)

    def _both(self) -> np.ndarray:
        finished = [sample.runs.status == Status.FINISHED for sample in (self.base, self.other)]
        both: np.ndarray = finished[0] & finished[1]
        return both

    def _confidence(self, confidence: float | None) -> float:
        return self.base.confidence if confidence is None else confidence_of(confidence)


def compare(
    base: Scenario | Sample,
    *others: Scenario,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    on_progress: Callable[[int], None] | None = None,
    on_estimate: Callable[[int], None] | None = None,
    keep_on_interrupt: bool = False,
) -> tuple[Comparison, ...]:
    """Run `base` and each of `others` on the same chance; return a comparison for each of these.

    `replications` and `seed` default to those of `base`, `threads` to one; the replications of a
    base with a wanted precision are as many as that takes. Where `base` is a sample, it is not run
    again, and its replications, seed and engine are used. Each interval holds with the confidence
    of `base`, for itself: of twenty of them one may miss. All scenarios are looked at before any
    runs. `on_progress` is called with the number of runs just done, of whichever scenario, and
    `on_estimate` with the number of runs of all scenarios, where a precision decides on it. The
    scenarios run in turns; with `keep_on_interrupt`, Ctrl-C gives the comparison of the pairs that
    are done in all of them, if there are two or more. Raises RequestError for what cannot be used.
    """
    if not others:
        raise RequestError("compare needs a scenario to compare with: give two or more.")
    if isinstance(base, Sample) and not (replications is seed is None):
        raise RequestError("a sample as the base has its replications and its seed: give neither.")
    check_callable("on_progress", on_progress)
    scenarios = others if isinstance(base, Sample) else (base, *others)
    for scenario in scenarios:
        check_request(
            scenario, replications=replications, seed=seed, threads=threads, engine=engine
        )
    if isinstance(base, Sample):
        size: int | StoppingRule = base.replications
        seed, engine, confidence = base.seed, base.engine, base.confidence
    else:
        size, confidence = size_of(base.run, replications), base.run.confidence
        seed = base.run.seed if seed is None else seed
    workers = 1 if engine == "reference" else min(threads or 1, most_runs(size))
    how: dict[str, Any] = {"seed": int(seed), "engine": engine, "threads": workers}
    told = None if on_estimate is None else _of_all(len(scenarios), on_estimate)
    collection = Collection(size, confidence, told)
    made = SideBySide(scenarios, **how, on_progress=on_progress)
    interrupted = _collected(collection, made, keep_on_interrupt)
    how |= {"threads": min(workers, made.pairs), "interrupted": interrupted}
    samples = [Sample(each, made.runs(k), **how) for k, each in enumerate(scenarios)]
    if isinstance(base, Sample):
        first = _cut(base, made.pairs) if interrupted else base
    else:
        first = replace(samples.pop(0), precision=collection.precision())
    return tuple(map(Comparison, itertools.repeat(first), samples, _labels(first, others)))


def _collected(collection: Collection, made: SideBySide, keep_on_interrupt: bool) -> bool:
    """Run until there are enough pairs; return whether Ctrl-C ended that early, with two or more.

    The precision that was reached is then that of the pairs.
    """
    try:
        collection.collect(made.run, False)
    except KeyboardInterrupt:
        if not keep_on_interrupt or made.pairs < LEAST_PAIRS:
            raise
        collection.parts = [made.runs(0)]
        return True
    return False


def _cut(base: Sample, pairs: int) -> Sample:
    """The sample as if it had been interrupted after so many runs."""
    return replace(base, runs=base.runs.leading(pairs), precision=None, interrupted=True)


def _of_all(scenarios: int, on_estimate: Callable[[int], None]) -> Callable[[int], None]:
    """Tell of the runs of all scenarios what is known of those of one."""
    return lambda runs: on_estimate(scenarios * runs)


def _labels(base: Sample, others: Sequence[Scenario]) -> list[str]:
    """A label for each of the others whose name another one has, too; empty for the rest."""
    names = [other.name for other in others]
    return [
        f"{other.name} ({wording.changes_in_words(changes(base.scenario, other))})"
        if names.count(other.name) > 1 and other.name != base.scenario.name
        else ""
        for other in others
    ]
