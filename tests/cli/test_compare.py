"""`failcast compare`: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from tests.cli.test_process import interrupted
from tests.cli.test_run import failcast
from tests.cli.test_width import on_a_terminal
from typer.testing import Result

import failcast as fc
from failcast.cli.compare_report import metric_lines, share_lines, what_ran

FASTER = "recovery.time=10 min"
HEAD = ["metric", "base", "other", "difference", "95", "%", "interval", "shown", "saved"]


def compare_small(*arguments: str) -> Result:
    """`failcast compare small` with 20 replications from seed 5 on one thread."""
    fixed = ("--replications", "20", "--seed", "5", "--threads", "1", "--quiet")
    return failcast("compare", "small", *fixed, *arguments)


def small_comparison(*others: fc.Scenario) -> tuple[fc.Comparison, ...]:
    """What `compare_small` should have compared."""
    return fc.compare(fc.load("small"), *others, replications=20, seed=5)


def test_the_answer_comes_first_then_changes_table_and_what_ran() -> None:
    result = compare_small("-s", FASTER)
    assert (result.exit_code, result.stderr) == (0, "")
    answer, changed, table, ran = result.stdout.strip().split("\n\n")
    (found,) = small_comparison(fc.load("small", [FASTER]))
    assert " ".join(answer.split()) == found.answer()
    assert answer.startswith("recovery.time=10 min saves ")
    assert changed == "Changed: recovery.time=10 min instead of 20 min."
    assert table.splitlines()[0].split() == HEAD
    assert ran.startswith("20 replications of each of 2 scenarios from seed 5, kernel engine, 1 ")
    assert ran.endswith("\nEach 95 % interval holds for itself: about one in 20 misses by chance.")


def test_every_metric_is_in_the_table_or_among_the_constant_ones() -> None:
    (found,) = small_comparison(fc.load("small", [FASTER]))
    table = "\n".join(line.plain for line in metric_lines(found))
    rows, same = table.split("the same in every pair: ")
    same, zero = same.split("zero in every run of both: ")
    for name in (each for each in fc.METRICS if each != "cost"):  # nothing has a price
        gap = found.difference(name)
        listed = [line.split() for line in rows.splitlines() if line.split()[0] == name]
        assert bool(listed) != (name in f"{same},{zero}".replace(",", " ").split()), name
        if listed:
            assert gap.difference is not None
            shown = float(listed[0][3].replace(",", ""))
            last_digit = 0.1 ** len(listed[0][3].partition(".")[2])
            assert shown == pytest.approx(gap.difference, abs=0.501 * last_digit), name
            assert listed[0][7] == ("none" if not gap.shown else "less" if shown < 0 else "more")
    assert "productive_hours" in same
    assert "servers_retired" in zero


def test_changes_are_applied_together_to_make_the_other() -> None:
    result = compare_small("-s", FASTER, "-s", "job.warm_standbys=2", "--json")
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    (one,) = document["comparisons"]
    assert one["changes"] == {
        "job.warm_standbys": ["8", "2"],
        "recovery.time": ["20 min", "10 min"],
    }
    (found,) = small_comparison(fc.load("small", [FASTER, "job.warm_standbys=2"]))
    assert one == json.loads(json.dumps(found.to_dict()))
    assert document["base"]["scenario"]["recovery"]["time"] == "20 min"


def test_how_the_samples_are_taken_holds_for_both() -> None:
    sampling = ("-s", "run.replications=30", "-s", " run.seed = 9", "-s", "run.confidence=0.9")
    result = failcast("compare", "small", *sampling, "-s", FASTER, "--json", "--quiet")
    document = json.loads(result.stdout)
    (one,) = document["comparisons"]
    manifest = document["manifest"]
    assert (manifest["replications"], manifest["seed"], manifest["confidence"]) == (30, 9, 0.9)
    assert one["pairs"] == 30
    assert list(one["changes"]) == ["recovery.time"]
    rough = fc.load("small", ["run.replications=30", "run.seed=9", "run.confidence=0.9"])
    (found,) = fc.compare(rough, rough.with_(recovery__time="10 min"))
    assert one["metrics"] == json.loads(json.dumps(found.to_dict()["metrics"]))
    wanted = ("-s", "run.precision=0.2 %", "-s", "run.min_replications=10", "-s", FASTER)
    document = json.loads(failcast("compare", "small", *wanted, "--json", "--quiet").stdout)
    assert document["comparisons"][0]["pairs"] == document["manifest"]["replications"] > 10


def test_how_the_samples_are_taken_makes_no_other_scenario() -> None:
    result = failcast("compare", "small", "-s", "run.replications=50", "-s", "run.seed=2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: small has nothing to be compared with (run.replications and run.seed: how the "
        "samples of both are taken, which is no change): give another scenario, or a change such "
        "as -s job.warm_standbys=32.\n"
    )
    limits = failcast("compare", "small", "-s", "run.horizon=1500h", "--replications", "5", "-q")
    assert (limits.exit_code, limits.stderr) == (0, "")
    assert "\nChanged: run.horizon=1500 h instead of " in limits.stdout


def test_several_scenarios_are_compared_with_the_first_and_all_are_changed(tmp_path: Path) -> None:
    for name, standbys in (("few", 1), ("many", 14)):
        plan = fc.to_dict(fc.load("small", [f"job.warm_standbys={standbys}"])) | {"name": name}
        (tmp_path / f"{name}.json").write_text(json.dumps(plan), encoding="utf-8")
    files = [str(tmp_path / f"{name}.json") for name in ("few", "many")]
    result = compare_small(*files, "-s", "job.length=5 d", "--json")
    document = json.loads(result.stdout)
    assert [each["name"] for each in document["comparisons"]] == ["few", "many"]
    assert [each["path"] for each in document["manifest"]["inputs"]] == files
    lengths = [each["scenario"]["job"]["length"] for each in document["comparisons"]]
    assert [document["base"]["scenario"]["job"]["length"], *lengths] == ["5 d"] * 3
    printed = compare_small(*files, "-s", "job.length=5 d").stdout
    assert "20 replications of each of 3 scenarios" in printed
    assert printed.count("Changed: job.warm_standbys=") == 2


def test_json_is_strict_and_says_how_to_make_it_again() -> None:
    result = compare_small("-s", FASTER, "--json", "--by", "62.6d")
    assert (result.exit_code, result.stderr) == (0, "")
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    found = small_comparison(fc.load("small", [FASTER]))
    expected = fc.comparison_document(found, by=[62.6 * 24])
    for key in ("schema", "base", "comparisons"):
        assert document[key] == json.loads(json.dumps(expected[key]))
    manifest = document["manifest"]
    assert manifest["argv"][0] == "failcast"
    assert manifest["created"].endswith("+00:00")
    assert {k: manifest[k] for k in expected["manifest"]} == expected["manifest"]


def test_the_share_that_finishes_by_a_time_is_compared() -> None:
    result = compare_small("-s", FASTER, "--by", "62d", "--by", "1h", "--by", "62d")
    lines = result.stdout.split("\n\n")[2].splitlines()
    (found,) = small_comparison(fc.load("small", [FASTER]))
    share = found.finished_by(62 * 24.0)
    assert (share.base, share.other) == (0.0, 1.0)
    assert share.low is not None
    assert lines == [
        "Finished within 62 days: 100 % of runs instead of 0 %: 100 points more "
        f"({100 * share.low:.0f} to 100).",
        "Finished within 1 hour: 0 % of runs, 0 % in the base: no difference shown "
        "(-16 to 16 points).",
    ]


def test_how_runs_end_is_told_where_some_do_not_finish() -> None:
    scenario = fc.load("small").with_(run__horizon="1504 h")
    (found,) = fc.compare(scenario, scenario.with_(recovery__time="10 min"), replications=50)
    within, finished, late = (line.plain for line in share_lines(found, [1600.0]))
    cut = found.base.cut_off_before(1600.0)
    assert 0 < cut < 50
    assert within.startswith("Finished within 1,600 hours: 100 % of runs instead of ")
    assert within.endswith(f"; a limit ended {cut} and 0 runs before that.")
    assert finished.startswith("Finished: 100 % of runs instead of ")
    assert late.startswith("Out of time: 0 % of runs instead of ")
    assert " points less (" in late


def test_nothing_that_finishes_has_no_table() -> None:
    result = compare_small("-s", "run.horizon=1 d")
    assert result.exit_code == 0
    assert "No replication finishes in both scenarios" in result.stdout
    assert "No replication finished in both, so there are no differences to show." in result.stdout
    assert "Out of time: 100 % of runs instead of 0 %" in result.stdout


def test_the_same_scenario_is_no_difference() -> None:
    result = compare_small("small")
    assert result.stdout.startswith("No difference: every run takes exactly as long.\n")
    assert "Changed: nothing that a run depends on." in result.stdout
    assert "metric " not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("small",), "small has nothing to be compared with: give another scenario, or a change"),
        (("small", "-s", "recovery.tim=10 min"), "did you mean 'recovery.time'?"),
        (("small", "smal"), "did you mean 'small'?"),
        (("small", "-s", "job.servers=9999"), "ask for fewer or enlarge a pool"),
        (("small", "-s", FASTER, "--by", "5"), "--by is '5', but it has no unit"),
        (("small", "-s", FASTER, "--threads", "0"), "threads must be a whole number from 1 to 256"),
        (("small", "-s", FASTER, "--replications", "0"), "replications must be a whole number"),
        (("small", "-s", FASTER, "--seed", "-1"), "seed must be a whole number from 0"),
        ((), "Missing argument 'SCENARIO'"),
    ],
)
def test_invalid_input_is_a_sentence_and_exit_2(arguments: tuple[str, ...], sentence: str) -> None:
    result = failcast("compare", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr


def test_a_precision_of_the_base_decides_on_the_pairs() -> None:
    wanted = ("-s", "run.precision=0.2 %", "-s", "run.min_replications=10")
    result = failcast("compare", "small", "small", *wanted, "--json", "--quiet")
    document = json.loads(result.stdout)
    pairs = document["comparisons"][0]["pairs"]
    assert pairs == document["manifest"]["replications"] > 10


def test_interrupting_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fc, "compare", interrupted)
    result = compare_small("-s", FASTER)
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Interrupted; there is no result.\n"


def test_confidence_says_how_many_intervals_miss() -> None:
    sure = fc.load("small").with_(run__confidence=0.99)
    found = fc.compare(sure, sure.with_(job__warm_standbys=4), replications=5)
    assert what_ran(found, 0.5)[1].startswith(
        "Each 99 % interval holds for itself: about one in 100"
    )
    assert what_ran(found, 0.5)[0].endswith("0.50 s, 50.00 ms per replication.")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    change = ("-s", FASTER, "-s", "job.warm_standbys=2", "--by", "62d")
    command = (sys.executable, "-m", "failcast", "compare", "small", *change, "--quiet")
    lines = on_a_terminal(columns, command)
    assert max(map(len, lines)) <= columns
    left_out = [line for line in lines if line.startswith("not shown in ")]
    assert len(left_out) == (columns < 120)


def test_ctrl_c_gives_the_pairs_that_are_done() -> None:
    change = ("-s", "recovery.time=10 min", "--replications", "200000", "--seed", "3")
    done = interrupted("compare", "small", *change, "--json")
    assert done.returncode == 130
    told = re.search(r"Interrupted after ([\d,]+) of 200,000 pairs; the result is of", done.stderr)
    assert told
    count = int(told[1].replace(",", ""))
    assert 2 <= count < 200_000
    document = json.loads(done.stdout)
    assert document["interrupted"] is True
    small = fc.load("small")
    (found,) = fc.compare(small, small.with_(recovery__time="10 min"), replications=count, seed=3)
    assert document["comparisons"][0]["metrics"] == json.loads(
        json.dumps(found.to_dict()["metrics"])
    )
