"""`failcast run`: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import failcast as fc
from failcast.cli import app
from failcast.results import wording

ESCAPE = "\x1b"


def failcast(*arguments: str) -> Result:
    """The command line in this process, as it behaves in a pipe."""
    return CliRunner(env={"NO_COLOR": None, "FORCE_COLOR": None}).invoke(app, list(arguments))


def run_small(*arguments: str) -> Result:
    """`failcast run small` with three replications from seed 5 on one thread."""
    fixed = ("--replications", "3", "--seed", "5", "--threads", "1", "--quiet")
    return failcast("run", "small", *fixed, *arguments)


def small_sample(**changes: object) -> fc.Sample:
    """What `run_small` should have simulated."""
    scenario = fc.load("small").with_(**changes)
    return fc.simulate(scenario, replications=3, seed=5, threads=1)


def test_the_answer_comes_first_then_table_balance_and_what_ran() -> None:
    result = run_small()
    assert result.exit_code == 0
    assert result.stderr == ""
    answer, table, balance, ran = result.stdout.strip().split("\n\n")
    assert " ".join(answer.split("\n")) == small_sample().answer()
    assert table.startswith("metric ")
    assert "95 % interval" in table.splitlines()[0]
    assert balance.startswith("Where the hours of a run go (mean of 3 finished runs):")
    assert ran.startswith("3 replications of small from seed 5, kernel engine, 1 thread: ")


def test_every_metric_is_in_the_table_or_among_the_zeros() -> None:
    table = run_small().stdout.split("\n\n")[1]
    rows, zeros = table.split("zero in every run: ")
    for name in (*(each for each in fc.METRICS if each != "cost"), "mtbf_hours"):
        in_rows = any(line.split()[0] == name for line in rows.splitlines())
        assert in_rows != (name in zeros.replace(",", " ").split())


def test_in_a_pipe_there_is_no_escape_and_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    result = run_small()
    assert ESCAPE not in result.stdout + result.stderr
    assert "…" not in result.stdout
    header = result.stdout.split("\n\n")[1].splitlines()[0]
    assert header.split() == ["metric", "mean", "95", "%", "interval", "p5", "p50", "p95"]


def test_json_is_strict_and_alone_on_stdout() -> None:
    result = run_small("--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    expected = small_sample().to_dict()
    assert {k: document[k] for k in document if k != "manifest"} == {
        k: expected[k] for k in expected if k != "manifest"
    }
    assert document["manifest"]["argv"][0] == "failcast"
    assert document["manifest"]["created"].endswith("+00:00")


def test_the_scenario_of_the_document_makes_the_same_result_again(tmp_path: Path) -> None:
    first = json.loads(run_small("--json").stdout)
    file = tmp_path / "again.json"
    file.write_text(json.dumps(first["scenario"]), encoding="utf-8")
    again = json.loads(failcast("run", str(file), "--json", "--quiet").stdout)
    assert again["metrics"] == first["metrics"]
    assert again["scenario"] == first["scenario"]
    assert again["manifest"]["scenario_hash"] == first["manifest"]["scenario_hash"]


def test_the_manifest_names_the_scenario_file_with_its_hash(tmp_path: Path) -> None:
    assert json.loads(run_small("--json").stdout)["manifest"]["inputs"] == []
    file = tmp_path / "mine.yaml"
    file.write_text("job: {servers: 4, length: 1 d}\n", encoding="utf-8")
    result = failcast("run", str(file), "--replications", "1", "--json", "--quiet")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    manifest = json.loads(result.stdout)["manifest"]
    assert manifest["inputs"] == [{"path": str(file), "sha256": digest}]


def test_the_last_line_says_the_threads_that_were_used() -> None:
    options = ("-s", "job.length=1 d", "--threads", "2", "--quiet", "--replications", "3")
    for engine, told in (("reference", "1 thread:"), ("kernel", "2 threads:")):
        result = failcast("run", "small", *options, "--engine", engine)
        assert f"{engine} engine, {told}" in result.stdout.splitlines()[-1]


def test_overrides_apply_in_order() -> None:
    result = run_small("-s", "job.warm_standbys=1", "--set", "job.length=2 d", "--json")
    document = json.loads(result.stdout)
    assert document["scenario"]["job"]["warm_standbys"] == 1
    expected = small_sample(job__warm_standbys=1, job__length=48.0)
    assert document["metrics"] == expected.to_dict()["metrics"]


def test_both_engines_give_the_same_numbers() -> None:
    options = ("-s", "job.length=1 d", "--json")
    kernel, reference = (
        json.loads(run_small(*options, "--engine", engine).stdout)
        for engine in ("kernel", "reference")
    )
    assert reference["manifest"]["engine"] == "reference"
    assert kernel["metrics"] == reference["metrics"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", "smal"), "smal"),
        (("run", "small", "-s", "job.warm=3"), "did you mean 'job.warm_standbys'?"),
        (("run", "small", "-s", "job.servers"), "not of the form path=value"),
        (("run", "small", "-s", "job.warm_standbys=-1"), "job.warm_standbys is -1, but"),
        (("run", "small", "--threads", "0"), "threads must be a whole number from 1 to 256"),
        (("run", "small", "--replications", "0"), "replications must be a whole number from 1"),
        (
            ("run", "small", "--precision", "0"),
            "precision is 0, but it must be above 0 and below",
        ),
        (("run", "small", "--precision", "100%"), "precision is '100%', but it must be above 0"),
        (
            ("run", "small", "--precision", "1%", "--replications", "5"),
            "replications and precision",
        ),
        (("run", "small", "--precision-of", "ettr"), "precision_of has no effect without"),
        (("run", "small", "--precision", "1%", "--precision-of", "etr"), "did you mean 'ettr'?"),
        (("run", "small", "--by", "5"), "--by is '5', but it has no unit: write '5 min' or '5 h'."),
        (("run", "small", "--by", "soon"), "--by is 'soon', but it must be a duration such as"),
        (("run", "small", "--min-replications", "9"), "min_replications has no effect without"),
        (("run", "small", "--max-replications", "x"), "'x' is not a whole number."),
        (("run", "small", "--seed", "-1"), "seed must be a whole number from 0"),
        (("run", "small", "--seed", "x"), "'x' is not a whole number."),
        (("run", "small", "--engine", "turbo"), "'turbo' is not one of"),
        (("run", "small", "--trace", "absent/t.csv"), "cannot write the trace to absent/t.csv"),
        (("run",), "Missing argument 'SCENARIO'"),
        (("run", "small", "--warp"), "No such option: --warp"),
        (("rum", "small"), "No such command 'rum'"),
    ],
)
def test_invalid_input_is_a_sentence_on_stderr_and_exit_2(
    arguments: tuple[str, ...], sentence: str
) -> None:
    result = failcast(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert not set(result.stderr) & set("│╭╰─")


def test_the_trace_is_that_of_replication_0(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    result = run_small("--trace", str(path), "-s", "job.length=2 d")
    assert result.exit_code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    scenario = fc.load("small").with_(job__length=48.0)
    events = fc.trace(scenario, seed=5, replication=0).rows()
    assert rows[0] == ["time_hours", "event", "server", "detail"]
    assert [(float(t), e, int(s), int(d)) for t, e, s, d in rows[1:]] == list(events)
    assert list(tmp_path.iterdir()) == [path]


def test_a_trace_is_announced_unless_quiet(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    result = failcast("run", "small", "--replications", "1", "--trace", str(path))
    assert f"Wrote the events of replication 0 to {path}" in result.stderr
    assert str(path) not in result.stdout


def test_one_replication_has_no_interval() -> None:
    result = failcast("run", "small", "--replications", "1", "--quiet")
    assert "(one run: no interval)" in " ".join(result.stdout.split("\n\n")[0].split())
    row = next(line for line in result.stdout.splitlines() if line.startswith("training_hours"))
    assert row.split()[2] == "-"


def test_a_scenario_that_cannot_finish_says_so() -> None:
    result = run_small("-s", "run.horizon=1 d")
    assert result.exit_code == 0
    answer = " ".join(result.stdout.split("\n\n")[0].split())
    assert answer.startswith("Training does not finish in any of 3 runs: all reached the horizon")
    assert "No run finished, so there are no means to show." in result.stdout
    assert "mean of 3 unfinished runs" in result.stdout
    document = json.loads(run_small("-s", "run.horizon=1 d", "--json").stdout)
    assert document["status"]["out_of_time"] == 3
    assert document["metrics"]["training_hours"]["mean"] is None


def test_interrupting_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fc, "simulate", interrupted)
    result = run_small()
    assert result.exit_code == 130
    assert result.stdout == ""
    assert "Interrupted" in result.stderr


def test_an_interrupted_sample_is_reported_and_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = replace(small_sample(), interrupted=True)
    monkeypatch.setattr(fc, "simulate", lambda *_, **__: sample)
    result = run_small("--fail-if", "ettr < 0.99", "--replications", "1000")
    assert result.exit_code == 130
    assert result.stdout.startswith("Training takes ")
    assert "was interrupted: these are its first 3 runs." in " ".join(result.stdout.split())
    assert result.stderr.splitlines() == [
        "Interrupted after 3 of 1,000 replications; the result is of these. "
        "Press Ctrl-C again to end without it.",
        f"The goal 'ettr < 0.99' failed: ettr.mean is {sample.mean('ettr'):.6f}.",
    ]


def test_the_share_that_finishes_by_a_time_is_told() -> None:
    times = ("--by", "62.8d", "--by", "1 d 12 h")
    result = run_small(*times)
    assert result.exit_code == 0
    shares = result.stdout.split("\n\n")[1].splitlines()
    assert len(shares) == 2
    assert shares[0].startswith("Finished within 62.8 days: ")
    assert shares[1] == "Finished within 36 hours: none of 3 runs (at most 63 %)"
    told = json.loads(run_small(*times, "--json").stdout)["finished_by"]
    assert [one["hours"] for one in told] == [1507.2, 36.0]
    assert told == small_sample().to_dict(by=[1507.2, 36.0])["finished_by"]


@pytest.mark.parametrize("text", ["2%", "2 %", "0.02"])
def test_a_run_goes_on_until_it_is_as_precise_as_asked(text: str) -> None:
    options = ("--precision", text, "--precision-of", "failures", "--min-replications", "20")
    result = failcast("run", "small", *options, "--seed", "5", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    sample = fc.simulate(
        fc.load("small"), precision=0.02, precision_of="failures", min_replications=20, seed=5
    )
    assert sample.precision is not None
    assert 20 < sample.replications < 100
    answer, *_, ran = result.stdout.strip().split("\n\n")
    assert " ".join(answer.split()) == sample.answer()
    reached = wording.percent(sample.precision.reached or 0.0)
    known = f"from seed 5, failures known to ± {reached} (2 % asked for), kernel engine, "
    assert ran.startswith(f"{sample.replications} replications of small {known}")


def test_the_precision_of_a_scenario_is_kept_and_its_result_made_again(tmp_path: Path) -> None:
    options = ("-s", "run.precision=0.2 %", "-s", "run.min_replications=10", "--json", "--quiet")
    first = json.loads(failcast("run", "small", *options).stdout)
    assert first["precision"]["met"]
    assert first["manifest"]["replications"] == first["status"]["finished"] > 10
    file = tmp_path / "again.json"
    file.write_text(json.dumps(first["scenario"]), encoding="utf-8")
    again = json.loads(failcast("run", str(file), "--json", "--quiet").stdout)
    assert again["metrics"] == first["metrics"]
    assert again["precision"] is None
    fixed = json.loads(failcast("run", "small", *options, "--replications", "3").stdout)
    assert (fixed["manifest"]["replications"], fixed["precision"]) == (3, None)


def test_a_precision_out_of_reach_is_a_result_with_a_sentence() -> None:
    options = ("--precision", "0.01%", "--max-replications", "30", "--quiet")
    result = failcast("run", "small", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    answer = " ".join(result.stdout.split("\n\n")[0].split())
    assert (
        "The precision of 0.01 % is not reached: after 30 runs the mean of training_hours" in answer
    )
    assert answer.endswith(" would do: raise max_replications.")


@pytest.mark.parametrize("step", ["load_with_notes", "simulate", "trace"])
def test_too_little_memory_is_told_with_what_to_lower(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 2.00 TiB")

    monkeypatch.setattr(fc, step, too_large)
    result = run_small("--trace", str(tmp_path / "trace.csv"))
    # What is simulated already is printed, whatever becomes of a file beside it.
    assert result.exit_code == (1 if step == "trace" else 2)
    assert result.stdout.startswith("Training takes ") == (step == "trace")
    assert result.stderr.startswith("Error: the memory of this machine is too small")
    assert "cluster.working_pool" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_names_every_option() -> None:
    result = failcast("run", "--help")
    assert result.exit_code == 0
    for option in (
        "set",
        "replications",
        "precision",
        "precision-of",
        "min-replications",
        "max-replications",
        "by",
        "seed",
        "threads",
        "engine",
        "json",
        "trace",
        "quiet",
        "out",
        "levers",
    ):
        assert f"--{option} " in result.stdout


PRICED = ("-s", "cost.gpu_hour=2", "-s", "cost.manual_repair=50")


def test_a_priced_run_tells_its_cost_by_cause() -> None:
    result = run_small(*PRICED)
    costs = result.stdout.split("\n\n")[3]
    assert costs.startswith("What a run costs (mean of 3 finished runs; vacant slots of the job")
    assert "\n  productive " in costs
    assert "\ncost " in result.stdout.split("\n\n")[1]
    assert "What a run costs" not in run_small().stdout


def test_the_document_has_the_cost_with_prices_and_gpu_hours_without() -> None:
    priced = json.loads(run_small("--json", *PRICED).stdout)
    causes = priced["costs"]["causes"]
    total = sum(part["cost"]["mean"] for part in causes.values())
    assert total == pytest.approx(priced["metrics"]["cost"]["mean"])
    free = json.loads(run_small("--json").stdout)["costs"]
    assert free["priced"] is False
    assert free["causes"]["recovery"]["gpu_hours"] == causes["recovery"]["gpu_hours"]


def test_gpu_hours_are_told_on_request() -> None:
    assert "\nGPU-hours of a run by cause (mean of 3 " in run_small("--gpu-hours").stdout
    result = run_small("--gpu-hours", "--uncertain", "recovery.time.mean=10min..30min")
    assert result.exit_code == 2
    assert "--gpu-hours is not there for a run with uncertain inputs" in result.stderr


def test_a_goal_on_the_cost_needs_a_price() -> None:
    refused = run_small("--fail-if", "cost.high > 1e6")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "nothing has a price: set cost.gpu_hour" in refused.stderr
    assert run_small("--precision", "1%", "--precision-of", "cost").exit_code == 2
    assert run_small(*PRICED, "--fail-if", "cost.high > 1e6").exit_code == 10
    assert run_small(*PRICED, "--fail-if", "cost.high > 1e9").exit_code == 0
    swept = ("sweep", "small", "--metric", "cost", "--replications", "2", "--quiet")
    assert failcast(*swept, "--vary", "job.warm_standbys=0,8").exit_code == 2
    assert failcast(*swept, "--vary", "cost.gpu_hour=1,2").exit_code == 0
