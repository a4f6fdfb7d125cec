"""Who does the tasks: tried again, then named; what is no matter of another try is told at once."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_run import failcast

import failcast as fc
from failcast.engine import simulate, warm
from failcast.engine.executors import TRIES, Task, Threads, in_order, work_of
from failcast.engine.plan import make_plan
from failcast.engine.simulate import BooksError, Runs
from failcast.results.workers import EXECUTORS, workers

SMALL = fc.load("small").with_(job__length="5 d", run__replications=20, run__seed=3)
VARY = ["recovery=10 min,20 min", "job.warm_standbys=0,8"]


def failing(monkeypatch: pytest.MonkeyPatch, times: int, error: Exception) -> list[Task]:
    """Let the task of 8 standbys and a recovery of 20 minutes fail so often; return its tries."""
    real, tries = Task.run, list[Task]()

    def run(self: Task, stop: np.ndarray | None = None) -> Runs:
        if self.what == "cell 3 (20 min, 8)":
            tries.append(self)
            if len(tries) <= times:
                raise error
        return real(self, stop)

    monkeypatch.setattr(Task, "run", run)
    return tries


@pytest.mark.parametrize("threads", [1, 3])
def test_a_task_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    whole = fc.sweep(SMALL, VARY).table()
    tries = failing(monkeypatch, TRIES - 1, OSError("the disk is away"))
    assert fc.sweep(SMALL, VARY, threads=threads).table().equals(whole)
    assert len(tries) == TRIES


def test_a_task_that_always_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = failing(monkeypatch, 99, OSError("the disk is away.\nsecond line"))
    with pytest.raises(fc.TaskError) as failure:
        fc.sweep(SMALL, VARY, threads=2)
    assert str(failure.value) == (
        "replications 0 to 19 of small, cell 3 (20 min, 8), from seed 3, failed 3 times, the last "
        "time with OSError: the disk is away."
    )
    assert isinstance(failure.value.__cause__, OSError)
    assert len(tries) == TRIES


def test_the_command_line_tells_of_it_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = ("--vary", VARY[0].replace(" ", ""), "--vary", VARY[1])
    monkeypatch.setattr(Task, "run", lambda self, stop=None: 1 / 0)
    result = failcast("sweep", "small", *axes, "--replications", "20", "--quiet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: replications 0 to 19 of small, cell 0 (10min, 0), from seed 1, failed 3 times, the "
        "last time with ZeroDivisionError: division by zero.\n"
    )


def test_wrong_books_and_want_of_memory_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = failing(monkeypatch, 99, BooksError("the hours do not add up."))
    with pytest.raises(BooksError, match="do not add up") as failure:
        fc.sweep(SMALL, VARY)
    assert "cell 3 (20 min, 8), from seed 3" in failure.value.__notes__[0]
    assert len(tries) == 1
    tries = failing(monkeypatch, 99, MemoryError())
    with pytest.raises(MemoryError):
        fc.sweep(SMALL, VARY)
    assert len(tries) == 1


def test_tasks_come_in_order_and_no_more_are_in_hand_than_asked_for() -> None:
    started: list[int] = []
    runs = Runs.empty(1, 1, 0)

    def tasks() -> Iterator[Task]:
        yield from (Task(SMALL, 1, first, 1) for first in range(50))

    def start(task: Task) -> int:
        started.append(task.first)
        return task.first

    seen: list[int] = []

    def result(task: Task, handle: int) -> Runs:
        assert task.first == handle
        seen.append(handle)
        return runs

    waiting = deque[tuple[Task, int]]()
    results = in_order(tasks(), waiting, start=start, result=result, ahead=lambda: 6)
    for number, _ in enumerate(results):
        assert seen[-1] == number
        assert len(started) <= number + 7
    assert seen == list(range(50))


@pytest.mark.parametrize("executor", ["rays", "ray://", "ray://head", "10.0.0.1:6379", 3])
def test_an_unknown_executor_is_refused(executor: object) -> None:
    with pytest.raises(fc.RequestError) as refusal:
        fc.sweep(SMALL, VARY, executor=executor)  # type: ignore[arg-type]
    assert str(refusal.value).startswith(f"executor is {executor!r}, but it must be one of threads")


@pytest.mark.parametrize("executor", ["ray", "auto", "ray://head:10001"])
def test_without_ray_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, executor: str
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = failcast("sweep", "small", "--vary", "recovery=10min,20min", "--executor", executor)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: the executor {executor} needs Ray, which is not installed: pip install "
        "'failcast[ray]'.\n"
    )
    from failcast.engine.ray_executor import Ray

    with Ray() as ray, pytest.raises(fc.ExecutorError, match="Ray cannot be imported"):
        next(ray.run([Task(SMALL, 1, 0, 1)]))


def test_threads_by_name_are_threads() -> None:
    assert set(EXECUTORS) == {"threads", "ray", "auto"}
    for executor in (None, "threads"):
        with workers(executor, 3) as hands:
            assert isinstance(hands, Threads)
            assert hands.threads == 3


@pytest.mark.parametrize("locked", [True, False])
def test_of_many_workers_that_start_together_one_compiles(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, locked: bool
) -> None:
    compiled: list[int] = []
    barrier = threading.Barrier(4)

    def work() -> None:
        barrier.wait()
        warm.compile_once.__wrapped__()

    def compile_kernel() -> None:
        time.sleep(0.1)
        compiled.append(1)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path if locked else tmp_path / "missing"))
    monkeypatch.setattr(warm, "is_compiled", lambda: bool(compiled))
    monkeypatch.setattr(warm, "compile_kernel", compile_kernel)
    workers = [threading.Thread(target=work) for _ in range(4)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert len(compiled) == (1 if locked else 4)


def test_the_work_of_a_scenario_is_about_that_of_its_plan() -> None:
    for name in ("small", "airesim-table1"):
        scenario = fc.load(name)
        assert work_of(scenario) == pytest.approx(simulate.work_of(make_plan(scenario)), rel=1e-3)
