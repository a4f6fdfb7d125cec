"""`failcast run --out`: the folder holds what `--json` prints, and a wrong one is told at once."""

from __future__ import annotations

import json
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


def test_a_folder_that_is_not_ours_is_told_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    monkeypatch.setattr(fc, "simulate", pytest.fail)
    result = failcast("--out", str(tmp_path), "--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: cannot write results into {tmp_path}: it is not empty")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]
