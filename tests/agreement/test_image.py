"""The kernel's image: the same numbers as numba's, without numba; what is damaged is not run.

On the map: engine/image, engine/elf and engine/entry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.strategies import CORNERS, PAIRWISE

from failcast.engine import elf, entry, image, warm
from failcast.engine.plan import make_plan
from failcast.engine.simulate import Runs, run
from failcast.engine.world import TRACE_DTYPE, World
from failcast.scenario import Scenario

pytestmark = pytest.mark.skipif(
    not image.is_possible(), reason="images are made on Linux on x86-64, in a folder to write to"
)

#: Prints whether numba was loaded to simulate, then the hash of the sample.
ALONE = """
import hashlib, sys
import failcast as fc
scenario = fc.load("airesim-table1").with_(job__length="3 h")
sample = fc.simulate(scenario, replications=3, threads=2, seed=1)
values = sample.runs.values.tobytes() + sample.runs.server_hours.tobytes()
print("numba" in sys.modules, hashlib.sha256(values).hexdigest())
"""


@pytest.fixture(scope="module", autouse=True)
def _there_is_one() -> None:
    warm.compile_kernel()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of the image in a folder of its own, where alone it is looked for."""
    found = image._find()
    assert found is not None
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
    printed = alone(ALONE)
    assert printed[0] == "False"
    uncompiled = alone(ALONE, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    assert uncompiled[0] == "True"  # plain Python, which stands in numba's decorators
    assert printed[1] == uncompiled[1]


def test_numba_and_an_image_live_in_one_process() -> None:
    """Whichever comes first: an image takes no name away from numba, nor numba from an image."""
    draws = "from failcast.engine import draw; print(draw(1, 2, 3, 4, 5))"
    first, last = alone(ALONE + draws), alone(draws + ALONE)
    assert first[1] == last[2]
    assert first[2] == last[0]


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


def test_an_image_of_other_sources_or_options_is_another_one(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = elsewhere.name
    old = elsewhere.with_name(name.replace(name.split("-")[2], "0" * 12))
    old.write_bytes(b"of older sources")
    assert image._write(elsewhere.parent, elsewhere.read_bytes())
    assert sorted(path.name for path in elsewhere.parent.iterdir()) == [name]
    image._name.cache_clear()
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert not image.is_there()
    monkeypatch.undo()
    image._name.cache_clear()


def test_what_is_no_folder_takes_no_image(elsewhere: Path) -> None:
    """As little as a folder that is not ours to write in, or a full disk: no error, no rest."""
    assert not image._write(elsewhere / "below a file", b"content")
    assert [path.name for path in elsewhere.parent.iterdir()] == [elsewhere.name]


def test_other_machines_take_numbas_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image.platform, "machine", lambda: "aarch64")
    assert not image.is_possible()
    assert not image.is_there()
    assert image.load() is None
    assert warm.compile_notice() is None  # numba has it in memory or in its own cache


@pytest.mark.parametrize("content", [b"", b"\x7fELF\x01\x01", b"MZ" * 100])
def test_what_is_no_object_file_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="ELF"):
        elf.undefined(content)


def test_a_name_keeps_its_length() -> None:
    with pytest.raises(ValueError, match="as long"):
        elf.renamed(b"", "numba_", "no")
