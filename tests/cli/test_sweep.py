"""`failcast sweep`: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.cli.test_run import failcast
from tests.cli.test_width import on_a_terminal
from typer.testing import Result

import failcast as fc

FIXED = ("--replications", "20", "--seed", "5", "--threads", "1", "--quiet")
RECOVERY = ("--vary", "recovery=10 min,20 min")
STANDBYS = ("--vary", "job.warm_standbys=0,2,8")


def sweep_small(*arguments: str) -> Result:
    """`failcast sweep small` with 20 replications from seed 5 on one thread."""
    return failcast("sweep", "small", *FIXED, *arguments)


def small_sweep(*vary: str) -> fc.Sweep:
    """What `sweep_small` should have swept."""
    return fc.sweep(fc.load("small"), vary, replications=20, seed=5)


def test_one_axis_is_a_list_of_its_values() -> None:
    result = sweep_small(*STANDBYS)
    assert (result.exit_code, result.stderr) == (0, "")
    answer, cells, *effects, ran = result.stdout.strip().split("\n\n")
    found = small_sweep(STANDBYS[1])
    assert " ".join(answer.split()) == found.answer()
    head, *rows = cells.splitlines()
    assert head.split()[:2] == ["job.warm_standbys", "training_hours"]
    assert [row.split()[0] for row in rows] == ["0", "2", "8"]
    for cell, row in zip(found.cells, rows, strict=True):
        shown = float(row.split()[1].replace(",", ""))
        assert shown == pytest.approx(found.mean(cell, "training_hours")[0], rel=1e-3)
    assert [part.splitlines()[0] for part in effects] == [
        "The largest difference that each axis makes to training_hours:",
        "The largest difference that each axis makes to ettr:",
    ]
    assert ran.startswith(
        "20 replications of each of 3 cells of small from seed 5, kernel engine: "
    )


def test_effects_are_computed_once_for_answer_and_table(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    sample = fc.Sweep.sample

    def counted(self: fc.Sweep, cell: int | fc.Cell) -> fc.Sample:
        reads.append(cell.number if isinstance(cell, fc.Cell) else cell)
        return sample(self, cell)

    monkeypatch.setattr(fc.Sweep, "sample", counted)
    assert sweep_small(*STANDBYS, "--metric", "training_hours").exit_code == 0
    assert reads == [0, 1, 2]


def test_two_axes_are_a_table_with_two_sides() -> None:
    result = sweep_small(*RECOVERY, *STANDBYS, "--metric", "failures")
    _, table, effects, _ = result.stdout.strip().split("\n\n")
    title, head, *rows = table.splitlines()
    assert title.startswith("Mean failures by recovery.time and, across, job.warm_standbys, each")
    assert head.split() == ["recovery.time", "0", "2", "8"]
    assert [" ".join(row.split()[:2]) for row in rows] == ["10 min", "20 min"]
    found = small_sweep(RECOVERY[1], STANDBYS[1])
    means = [found.mean(number, "failures")[0] for number in range(6)]
    shown = [float(text) for row in rows for text in row.split()[2:]]
    assert shown == pytest.approx(means, abs=0.06)
    assert len(effects.splitlines()) == 4


def test_three_axes_are_a_list_of_cells_with_the_infeasible_ones_told() -> None:
    pools = ("--vary", "cluster.working_pool=100,300", "--vary", "cluster.spare_pool=0,8")
    result = sweep_small(*RECOVERY, *pools, "--metric", "finished_by(62d)", "--metric", "ettr")
    assert result.exit_code == 0
    parts = result.stdout.strip().split("\n\n")
    assert len(parts[1].splitlines()) == 1 + 4
    assert parts[1].splitlines()[0].split()[3:5] == ["finished_by(62", "d)"]
    assert (
        "Infeasible: recovery.time, cluster.working_pool, cluster.spare_pool = 10 min, 100, 0 "
        in (parts[4])
    )
    assert "4 cells are infeasible and left out." in " ".join(parts[0].split())


def test_json_is_the_document_of_the_sweep() -> None:
    document = json.loads(sweep_small(*STANDBYS, "--json").stdout)
    manifest = document["manifest"]
    assert manifest.pop("argv")[0] == "failcast"
    assert manifest.pop("created")
    assert document == json.loads(json.dumps(small_sweep(STANDBYS[1]).to_dict()))
    few = json.loads(sweep_small(*STANDBYS, "--json", "--metric", "depleted").stdout)
    assert list(few["cells"][0]["metrics"]) == ["depleted"]


def test_out_keeps_the_runs_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "study"
    arguments = ("sweep", "small", *FIXED[:-1], *STANDBYS, "--out", str(out))
    first, second = failcast(*arguments), failcast(*arguments)
    assert first.stderr == f"The runs of all cells are in {out}\n"
    assert first.stdout.partition("engine:")[0] == second.stdout.partition("engine:")[0]
    assert (out / "cells.csv").read_text().splitlines()[0].startswith("cell,job.warm_standbys,")
    other = failcast(*arguments[:5], "6", *arguments[6:])
    assert (other.exit_code, other.stdout) == (2, "")
    assert "is a store of something else: its seed is 5, not 6." in other.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--vary", "job.warm_standby=1,2"], "did you mean 'job.warm_standbys'?"),
        (["--vary", "job.warm_standbys=1,2", "--metric", "etr"], "did you mean 'ettr'?"),
        (["--vary", "job.warm_standbys=1,x"], "is 'x', but it must be a whole"),
        (
            ["--vary", "job.warm_standbys=1,2", "--metric", "finished_by"],
            "needs a time",
        ),
        (
            ["--vary", "job.warm_standbys=1,2", "--replications", "0"],
            "must be a whole",
        ),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(arguments: list[str], words: str) -> None:
    result = failcast("sweep", "small", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert words in result.stderr


def test_without_anything_to_vary_the_usage_is_told() -> None:
    result = failcast("sweep", "small")
    assert result.exit_code == 2
    assert "--vary" in result.stderr


@pytest.mark.parametrize("width", [80, 120])
def test_no_prose_is_wider_than_the_terminal(width: int) -> None:
    program = (sys.executable, "-m", "failcast", "sweep", "small")
    lines = on_a_terminal(width, (*program, *FIXED, *RECOVERY, *STANDBYS))
    assert max(map(len, lines)) <= width
