"""Run replications of a scenario, on either engine, on any number of threads.

Chance has an address, so a replication's result depends on scenario, seed and its own number
only: the split over threads leaves no mark. This module returns bare arrays; ``results`` gives
them names, means and intervals.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from failcast.engine import model, notebook
from failcast.engine.cost import charge_runs
from failcast.engine.entry import run_block
from failcast.engine.model import METRICS, Status
from failcast.engine.plan import Plan, make_plan
from failcast.engine.policies import Policies
from failcast.engine.world import TRACE_DTYPE, World
from failcast.scenario import Scenario

if TYPE_CHECKING:
    from failcast.engine.reference import Reference

Engine = Literal["kernel", "reference"]
ENGINES: Final = ("kernel", "reference")
Progress = Callable[[int], None]

_FIRST_TRACE_LINES: Final = 1 << 16
_LINES_AT_ONCE: Final = 1 << 16
#: The status of a replication that has not ended: what ``NO_STATUS`` is in a byte.
_NOT_ENDED: Final = 255
#: A thread that compiles does not hear that it is to stop, and is not waited for longer than this.
_PATIENCE_SECONDS: Final = 2.0
#: Servers and failures of a block, at most: about a second on a slow machine.
MOST_WORK_IN_BLOCK: Final = 2e6
#: And at least: handing a block to a thread costs as much as a tenth of a Table 1 replication.
_LEAST_WORK_IN_BLOCK: Final = 2e5


@dataclass(frozen=True)
class Runs:
    """The bare result of replications ``first``, ``first + 1``, … of one seed."""

    #: (replications, metrics) float64; columns are ``METRICS``, times in hours.
    values: np.ndarray
    #: (replications,) uint8; codes are ``Status``.
    status: np.ndarray
    #: (replications, states) float64; server-hours, columns are ``SERVER_STATES``.
    server_hours: np.ndarray
    seed: int
    first: int = 0

    @classmethod
    def empty(cls, replications: int, seed: int, first: int) -> Runs:
        """Return room for so many replications, none of which has ended."""
        return cls(
            values=np.empty((replications, len(METRICS)), dtype=np.float64),
            status=np.full(replications, _NOT_ENDED, dtype=np.uint8),
            server_hours=np.empty((replications, len(model.SERVER_STATES)), dtype=np.float64),
            seed=seed,
            first=first,
        )

    def leading(self, count: int) -> Runs:
        """Return the first ``count`` replications as if no others had been run."""
        rows: dict[str, Any] = {name: array[:count].copy() for name, array in self._arrays()}
        return replace(self, **rows)

    @classmethod
    def joined(cls, parts: Sequence[Runs]) -> Runs:
        """Return consecutive parts as one."""
        pieces = (part._arrays() for part in parts)
        rows: dict[str, Any] = {
            named[0][0]: np.concatenate([array for _, array in named])
            for named in zip(*pieces, strict=True)
        }
        return replace(parts[0], **rows)

    def _arrays(self) -> list[tuple[str, np.ndarray]]:
        """Name and content of the fields that hold one row for each replication."""
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return [(name, value) for name, value in named if isinstance(value, np.ndarray)]


@dataclass(frozen=True)
class Grid:
    """Times at which servers are counted, and room for what is found there."""

    #: Hours between two times; the first is zero.
    step: float
    #: (replications, times, states) int32; states are ``SERIES_STATES``. Zero from the end of a
    #: replication on.
    counts: np.ndarray

    @classmethod
    def of(cls, step: float, times: int, replications: int) -> Grid:
        """Return a grid with nothing counted."""
        shape = (replications, times, len(model.SERIES_STATES))
        return cls(step, np.zeros(shape, dtype=np.int32))

    def end(self, runs: Runs) -> None:
        """Forget what is noted after the end of a run: one that is cut short may be done twice."""
        wall = runs.values[:, METRICS.index("training_hours")]
        self.counts[np.arange(self.counts.shape[1]) * self.step >= wall[:, None]] = 0


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C while replications ran. ``runs`` holds those before the first that had not ended."""

    def __init__(self, runs: Runs) -> None:
        super().__init__()
        self.runs = runs


@dataclass(frozen=True)
class Trace:
    """Every event of one replication, in order of occurrence."""

    #: (lines,) of ``TRACE_DTYPE``: time (hours since the start), event (an index of
    #: ``EVENT_NAMES``), server (-1: none), detail (see ``model.EVENTS``).
    lines: np.ndarray
    status: Status
    seed: int
    replication: int

    def __iter__(self) -> Iterator[tuple[float, str, int, int]]:
        """Go through the events: (time in hours, event, server or -1, detail)."""
        for begin in range(0, len(self.lines), _LINES_AT_ONCE):
            for time, event, server, detail in self.lines[begin : begin + _LINES_AT_ONCE].tolist():
                yield time, model.EVENT_NAMES[event], server, detail

    def rows(self) -> list[tuple[float, str, int, int]]:
        """Return all events at once, as iterating gives them; some 200 bytes each."""
        return list(self)

    def __repr__(self) -> str:
        return notebook.trace_line(self)

    def _repr_html_(self) -> str:
        return notebook.trace_html(self)


def run(
    scenario: Scenario,
    *,
    replications: int,
    seed: int,
    threads: int = 1,
    engine: Engine = "kernel",
    first: int = 0,
    policies: type[Policies] | None = None,
    on_progress: Progress | None = None,
    stop: np.ndarray | None = None,
    grid: Grid | None = None,
) -> Runs:
    """Run ``replications`` of ``scenario`` and return their bare results.

    ``seed`` is below 2**64. ``threads`` share the replications; the reference engine is plain
    Python and gains nothing from more than one. ``policies`` (a subclass of ``Policies``) runs in
    the reference engine only. ``on_progress`` is called with the number of replications that have
    just been done, from whichever thread did them. Into a ``grid`` servers are counted by state.

    Raises ``ValueError`` for an unknown engine, or for policies with the kernel, and on Ctrl-C
    ``RunInterrupted`` with the replications that are done.
    """
    _check_engine(engine, policies)
    plan, runs = make_plan(scenario), Runs.empty(replications, seed, first)
    stop = np.zeros(1, dtype=np.uint8)
    worlds: deque[World] = deque()  # in which no thread works at present

    def work(begin: int, finish: int) -> None:
        if stop[0]:
            return
        part = slice(begin, finish)
        rows = runs.values[part], runs.server_hours[part], runs.status[part]
        if engine == "kernel":
            world = _one_of(worlds, plan)
            if grid is not None:
                world.count_into(grid.counts[part], grid.step)
            run_block(plan, world, seed, first + begin, *rows, stop)
            worlds.append(world)
        else:
            seen = None if grid is None else Grid(grid.step, grid.counts[part])
            _reference_block(plan, seed, first + begin, *rows, stop, policies, seen)
        if on_progress is not None and not stop[0]:
            on_progress(finish - begin)

    sizes = (1, 1) if engine == "reference" else _sizes_of_block(plan)
    blocks = _blocks(replications, threads, *sizes)
    tasks = [partial(work, begin, finish) for begin, finish in blocks]
    try:
        if engine == "reference" and threads == 1:
            for task in tasks:
                task()
        else:
            _on_threads(tasks, threads, stop)
        if stop[0]:
            raise KeyboardInterrupt
        return _closed(runs, scenario, plan, grid)
    except KeyboardInterrupt as interruption:
        done = int(np.argmax(np.append(runs.status, _NOT_ENDED) == _NOT_ENDED))
        raise RunInterrupted(_closed(runs.leading(done), scenario, plan)) from interruption


def trace(
    scenario: Scenario,
    *,
    seed: int,
    replication: int = 0,
    engine: Engine = "kernel",
    policies: type[Policies] | None = None,
) -> Trace:
    """Run one replication and return its event trace; arguments as in ``run``."""
    _check_engine(engine, policies)
    plan = make_plan(scenario)
    if engine == "reference":
        from failcast.engine.reference import Reference

        reference = Reference(plan, seed, replication, policies or Policies, record=True)
        ended = reference.run()
        assert ended is not None  # nobody can stop it
        check_books(np.array([reference_row(reference)]))
        return Trace(np.array(reference.trace, dtype=TRACE_DTYPE), ended, seed, replication)
    values, status = np.empty((1, len(METRICS))), np.empty(1, dtype=np.uint8)
    hours, stop = np.empty((1, len(model.SERVER_STATES))), np.zeros(1, np.uint8)
    room, count = 0, _FIRST_TRACE_LINES
    while count > room:  # once more with enough room, if the first guess was too small
        room = count
        lines = np.empty(room, dtype=TRACE_DTYPE)
        world = World(plan, lines)
        work = partial(run_block, plan, world, seed, replication, values, hours, status, stop)
        (count,) = _on_threads([work], 1, stop)
    check_books(values)
    return Trace(lines[:count], Status(int(status[0])), seed, replication)


def _on_threads(tasks: Sequence[Callable[[], Any]], threads: int, stop: np.ndarray) -> list[Any]:
    """Do tasks on threads and return their results; set ``stop`` where that is cut short.

    Compiled code hears no signal. So it never runs in the main thread, which stays free to take a
    Ctrl-C; another thread may do a task itself.
    """
    if threads == 1 and threading.current_thread() is not threading.main_thread():
        return [task() for task in tasks]
    pool = ThreadPoolExecutor(threads)
    futures: list[Future[Any]] = []
    try:
        for task in tasks:
            futures.append(pool.submit(task))
        return [future.result() for future in futures]
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        wait([f for f in futures if not f.cancelled()], timeout=_PATIENCE_SECONDS)


class BooksError(RuntimeError):
    """Hours are missing or counted twice: a fault of this package, never of a scenario."""


def _closed(runs: Runs, scenario: Scenario, plan: Plan, grid: Grid | None = None) -> Runs:
    """Return the runs with their books checked and their cost filled in."""
    if grid is not None:
        grid.end(runs)
    check_books(runs.values)
    check_server_hours(runs.values, runs.server_hours, int(plan.servers_total))
    charge_runs(scenario, runs.values, runs.server_hours)
    return runs


def check_books(values: np.ndarray) -> None:
    """Raise ``BooksError`` unless each run's buckets add up to its wall time, to 1e-9 of it.

    ``values`` is (replications, metrics), with the columns of ``METRICS``.
    """
    wall = values[:, METRICS.index("training_hours")]
    first = METRICS.index(model.BUCKETS[0])
    buckets = values[:, first : first + len(model.BUCKETS)]
    wrong = np.abs(buckets.sum(axis=1) - wall) > 1e-9 * wall
    wrong |= (buckets < 0.0).any(axis=1)
    if wrong.any():
        raise BooksError(
            f"the hours of replication {int(np.flatnonzero(wrong)[0])} of this block do not add up "
            "to its wall time; please report this with the scenario and the seed."
        )


def check_server_hours(values: np.ndarray, hours: np.ndarray, servers: int) -> None:
    """Raise ``BooksError`` unless each run's server-hours add up to its wall time × ``servers``."""
    expected = servers * values[:, METRICS.index("training_hours")]
    wrong = np.abs(hours.sum(axis=1) - expected) > 1e-9 * expected
    wrong |= (hours < 0.0).any(axis=1)
    if wrong.any():
        raise BooksError(
            f"the server-hours of replication {int(np.flatnonzero(wrong)[0])} of this block do not "
            "add up; please report this with the scenario and the seed."
        )


def reference_row(run: Reference) -> list[float]:
    """Return the metrics of a reference run that ended, in the order of ``METRICS``."""
    productive = run.books[model.PRODUCTIVE]
    failures = sum(run.counts[model.FAILURES_RANDOM : model.RELAPSES + 1])
    ettr = productive / run.wall if run.wall > 0.0 else math.nan
    return [
        run.wall,
        ettr,
        *run.books,
        *run.phase_hours,
        failures,
        *run.counts,
        run.down_p99(),
        run.defective_mean(),
        (productive + run.books[model.LOST] + run.books[model.CHECKPOINT]) / (failures + 1),
        0.0,  # the cost; prices are not known here
    ]


def _check_engine(engine: str, policies: type[Policies] | None) -> None:
    if engine not in ENGINES:
        raise ValueError(f"engine is {engine!r}; it is one of: {', '.join(ENGINES)}.")
    if policies is not None and engine == "kernel":
        raise ValueError(
            f"policies={policies.__name__} is Python code and the kernel is compiled: "
            'choose engine="reference".'
        )


def work_of(plan: Plan) -> float:
    """Return the servers and, about, the failures of a replication: what its time grows with."""
    rate = 1.0 / float(plan.life_mean_good) + float(plan.defective_count) / float(
        plan.servers_total * plan.life_mean_defective
    )
    failures = float(plan.job_servers * plan.length) * rate + float(plan.replayed)
    return float(plan.servers_total) + failures


def _sizes_of_block(plan: Plan) -> tuple[int, int]:
    """Return how many replications to hand to a thread at once, at least and at most.

    Progress is told by blocks, so they last a second at most; or one replication, if that is more.
    """
    work = work_of(plan)
    least, most = int(_LEAST_WORK_IN_BLOCK / work), int(MOST_WORK_IN_BLOCK / work)
    return max(1, least), max(1, most)


def _blocks(replications: int, threads: int, least: int, most: int) -> list[tuple[int, int]]:
    """Split the replications into blocks: about 20 for each thread, if they have these sizes.

    Several threads share them evenly, in smaller blocks if need be.
    """
    count = min(-(-replications // least), 20 * threads)
    count = max(count, -(-replications // most), 4 * threads if threads > 1 else 1)
    count = max(1, min(count, replications))
    edges = [replications * i // count for i in range(count + 1)]
    return list(itertools.pairwise(edges))


def _one_of(worlds: deque[World], plan: Plan) -> World:
    """Take a world out, or make one: memory that was used before need not be fetched again."""
    try:
        return worlds.pop()
    except IndexError:
        return World(plan, np.empty(0, dtype=TRACE_DTYPE))


def _reference_block(
    plan: Plan,
    seed: int,
    first: int,
    values: np.ndarray,
    hours: np.ndarray,
    status: np.ndarray,
    stop: np.ndarray,
    policies: type[Policies] | None,
    grid: Grid | None,
) -> None:
    from failcast.engine.reference import Reference

    step = 0.0 if grid is None else grid.step
    for i in range(len(status)):
        one = Reference(plan, seed, first + i, policies or Policies, count_step=step)
        ended = one.run(stop)  # type: ignore[arg-type]  # an array of one number will do
        if ended is None:
            return
        values[i], hours[i] = reference_row(one), one.server_hours
        if grid is not None and one.counted:
            seen = one.counted[: grid.counts.shape[1]]
            grid.counts[i, : len(seen)] = seen
        status[i] = ended  # the last, for it says that the replication is done
