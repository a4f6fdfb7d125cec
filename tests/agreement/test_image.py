"""The kernel's image: the same numbers as numba's, without numba; what is damaged is not run.

On the map: engine/image, engine/native, engine/elf and engine/entry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.strategies import CORNERS, PAIRWISE

from failcast.engine import elf, entry, image, native, warm
from failcast.engine.plan import make_plan
from failcast.engine.simulate import Runs, run
from failcast.engine.world import TRACE_DTYPE, World
from failcast.scenario import Scenario

pytestmark = pytest.mark.skipif(
    not native.is_supported(), reason="images are made on Linux on x86-64, with numba's compiler on"
)

#: Prints whether numba was loaded to simulate, then the hash of the sample.
ALONE = """
import hashlib, sys
import failcast as fc
scenario = fc.load("airesim-table1").with_(job__length="3 h")
sample = fc.simulate(scenario, replications=3, threads=2, seed=1)
values = sample.runs.values.tobytes() + sample.runs.server_hours.tobytes()
from failcast.engine.entry import kernel
print("numba" in sys.modules, kernel().__name__, hashlib.sha256(values).hexdigest())
"""


@pytest.fixture(scope="module", autouse=True)
def _there_is_one() -> None:
    warm.compile_kernel()
    entry._kernels.clear()  # where this process compiled it, it goes on with that


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of the image in a folder of its own, where alone it is looked for."""
    found = next(path for folder in image._folders() if (path := folder / image._name()).exists())
    copy = tmp_path / found.name
    copy.write_bytes(found.read_bytes())
    monkeypatch.setattr(image, "_folders", lambda: [tmp_path])
    return copy


def alone(code: str, **environment: str) -> list[str]:
    """Run Python code in a process of its own; return the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def by_numba(scenario: Scenario, replications: int) -> Runs:
    """Run the kernel that numba loads itself."""
    from failcast.engine.kernel import run_block

    plan, runs = make_plan(scenario), Runs.empty(replications, scenario.run.seed, 0)
    world, stop = World(plan, np.empty(0, TRACE_DTYPE)), np.zeros(1, np.uint8)
    tables = (runs.values, runs.server_hours, runs.status, stop)
    addresses = [np.uint64(table.ctypes.data) for table in tables]
    run_block(plan, world.record, np.uint64(runs.seed), 0, replications, *addresses)
    return runs


@pytest.mark.parametrize("number", range(0, len(PAIRWISE) + len(CORNERS), 7))
def test_an_image_gives_the_numbers_of_numba_to_the_last_bit(number: int) -> None:
    scenario = [*PAIRWISE, *CORNERS][number].with_(run__max_events=20_000)
    theirs = by_numba(scenario, 2)
    ours = run(scenario, replications=2, seed=scenario.run.seed)
    assert entry.kernel().__name__ == "run_native"
    assert ours.values.tobytes() == theirs.values.tobytes()
    assert ours.server_hours.tobytes() == theirs.server_hours.tobytes()
    assert ours.status.tolist() == theirs.status.tolist()


def test_a_process_that_finds_an_image_does_without_numba() -> None:
    loaded, by, result = alone(ALONE)
    assert (loaded, by) == ("False", "run_native")
    # Plain Python stands in numba's decorators.
    uncompiled = alone(ALONE, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    assert uncompiled == ["True", "run_compiled", result]


def test_numba_and_an_image_live_in_one_process() -> None:
    """Whichever comes first: an image takes no name away from numba, nor numba from an image."""
    draws = "from failcast.engine import draw; print(draw(1, 2, 3, 4, 5))"
    *first, drawn = alone(ALONE + draws)
    also_drawn, *last = alone(draws + ALONE)
    assert drawn == also_drawn
    assert first[1:] == last[1:]
    assert first[1] == "run_native"


def test_an_image_says_what_it_needs(elsewhere: Path) -> None:
    line, _, machine_code = elsewhere.read_bytes().partition(b"\n")
    head = json.loads(line)
    assert head["needs"] == elf.undefined(machine_code)
    assert {"exp", "log", "pow"} < set(head["needs"])
    assert not any(name.startswith("numba_") for name in head["needs"])
    assert image.load() is not None


@pytest.mark.parametrize("damage", ["cut", "bit", "head", "empty", "symbol"])
def test_a_damaged_image_is_not_run(elsewhere: Path, damage: str) -> None:
    content = bytearray(elsewhere.read_bytes())
    if damage == "cut":
        del content[-1:]
    elif damage == "bit":
        content[len(content) // 2] ^= 1
    elif damage == "head":
        content[0:1] = b"["
    elif damage == "empty":
        content.clear()
    else:
        content[:] = content.replace(b'{"symbol": "_Z', b'{"symbol": "_Y', 1)
    elsewhere.write_bytes(content)
    assert image.load() is None


def test_an_image_of_other_options_is_another_one(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as changed:
        image._name.cache_clear()
        changed.setenv("NUMBA_NUM_THREADS", "1")  # changes no code
        assert image.is_there()
        image._name.cache_clear()
        changed.setenv("NUMBA_OPT", "1")
        assert not image.is_there()
    image._name.cache_clear()


def test_images_of_older_sources_go_where_no_others_can_be(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is beside the sources. In a shared folder they may be the present ones of others."""
    parts = elsewhere.name.split("-")
    old = elsewhere.with_name("-".join([*parts[:2], "0" * 12, *parts[3:]]))
    killed = elsewhere.with_name(".failcast-kernel-0123")
    for path in (old, killed):
        path.write_bytes(b"left")
    os.utime(killed, (0, 0))
    assert image._write(elsewhere.parent, elsewhere.name, elsewhere.read_bytes())
    assert names(elsewhere.parent) == sorted([old.name, elsewhere.name])
    monkeypatch.setattr(image, "_BESIDE_THE_SOURCES", elsewhere.parent)
    assert image._write(elsewhere.parent, elsewhere.name, elsewhere.read_bytes())
    assert names(elsewhere.parent) == [elsewhere.name]


def names(folder: Path) -> list[str]:
    """The names of all files in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_an_image_is_for_all_whom_the_umask_lets(elsewhere: Path, umask: int) -> None:
    """One that was made as root is read by everybody who runs that installation."""
    before = os.umask(umask)
    try:
        assert image._write(elsewhere.parent, elsewhere.name, elsewhere.read_bytes())
    finally:
        os.umask(before)
    assert elsewhere.stat().st_mode & 0o777 == 0o666 & ~umask


def test_one_that_cannot_be_read_hides_no_other(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = elsewhere.parent / "home"
    assert image._write(home, elsewhere.name, elsewhere.read_bytes())
    elsewhere.write_bytes(b"damaged")
    assert not image.is_there()
    monkeypatch.setattr(image, "_folders", lambda: [elsewhere.parent, home])
    assert image.is_there()
    assert image.load() is not None


def test_what_cannot_be_written_leaves_nothing(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the place of a folder; a disk that is full when the image is to be kept."""
    assert not image._write(elsewhere / "below a file", "name", b"content")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(image.os, "fsync", full)
    assert not image._write(elsewhere.parent, "name", b"content")
    assert names(elsewhere.parent) == [elsewhere.name]


def test_where_no_image_comes_to_be_numbas_copy_is_kept(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every process would compile the kernel anew, in the hope of an image."""
    elsewhere.unlink()
    assert image.is_possible()
    monkeypatch.setattr(native, "code_of", lambda dispatcher: None)
    assert not image.save(object())
    assert names(elsewhere.parent) == [elsewhere.name + ".none"]
    assert not image.is_possible()
    os.utime(elsewhere.with_name(elsewhere.name + ".none"), (0, 0))  # it counts for a day
    assert image.is_possible()


@pytest.mark.parametrize("change", ["version", "types", "needs"])
def test_code_is_taken_out_of_what_was_tested_alone(
    monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    import numba

    compiled = a_compiled_kernel()
    assert native.code_of(compiled) is not None
    if change == "version":
        monkeypatch.setattr(numba, "__version__", "0.99.0")
    elif change == "types":
        monkeypatch.setattr(native, "_TYPES", ("int64",))
    else:
        monkeypatch.setattr(native, "_MATHEMATICS", frozenset())
    assert native.code_of(compiled) is None


def a_compiled_kernel() -> Any:
    """What looks like numba's function to whoever takes its code out."""
    code = next(image._images())
    signature = SimpleNamespace(args=("plan", "world", *native._TYPES), return_type="int64")
    overload = SimpleNamespace(
        signature=signature,
        library=SimpleNamespace(_compiled_object=code.machine_code),
        fndesc=SimpleNamespace(llvm_func_name=code.symbol),
    )
    return SimpleNamespace(signatures=["one"], overloads={"one": overload})


def test_other_machines_take_numbas_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.platform, "machine", lambda: "aarch64")
    assert not image.is_possible()
    assert not image.is_there()
    assert image.load() is None
    assert not image.save(object())


@pytest.mark.parametrize("content", [b"", b"\x7fELF\x01\x01", b"MZ" * 100])
def test_what_is_no_object_file_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="ELF"):
        elf.undefined(content)


def test_a_name_keeps_its_length() -> None:
    with pytest.raises(ValueError, match="as long"):
        elf.renamed(b"", "numba_", "no")
