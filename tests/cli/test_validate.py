"""`failcast validate`: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.cli.test_run import failcast
from tests.cli.test_width import on_a_terminal

import failcast as fc
from failcast.study.validations.words import HEAD, cells

FLEETS = ("infinitehbd", "lanl-system18", "--replications", "20")


def test_answer_table_reasons_sources_and_what_ran() -> None:
    result = failcast("validate", *FLEETS, "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    answer, table, reasons, sources, ran = result.stdout.strip().split("\n\n")
    found = fc.validate(*FLEETS[:2], replications=20, threads=2)
    assert " ".join(answer.split()) == found.answer()
    head, *rows = table.splitlines()
    assert tuple(head.split()) == HEAD
    titles = [row for row in rows if row.startswith(FLEETS[:2])]
    assert titles == [f"{each.name}: {each.title}" for each in found.anchors]
    shown = [row for row in rows if row not in titles]
    for row, line in zip(shown, found.lines, strict=True):
        assert row.split() == " ".join(cells(line)).split()
    assert reasons.count("declined: ") == len(found.declined) == 6
    assert sources.count("source: ") == 2
    assert ran.startswith("40 runs of 2 scenarios, from seed 1: ")


def test_a_terminal_of_80_columns_keeps_all_but_the_mean() -> None:
    command = (sys.executable, "-m", "failcast", "validate", *FLEETS, "--quiet")
    lines = on_a_terminal(80, command)
    assert max(map(len, lines)) <= 80
    assert any(line.split() == [name for name in HEAD if name != "simulated"] for line in lines)
    assert any(line.startswith("not shown in 80 columns: simulated;") for line in lines)


def test_json_holds_the_document_and_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "figures"
    result = failcast("validate", *FLEETS, "--json", "--out", str(out))
    document = json.loads(result.stdout)
    assert document["schema"] == "failcast.validate/1"
    assert [each["name"] for each in document["anchors"]] == list(FLEETS[:2])
    assert document["argv"][0] == "failcast"
    assert f"The figures are in {out}" in result.stderr
    assert json.loads((out / "result.json").read_text()) == document
    assert (out / "figures.csv").read_text().startswith("anchor,figure,class,verdict,measured,")


def test_what_does_not_agree_ends_with_10(monkeypatch: pytest.MonkeyPatch) -> None:
    from failcast.study.validations import validation
    from failcast.study.validations.checks import CHECKS
    from failcast.study.validations.measures import mean_of

    wrong = CHECKS["infinitehbd"]["faults"]
    wrong = type(wrong)(wrong.case, mean_of("stalls"))
    checks = {**CHECKS, "infinitehbd": {**CHECKS["infinitehbd"], "faults": wrong}}
    monkeypatch.setattr(validation, "CHECKS", checks)
    result = failcast("validate", "infinitehbd", "--replications", "20", "--quiet")
    assert result.exit_code == 10
    assert "Not so: faults of infinitehbd." in " ".join(result.stdout.split())


def test_what_cannot_be_validated_is_refused(tmp_path: Path) -> None:
    result = failcast("validate", "infinitehdb")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: unknown anchor 'infinitehdb': did you mean 'infinitehbd'?\n"
    (tmp_path / "thesis.txt").write_text("mine")
    result = failcast("validate", "infinitehbd", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "it is not empty" in result.stderr
