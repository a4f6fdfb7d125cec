"""`failcast plan`: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import json
import re
import sys

import pytest
from tests.cli.test_process import interrupted
from tests.cli.test_run import failcast
from tests.cli.test_width import on_a_terminal
from typer.testing import Result

import failcast as fc

CHOOSE = ("--choose", "job.warm_standbys=0..16", "--choose", "cluster.spare_pool=8..24")
GOAL = ("--goal", "ettr >= 0.95", "--goal", "p95(training_hours) <= 1520")
FIXED = ("--seed", "5", "--threads", "1", "--quiet")


def plan_small(*arguments: str) -> Result:
    """`failcast plan small` from seed 5 on one thread."""
    return failcast("plan", "small", *FIXED, *arguments)


def test_the_answer_then_the_setting_its_neighbours_the_frontier_and_what_ran() -> None:
    result = plan_small(*CHOOSE, *GOAL)
    assert (result.exit_code, result.stderr) == (0, "")
    answer, points, frontier, assumed, ran = result.stdout.strip().split("\n\n")
    found = fc.plan(fc.load("small"), [CHOOSE[1], CHOOSE[3]], [GOAL[1], GOAL[3]], seed=5)
    assert found.chosen is not None
    assert " ".join(answer.split()) == found.answer()
    head, chosen, *less, note, _ = points.splitlines()
    assert head.split()[:4] == ["setting", "job.warm_standbys", "cluster.spare_pool", "servers"]
    assert chosen.split()[:3] == ["chosen", *found.chosen.setting.values()]
    assert chosen.split()[-1] == "met"
    assert len(less) == len(found.less)
    assert note.startswith("  in brackets: what each figure is at least or at most, ")
    assert len(frontier.splitlines()) == 2 + len(found.frontier)
    _, head, *rows = assumed.splitlines()
    assert head.split()[:3] == ["assumption", "now", "from"]
    assert [row.split()[0] for row in rows] == [each.path for each in found.assumptions]
    assert ran.startswith(f"{found.runs:,} runs of {found.tried} settings of small from seed 5: ")


def test_json_is_the_document_of_the_plan() -> None:
    document = json.loads(plan_small(*CHOOSE, *GOAL[:2], "--json").stdout)
    assert document["manifest"].pop("argv")[0] == "failcast"
    assert document["manifest"].pop("created")
    found = fc.plan(fc.load("small"), [CHOOSE[1], CHOOSE[3]], [GOAL[1]], seed=5)
    assert document == json.loads(json.dumps(found.to_dict()))


def test_no_setting_is_an_answer_with_the_code_of_a_goal_that_is_not_met() -> None:
    for form in ((), ("--json",)):
        result = plan_small(*CHOOSE, "--goal", "ettr >= 0.999", *form)
        assert result.exit_code == 10
        assert "No setting was shown to meet ettr >= 0.999. Nearest is " in result.stdout
        assert result.stderr == "No setting was shown to meet all goals.\n"


def test_ctrl_c_gives_the_plan_as_far_as_it_is_known() -> None:
    """In the midst of a long search."""
    long = ("--budget", "100000", "--goal", "depleted <= 0.03%", "--seed", "5")
    done = interrupted("plan", "small", *CHOOSE, *long, after="of about")
    assert done.returncode == 130
    assert done.stdout.startswith(("No setting was shown", "job.warm_standbys="))
    assert "The plan was interrupted after " in " ".join(done.stdout.split())
    assert re.search(r"Interrupted after [\d,]+ runs; the plan is as far as it is", done.stderr)
    assert " runs of " in done.stdout.strip().splitlines()[-1]


def test_ctrl_c_before_anything_is_known_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fc, "plan", pressed)
    result = plan_small(*CHOOSE, *GOAL)
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Interrupted; there is no result.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*CHOOSE, "--goal", "etr >= 0.9"), "did you mean 'ettr'?"),
        ((*CHOOSE, "--goal", "ettr >= 0.9", "--minimize", "server"), "did you mean 'servers'?"),
        (("--choose", "job.warm_standby=0..4", *GOAL), "did you mean 'job.warm_standbys'?"),
        ((*CHOOSE, *GOAL, "--budget", "5"), "budget must be a whole number from"),
        ((*CHOOSE, *GOAL, "--executor", "treads"), "executor is 'treads', but it must be one of"),
        ((*CHOOSE, *GOAL, "--confidence", "2"), "confidence must be a number from 0.5"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(arguments: tuple[str, ...], words: str) -> None:
    result = failcast("plan", "small", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert words in result.stderr


def test_the_answer_fits_a_terminal() -> None:
    program = (sys.executable, "-m", "failcast", "plan", "small")
    lines = on_a_terminal(80, (*program, *FIXED, *CHOOSE, *GOAL))
    blank = lines.index("")
    assert max(map(len, lines[:blank])) <= 80
