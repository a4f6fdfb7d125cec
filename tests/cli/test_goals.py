"""`failcast run --fail-if`: exit code 10, sentences on stderr, verdicts in the document."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

import failcast as fc
from failcast.cli import app

SMALL = ("run", "small", "--replications", "3", "--seed", "5", "--threads", "1", "--quiet")


def failcast(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*SMALL, *arguments])


def without_time(output: str) -> list[str]:
    """The lines of a report but the last, which tells how long it took."""
    return output.splitlines()[:-1]


def test_goals_that_are_kept_change_nothing() -> None:
    result = failcast("--fail-if", "ettr.low < 0.5", "--fail-if", "training_hours > 420 d")
    assert (result.exit_code, result.stderr) == (0, "")
    assert without_time(result.stdout) == without_time(failcast().stdout)


def test_each_failed_goal_is_a_sentence_after_the_normal_output() -> None:
    goals = ("ettr.low < 0.99", "finished < 0.99", "training_hours > 60 d")
    result = failcast(*(word for goal in goals for word in ("--fail-if", goal)))
    assert result.exit_code == 10
    assert without_time(result.stdout) == without_time(failcast().stdout)
    told = result.stderr.splitlines()
    assert [line.split(" failed: ")[0] for line in told] == [
        "The goal 'ettr.low < 0.99'",
        "The goal 'training_hours > 60 d'",
    ]


def test_the_document_has_every_goal() -> None:
    result = failcast("--json", "--fail-if", "ettr < 0.99", "--fail-if", "ettr.high < 0.5")
    assert result.exit_code == 10
    document = json.loads(result.stdout)
    sample = fc.simulate(fc.load("small"), replications=3, seed=5, threads=1)
    summary = sample.summary("ettr")
    assert document["goals"] == [
        {"goal": "ettr < 0.99", "value": summary.mean, "failed": True},
        {"goal": "ettr.high < 0.5", "value": summary.high, "failed": False},
    ]


def test_a_goal_on_an_interval_of_one_run_fails() -> None:
    result = failcast("--replications", "1", "--json", "--fail-if", "ettr.low < 0.1")
    assert result.exit_code == 10
    assert json.loads(result.stdout)["goals"][0]["value"] is None
    assert "there is no ettr.low, because only 1 run finished." in result.stderr


@pytest.mark.parametrize(
    ("goal", "sentence"),
    [
        ("etr < 1", "Error: unknown metric 'etr': did you mean 'ettr'?"),
        ("ettr.lo < 1", "Error: unknown figure of ettr 'lo': did you mean 'low'?"),
        ("ettr", "Error: the goal 'ettr' cannot be read: write METRIC OP NUMBER"),
    ],
)
def test_a_wrong_goal_is_told_before_anything_runs(
    goal: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fc, "simulate", pytest.fail)
    result = failcast("--fail-if", "ettr < 1", "--fail-if", goal)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(sentence)
