"""Stores: whole blocks or none, the same bytes however often a sweep was killed, nothing lost."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import failcast as fc
from failcast.engine import draw
from failcast.results.store import Store
from failcast.study.sweeps import work

SMALL = fc.load("small").with_(job__length="5 d", run__replications=20, run__seed=3)
VARY = ["job.warm_standbys=0..5", "recovery=10 min,20 min"]
KILLS = 30
#: For each line, a folder and seconds, it forks off a sweep into the folder, kills it after that
#: time, and says with which status it ended. The libraries are loaded once for all of them.
PROGRAM = """
import os, signal, sys, time
import failcast as fc
from failcast.study.sweeps import work
work.WORK_IN_BLOCK = 1e4
fc.compile_kernel()
scenario = fc.load("small").with_(job__length="5 d", run__replications=20, run__seed=3)
for line in sys.stdin:
    folder, seconds = line.split()
    child = os.fork()
    if child == 0:
        fc.sweep(scenario, ["job.warm_standbys=0..5", "recovery=10 min,20 min"], store=folder)
        os._exit(0)
    if float(seconds) < 100.0:
        time.sleep(float(seconds))
        os.kill(child, signal.SIGKILL)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "WORK_IN_BLOCK", 1e4)


def contents(folder: Path) -> dict[str, str]:
    """The hash of every file below a folder."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def blocks(folder: Path) -> list[Path]:
    """The files of the blocks."""
    return sorted((folder / "blocks").iterdir())


def test_what_is_kept_is_what_was_simulated(tmp_path: Path) -> None:
    import polars

    stored = fc.sweep(SMALL, VARY, store=tmp_path / "s", threads=2)
    memory = fc.sweep(SMALL, VARY)
    assert stored.table().equals(memory.table())
    for cell in memory.done:
        for name in ("values", "status", "server_hours"):
            arrays = (getattr(each.sample(cell).runs, name) for each in (stored, memory))
            assert np.array_equal(*arrays)
    assert len(blocks(tmp_path / "s")) > 5
    frame = polars.scan_parquet(tmp_path / "s" / "blocks" / "*.parquet").collect()
    assert frame.select("cell", "replication").unique().height == frame.height == 12 * 20
    assert polars.read_parquet(tmp_path / "s" / "cells.parquet").equals(memory.table())


def test_a_complete_store_runs_nothing_and_changes_nothing(tmp_path: Path) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    before = contents(tmp_path / "s")

    class Nobody:
        def run(self, tasks):  # type: ignore[no-untyped-def]
            assert list(tasks) == []
            return iter(())

    again = fc.sweep(SMALL, VARY, store=tmp_path / "s", executor=Nobody())
    assert again.table().equals(fc.sweep(SMALL, VARY).table())
    assert contents(tmp_path / "s") == before


def test_killed_at_thirty_random_moments_it_ends_in_the_same_bytes(tmp_path: Path) -> None:
    """kill -9: no block is lost that was there, none is counted twice, none is half there."""
    fc.sweep(SMALL, VARY, store=tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as own:
        assert _sweep_in(own, tmp_path / "first", 100.0)
        begin = time.monotonic()
        assert _sweep_in(own, tmp_path / "timed", 100.0)
        seconds = time.monotonic() - begin
        kills, sweeps, there = 0, 0, dict[str, str]()
        folder = tmp_path / "killed"
        while kills < KILLS:
            sweeps += 1
            done = _sweep_in(own, folder, seconds * draw(7, 0, 0, 0, sweeps))
            kills += not done
            now = {name: found for name, found in contents(folder).items() if ".tmp" not in name}
            assert {name: now.get(name) for name in there if "blocks" in name} == {
                name: found for name, found in there.items() if "blocks" in name
            }
            assert now.items() <= whole.items()
            there = now
            if done:
                assert now == whole
                shutil.rmtree(folder)
                there = {}
    fc.sweep(SMALL, VARY, store=folder)
    assert contents(folder) == whole


def _sweep_in(program: subprocess.Popen[str], folder: Path, seconds: float) -> bool:
    """Have a sweep into a folder killed after so many seconds; whether it was done by then."""
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(f"{folder} {seconds}\n")
    program.stdin.flush()
    status = int(program.stdout.readline())
    assert status in (0, signal.SIGKILL)
    return status == 0


def test_ctrl_c_leaves_a_store_that_goes_on(tmp_path: Path) -> None:
    def interrupt(more: int) -> None:
        nonlocal done
        done += more
        if done >= 100:
            raise KeyboardInterrupt

    done = 0
    store = tmp_path / "s"
    part = fc.sweep(SMALL, VARY, store=store, on_progress=interrupt, keep_on_interrupt=True)
    assert part.interrupted
    assert 0 < len(part.done) < 12
    assert "interrupted" in part.answer()
    assert "cells are missing" in part.answer()
    rest: list[int] = []
    whole = fc.sweep(SMALL, VARY, store=store, on_progress=rest.append)
    assert sum(rest) == 20 * 12 - 20 * len(part.done)
    fc.sweep(SMALL, VARY, store=tmp_path / "other")
    assert contents(store) == contents(tmp_path / "other")
    assert whole.table().equals(fc.sweep(SMALL, VARY).table())
    done = 0
    with pytest.raises(KeyboardInterrupt):
        fc.sweep(SMALL, VARY, store=tmp_path / "third", on_progress=interrupt)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 4}, "its seed is 3, not 4"),
        ({"replications": 30}, "its replications is 20, not 30"),
        (
            {"vary": ["job.warm_standbys=0..4", VARY[1]]},
            "its vary.job.warm standbys is 0, 1, 2, 3, 4, 5, not 0, 1, 2, 3, 4.",
        ),
        ({"scenario": SMALL.with_(recovery__time="1 h")}, "its scenario.recovery.time is '20 min'"),
    ],
)
def test_a_store_of_something_else_is_refused(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    before = contents(tmp_path / "s")
    how: dict[str, object] = {"scenario": SMALL, "vary": VARY, **changes}
    with pytest.raises(fc.RequestError) as refusal:
        fc.sweep(**how, store=tmp_path / "s")  # type: ignore[arg-type]
    assert words in str(refusal.value)
    assert contents(tmp_path / "s") == before


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    manifest = tmp_path / "s" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"{fc.__version__}"', '"0.0.9"'))
    with pytest.raises(fc.RequestError, match=r"its failcast is '0\.0\.9', not"):
        fc.sweep(SMALL, VARY, store=tmp_path / "s")


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "twice", "beyond"])
def test_a_damaged_block_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    file = blocks(tmp_path / "s")[1]
    content = file.read_bytes()
    name = file.name
    if damage == "flipped":
        file.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    elif damage == "cut":
        file.write_bytes(content[:-7])
    elif damage == "empty":
        file.write_bytes(b"")
    else:
        number = "000001" if damage == "twice" else "009999"
        name = f"{number}-{'f' * 32}.parquet"
        (file.parent / name).write_bytes(content)
    before = contents(tmp_path / "s")
    with pytest.raises(fc.RequestError) as refusal:
        fc.sweep(SMALL, VARY, store=tmp_path / "s")
    assert f"/blocks/{name} is damaged: " in str(refusal.value)
    assert "Delete this file" in str(refusal.value)
    assert contents(tmp_path / "s") == before
    (file.parent / name).unlink()
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    fc.sweep(SMALL, VARY, store=tmp_path / "other")
    assert contents(tmp_path / "s") == contents(tmp_path / "other")


def test_a_block_with_other_runs_under_a_right_hash_is_refused(tmp_path: Path) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    first, second = blocks(tmp_path / "s")[:2]
    second.rename(second.with_name("000000" + second.name[6:]))
    first.unlink()
    with pytest.raises(fc.RequestError, match="holds other runs"):
        fc.sweep(SMALL, VARY, store=tmp_path / "s")


def test_a_block_of_another_store_is_refused(tmp_path: Path) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    fc.sweep(SMALL, VARY, seed=4, store=tmp_path / "other")
    strange = blocks(tmp_path / "other")[0]
    blocks(tmp_path / "s")[0].unlink()
    shutil.copy(strange, tmp_path / "s" / "blocks")
    with pytest.raises(fc.RequestError, match="or it is of another store"):
        fc.sweep(SMALL, VARY, store=tmp_path / "s")


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    note = tmp_path / "s" / "blocks" / ".DS_Store"
    note.write_text("mine")
    assert fc.sweep(SMALL, VARY, store=tmp_path / "s").table().equals(fc.sweep(SMALL, VARY).table())
    assert note.read_text() == "mine"


def test_two_processes_do_not_write_into_one_store(tmp_path: Path) -> None:
    identity = {"schema": "failcast.test/1", "blocks": 3}
    with Store(tmp_path / "s", identity), pytest.raises(fc.RequestError, match="another process"):
        Store(tmp_path / "s", identity).__enter__()
    with Store(tmp_path / "s", identity):
        pass  # it was let go


def test_a_store_is_read_later_under_a_lock_that_readers_share(tmp_path: Path) -> None:
    found = fc.sweep(SMALL, VARY, store=tmp_path / "s")
    wanted = fc.sweep(SMALL, VARY)
    lock = os.open(tmp_path / "s", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(fc.RequestError, match=r"another process is writing into .*: wait for it"):
        found.sample(0)
    fcntl.flock(lock, fcntl.LOCK_SH)
    assert np.array_equal(found.sample(0).runs.values, wanted.sample(0).runs.values)
    with pytest.raises(fc.RequestError, match="another process is at work in "):
        fc.sweep(SMALL, VARY, store=tmp_path / "s")
    os.close(lock)
    fc.sweep(SMALL, VARY, store=tmp_path / "s")  # whoever has read has let go
    (tmp_path / "s").rename(tmp_path / "t")
    with pytest.raises(fc.RequestError, match=r"cannot read .*: no such file or directory"):
        found.sample(11)
    fc.sweep(SMALL, VARY, seed=4, store=tmp_path / "s")
    with pytest.raises(fc.RequestError, match="is a store of something else: its seed is 4"):
        found.sample(11)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(fc.RequestError, match="it is not empty"):
        fc.sweep(SMALL, VARY, store=tmp_path)
    fc.write_folder(fc.simulate(SMALL, replications=2), tmp_path / "run")
    with pytest.raises(fc.RequestError, match=r"results of another kind \(folder\)"):
        fc.sweep(SMALL, VARY, store=tmp_path / "run")
    fc.sweep(SMALL, VARY, store=tmp_path / "sweep")
    with pytest.raises(fc.RequestError, match=r"results of another kind \(sweep\)"):
        fc.write_folder(fc.simulate(SMALL, replications=2), tmp_path / "sweep")


def test_a_full_disk_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.fsync, 0

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += stat.S_ISREG(os.fstat(descriptor).st_mode)
        if calls == 4:
            calls += 1
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(fc.RequestError, match="no space left on device"):
        fc.sweep(SMALL, VARY, store=tmp_path / "s")
    assert not list((tmp_path / "s").rglob("*.tmp"))
    fc.sweep(SMALL, VARY, store=tmp_path / "s")
    fc.sweep(SMALL, VARY, store=tmp_path / "other")
    assert contents(tmp_path / "s") == contents(tmp_path / "other")
