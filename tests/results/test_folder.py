"""The folder of results: what is in it, whose it may be, and that nothing stays half-written."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars
import pytest
from tests.results.synthetic import DEPLETED, FINISHED, days_of_training, uniforms

import failcast as fc

NAMES = ["manifest.json", "replications.csv", "replications.parquet", "result.json"]


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def sample(runs: int = 3) -> fc.Sample:
    """Runs of odd lengths, the last one depleted."""
    hours = (100.0 + uniforms(runs, 1)[:, 0] / 3.0).tolist()
    return days_of_training(hours, status=[FINISHED] * (runs - 1) + [DEPLETED])


@contextmanager
def files_end_after(size: int) -> Iterator[None]:
    """Let the system refuse to write more than so many bytes to a file, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("there", [False, True])
def test_a_new_or_empty_folder_gets_four_files(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "out"
    if there:
        folder.mkdir()
    runs = sample()
    assert fc.write_folder(runs, folder) == folder
    assert names(folder) == NAMES
    assert json.loads((folder / "result.json").read_text()) == runs.to_dict()
    assert polars.read_parquet(folder / "replications.parquet").equals(runs.frame())
    read = polars.read_csv(folder / "replications.csv", schema=runs.frame().schema)
    assert read.equals(runs.frame())


def test_the_manifest_holds_what_made_the_files_and_their_hashes(tmp_path: Path) -> None:
    runs = sample()
    document = runs.to_dict(argv=["failcast", "run"], created="2026-01-01T00:00:00+00:00")
    folder = fc.write_folder(runs, tmp_path / "out", document)
    manifest = json.loads((folder / "manifest.json").read_text())
    files = manifest.pop("files")
    assert manifest == {"schema": "failcast.folder/1", **document["manifest"]}
    assert json.loads((folder / "result.json").read_text()) == document
    assert sorted(files) == [name for name in NAMES if name != "manifest.json"]
    for name, digest in files.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_our_own_folder_is_written_again_and_other_files_stay(tmp_path: Path) -> None:
    folder = fc.write_folder(sample(3), tmp_path / "out")
    (folder / "notes.txt").write_text("mine")
    fc.write_folder(sample(5), folder)
    assert names(folder) == sorted([*NAMES, "notes.txt"])
    assert json.loads((folder / "manifest.json").read_text())["replications"] == 5
    assert polars.read_csv(folder / "replications.csv").height == 5


@pytest.mark.parametrize(
    "manifest",
    [None, "", "{", "[]", "{}", '{"schema": "other/1"}', "[" * 100_000],
)
def test_a_folder_of_others_is_refused_and_left_alone(tmp_path: Path, manifest: str | None) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    before = contents(tmp_path)
    for attempt in (fc.check_folder, lambda path: fc.write_folder(sample(), path)):
        with pytest.raises(fc.RequestError, match=r"it is not empty, and no manifest\.json of"):
            attempt(tmp_path)
    assert contents(tmp_path) == before


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name, why in (
        ("file", "it is not a folder"),
        ("absent/out", "does not exist"),
        ("a" * 300, "file name too long"),
        ("a\0b", "null"),
    ):
        with pytest.raises(fc.RequestError, match=why):
            fc.check_folder(tmp_path / name)
    assert names(tmp_path) == ["file"]


def test_a_write_protected_place_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write everywhere, so the system's answer is played here.
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    with pytest.raises(fc.RequestError, match="is write-protected"):
        fc.check_folder(tmp_path / "out")


# The document, then the Parquet file, then the CSV file do not fit.
@pytest.mark.parametrize("size", [1000, 40_000, 200_000])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, size: int) -> None:
    new, ours = tmp_path / "new", fc.write_folder(sample(3), tmp_path / "ours")
    before = contents(ours)
    large = sample(3000)
    with files_end_after(size):
        for folder in (new, ours):
            with pytest.raises(fc.RequestError, match=r"file too large\. Name a folder"):
                fc.write_folder(large, folder)
    assert not new.exists()
    assert contents(ours) == before
    fc.write_folder(large, ours)
    assert names(ours) == NAMES
    sizes = [(ours / name).stat().st_size for name in ("result.json", "replications.parquet")]
    assert 1000 < sizes[0] < 40_000 < sizes[1] < 200_000 < (ours / NAMES[1]).stat().st_size


def test_an_interruption_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fc.write_folder(sample(), tmp_path / "out")
    assert names(tmp_path) == []


def test_an_interruption_that_is_raised_twice_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As polars and Python do with one Ctrl-C: the second time comes while files are removed."""
    unlink, presses = Path.unlink, iter([KeyboardInterrupt])

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    def remove(path: Path, missing_ok: bool = False) -> None:
        for press in presses:
            raise press
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "fsync", interrupted)
    monkeypatch.setattr(Path, "unlink", remove)
    with pytest.raises(KeyboardInterrupt):
        fc.write_folder(sample(), tmp_path / "out")
    assert next(presses, None) is None
    assert names(tmp_path) == []


def test_what_a_killed_run_left_unfinished_does_not_make_a_folder_foreign(tmp_path: Path) -> None:
    left = tmp_path / ".failcast-0123456789abcdef-result.json.tmp"
    left.write_text("{")
    fc.write_folder(sample(), tmp_path)
    assert names(tmp_path) == sorted([left.name, *NAMES])
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(fc.RequestError, match="it is not empty"):
        fc.check_folder(tmp_path)


def test_an_empty_name_is_not_the_folder_one_is_in() -> None:
    with pytest.raises(fc.RequestError, match="the name of the folder is empty"):
        fc.check_folder("")
    with pytest.raises(fc.RequestError, match="the name of the file is empty"):
        fc.check_trace_path("")
