"""Sample: the runs of one scenario and everything that can be asked of them.

On the map: results. Figures of the metrics are over *finished* runs only; runs that ended
otherwise are counted by status and never averaged with them. Every table, document and sentence of
the package is made from this object. polars is loaded when a table is first asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from failcast.engine import METRICS, SERVER_STATES, Engine, Runs, Status
from failcast.engine.model import BUCKETS
from failcast.results import notebook, statistics
from failcast.results.cost import Costs, columns_of, costs_of
from failcast.results.errors import RequestError, unknown_name
from failcast.results.frame import frame_of
from failcast.results.goals import Verdict
from failcast.results.manifest import InputFile, manifest
from failcast.results.precision import Precision
from failcast.results.request import confidence_of
from failcast.results.statistics import Floats, Interval, Mtbf, Proportion, Summary
from failcast.scenario import Scenario, to_dict

if TYPE_CHECKING:
    import polars

SCHEMA = "failcast.run/1"

OPERATING = ("productive_hours", "lost_hours", "degraded_hours", "checkpoint_hours")
"""The hours in which the job's servers compute."""


class Bucket(NamedTuple):
    """One line of the balance of hours: mean hours per run and their share of the mean run."""

    name: str
    hours: float
    share: float


@dataclass(frozen=True, eq=False)
class Sample:
    """Independent runs of one scenario.

    `runs` holds one row per replication with the columns failcast.engine.METRICS. The figures have
    the unit in the metric's name (hours), or are counts per run, or shares (`ettr`). A figure that
    the sample cannot give (no finished run; an interval from one run) is None. `precision` says how
    precise it was asked to be, if it was; `interrupted` that Ctrl-C ended it early.
    """

    scenario: Scenario
    runs: Runs
    seed: int
    engine: Engine = "kernel"
    threads: int = 1
    precision: Precision | None = None
    interrupted: bool = False

    @property
    def replications(self) -> int:
        """Number of runs, finished or not."""
        return int(self.runs.status.size)

    @property
    def confidence(self) -> float:
        """Confidence of intervals unless a call names another: the scenario's `run.confidence`."""
        return self.scenario.run.confidence

    def scenario_as_run(self) -> Scenario:
        """The scenario with the seed and the replications of this sample: it makes it again."""
        return self.scenario.with_(
            run__seed=self.seed, run__replications=self.replications, run__precision=None
        )

    def status_counts(self) -> dict[str, int]:
        """Number of runs by the way they ended: finished, depleted, out_of_time, out_of_events."""
        counts = np.bincount(self.runs.status, minlength=len(Status))
        return {status.label: int(counts[status]) for status in Status}

    @property
    def finished(self) -> int:
        """Number of runs in which the job finished."""
        return self.status_counts()[Status.FINISHED.label]

    @property
    def unfinished(self) -> dict[str, int]:
        """Number of runs that did not finish, by the way they ended; ways not seen are left out."""
        finished = Status.FINISHED.label
        return {k: n for k, n in self.status_counts().items() if n and k != finished}

    def finished_by(self, hours: float, confidence: float | None = None) -> Proportion:
        """The share of all runs that finished within `hours`, with its interval.

        Runs that did not finish count as runs that had not by then, see `cut_off_before`. Raises
        RequestError unless `hours` is a number from 0 on; infinity gives the share that finished.
        """
        if not statistics.is_number(hours) or not hours >= 0.0:
            raise RequestError(f"hours must be a number from 0 on; got {hours}.")
        return self._share(int(np.sum(self.values("training_hours") <= hours)), confidence)

    def cut_off_before(self, hours: float) -> int:
        """Number of runs that a limit ended before `hours`: they might have finished by then."""
        limits = (Status.OUT_OF_TIME, Status.OUT_OF_EVENTS)
        early = self._column("training_hours") < hours
        return int(np.sum(early & np.isin(self.runs.status, limits)))

    def shares(self, confidence: float | None = None) -> dict[str, Proportion]:
        """The share of all runs that ended with each status, with its interval."""
        return {status.label: self.share_of(status, confidence) for status in Status}

    def share_of(self, status: str | Status, confidence: float | None = None) -> Proportion:
        """The share of all runs that ended with this status, with its interval.

        A status is named by its label, such as "depleted". Raises RequestError for an unknown one.
        """
        label = status.label if isinstance(status, Status) else status
        counts = self.status_counts()
        if not isinstance(label, str) or label not in counts:
            raise unknown_name("status", status, tuple(counts))
        return self._share(counts[label], confidence)

    def values(self, metric: str) -> Floats:
        """The metric in each finished run, in the order of replications.

        Raises RequestError, with the nearest right name, for a metric that does not exist.
        """
        finished: Floats = self._column(metric)[self.runs.status == Status.FINISHED]
        return finished

    def mean(self, metric: str) -> float | None:
        """The mean over finished runs."""
        return statistics.mean(self.values(metric))

    def interval(self, metric: str, confidence: float | None = None) -> Interval | None:
        """The Student-t interval of the mean over finished runs; None below two of them."""
        return statistics.mean_interval(self.values(metric), self._confidence(confidence))

    def quantile(self, metric: str, q: float) -> float | None:
        """The q-quantile over finished runs, q in [0, 1], by linear interpolation."""
        return statistics.quantile(self.values(metric), q)

    def quantile_interval(
        self, metric: str, q: float, confidence: float | None = None
    ) -> Interval | None:
        """The distribution-free interval of the q-quantile; None where too few runs finished."""
        values = self.values(metric)
        return statistics.quantile_interval(values, q, self._confidence(confidence))

    def summary(self, metric: str, confidence: float | None = None) -> Summary:
        """Mean, standard deviation, p5, p50 and p95 with intervals, and count of finished runs."""
        return statistics.summarize(self.values(metric), self._confidence(confidence))

    def mtbf_hours(self, confidence: float | None = None) -> Mtbf:
        """Mean operating hours between failures: all operating hours over all failures.

        Over every run, finished or not: an hour that was operated is an hour observed, however the
        run ended. Without a failure there is a lower bound instead, see statistics.mtbf.
        """
        operating = sum((self._column(name) for name in OPERATING), np.zeros(self.replications))
        return statistics.mtbf(operating, self._column("failures"), self._confidence(confidence))

    def balance(self) -> tuple[Bucket, ...]:
        """Where the hours of finished runs go; where none finished, those of the unfinished ones.

        This is the mean run: hours are means over runs, and shares are those hours over the mean
        wall time; they sum to one. A long run weighs more in them than in `wall_shares`.
        """
        hours = [float(column.mean()) for column in self._buckets()]
        total = math.fsum(hours)
        shares = [part / total if total > 0 else 0.0 for part in hours]
        return tuple(map(Bucket, BUCKETS, hours, shares))

    def wall_shares(self) -> dict[str, float]:
        """Each bucket's share of a run's wall time, as the mean over the runs of `balance`.

        Each run weighs the same, as in the mean of `ettr`; the shares sum to one.
        """
        columns = self._buckets()
        wall = np.sum(columns, axis=0)
        safe = np.where(wall > 0.0, wall, 1.0)
        return {
            name: float((column / safe).mean())
            for name, column in zip(BUCKETS, columns, strict=True)
        }

    def server_hours(self, confidence: float | None = None) -> dict[str, Summary]:
        """Server-hours of finished runs in each state, by the states' names.

        Over all states they are the number of servers, spares included, × the wall time.
        """
        finished = self.runs.server_hours[self.runs.status == Status.FINISHED]
        level = self._confidence(confidence)
        return {
            state: statistics.summarize(finished[:, number], level)
            for number, state in enumerate(SERVER_STATES)
        }

    def costs(self, confidence: float | None = None) -> Costs:
        """What finished runs cost by cause: GPU-hours or actions, and money where there are prices.

        The job's slots are reserved until it is done, so all of them are charged in every hour of a
        run, vacant ones too; standbys and idle servers come on top.
        """
        done, runs = self.runs.status == Status.FINISHED, self.runs
        level = self._confidence(confidence)
        return costs_of(self.scenario, runs.values[done], runs.server_hours[done], level)

    def table(self) -> polars.DataFrame:
        """One row per metric: its name and the figures of its `Summary`."""
        import polars

        rows = [{"metric": name} | self.summary(name).to_dict() for name in METRICS]
        figures = [field.name for field in fields(Summary)]
        schema = {"metric": polars.String} | dict.fromkeys(figures, polars.Float64)
        return polars.DataFrame(rows, schema=schema | {"n": polars.Int64})

    def frame(self) -> polars.DataFrame:
        """One row per replication, finished or not: replication, status, metrics, server-hours.

        The server-hours by state are columns such as `server_hours_standby`, the GPU-hours by cause
        of cost such as `gpu_hours_recovery`; with prices its cost is such as `cost_recovery`.
        """
        import polars

        costs = columns_of(self.scenario, self.runs)
        return frame_of(self.runs).with_columns(
            polars.Series(name, column) for name, column in costs.items()
        )

    def to_dict(
        self,
        *,
        argv: Sequence[str] | None = None,
        created: str | None = None,
        inputs: Sequence[InputFile] = (),
        goals: Sequence[Verdict] = (),
        by: Sequence[float] = (),
        levers: Sequence[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """The document that `failcast run --json` prints; strict JSON, None for what is not known.

        `argv`, `created` (a UTC timestamp) and `inputs` go to the manifest. `scenario` is the
        scenario as it was run, with this sample's seed and replications; `goals` are verdicts on
        this sample; `by` are the hours of `finished_by`; `levers` is what `Levers.to_list` gives.
        """
        return {
            "schema": SCHEMA,
            "manifest": manifest(self, argv=argv, created=created, inputs=inputs),
            "scenario": to_dict(self.scenario_as_run()),
            "interrupted": self.interrupted,
            "precision": None if self.precision is None else self.precision.to_dict(),
            "status": self.status_counts(),
            "shares": {label: share.to_dict() for label, share in self.shares().items()},
            "finished_by": [self._finished_by(hours) for hours in by],
            "metrics": {name: self.summary(name).to_dict() for name in METRICS},
            "mtbf_hours": self.mtbf_hours().to_dict(),
            "server_hours": {name: part.to_dict() for name, part in self.server_hours().items()},
            "costs": self.costs().to_dict(),
            "goals": [verdict.to_dict() for verdict in goals],
            "levers": None if levers is None else list(levers),
        }

    def answer(self) -> str:
        """The result in one or a few sentences: how long training takes and where time goes."""
        from failcast.results.answer import answer

        return answer(self)

    def __repr__(self) -> str:
        return notebook.sample_line(self)

    def _repr_html_(self) -> str:
        return notebook.sample_html(self)

    def _column(self, metric: str) -> Floats:
        if metric not in METRICS:
            raise unknown_name("metric", metric, METRICS)
        column: Floats = self.runs.values[:, METRICS.index(metric)]
        return column

    def _buckets(self) -> list[Floats]:
        """The columns of the buckets in the finished runs; where none finished, in all runs."""
        chosen = self.runs.status == Status.FINISHED
        if not chosen.any():
            chosen = ~chosen
        return [self._column(name)[chosen] for name in BUCKETS]

    def _finished_by(self, hours: float) -> dict[str, Any]:
        share = self.finished_by(hours).to_dict()
        return {"hours": float(hours), **share, "cut_off": self.cut_off_before(hours)}

    def _share(self, count: int, confidence: float | None) -> Proportion:
        return statistics.proportion(count, self.replications, self._confidence(confidence))

    def _confidence(self, confidence: float | None) -> float:
        return self.confidence if confidence is None else confidence_of(confidence)
