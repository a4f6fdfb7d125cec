"""Predict with uncertain inputs: many draws of the inputs, some runs of each, and what came of it.

On the map: study. Draws are independent, and so are all runs: no two share their chance. That is
what makes the two parts of the spread, and every interval here, an estimate one can check.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from failcast.engine import METRICS, Engine, Runs, Status
from failcast.engine.executors import Executor, Task, Threads
from failcast.results import RequestError, statistics
from failcast.results.errors import unknown_name
from failcast.results.goals import Verdict
from failcast.results.manifest import InputFile, manifest
from failcast.results.measure import Measure
from failcast.results.request import check_request, replications_of, seed_of, threads_of, whole
from failcast.results.sample import OPERATING
from failcast.results.statistics import Floats, Mtbf, Proportion, Summary
from failcast.scenario import Scenario, to_dict
from failcast.scenario.beliefs import Belief
from failcast.study.uncertain import parts as figures
from failcast.study.uncertain.causes import Cause, Factor, causes
from failcast.study.uncertain.inputs import Draw, drawn, factors, known_beliefs
from failcast.study.uncertain.parts import Parts

SCHEMA: Final = "failcast.predict/1"
#: Draws of the inputs, at least: with fewer no interval says anything.
LEAST_DRAWS: Final = 10
#: Runs of each draw, at least: with one, chance cannot be told from inputs.
LEAST_RUNS: Final = 2


@dataclass(frozen=True, eq=False)
class Prediction:
    """Runs of a scenario with uncertain inputs: `runs_per_draw` of each of `draws`, in this order.

    Figures have the units of those of a `Sample`. All are over inputs and chance together, and all
    intervals take draws, not runs, as what is independent.
    """

    scenario: Scenario
    beliefs: tuple[Belief, ...]
    draws: tuple[Draw, ...]
    runs: Runs
    seed: int
    engine: Engine = "kernel"
    threads: int = 1
    interrupted: bool = False

    @property
    def replications(self) -> int:
        """Number of runs, finished or not."""
        return int(self.runs.status.size)

    @property
    def runs_per_draw(self) -> int:
        """Number of runs of each draw of the inputs."""
        return self.replications // len(self.draws)

    @property
    def confidence(self) -> float:
        """Confidence of all intervals: the scenario's `run.confidence`."""
        return self.scenario.run.confidence

    @property
    def finished(self) -> int:
        """Number of runs in which the job finished."""
        return self.status_counts()[Status.FINISHED.label]

    def scenario_as_run(self) -> Scenario:
        """The scenario, beliefs included, with the seed and the number of runs."""
        return self.scenario.with_(
            run__seed=self.seed, run__replications=self.replications, run__precision=None
        )

    def status_counts(self) -> dict[str, int]:
        """Number of runs by the way they ended."""
        counts = np.bincount(self.runs.status, minlength=len(Status))
        return {status.label: int(counts[status]) for status in Status}

    def values(self, measure: Measure | str) -> Floats:
        """The measure of each run, (draws, runs per draw); NaN where a run has none.

        Raises RequestError for a wrong name.
        """
        asked = Measure.parse(measure) if isinstance(measure, str) else measure
        return asked.of(self.runs).reshape(len(self.draws), self.runs_per_draw)

    def summary(self, metric: str) -> Summary:
        """Mean, standard deviation, p5, p50 and p95 of single runs, and the number of finished."""
        if metric not in METRICS:
            raise unknown_name("metric", metric, METRICS)
        values, level = self.values(metric), self.confidence
        known = values[~np.isnan(values)]
        mean, interval = figures.mean_interval(values, level)
        low, high = interval or (None, None)
        found: dict[str, float | None] = {}
        for name, q in statistics.QUANTILES.items():
            ends = figures.quantile_interval(values, q, level) or (None, None)
            found |= {name: statistics.quantile(known, q)}
            found |= {f"{name}_low": ends[0], f"{name}_high": ends[1]}
        spread = self.parts(metric)
        sd = statistics.standard_deviation(known) if spread is None else spread.total_sd
        return Summary(mean=mean, low=low, high=high, sd=sd, n=int(known.size), **found)

    def parts(self, measure: Measure | str) -> Parts | None:
        """What uncertain inputs and what chance add to the spread of single runs."""
        return figures.parts(self.values(measure), self.confidence)

    def causes(self, measure: Measure | str = "training_hours") -> tuple[Cause, ...]:
        """What each uncertain input does to a measure, the largest part of the spread first.

        Empty where the draws are too few to tell the inputs apart.
        """
        return causes(self.values(measure), self._factors, self.confidence)

    def share_of(self, status: str | Status) -> Proportion:
        """The share of all runs that ended with a status, such as "depleted"."""
        label = status.label if isinstance(status, Status) else status
        if label not in self.status_counts():
            raise unknown_name("status", status, tuple(self.status_counts()))
        return figures.proportion(self.values(Measure(label)), self.confidence)

    def finished_by(self, hours: float) -> Proportion:
        """The share of all runs that finished within so many hours. Raises RequestError."""
        if not statistics.is_number(hours) or not hours >= 0.0:
            raise RequestError(f"hours must be a number from 0 on; got {hours}.")
        return figures.proportion(self.values(Measure("finished_by", hours)), self.confidence)

    def mtbf_hours(self) -> Mtbf:
        """Mean operating hours between failures over all runs, see `Sample.mtbf_hours`."""
        operating = np.sum([self._rows(name) for name in OPERATING], axis=0)
        return statistics.mtbf(operating, self._rows("failures"), self.confidence)

    def to_dict(
        self,
        *,
        argv: Sequence[str] | None = None,
        created: str | None = None,
        inputs: Sequence[InputFile] = (),
        goals: Sequence[Verdict] = (),
        by: Sequence[float] = (),
    ) -> dict[str, Any]:
        """The document of `failcast run --json` with uncertain inputs; the arguments of `Sample`'s.

        Each metric has its figures, the `parts` of its spread and the `causes`.
        """
        return {
            "schema": SCHEMA,
            "manifest": manifest(self, argv=argv, created=created, inputs=inputs),
            "scenario": to_dict(self.scenario_as_run()),
            "interrupted": self.interrupted,
            "draws": len(self.draws),
            "runs_per_draw": self.runs_per_draw,
            "inputs": {
                belief.path: {
                    "believed": belief.text,
                    "values": [draw.values[place] for draw in self.draws],
                }
                for place, belief in enumerate(self.beliefs)
            },
            "status": self.status_counts(),
            "shares": {each.label: self.share_of(each).to_dict() for each in Status},
            "finished_by": [
                {"hours": float(hours), **self.finished_by(hours).to_dict()} for hours in by
            ],
            "metrics": {name: self._metric(name) for name in METRICS},
            "mtbf_hours": self.mtbf_hours().to_dict(),
            "goals": [verdict.to_dict() for verdict in goals],
        }

    def answer(self) -> str:
        """How long training takes, between which ends, and whether inputs or chance decide it."""
        from failcast.study.uncertain.wording import answer

        return answer(self)

    def __repr__(self) -> str:
        return (
            f"<Prediction of {self.scenario.name}: {len(self.draws):,} draws of "
            f"{len(self.beliefs)} uncertain inputs, {self.runs_per_draw:,} runs of each, "
            f"seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        from failcast.study.uncertain.notebook import prediction_html

        return prediction_html(self)

    @cached_property
    def _factors(self) -> tuple[Factor, ...]:
        return factors(self.beliefs, self.draws)

    def _metric(self, name: str) -> dict[str, Any]:
        spread = self.parts(name)
        return {
            **self.summary(name).to_dict(),
            "parts": None if spread is None else spread.to_dict(),
            "causes": [cause.to_dict() for cause in self.causes(name)],
        }

    def _rows(self, metric: str) -> Floats:
        """The sum of a metric over all runs of each draw, finished or not."""
        column = self.runs.values[:, METRICS.index(metric)]
        return np.asarray(column.reshape(len(self.draws), -1).sum(axis=1))


def predict(
    scenario: Scenario,
    *,
    draws: int | None = None,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    executor: Executor | None = None,
    on_progress: Callable[[int], None] | None = None,
    keep_on_interrupt: bool = False,
) -> Prediction:
    """Run a scenario with uncertain inputs: draw them, run each draw some times, join all runs.

    `replications` is the number of all runs and defaults to the scenario's; `draws` to half of it,
    so that each is run twice. `seed` defaults to the scenario's, `threads` to one; an `executor`
    does the tasks in their place. With `keep_on_interrupt`, Ctrl-C gives the draws that were done,
    if there are enough. Raises RequestError: without uncertain inputs, with one that is unknown, or
    where what is believed allows values that do not fit together.
    """
    count, each = check_prediction(scenario, draws=draws, replications=replications, seed=seed)
    check_request(scenario, threads=threads, engine=engine)
    start = seed_of(scenario.run.seed if seed is None else seed)
    workers = threads_of(1 if threads is None else threads)
    beliefs = known_beliefs(scenario)
    inputs = drawn(scenario, beliefs, start, count)
    tasks = (
        Task(draw.scenario, start, number * each, each, engine)
        for number, draw in enumerate(inputs)
    )
    parts: list[Runs] = []
    results = (executor or Threads(workers)).run(tasks)
    interrupted = _collect(results, parts, on_progress, keep_on_interrupt)
    return Prediction(
        scenario,
        beliefs,
        inputs[: len(parts)],
        Runs.joined(parts),
        start,
        engine,
        min(workers, len(parts)),
        interrupted,
    )


def check_prediction(
    scenario: Scenario, *, draws: object = None, replications: object = None, seed: object = None
) -> tuple[int, int]:
    """Raise as `predict` would before anything runs; return the draws, and the runs of each."""
    check_request(scenario, seed=seed)
    known_beliefs(scenario)
    total = replications_of(scenario.run.replications if replications is None else replications)
    least = LEAST_DRAWS * LEAST_RUNS
    if total < least:
        raise RequestError(
            f"uncertain inputs need at least {least} replications, {LEAST_RUNS} of each of "
            f"{LEAST_DRAWS} draws; got {total}."
        )
    default = total // LEAST_RUNS
    count = default if draws is None else whole("draws", draws, LEAST_DRAWS, default)
    return count, total // count


def _collect(
    results: Iterator[Runs],
    parts: list[Runs],
    on_progress: Callable[[int], None] | None,
    keep_on_interrupt: bool,
) -> bool:
    """Take in the runs of draw after draw; return whether Ctrl-C ended it early."""
    try:
        for runs in results:
            parts.append(runs)
            if on_progress is not None:
                on_progress(len(runs.status))
    except KeyboardInterrupt:
        if keep_on_interrupt and len(parts) >= LEAST_DRAWS:
            return True
        raise
    finally:
        if isinstance(results, Generator):
            results.close()
    return False
