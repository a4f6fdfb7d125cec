"""Sweeps on a real Ray of this machine: what threads give, to the bit, also when workers die."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import failcast as fc
from failcast.engine import ray_executor
from failcast.engine.executors import TRIES, Task
from failcast.engine.ray_executor import Ray
from failcast.engine.simulate import Runs
from failcast.study.sweeps import work

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'failcast[ray]'")

SMALL = fc.load("small").with_(job__length="5 d", run__replications=20, run__seed=3)
VARY = ["job.warm_standbys=0..5", "recovery=10 min,20 min"]
PATIENCE_SECONDS = 120.0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Ray]:
    """A Ray of two CPUs."""
    with Ray(cpus=2) as found:
        yield found
    assert not ray.is_initialized()


@dataclass(frozen=True)
class Odd(Task):
    """A task that writes down each try, in a folder, and in cell 2 does not end well."""

    folder: str = ""
    #: What happens in cell 2: "killed" by somebody else at the first try, "dies" or "raises".
    fate: str = ""

    def run(self, stop: np.ndarray | None = None) -> Runs:
        """Do the task, or not."""
        if not self.what.startswith("cell 2 "):
            return super().run(stop)
        tries = len(list(Path(self.folder).iterdir()))
        note = Path(self.folder) / f"{tries}.new"
        note.write_text(str(os.getpid()))
        note.rename(note.with_suffix(""))
        if self.fate == "killed" and tries == 0:
            time.sleep(PATIENCE_SECONDS)
        if self.fate == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fate == "raises":
            raise OSError("the disk is away")
        return super().run(stop)


@dataclass
class Oddly:
    """Does tasks on a cluster as odd ones."""

    cluster: Ray
    folder: Path
    fate: str

    def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
        """Yield the result of each task."""
        self.folder.mkdir()
        return self.cluster.run(
            Odd(**vars(task), folder=str(self.folder), fate=self.fate) for task in tasks
        )


def contents(folder: Path) -> dict[str, str]:
    """The hash of every file below a folder."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize(("most", "block"), [(1.0, 1e4), (3e3, 1e7), (2e6, 1e4)])
def test_ray_gives_what_threads_give_however_it_is_split(
    cluster: Ray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: float, block: float
) -> None:
    monkeypatch.setattr(work, "WORK_IN_BLOCK", block)
    fc.sweep(SMALL, VARY, store=tmp_path / "threads", threads=2)
    monkeypatch.setattr("failcast.engine.simulate.MOST_WORK_IN_BLOCK", most)
    steps: list[int] = []
    found = fc.sweep(SMALL, VARY, executor=cluster, on_progress=steps.append)
    assert sum(steps) == 12 * 20
    assert len(steps) == (12 * 20 if most == 1.0 else len(steps))
    alone = fc.sweep(SMALL, VARY)
    for cell in found.done:
        for name in ("values", "status", "server_hours"):
            arrays = [getattr(each.sample(cell).runs, name) for each in (found, alone)]
            assert np.array_equal(*arrays)
            assert arrays[0].flags.writeable
    monkeypatch.undo()
    monkeypatch.setattr(work, "WORK_IN_BLOCK", block)
    fc.sweep(SMALL, VARY, store=tmp_path / "ray", executor=cluster)
    assert contents(tmp_path / "ray") == contents(tmp_path / "threads")


@pytest.mark.parametrize("method", ["sobol", "morris", "tornado"])
def test_a_ranking_by_ray_is_that_of_threads(cluster: Ray, method: Any) -> None:
    how: dict[str, Any] = {"vary": ["recovery.time=10min..40min", "cluster.spare_pool=8..12"]}
    how |= {"method": method, "samples": 64, "metrics": ["training_hours", "depleted"]}
    found = fc.rank(SMALL, **how, executor=cluster)
    assert found.to_dict()["metrics"] == fc.rank(SMALL, **how).to_dict()["metrics"]


def test_a_plan_by_ray_is_that_of_threads(cluster: Ray) -> None:
    arguments = (SMALL, ["cluster.spare_pool=8..12"], ["ettr >= 0.9"])
    assert fc.plan(*arguments, executor=cluster).to_dict() == fc.plan(*arguments).to_dict()


def test_a_worker_that_is_killed_costs_nothing(cluster: Ray, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill() -> None:
        note, end = tmp_path / "tries" / "0", time.monotonic() + PATIENCE_SECONDS
        while not note.exists() and time.monotonic() < end:
            time.sleep(0.01)
        pid = int(note.read_text())
        assert b"ray::" in Path(f"/proc/{pid}/cmdline").read_bytes()
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    hands = Oddly(cluster, tmp_path / "tries", "killed")
    found = fc.sweep(SMALL, VARY, executor=hands, store=tmp_path / "ray")
    killer.join()
    tries = sorted((tmp_path / "tries").iterdir())
    assert [file.name for file in tries] == ["0", "1"]
    assert killed == [int(tries[0].read_text())]
    assert killed[0] not in (os.getpid(), int(tries[1].read_text()))
    assert found.table().equals(fc.sweep(SMALL, VARY, store=tmp_path / "threads").table())
    assert contents(tmp_path / "ray") == contents(tmp_path / "threads")


@pytest.mark.parametrize(
    ("fate", "cause"),
    [("raises", "OSError: the disk is away."), ("dies", "WorkerCrashedError: The worker died")],
)
def test_a_task_that_always_fails_is_named(
    cluster: Ray, tmp_path: Path, fate: str, cause: str
) -> None:
    with pytest.raises(fc.TaskError) as failure:
        fc.sweep(SMALL, VARY, executor=Oddly(cluster, tmp_path / "tries", fate))
    assert str(failure.value).startswith(
        "replications 0 to 19 of small, cell 2 (1, 10 min), from seed 3, failed 3 times, the last "
        f"time with {cause}"
    )
    assert len(list((tmp_path / "tries").iterdir())) == TRIES
    found = fc.sweep(SMALL, VARY, executor=cluster)  # the cluster is as good as before
    assert found.table().equals(fc.sweep(SMALL, VARY).table())


def test_ctrl_c_keeps_the_cells_that_are_done(cluster: Ray) -> None:
    def interrupt(more: int) -> None:
        steps.append(more)
        if len(steps) == 5:
            raise KeyboardInterrupt

    steps: list[int] = []
    part = fc.sweep(SMALL, VARY, executor=cluster, on_progress=interrupt, keep_on_interrupt=True)
    assert part.interrupted
    assert len(part.done) < 12


def test_workers_with_another_failcast_are_refused(
    cluster: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_executor, "__version__", "0.0.9")
    with pytest.raises(fc.ExecutorError) as refusal:
        fc.sweep(SMALL, VARY, executor=cluster)
    assert str(refusal.value).startswith("this program is failcast 0.0.9, but the Ray workers on ")
    assert f" have {fc.__version__}: install the same one there." in str(refusal.value)
    monkeypatch.undo()
    monkeypatch.setattr(ray_executor, "fingerprint", lambda: "0" * 64)
    with pytest.raises(fc.ExecutorError, match="have other sources of it: install the same one"):
        fc.sweep(SMALL, VARY, executor=cluster)


def test_workers_without_failcast_are_told_of() -> None:
    def get(handle: object) -> object:
        cause = ModuleNotFoundError("No module named 'failcast'", name="failcast")
        raise ray.exceptions.RayTaskError("do_task", "traceback", cause)

    fake = SimpleNamespace(get=get, exceptions=ray.exceptions)
    with pytest.raises(fc.ExecutorError, match=r"the Ray workers have no failcast \d"):
        ray_executor._result(fake, Task(SMALL, 1, 0, 1), None)


@pytest.mark.parametrize("address", [None, "auto", "ray://head:10001"])
def test_a_cluster_that_is_not_there_is_told_of(
    monkeypatch: pytest.MonkeyPatch, address: str | None
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionError("nobody answers.\nAsk somebody else.")

    monkeypatch.setattr(ray, "init", refuse)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    with Ray(address) as nowhere, pytest.raises(fc.ExecutorError) as failure:
        next(nowhere.run([Task(SMALL, 1, 0, 1)]))
    what = f"reach the Ray cluster {address}" if address else "start a Ray cluster on this machine"
    assert str(failure.value).startswith(f"cannot {what}: nobody answers.")
    assert ("RAY_AUTH_MODE=token" in str(failure.value)) is (address is not None)


def test_a_ray_that_was_there_before_is_left_as_it_is(cluster: Ray) -> None:
    tasks = [Task(SMALL, 1, first, 2) for first in range(4)]
    list(cluster.run(tasks))
    with Ray() as other:
        assert [runs.first for runs in other.run(tasks)] == [0, 1, 2, 3]
        half = other.run(tasks)
        next(half)
    assert ray.is_initialized()


def test_nobody_from_outside_reaches_a_local_ray(cluster: Ray) -> None:
    list(cluster.run([Task(SMALL, 1, 0, 1)]))
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    assert "RAY_USAGE_STATS_ENABLED" not in os.environ
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_command_line_on_another_number_of_cpus(tmp_path: Path) -> None:
    short = [axis.replace(" ", "") for axis in VARY]
    fixed = ["-s", "job.length=5 d", "--replications", "20", "--seed", "3", "--quiet"]
    command = [sys.executable, "-m", "failcast", "sweep", "small", *fixed]
    command += [word for axis in short for word in ("--vary", axis)]
    command += ["--executor", "ray", "--threads", "3", "--out", str(tmp_path / "ray")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kernel engine" in done.stdout
    base = fc.load("small", ["job.length=5 d"])
    fc.sweep(base, short, replications=20, seed=3, store=tmp_path / "threads")
    assert contents(tmp_path / "ray") == contents(tmp_path / "threads")
