"""`failcast rank`: what it prints, how wide, the document, and what it refuses."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_run import failcast

import failcast as fc
from failcast.cli.rank_report import bar, metric_lines

SHORT = ("-s", "job.length=10d", "--seed", "3", "--threads", "1", "--quiet")
VARY = ("--vary", "recovery.time=10min..40min", "--vary", "score.penalty=10..50")


def test_answer_table_no_effect_and_what_ran() -> None:
    result = failcast("rank", "small", *SHORT, *VARY, "--samples", "64", "--metric", "ettr")
    assert result.exit_code == 0
    text = result.stdout
    assert text.startswith("recovery.time matters most for ettr: it explains ")
    assert "Chance makes " in text
    assert "10 min to 40 min" in text
    assert "No effect on ettr shown:\n  score.penalty (10 to 50): " in text
    assert "384 runs" not in text
    assert "512 runs of small from seed 3 (sobol: 64 rows, 2 inputs), kernel engine, 1 " in text
    assert "No ranges were declared" not in text


def test_the_document_is_that_of_the_api() -> None:
    result = failcast("rank", "small", *SHORT, *VARY, "--method", "morris", "--samples", "16",
                      "--by", "11d", "--json")  # fmt: skip
    document = json.loads(result.stdout)
    scenario = fc.load("small").with_(job__length="10 d")
    vary = [each for each in VARY if each != "--vary"]
    wanted = fc.rank(scenario, vary=vary, by=[264.0], method="morris", samples=16, seed=3)
    assert document["metrics"] == wanted.to_dict()["metrics"]
    assert list(document["metrics"]) == ["finished_by(11 d)"]
    assert document["manifest"]["argv"][0] == "failcast"


def test_default_ranges_are_said() -> None:
    result = failcast("rank", "small", *SHORT, "--method", "tornado", "--samples", "2")
    assert "No ranges were declared: 12 main numbers of the scenario go from half" in result.stdout


def test_main_numbers_without_a_range_are_said() -> None:
    odd = ("-s", "failures.systematic.fraction=0", "--method", "tornado", "--samples", "2")
    result = failcast("rank", "small", *SHORT, *odd)
    assert "No ranges were declared: 11 main numbers" in result.stdout
    assert (
        "Left out: failures.systematic.fraction: it is zero, so there is nothing to halve or to "
        "double.\n"
    ) in result.stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("method", ["sobol", "morris", "tornado"])
def test_a_table_fits_the_terminal(method: str, columns: int) -> None:
    scenario = fc.load("small").with_(job__length="10 d")
    ranking = fc.rank(scenario, method=method, samples=64)  # type: ignore[arg-type]
    one = ranking.of("training_hours")
    lines = [line.plain for line in metric_lines(ranking, one, True, columns)]
    assert max(map(len, lines)) <= max(columns, 72)
    assert any("not shown in" in line for line in lines)
    everything = "\n".join(line.plain for line in metric_lines(ranking, one, False, None))
    assert "range" in everything
    assert "#" in everything
    assert everything.isascii()


def test_bars() -> None:
    assert bar(1.0, 4, True) == "████"
    assert bar(0.5, 3, True) == "█▌"
    assert bar(0.5, 4, False) == "##"
    assert bar(0.001, 4, True) == ""
    assert bar(1.0, -3, True) == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--vary", "recovery.tim=1min..2min"), "did you mean 'recovery.time'?"),
        (("--metric", "etr"), "Error: unknown metric 'etr': did you mean 'ettr'?"),
        (("--samples", "10"), "samples must be a whole number from 64"),
        (("--by", "3"), "it has no unit"),
        (("--executor", "treads"), "executor is 'treads', but it must be one of threads, ray, "),
    ],
)
def test_wrong_input_is_a_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    result = failcast("rank", "small", *SHORT, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not result.stdout
