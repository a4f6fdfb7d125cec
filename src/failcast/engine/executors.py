"""Who does the work: tasks in, their runs out, in order, whoever did them.

A task is a stretch of replications of one scenario. Chance has an address, so a task's result is
the same on any thread or machine, and at any try. On the map: beside simulate.py, which does the
work of a task; ray_executor.py has the executor of a cluster.

    RuntimeError
      ExecutorError     there is nobody to do the work, or nobody who may
        TaskError       a task that failed at every try
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeVar

import numpy as np

from failcast.engine import simulate
from failcast.engine.simulate import BooksError, Engine, Runs, run
from failcast.scenario import Scenario

Handle = TypeVar("Handle")

#: Tasks that are handed out for each thread or CPU beyond the one whose result is waited for.
AHEAD: Final = 4
#: How often a task is tried. What passes (a worker that was killed, a machine that was short of
#: something) has passed by then; a task that fails by itself fails each time.
TRIES: Final = 3
#: A thread in the midst of a task hears that it is to stop; it is not waited for longer than this.
_PATIENCE_SECONDS: Final = 2.0


class ExecutorError(RuntimeError):
    """Work that could not be done, for a reason outside the scenario; its text is a sentence."""


class TaskError(ExecutorError):
    """A task that failed at every try. Its text names the task, its cause is the last failure."""

    @classmethod
    def of(cls, task: Task, cause: BaseException) -> TaskError:
        """The error of a task whose last failure this was."""
        lines = str(cause).strip().splitlines() or ["no reason given"]
        return cls(
            f"{task.name} failed {TRIES} times, the last time with {type(cause).__name__}: "
            f"{lines[0].rstrip('.')}."
        )


@dataclass(frozen=True)
class Task:
    """Replications ``first`` to ``first + count - 1`` of a scenario, from a seed.

    ``what`` tells its scenario from others of the same name, if that is known.
    """

    scenario: Scenario
    seed: int
    first: int
    count: int
    engine: Engine = "kernel"
    what: str = ""

    @property
    def name(self) -> str:
        """What a person would call it, for errors."""
        scenario = f"{self.scenario.name}, {self.what}" if self.what else self.scenario.name
        last = self.first + self.count - 1
        return f"replications {self.first:,} to {last:,} of {scenario}, from seed {self.seed},"

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

        A task that fails is tried again; one that fails each time raises TaskError. Whoever closes
        the iterator early, or raises in its midst, stops the tasks in hand.
        """


class Threads:
    """Does tasks on threads of this process."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads

    def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
        """Yield the result of each task, in the order of the tasks."""
        stop = np.zeros(1, dtype=np.uint8)
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[tuple[Task, Future[Runs]]] = deque()
        try:
            yield from in_order(
                tasks,
                waiting,
                start=lambda task: pool.submit(task.run, stop),
                result=lambda task, future: future.result(),
                ahead=lambda: AHEAD * self.threads,
            )
        finally:
            stop[0] = 1
            pool.shutdown(wait=False, cancel_futures=True)
            running = [future for _, future in waiting if not future.cancelled()]
            wait(running, timeout=_PATIENCE_SECONDS)


def in_order(
    tasks: Iterable[Task],
    waiting: deque[tuple[Task, Handle]],
    *,
    start: Callable[[Task], Handle],
    result: Callable[[Task, Handle], Runs],
    ahead: Callable[[], int],
) -> Iterator[Runs]:
    """Yield the result of each task in order, while up to ``ahead()`` others are in hand.

    ``start`` hands a task out and ``result`` waits for it. ``waiting`` holds what is in hand at any
    moment, for whoever has to stop it. Raises TaskError.
    """
    for task in tasks:
        waiting.append((task, start(task)))
        if len(waiting) > ahead():
            yield _first(waiting, start, result)
    while waiting:
        yield _first(waiting, start, result)


def _first(
    waiting: deque[tuple[Task, Handle]],
    start: Callable[[Task], Handle],
    result: Callable[[Task, Handle], Runs],
    tried: int = 1,
) -> Runs:
    """Take the first result out of those waited for, at the last try at the latest.

    Want of memory and wrong books are told as they are: no other try would end otherwise.
    """
    task, handle = waiting[0]
    try:
        runs = result(task, handle)
    except BooksError as error:
        error.add_note(f"It was among {task.name.rstrip(',')}.")
        raise
    except (ExecutorError, MemoryError):
        raise
    except Exception as error:
        if tried == TRIES:
            raise TaskError.of(task, error) from error
        waiting[0] = task, start(task)
        return _first(waiting, start, result, tried + 1)
    waiting.popleft()
    return runs


def work_of(scenario: Scenario) -> float:
    """Return the servers and, about, the failures of a replication: what its time grows with.

    As ``simulate.work_of`` of its plan, which takes longer to make than a sweep has for a cell.
    """
    failures, cluster = scenario.failures, scenario.cluster
    systematic = failures.systematic.fraction * (1.0 + failures.systematic.multiplier)
    rate = failures.random.rate * (1.0 + systematic)
    servers = cluster.working_pool + cluster.spare_pool
    return servers + scenario.job.servers * scenario.job.length * rate


def split(task: Task, work: float) -> Iterator[Task]:
    """Split a task into tasks of about a second at most, ``work`` being that of a replication.

    The split depends on these alone, not on who does the tasks.
    """
    yield from pieces(task, max(1, int(simulate.MOST_WORK_IN_BLOCK / work)))


def pieces(task: Task, most: int) -> Iterator[Task]:
    """Cut a task into tasks of at most so many replications."""
    for done in range(0, task.count, most):
        yield replace(task, first=task.first + done, count=min(most, task.count - done))
