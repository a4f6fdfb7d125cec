"""`failcast init` and `failcast schema`: what they write where, and what they leave alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import failcast as fc
from failcast.cli import app
from failcast.scenario.commented import commented_yaml
from failcast.scenario.schema import json_schema


def failcast(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_the_default_file_is_written_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = failcast("init")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Wrote the default scenario, with comments, to scenario.yaml\n"
    assert [file.name for file in tmp_path.iterdir()] == ["scenario.yaml"]
    assert fc.load("scenario.yaml") == fc.Scenario()
    assert failcast("check", "scenario.yaml").exit_code == 0


def test_a_dash_is_stdout() -> None:
    result = failcast("init", "-")
    assert (result.exit_code, result.stdout, result.stderr) == (0, commented_yaml(), "")


def test_an_existing_file_is_left_alone_unless_forced(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\n", encoding="utf-8")
    result = failcast("init", str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {file} exists: ")
    assert file.read_text(encoding="utf-8") == "name: mine\n"
    assert failcast("init", str(file), "--force").exit_code == 0
    assert file.read_text(encoding="utf-8") == commented_yaml()
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["new.toml", "new.json", "new"])
def test_a_name_that_is_not_of_a_yaml_file_is_refused(name: str, tmp_path: Path) -> None:
    result = failcast("init", str(tmp_path / name))
    assert result.exit_code == 2
    assert result.stderr.endswith("YAML, so the name must end in .yaml or .yml.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["absent/new.yaml", "folder.yaml"])
def test_a_place_that_takes_no_file_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.yaml").mkdir()
    result = failcast("init", name, "--force")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: cannot write the scenario to {name}: ")
    assert result.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.rglob("*")] == ["folder.yaml"]


def test_a_full_disk_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\n", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = failcast("init", str(file), "--force")
    assert result.exit_code == 2
    assert "no space left on device" in result.stderr
    assert file.read_text(encoding="utf-8") == "name: mine\n"
    assert list(tmp_path.iterdir()) == [file]


def test_the_schema_is_alone_on_stdout() -> None:
    result = failcast("schema")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == json_schema()
