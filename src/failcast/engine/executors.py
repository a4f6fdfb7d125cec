"""Who does the work: tasks in, their runs out, in order, whoever did them.

A task is a stretch of replications of one scenario. Chance has an address, so a task's result is
the same on any thread or machine. On the map: beside simulate.py, which does the work of a task.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from failcast.engine import simulate
from failcast.engine.plan import make_plan
from failcast.engine.simulate import Engine, Runs, run
from failcast.scenario import Scenario

#: Tasks that are handed out for each thread beyond the one whose result is waited for.
_AHEAD: Final = 4
#: A thread in the midst of a task hears that it is to stop; it is not waited for longer than this.
_PATIENCE_SECONDS: Final = 2.0


@dataclass(frozen=True)
class Task:
    """Replications ``first`` to ``first + count - 1`` of a scenario, from a seed."""

    scenario: Scenario
    seed: int
    first: int
    count: int
    engine: Engine = "kernel"

    def run(self, stop: np.ndarray | None = None) -> Runs:
        """Do the task on one thread. ``stop``, one byte, may be set by another thread."""
        return run(
            self.scenario,
            replications=self.count,
            seed=self.seed,
            first=self.first,
            engine=self.engine,
            stop=stop,
        )


class Executor(Protocol):
    """Does tasks, here or elsewhere."""

    @abstractmethod
    def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
        """Yield the result of each task, in the order of the tasks.

        Whoever closes the iterator early, or raises in its midst, stops the tasks in hand.
        """


class Threads:
    """Does tasks on threads of this process."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads

    def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
        """Yield the result of each task, in the order of the tasks."""
        stop = np.zeros(1, dtype=np.uint8)
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[Future[Runs]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(task.run, stop))
                if len(waiting) > _AHEAD * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            stop[0] = 1
            pool.shutdown(wait=False, cancel_futures=True)
            wait([each for each in waiting if not each.cancelled()], timeout=_PATIENCE_SECONDS)


def work_of(scenario: Scenario) -> float:
    """Return the servers and, about, the failures of a replication: what its time grows with."""
    return simulate.work_of(make_plan(scenario))


def split(task: Task, work: float) -> Iterator[Task]:
    """Split a task into tasks of about a second at most, ``work`` being that of a replication.

    The split depends on these alone, not on who does the tasks.
    """
    most = max(1, int(simulate.MOST_WORK_IN_BLOCK / work))
    for done in range(0, task.count, most):
        yield replace(task, first=task.first + done, count=min(most, task.count - done))
