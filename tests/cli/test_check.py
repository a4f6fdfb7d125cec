"""`failcast check`, `--version` and the help of the bare command."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import failcast as fc
from failcast.cli import app


def test_check_echoes_every_field_with_its_unit() -> None:
    result = CliRunner().invoke(app, ["check", "small", "-s", "recovery.time=90 s"])
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = dict(line.split(None, 1) for line in result.stdout.splitlines() if "." in line)
    scenario = fc.load("small", ["recovery.time=90 s"])
    for path, value in fc.describe(scenario):
        if "." in path:
            assert lines[path].rstrip() == value
    assert fc.scenario_hash(scenario)[:16] in result.stdout


def test_check_as_json_can_be_loaded_again(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", "small", "-s", "job.warm_standbys=3", "--json"])
    document = json.loads(result.stdout)
    assert document["schema"] == "failcast.check/1"
    file = tmp_path / "again.json"
    file.write_text(json.dumps(document["scenario"]), encoding="utf-8")
    again = fc.load(file)
    assert again == fc.load("small", ["job.warm_standbys=3"])
    assert document["scenario_hash"] == fc.scenario_hash(again)


def test_check_tells_every_problem_in_a_sentence_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("job:\n  servers: 0\n  warm_standbys: -1\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(file)])
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert [line.startswith(f"Error: {file}, line ") for line in lines] == [True, True]


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"failcast {fc.__version__}\n")


def test_the_bare_command_shows_help_with_every_verb() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert "Usage: failcast" in result.stdout
    assert all(f"\n  {verb} " in result.stdout for verb in ("run", "check", "init", "schema"))
