"""Rank the inputs of a scenario by what they do to its metrics: `failcast rank`.

On the map: study. An input is a number of the scenario with a range. What is told of it has an
interval, and an input whose effect is not told from noise has no place in the ranking.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from failcast.engine import Engine
from failcast.engine.executors import Executor, Threads
from failcast.results import InputFile, request
from failcast.results.cost import check_priced
from failcast.results.errors import unknown_name
from failcast.results.manifest import manifest
from failcast.results.workers import workers
from failcast.scenario import Scenario, to_dict
from failcast.study.axes import Span
from failcast.study.ranking import inputs
from failcast.study.ranking.measures import measures
from failcast.study.ranking.methods import METHODS, MethodName, MetricRanking, Task

if TYPE_CHECKING:
    import polars

SCHEMA: Final = "failcast.rank/1"
#: Most rows, trajectories or replications.
MOST_SAMPLES: Final = 1 << 20


@dataclass(frozen=True)
class Input:
    """A number of the scenario and its range, as a scenario writes them."""

    path: str
    low: str
    high: str
    spacing: str

    @classmethod
    def of(cls, span: Span) -> Input:
        """The input of a range."""
        return cls(span.path, span.write(span.low), span.write(span.high), span.spacing)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Which inputs of a scenario matter for which metrics, and how sure that is.

    `metrics` has a `MetricRanking` for each metric. `samples` are rows of the Sobol design,
    trajectories of Morris or replications of the tornado; `runs` is how many runs that took.
    `declared` says whether the ranges were; else they are the main numbers halved and doubled.
    `left_out` are those of them that have no such range, each with the reason in a sentence.
    """

    scenario: Scenario
    method: MethodName
    inputs: tuple[Input, ...]
    metrics: tuple[MetricRanking, ...]
    samples: int
    runs: int
    seed: int
    threads: int
    declared: bool
    engine: Engine = "kernel"
    left_out: Mapping[str, str] = field(default_factory=dict)

    def of(self, metric: str) -> MetricRanking:
        """The ranking for one metric. Raises RequestError for one that was not asked for."""
        found = {each.metric: each for each in self.metrics}
        if metric not in found:
            raise unknown_name("metric of this ranking", metric, tuple(found))
        return found[metric]

    @property
    def confidence(self) -> float:
        """Confidence of all intervals: the scenario's `run.confidence`."""
        return self.scenario.run.confidence

    @property
    def replications(self) -> int:
        """Number of runs in all."""
        return self.runs

    def scenario_as_run(self) -> Scenario:
        """The scenario with the seed of this ranking."""
        return self.scenario.with_(run__seed=self.seed)

    def answer(self) -> str:
        """What matters most for each metric, in sentences."""
        from failcast.study.ranking.wording import answer

        return answer(self)

    def table(self) -> polars.DataFrame:
        """One row per metric and input: its places and its figures with the ends of intervals."""
        import polars

        rows = [
            {
                "metric": one.metric,
                "input": each.path,
                "best_place": each.places[0] if each.places else None,
                "worst_place": each.places[1] if each.places else None,
                **{
                    name + ending: value
                    for name, estimate in each.figures.items()
                    for ending, value in zip(
                        ("", "_low", "_high"), estimate.to_dict().values(), strict=True
                    )
                },
            }
            for one in self.metrics
            for each in one.influences
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_dict(
        self,
        *,
        argv: Sequence[str] | None = None,
        created: str | None = None,
        inputs: Sequence[InputFile] = (),
    ) -> dict[str, Any]:
        """The document that `failcast rank --json` prints; strict JSON, None for what is not known.

        `argv`, `created` (a UTC timestamp) and the files `inputs` go to the manifest.
        """
        return {
            "schema": SCHEMA,
            "manifest": manifest(self, argv=argv, created=created, inputs=inputs),
            "scenario": to_dict(self.scenario_as_run()),
            "method": self.method,
            "samples": self.samples,
            "runs": self.runs,
            "declared": self.declared,
            "inputs": [vars(each) for each in self.inputs],
            "left_out": dict(self.left_out),
            "metrics": {each.metric: _metric(each) for each in self.metrics},
        }

    def __repr__(self) -> str:
        return (
            f"<Ranking of {len(self.inputs)} inputs of {self.scenario.name} by {self.method}: "
            f"{self.runs:,} runs, seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        from failcast.study.ranking.notebook import ranking_html

        return ranking_html(self)


def _metric(ranking: MetricRanking) -> dict[str, Any]:
    """One metric for JSON, its inputs in order."""
    return {
        "mean": ranking.mean if math.isfinite(ranking.mean) else None,
        "rows": ranking.rows,
        "chance": None if ranking.chance is None else ranking.chance.to_dict(),
        "inputs": [
            {
                "input": each.path,
                "places": None if each.places is None else list(each.places),
                "bound": each.bound.to_dict(),
                **{name: estimate.to_dict() for name, estimate in each.figures.items()},
            }
            for each in ranking.influences
        ],
    }


def rank(
    scenario: Scenario,
    *,
    vary: Sequence[str] = (),
    metrics: Sequence[str] = (),
    by: Sequence[float] = (),
    method: MethodName = "sobol",
    samples: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Ranking:
    """Rank inputs by what they do to metrics over their ranges.

    `vary` holds ranges such as "recovery.time=10min..40min", or "…:log" for even ratios; without
    any, the main numbers of the scenario are halved and doubled. `metrics` are names such as
    "ettr", "depleted" or "finished_by(420 d)", training_hours unless said otherwise, and `by` adds
    `finished_by` for each of these hours; all are of the same runs.

    `method` is "sobol" (shares of the variance, all inputs moving together), "morris" (a cheap
    screening of many inputs) or "tornado" (one input at a time). `samples` are rows of the design
    (512; from 64 on), trajectories (64) or replications (the scenario's). `seed`
    defaults to the scenario's, `threads` to one; `executor` is as in `sweep`. Intervals hold with
    the scenario's `run.confidence`. Raises RequestError or ScenarioError, in a sentence, before
    anything runs, and ExecutorError where work could not be done.
    """
    task = _task(scenario, vary, metrics, by, method, samples, seed, threads, on_progress)
    with workers(executor, threads) as hands:
        found = METHODS[method].rank(replace(task, executor=hands))
    return Ranking(
        scenario=scenario,
        method=method,
        inputs=tuple(map(Input.of, task.spans)),
        metrics=found,
        samples=task.samples,
        runs=METHODS[method].runs(len(task.spans), task.samples),
        seed=task.seed,
        threads=task.threads,
        declared=bool(vary),
        left_out=task.left_out,
    )


def check_rank(
    scenario: Scenario,
    *,
    vary: Sequence[str] = (),
    metrics: Sequence[str] = (),
    by: Sequence[float] = (),
    method: MethodName = "sobol",
    samples: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> int:
    """Raise as `rank` does unless it can use these arguments; return how many runs it will make."""
    task = _task(scenario, vary, metrics, by, method, samples, seed, threads, None)
    return METHODS[method].runs(len(task.spans), task.samples)


def _task(
    scenario: Scenario,
    vary: Sequence[str],
    metrics: Sequence[str],
    by: Sequence[float],
    method: object,
    samples: object,
    seed: object,
    threads: object,
    on_progress: Callable[[int], None] | None,
) -> Task:
    """What is to be done, checked."""
    request.check_scenario(scenario)
    request.check_callable("on_progress", on_progress)
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_name("method", method, tuple(METHODS))
    wanted = measures(request.texts_of("metrics", metrics), by)
    ranges = request.texts_of("vary", vary)
    together = METHODS[method].together
    spans, left_out = (
        (inputs.declared(ranges, scenario, together=together), {})
        if ranges
        else inputs.main_numbers(scenario, together=together)
    )
    check_priced((each.metric for each in wanted), scenario, (each.path for each in spans))
    count = request.threads_of(1 if threads is None else threads)
    return Task(
        scenario=scenario,
        spans=spans,
        measures=wanted,
        samples=_samples(scenario, method, samples),
        seed=request.seed_of(scenario.run.seed if seed is None else seed),
        threads=count,
        executor=Threads(count),
        on_progress=on_progress,
        left_out=left_out,
    )


def _samples(scenario: Scenario, name: MethodName, samples: object) -> int:
    method = METHODS[name]
    if samples is None:
        return max(method.least, scenario.run.replications) if name == "tornado" else method.samples
    return request.whole("samples", samples, method.least, MOST_SAMPLES)
