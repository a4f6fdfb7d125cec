"""Run the points of a design: each a scenario of its own with a few replications.

On the map: study, below methods.py; the one place where a ranking calls the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from failcast.engine import METRICS, Runs
from failcast.engine.executors import Executor, Task
from failcast.results.statistics import Floats
from failcast.scenario import Scenario

Progress = Callable[[int], None]

#: Points that a worker takes at once: one alone takes less than handing it over to another machine.
_POINTS_AT_ONCE: Final = 8


@dataclass(frozen=True)
class Points(Task):
    """Consecutive points of a design as one task: `count` replications of each of them.

    `others` are the points after the first one, which is that of a plain task: their scenarios, and
    the number of the first replication of each.
    """

    others: tuple[tuple[Scenario, int], ...] = ()

    def run(self, stop: np.ndarray | None = None) -> Runs:
        """Do the task on one thread: all replications of the first point, then of the others."""
        tasks = [Task(self.scenario, self.seed, self.first, self.count)]
        tasks += [Task(each, self.seed, first, self.count) for each, first in self.others]
        return Runs.joined([task.run(stop) for task in tasks])


def run_points(
    build: Callable[[int], Scenario],
    firsts: Sequence[int],
    count: int,
    *,
    seed: int,
    executor: Executor,
    on_progress: Progress | None = None,
) -> tuple[Floats, np.ndarray]:
    """Run `count` replications of each point, from the number in `firsts` on.

    `build` makes the scenario of a point, by its number, shortly before it is handed out. Each run
    is that of `engine.run` with the same scenario, seed and number. Returns the metrics, shape
    (points, count, metrics), and the status of each run, shape (points, count).
    """
    points = len(firsts)
    metrics = np.empty((points * count, len(METRICS)))
    status = np.empty(points * count, np.uint8)
    results = executor.run(_tasks(build, firsts, count, seed))
    done = 0
    try:
        for runs in results:
            rows = slice(done, done + len(runs.status))
            metrics[rows], status[rows] = runs.values, runs.status
            done = rows.stop
            if on_progress is not None:
                on_progress(len(runs.status))
    finally:
        if isinstance(results, Generator):
            results.close()
    return metrics.reshape(points, count, -1), status.reshape(points, count)


def _tasks(
    build: Callable[[int], Scenario], firsts: Sequence[int], count: int, seed: int
) -> Iterator[Points]:
    for begin in range(0, len(firsts), _POINTS_AT_ONCE):
        end = min(len(firsts), begin + _POINTS_AT_ONCE)
        (scenario, first), *others = ((build(k), firsts[k]) for k in range(begin, end))
        what = f"points {begin:,} to {end - 1:,} of a ranking"
        yield Points(scenario, seed, first, count, what=what, others=tuple(others))
