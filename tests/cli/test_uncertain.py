"""`failcast run` with uncertain inputs: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.cli.test_run import failcast
from tests.cli.test_width import on_a_terminal
from typer.testing import Result

import failcast as fc
from failcast.study.curves import POINTS

FIXED = ("--replications", "60", "--seed", "5", "--threads", "1", "--quiet")
RECOVERY = ("--uncertain", "recovery=10 min..30 min")
STANDBYS = ("--uncertain", "job.warm_standbys=2..8")
UNKNOWN = ("--uncertain", "recovery.time=unknown(10min..3h)")


def run_small(*arguments: str) -> Result:
    """`failcast run small` with 60 replications from seed 5 on one thread."""
    return failcast("run", "small", *FIXED, *arguments)


def small(**beliefs: str) -> fc.Scenario:
    """The preset with beliefs; `__` stands for the dot."""
    return fc.load("small").with_(uncertain={k.replace("__", "."): v for k, v in beliefs.items()})


BOTH = small(recovery__time="10 min..30 min", job__warm_standbys="2..8")


def test_the_answer_then_metrics_then_causes() -> None:
    result = run_small(*RECOVERY, *STANDBYS, "--by", "63d")
    assert (result.exit_code, result.stderr) == (0, "")
    answer, by, metrics, causes, ran = result.stdout.strip().split("\n\n")
    found = fc.predict(BOTH, replications=60, seed=5)
    assert " ".join(answer.split()) == found.answer()
    assert by.startswith("Finished within 63 days: ")
    assert metrics.splitlines()[0].split()[-4:] == ["p5", "p50", "p95", "inputs"]
    assert metrics.splitlines()[1].split()[0] == "training_hours"
    rows = causes.splitlines()
    assert rows[0] == "What makes the variance of training_hours:"
    assert [row.split()[0] for row in rows[2:6]] == [
        "recovery.time",
        "job.warm_standbys",
        "together",
        "chance",
    ]
    assert ran.startswith("30 draws of 2 uncertain inputs, 2 runs of each, of small from seed 5, ")


def test_a_file_and_an_option_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    data = fc.to_dict(BOTH)
    file.write_text(json.dumps(data))
    from_file = failcast("run", str(file), *FIXED, "--draws", "20")
    from_options = run_small(*RECOVERY, *STANDBYS, "--draws", "20")
    assert from_file.stdout.split("engine")[0] == from_options.stdout.split("engine")[0]
    assert "20 draws of 2 uncertain inputs, 3 runs of each" in from_file.stdout


def test_json_is_the_document_of_the_prediction() -> None:
    document = json.loads(run_small(*RECOVERY, *STANDBYS, "--json").stdout)
    assert document["manifest"].pop("argv")[0] == "failcast"
    assert document["manifest"].pop("created")
    expected = fc.predict(BOTH, replications=60, seed=5).to_dict()
    assert document == json.loads(json.dumps(expected))


def test_goals_are_judged_over_inputs_and_chance() -> None:
    result = run_small(*RECOVERY, "--fail-if", "training_hours.p50 > 1")
    assert result.exit_code == 10
    assert result.stderr.startswith("The goal 'training_hours.p50 > 1' failed: ")


def test_an_unknown_input_gives_a_curve_and_break_evens() -> None:
    goal = ("--fail-if", "training_hours > 70d", "--by", "65d")
    result = run_small(*UNKNOWN, *goal)
    assert (result.exit_code, result.stderr) == (0, "")
    answer, table, chart, ran = result.stdout.strip().split("\n\n")
    assert answer.startswith("recovery.time is not known: between 10 min and 3 h, training takes ")
    assert "The goal 'training_hours > 70d' fails above recovery.time 1.2" in answer
    assert len(table.splitlines()) == 1 + POINTS
    assert table.splitlines()[0].endswith("by 65 days")
    assert chart.splitlines()[0].startswith("Training time over recovery.time, from 61.")
    assert all(line.count("●") == 1 for line in chart.splitlines()[1:])
    assert ran.startswith("60 replications at each of ")
    document = json.loads(run_small(*UNKNOWN, *goal, "--json").stdout)
    assert document["schema"] == "failcast.curve/1"
    assert document["goals"][0]["crossings"][0]["text"] in answer


def test_verbs_that_heed_no_beliefs_say_so(tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text(json.dumps(fc.to_dict(BOTH)))
    arguments = ("sweep", str(file), "--vary", "recovery=10min,20min", "--replications", "5")
    assert (
        "Note: only run heeds what is believed of job.warm_standbys, recovery.time; "
        "here the fields count.\n"
    ) in failcast(*arguments).stderr
    checked = failcast("check", str(file))
    assert checked.stderr == ""
    assert "uncertain.recovery.time" in checked.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--uncertain", "recovery.tme=1 min..2 min"], "did you mean 'recovery.time'?"),
        (["--uncertain", "recovery=2 min..1 min"], "its first end must be below its second"),
        (["--uncertain", "recovery"], "is not of the form path=value"),
        (["--uncertain", "recovery=unknown"], "no number is invented for it"),
        ([*RECOVERY, "--draws", "31"], "draws must be a whole number from 10 to 30"),
        ([*RECOVERY, "--levers"], "--levers is not there for a run with uncertain inputs"),
        ([*RECOVERY, "--min-replications", "9"], "--min-replications is not there"),
        ([*UNKNOWN, "--draws", "20"], "draws has no effect where an input is unknown"),
        (["--draws", "20"], "draws has no effect without uncertain inputs"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(arguments: list[str], words: str) -> None:
    result = run_small(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert words in result.stderr


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("what", [(*RECOVERY, *STANDBYS), (*UNKNOWN, "--by", "65d")])
def test_no_line_is_wider_than_the_terminal(width: int, what: tuple[str, ...]) -> None:
    program = (sys.executable, "-m", "failcast", "run", "small")
    lines = on_a_terminal(width, (*program, *FIXED, *what))
    assert max(map(len, lines)) <= width
