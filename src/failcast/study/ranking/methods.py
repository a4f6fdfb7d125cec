"""The methods of ranking, bound to scenarios: a design of points in, what each input does out.

On the map: study, between the pure functions of tornado.py, morris.py and sobol.py and rank.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from failcast.engine.executors import Executor
from failcast.results.measure import Measure
from failcast.results.statistics import Floats
from failcast.scenario import Scenario
from failcast.study.axes import Span
from failcast.study.ranking import morris, sobol, tornado
from failcast.study.ranking.inputs import varied
from failcast.study.ranking.resampling import Estimate
from failcast.study.ranking.runs import Progress, run_points

MethodName = Literal["sobol", "morris", "tornado"]

#: Replications that a thread takes at once where a scenario has many.
_BLOCK: Final = 25


@dataclass(frozen=True)
class Influence:
    """What one input does to one metric; see the method for its figures, the first ranks it.

    `places` are the best and the worst place that it may have, 1 the first, where the intervals of
    differences leave that open. An input of which no effect is shown has no place;
    `bound` says how much it may change the metric at most, for all of these inputs at once.
    """

    path: str
    places: tuple[int, int] | None
    figures: dict[str, Estimate]
    bound: Estimate

    @property
    def shown(self) -> bool:
        """Whether it has an effect that is told from noise."""
        return self.places is not None

    @property
    def size(self) -> Estimate:
        """The figure that it is ranked by."""
        return next(iter(self.figures.values()))


@dataclass(frozen=True)
class MetricRanking:
    """The inputs in the order in which they matter for one metric; those without a place last.

    `rows` of `rows_in_all` rows of the design are those in which every run has the metric. The
    `mean` is over the design. `chance` is the share of the whole variance that chance has, where
    the method tells.
    """

    metric: str
    unit: str
    influences: tuple[Influence, ...]
    mean: float
    chance: Estimate | None
    rows: int
    rows_in_all: int

    @property
    def ranked(self) -> tuple[Influence, ...]:
        """The inputs that have a place."""
        return tuple(each for each in self.influences if each.shown)

    @property
    def without_effect(self) -> tuple[Influence, ...]:
        """The inputs of which no effect is shown."""
        return tuple(each for each in self.influences if not each.shown)


@dataclass(frozen=True)
class Task:
    """What a method is to do; `left_out` are inputs that it cannot have, with the reasons."""

    scenario: Scenario
    spans: tuple[Span, ...]
    measures: tuple[Measure, ...]
    samples: int
    seed: int
    threads: int
    executor: Executor
    on_progress: Progress | None
    left_out: Mapping[str, str]

    @property
    def confidence(self) -> float:
        """Confidence of all intervals: the scenario's."""
        return self.scenario.run.confidence

    def run(
        self, build: Callable[[int], Scenario], firsts: np.ndarray, count: int
    ) -> tuple[Floats, np.ndarray]:
        """Run the points of a design; see `run_points`."""
        return run_points(
            build,
            firsts.ravel().tolist(),
            count,
            seed=self.seed,
            executor=self.executor,
            on_progress=self.on_progress,
        )


@dataclass(frozen=True)
class Method:
    """A way to rank: what its samples are called, how many it takes, how many runs that means.

    Its inputs move all `together`, or one at a time from the scenario as it is.
    """

    of_samples: str
    samples: int
    least: int
    together: bool
    runs: Callable[[int, int], int]
    rank: Callable[[Task], tuple[MetricRanking, ...]]


def _numbers(spans: Sequence[Span], shares: Floats, *, ends: bool) -> Floats:
    """The numbers at shares of the ranges, of the same shape; `ends` where 1 is among the shares.

    The last axis is that of the ranges.
    """
    numbers = np.empty_like(shares)
    for column, span in enumerate(spans):
        value = span.at if ends else span.draw
        part = shares[..., column]
        numbers[..., column] = np.reshape([value(each) for each in part.ravel()], part.shape)
    return numbers


def _sobol(task: Task) -> tuple[MetricRanking, ...]:
    count, rows = len(task.spans), task.samples
    a, b = sobol.design(task.seed, count, rows)
    values = sobol.stacked(*(_numbers(task.spans, each, ends=False) for each in (a, b)))
    points = values.reshape(-1, count).tolist()
    # B has replications of its own: with those of A, what they share would count as first order.
    firsts = np.tile(sobol.REPEATS * np.arange(rows), (2 + count, 1))
    firsts[1] += sobol.REPEATS * rows

    def build(number: int) -> Scenario:
        return varied(task.scenario, task.spans, points[number])

    metrics, status = task.run(build, firsts, sobol.REPEATS)
    found = []
    for measure in task.measures:
        outputs = measure.of_arrays(metrics, status).reshape(2 + count, rows, sobol.REPEATS)
        kept = int(np.isfinite(outputs).all(axis=(0, 2)).sum())
        if kept < sobol.LEAST_ROWS:
            found.append(_unranked(task, measure, kept, ("total", "trend", "first")))
            continue
        each = sobol.indices(a, b, outputs, task.seed, task.confidence)
        figures = {"total": each.total, "trend": each.trend, "first": each.first}
        found.append(
            _ranking(
                task, measure, figures, each.bound, each.places, each.mean, each.chance, each.rows
            )
        )
    return tuple(found)


def _morris(task: Task) -> tuple[MetricRanking, ...]:
    count, rows = len(task.spans), task.samples
    shares = morris.design(task.seed, count, rows)
    points = _numbers(task.spans, shares, ends=True).reshape(-1, count).tolist()
    firsts = np.repeat(morris.REPEATS * np.arange(rows), count + 1)

    def build(number: int) -> Scenario:
        return varied(task.scenario, task.spans, points[number])

    metrics, status = task.run(build, firsts, morris.REPEATS)
    found = []
    for measure in task.measures:
        outputs = measure.of_arrays(metrics, status).reshape(rows, count + 1, morris.REPEATS)
        whole = np.isfinite(outputs).all(axis=(1, 2))
        if whole.sum() < morris.LEAST_ROWS:
            found.append(_unranked(task, measure, int(whole.sum()), ("mu_star", "mu", "sigma")))
            continue
        each = morris.effects(shares[whole], outputs[whole], task.seed, task.confidence)
        figures = {"mu_star": each.mu_star, "mu": each.mu, "sigma": each.sigma}
        found.append(
            _ranking(task, measure, figures, each.bound, each.places, each.mean, None, each.rows)
        )
    return tuple(found)


def _tornado(task: Task) -> tuple[MetricRanking, ...]:
    scenarios = [task.scenario]
    scenarios += [varied(task.scenario, [span], [span.low]) for span in task.spans]
    scenarios += [varied(task.scenario, [span], [span.high]) for span in task.spans]
    block = math.gcd(task.samples, _BLOCK)
    blocks = task.samples // block

    def build(number: int) -> Scenario:
        return scenarios[number // blocks]

    firsts = np.tile(block * np.arange(blocks), len(scenarios))
    metrics, status = task.run(build, firsts, block)
    found = []
    for measure in task.measures:
        outputs = measure.of_arrays(metrics, status).reshape(len(scenarios), task.samples)
        whole = np.isfinite(outputs).all(axis=0)
        if whole.sum() < tornado.LEAST_ROWS:
            found.append(_unranked(task, measure, int(whole.sum()), ("swing", "at_low", "at_high")))
            continue
        base, low, high = np.split(outputs[:, whole], [1, 1 + len(task.spans)])
        each = tornado.swings(base[0], low, high, task.confidence, share=measure.is_share)
        figures = {"swing": each.swing, "at_low": each.at_low, "at_high": each.at_high}
        found.append(
            _ranking(task, measure, figures, each.bound, each.places, each.mean, None, each.rows)
        )
    return tuple(found)


def _ranking(
    task: Task,
    measure: Measure,
    figures: dict[str, tuple[Estimate, ...]],
    bound: tuple[Estimate, ...],
    places: tuple[tuple[int, int] | None, ...],
    mean: float,
    chance: Estimate | None,
    rows: int,
) -> MetricRanking:
    """The inputs by the size of their first figure, those without a place last."""
    influences = [
        Influence(span.path, places[k], {n: each[k] for n, each in figures.items()}, bound[k])
        for k, span in enumerate(task.spans)
    ]
    shown = sorted((e for e in influences if e.shown), key=lambda e: -abs(e.size.value))
    others = (each for each in influences if not each.shown)
    name, unit = measure.name, measure.unit
    return MetricRanking(name, unit, (*shown, *others), mean, chance, rows, task.samples)


def _unranked(task: Task, measure: Measure, rows: int, figures: tuple[str, ...]) -> MetricRanking:
    """No places and no figures: too few rows have the metric."""
    unknown = (Estimate(math.nan, math.nan, math.nan),) * len(task.spans)
    places = (None,) * len(task.spans)
    return _ranking(
        task, measure, dict.fromkeys(figures, unknown), unknown, places, math.nan, None, rows
    )


METHODS: Final[dict[MethodName, Method]] = {
    "sobol": Method(
        "rows",
        512,
        sobol.LEAST_ROWS,
        True,
        lambda inputs, rows: sobol.REPEATS * rows * (inputs + 2),
        _sobol,
    ),
    "morris": Method(
        "trajectories",
        64,
        morris.LEAST_ROWS,
        True,
        lambda inputs, rows: morris.REPEATS * rows * (inputs + 1),
        _morris,
    ),
    "tornado": Method(
        "replications",
        200,
        tornado.LEAST_ROWS,
        False,
        lambda inputs, rows: rows * (2 * inputs + 1),
        _tornado,
    ),
}
