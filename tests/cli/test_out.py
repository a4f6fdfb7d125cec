"""`failcast run --out`: the folder holds what `--json` prints, and a wrong one is told at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars
import pytest
from typer.testing import CliRunner, Result

import failcast as fc
from failcast.cli import app

SMALL = ("run", "small", "--replications", "3", "--seed", "5", "--threads", "1")


def failcast(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*SMALL, *arguments])


def test_the_folder_holds_the_document_and_the_runs(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    result = failcast("--out", str(folder), "--json", "--fail-if", "ettr < 0.99")
    assert result.exit_code == 10
    document = json.loads(result.stdout)
    assert json.loads((folder / "result.json").read_text()) == document
    assert document["goals"][0]["failed"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["scenario_hash"] == document["manifest"]["scenario_hash"]
    assert {"argv", "created", "seed", "inputs"} <= set(manifest)
    sample = fc.simulate(fc.load("small"), replications=3, seed=5, threads=1)
    assert polars.read_parquet(folder / "replications.parquet").equals(sample.frame())
    assert f"Wrote the results into {folder}" in result.stderr


def test_the_report_is_printed_all_the_same(tmp_path: Path) -> None:
    result = failcast("--out", str(tmp_path), "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Training takes ")
    assert (tmp_path / "manifest.json").is_file()


def test_measured_values_are_among_the_inputs_and_make_the_result_again(tmp_path: Path) -> None:
    """The written scenario reads back beside the same file, and nowhere else."""
    repairs = tmp_path / "repairs.csv"
    repairs.write_text("hours\n1\n2.5\n40\n")
    file = tmp_path / "plan.yaml"
    file.write_text("repair: {manual: {time: 'empirical(repairs.csv, unit=h)'}}\n")
    sizes = ("-s", "job.servers=20", "-s", "job.length=10 d", "-s", "recovery=mixture(1: 1 h)")
    options = ("--replications", "2", "--threads", "1", "--quiet", "--json")
    folder = tmp_path / "out"
    first = CliRunner().invoke(
        app, ["run", str(file), *sizes, *options, "--out", str(folder)], catch_exceptions=False
    )
    document = json.loads(first.stdout)
    for manifest in (document["manifest"], json.loads((folder / "manifest.json").read_text())):
        assert manifest["inputs"] == [fc.InputFile.of(path)._asdict() for path in (file, repairs)]
    assert document["scenario"]["repair"]["manual"]["time"] == (
        f"empirical(repairs.csv, unit=h, sha256={fc.InputFile.of(repairs).sha256[:16]})"
    )
    again = tmp_path / "again.json"
    again.write_text(json.dumps(document["scenario"]))
    second = json.loads(CliRunner().invoke(app, ["run", str(again), *options]).stdout)
    assert second["metrics"] == document["metrics"]
    assert second["manifest"]["scenario_hash"] == document["manifest"]["scenario_hash"]
    astray = folder / "again.json"
    astray.write_text(again.read_text())
    third = CliRunner().invoke(app, ["run", str(astray), *options])
    assert third.exit_code == 2
    assert f"{folder / 'repairs.csv'} does not exist." in third.stderr


@pytest.mark.parametrize("files", [("--out",), ("--trace",), ("--out", "--trace")])
def test_a_full_disk_does_not_keep_the_result_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    paths = [(option, str(tmp_path / option.strip("-"))) for option in files]
    result = failcast(*(word for pair in paths for word in pair), "--json", "--fail-if", "ettr < 1")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["goals"][0]["failed"]
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert [" no space left on device. Name a f" in line for line in errors] == [True] * len(files)
    assert all(any(path in line for line in errors) for _, path in paths)
    assert "Wrote" not in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--out", "the name is empty."),
        ("--trace", "the name is empty."),
        ("--precision", "'' is no share; write one such as 1%."),
    ],
)
def test_an_empty_value_is_refused(option: str, sentence: str) -> None:
    result = CliRunner().invoke(app, ["run", "small", option, ""])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"Invalid value for '{option}': {sentence}" in result.stderr


def test_a_folder_that_is_not_ours_is_told_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    monkeypatch.setattr(fc, "simulate", pytest.fail)
    result = failcast("--out", str(tmp_path), "--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: cannot write results into {tmp_path}: it is not empty")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]
