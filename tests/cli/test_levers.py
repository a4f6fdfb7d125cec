"""`failcast run --levers`: the table below the report, and `levers` in the document."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from tests.cli.test_process import interrupted
from tests.cli.test_run import run_small, small_sample
from tests.cli.test_width import on_a_terminal

import failcast as fc
from failcast.cli.lever_report import lever_lines, untried_lines


def plain(levers: fc.Levers) -> list[str]:
    """The lines of the table, without controls."""
    return [line.plain for line in lever_lines(levers)]


def test_the_levers_follow_the_report() -> None:
    bare, result = run_small(), run_small("--levers")
    assert (result.exit_code, result.stderr) == (0, "")
    parts = result.stdout.strip().split("\n\n")
    assert parts[:3] == bare.stdout.strip().split("\n\n")[:3]
    found = fc.levers(small_sample())
    assert " ".join(parts[4].split()) == found.answer()
    assert parts[5].splitlines() == [
        *plain(found)[:-2],
        "Each interval holds for itself: of 16 about 0.8 misses by chance, and the best of many "
        "looks a",
        "little better than it is.",
    ]


def test_every_lever_has_its_figures_in_one_unit() -> None:
    found = fc.levers(small_sample())
    title, heads, *rows = plain(found)[:-2]
    assert title == "Training time in hours less (-) or more (+) than now:"
    assert heads.split() == [
        *("lever", "now", "then", "difference", "95", "%", "interval", "share", "shown")
    ]
    assert len(rows) == len(found) == 16
    for row, lever in zip(rows, found, strict=True):
        cells = re.split(r"\s{2,}", row)
        assert lever.difference is not None
        assert cells[:3] == [f"{lever.part} the {lever.knob}", lever.now, lever.then]
        last_digit = 0.1 ** len(cells[3].partition(".")[2])
        assert float(cells[3]) == pytest.approx(lever.difference.difference, abs=0.501 * last_digit)
        assert " to " in cells[4]
        assert cells[6] == lever.difference.direction


def test_what_was_not_tried_is_said_once_for_each_reason() -> None:
    scenario = fc.load("small", ["cluster.spare_pool=0", "job.warm_standbys=14"])
    lines = [line.plain for line in untried_lines(fc.levers(scenario, replications=1))]
    assert lines == [
        "Not tried: twice the warm standbys: job.servers (256) and job.warm_standbys (28) together "
        "need 284 servers, but cluster.working_pool (270) and cluster.spare_pool (0) hold 270: ask "
        "for fewer or enlarge a pool.",
        "Not tried: half and twice the spare pool: it is zero.",
        "Not tried: half and twice the idle servers: it is zero.",
    ]


def test_where_some_do_not_finish_a_column_says_how_many_do() -> None:
    scenario = fc.load("small", ["run.horizon=62.7 d"])
    rows = plain(fc.levers(scenario, replications=40))
    assert rows[1].endswith("  finish")
    assert any(row.endswith(" 100 %") for row in rows)
    never = fc.load("small", ["run.horizon=62 d"])
    rows = plain(fc.levers(never, replications=3))
    assert sum(" none " in row for row in rows) == 16


def test_one_replication_has_no_interval() -> None:
    rows = plain(fc.levers(fc.load("small"), replications=1))
    assert all(row.split()[-1] == "none" for row in rows[2:18])


def test_the_document_has_the_levers_where_they_are_asked_for(tmp_path: Path) -> None:
    assert json.loads(run_small("--json").stdout)["levers"] is None
    folder = str(tmp_path / "out")
    document = json.loads(run_small("--levers", "--json", "--out", folder).stdout)
    expected = fc.levers(small_sample()).to_list()
    assert document["levers"] == json.loads(json.dumps(expected))
    assert (
        json.loads((tmp_path / "out" / "result.json").read_text())["levers"] == document["levers"]
    )


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    options = ("--levers", "-s", "run.horizon=62.7 d", "-s", "cluster.spare_pool=0", "--quiet")
    lines = on_a_terminal(columns, (sys.executable, "-m", "failcast", "run", "small", *options))
    assert max(map(len, lines)) <= columns
    assert any(line.startswith("half the recovery time ") for line in lines)


@pytest.mark.parametrize("output", ["", "--json"])
def test_ctrl_c_while_levers_are_tried_keeps_what_is_done(output: str) -> None:
    """Pressed at the first line of progress of the levers, which are 16 times 20,000 runs."""
    many = ("run", "small", "--replications", "20000", "--threads", "2", "--levers")
    done = interrupted(*many, *filter(None, [output]), after=" of 320,000 replications done")
    assert done.returncode == 130
    told = re.search(r"Interrupted after (\d+) of 16 levers; the result is of these", done.stderr)
    assert told
    if output:
        document = json.loads(done.stdout)
        assert document["interrupted"] is False
        tried = [lever for lever in document["levers"] if lever["training_hours"] is not None]
        assert len(tried) == int(told[1]) < 16
    else:
        assert "20,000 replications of small" in done.stdout
        assert "it was interrupted before it ran." in done.stdout
