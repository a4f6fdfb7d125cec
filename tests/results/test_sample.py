"""A sample keeps finished and unfinished runs apart, and its documents hold what they promise."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars
import pytest
from tests.results.synthetic import (
    DEPLETED,
    FINISHED,
    OUT_OF_EVENTS,
    OUT_OF_TIME,
    days_of_training,
    sample_of,
)

import failcast as fc

FIGURES = ["mean", "low", "high", "sd"]
FIGURES += [f"{q}{end}" for q in ("p5", "p50", "p95") for end in ("", "_low", "_high")]
FIGURES += ["n"]


def strict_json(document: object) -> str:
    """The document as JSON; a NaN or an infinity raises."""
    return json.dumps(document, allow_nan=False)


def test_b28_the_interval_of_a_sample_is_students() -> None:
    sample = days_of_training([9.0, 10.0, 11.0, 12.0, 13.0])
    interval = sample.interval("training_hours")
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(
        2 * 2.776445 * math.sqrt(2.5 / 5), rel=1e-6
    )


def test_the_confidence_is_the_scenarios_unless_a_call_names_another() -> None:
    hours = {"training_hours": [9.0, 10.0, 11.0]}
    sample = sample_of(hours, scenario=fc.Scenario().with_(run__confidence=0.5))
    assert sample.interval("training_hours") == sample.interval("training_hours", 0.5)
    assert sample.interval("training_hours") != sample.interval("training_hours", 0.9)


@pytest.mark.parametrize("confidence", [0.0, 0.4, 0.99999, 1.0, 95, math.nan, "0.95", True])
def test_a_confidence_has_the_limits_that_it_has_in_a_scenario(confidence: object) -> None:
    sample = days_of_training([9.0, 10.0])
    rule = r"confidence must be a number from 0.5 to 0.9999; got"
    for question in (sample.interval, sample.summary):
        with pytest.raises(fc.RequestError, match=rule):
            question("ettr", confidence)  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(fc.RequestError, match=rule):
        sample.mtbf_hours(confidence)  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(fc.RequestError, match=rule):
        sample.share_of("finished", confidence)  # type: ignore[arg-type] # wrong on purpose


def test_b23_quantiles_of_1_to_20() -> None:
    sample = sample_of({"failures": [float(value) for value in range(1, 21)]})
    assert sample.quantile("failures", 0.05) == pytest.approx(1.95)
    assert sample.quantile("failures", 0.95) == pytest.approx(19.05)


def test_a_quantile_has_an_interval_where_enough_runs_finished() -> None:
    hours = [float(value) for value in range(1, 101)]
    sample = days_of_training([*hours, 9999.0], status=[FINISHED] * 100 + [DEPLETED])
    interval = sample.quantile_interval("training_hours", 0.95)
    assert interval == (90.0, 100.0)
    summary = sample.summary("training_hours")
    assert (summary.p95_low, summary.p95_high) == interval
    assert (summary.p5_low, summary.p5_high) == (1.0, 11.0)
    assert sample.quantile_interval("training_hours", 0.95, 0.9) == (91.0, 99.0)
    few = days_of_training(hours[:71])
    assert few.quantile_interval("training_hours", 0.95) is None
    assert few.to_dict()["metrics"]["training_hours"]["p95_high"] is None
    assert few.summary("training_hours").p50_high is not None


def test_b12_runs_that_did_not_finish_enter_no_figure() -> None:
    status = [FINISHED, DEPLETED, FINISHED, OUT_OF_TIME, DEPLETED, OUT_OF_EVENTS]
    sample = days_of_training([100.0, 1.0, 110.0, 9999.0, 2.0, 3.0], status=status)
    assert sample.values("training_hours").tolist() == [100.0, 110.0]
    assert sample.mean("training_hours") == 105.0
    assert sample.quantile("training_hours", 1.0) == 110.0
    assert sample.table()["n"].unique().to_list() == [2]
    assert sample.replications == 6
    assert sample.finished == 2
    assert sample.unfinished == {"depleted": 2, "out_of_time": 1, "out_of_events": 1}
    assert sample.status_counts() == {"finished": 2} | sample.unfinished
    assert sample.balance()[0].hours == pytest.approx(0.6 * 105.0)


def test_b12_without_a_finished_run_there_is_no_mean() -> None:
    sample = days_of_training([1.0, 2.0], status=[DEPLETED, OUT_OF_TIME])
    assert sample.mean("training_hours") is None
    assert sample.interval("training_hours") is None
    assert sample.quantile("training_hours", 0.5) is None
    metrics = sample.to_dict()["metrics"]
    assert metrics["ettr"] == dict.fromkeys(FIGURES) | {"n": 0}


def test_b24_mtbf_counts_the_hours_of_all_runs_finished_or_not() -> None:
    columns = {
        "productive_hours": [100.0, 50.0],
        "lost_hours": [10.0, 0.0],
        "degraded_hours": [5.0, 0.0],
        "recovery_hours": [999.0, 999.0],
        "failures": [3.0, 2.0],
    }
    sample = sample_of(columns, status=[FINISHED, OUT_OF_TIME])
    assert sample.mtbf_hours().value == pytest.approx(165.0 / 5.0)
    assert sample.to_dict()["mtbf_hours"]["runs"] == 2
    assert sample.to_dict()["metrics"]["failures"]["n"] == 1


def test_b24_mtbf_without_failures_is_bounded_from_below() -> None:
    mtbf = sample_of({"productive_hours": [1440.0] * 3}).mtbf_hours()
    assert mtbf.value is None
    assert mtbf.runs == 3
    assert mtbf.lower_bound == pytest.approx(4320.0 / -math.log(0.05))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("total_failure", "failures"), ("trainig_hours", "training_hours"), ("ETTR", "ettr")],
)
def test_b25_an_unknown_metric_is_refused_with_the_nearest_right_name(
    wrong: str, right: str
) -> None:
    sample = days_of_training([1.0, 2.0])
    for question in (sample.mean, sample.values, sample.interval, sample.summary):
        with pytest.raises(fc.RequestError, match=rf"unknown metric '{wrong}'.*'{right}'"):
            question(wrong)
    with pytest.raises(fc.RequestError, match=right):
        sample.quantile(wrong, 0.5)


def test_b25_a_name_like_no_metric_gets_the_list() -> None:
    with pytest.raises(fc.RequestError, match=r"known are: training_hours, ettr"):
        days_of_training([1.0]).mean("zzz")


def test_the_table_has_one_row_per_metric_and_nulls_instead_of_nan() -> None:
    table = days_of_training([8.0]).table()
    assert table.columns == ["metric", *FIGURES]
    assert table["metric"].to_list() == list(fc.METRICS)
    row = table.row(by_predicate=polars.col("metric") == "training_hours", named=True)
    assert row["mean"] == row["p50"] == 8.0
    assert row["low"] is row["high"] is row["sd"] is None


def test_the_frame_has_one_row_per_replication_with_its_status() -> None:
    runs = fc.Runs(
        values=np.arange(2.0 * len(fc.METRICS)).reshape(2, -1),
        status=np.array([FINISHED, DEPLETED], dtype=np.uint8),
        server_hours=np.zeros((2, len(fc.SERVER_STATES))),
        seed=1,
        first=40,
    )
    frame = fc.Sample(scenario=fc.Scenario(), runs=runs, seed=1).frame()
    states = [f"server_hours_{state}" for state in fc.SERVER_STATES]
    lines = days_of_training([1.0]).costs()
    gpu_hours = [f"gpu_hours_{line.cause}" for line in lines if line.gpu_hours is not None]
    assert frame.columns == ["replication", "status", *fc.METRICS, *states, *gpu_hours]
    assert frame["replication"].to_list() == [40, 41]
    assert frame["status"].to_list() == ["finished", "depleted"]
    assert frame["ettr"].to_list() == [1.0, 1.0 + len(fc.METRICS)]


def test_the_document_is_strict_json_with_the_promised_keys() -> None:
    sample = days_of_training([9.0, 10.0, 11.0])
    document = json.loads(strict_json(sample.to_dict(argv=["failcast", "run", "x"])))
    assert list(document) == [
        "schema",
        "manifest",
        "scenario",
        "interrupted",
        "precision",
        "status",
        "shares",
        "finished_by",
        "metrics",
        "mtbf_hours",
        "server_hours",
        "costs",
        "goals",
        "levers",
    ]
    assert document["interrupted"] is False
    assert document["precision"] is None
    assert document["schema"] == "failcast.run/1"
    assert document["status"] == {
        "finished": 3,
        "depleted": 0,
        "out_of_time": 0,
        "out_of_events": 0,
    }
    assert list(document["metrics"]) == list(fc.METRICS)
    assert list(document["metrics"]["training_hours"]) == FIGURES
    assert document["metrics"]["training_hours"]["mean"] == 10.0
    assert document["mtbf_hours"]["value"] == pytest.approx(0.6)
    assert document["manifest"]["argv"] == ["failcast", "run", "x"]


@pytest.mark.parametrize("status", [[FINISHED], [DEPLETED]])
def test_the_document_of_one_run_is_strict_json_too(status: list[int]) -> None:
    strict_json(days_of_training([9.0], status=status).to_dict())


def test_the_document_holds_the_scenario_as_a_file_would() -> None:
    scenario = fc.load("small").with_(job__warm_standbys=3)
    sample = sample_of({"failures": [1.0, 2.0]}, scenario=scenario)
    as_run = scenario.with_(run__seed=1, run__replications=2)
    assert fc.Scenario.model_validate(sample.to_dict()["scenario"]) == as_run
    assert sample.scenario_as_run() == as_run


def test_the_scenario_of_a_document_makes_the_same_result_again() -> None:
    document = fc.simulate(fc.load("small"), replications=3, seed=5).to_dict()
    again = fc.simulate(fc.Scenario.model_validate(document["scenario"])).to_dict()
    assert again == document


def test_the_manifest_is_the_same_each_time_and_names_what_ran() -> None:
    sample = days_of_training([9.0, 10.0])
    manifest = sample.to_dict()["manifest"]
    assert manifest == sample.to_dict()["manifest"]
    assert manifest["failcast"] == fc.__version__
    written = fc.Scenario.model_validate(sample.to_dict()["scenario"])
    assert manifest["scenario_hash"] == fc.scenario_hash(written)
    assert (manifest["seed"], manifest["replications"], manifest["threads"]) == (1, 2, 1)
    assert "created" not in manifest
    assert manifest["inputs"] == []


def test_an_input_file_is_named_in_the_manifest_with_its_hash(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"abc")
    manifest = days_of_training([9.0]).to_dict(inputs=[fc.InputFile.of(file)])["manifest"]
    # The first test vector of FIPS 180-2.
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert manifest["inputs"] == [{"path": str(file), "sha256": digest}]


def test_an_input_file_that_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(fc.RequestError, match=r"cannot read .*absent: no such file or directory\."):
        fc.InputFile.of(tmp_path / "absent")


def test_the_shares_of_the_balance_add_up() -> None:
    balance = days_of_training([9.0, 10.0]).balance()
    assert math.fsum(bucket.share for bucket in balance) == pytest.approx(1.0)
    assert [bucket.name for bucket in balance if bucket.hours] == [
        "productive_hours",
        "recovery_hours",
        "selection_hours",
    ]


def test_the_balance_is_that_of_the_mean_run_and_wall_shares_weigh_runs_alike() -> None:
    columns = {"productive_hours": [9.0, 9.0], "recovery_hours": [1.0, 81.0]}
    sample = sample_of(columns)
    assert {b.name: b.share for b in sample.balance()}["recovery_hours"] == pytest.approx(0.82)
    assert sample.wall_shares()["recovery_hours"] == pytest.approx(0.5)
    assert math.fsum(sample.wall_shares().values()) == pytest.approx(1.0)


def test_the_share_that_finished_by_a_time_counts_all_runs() -> None:
    status = [FINISHED, FINISHED, FINISHED, DEPLETED, OUT_OF_TIME]
    sample = days_of_training([100.0, 110.0, 120.0, 1.0, 9999.0], status=status)
    for hours, count in ((99.9, 0), (100, 1), (np.float64(110.0), 2), (1e9, 3), (math.inf, 3)):
        found = sample.finished_by(hours)
        assert (found.count, found.runs, found.value) == (count, 5, count / 5)
    assert sample.finished_by(110.0).to_dict() == {
        "value": 0.4,
        "low": pytest.approx(0.117621, abs=1e-6),
        "high": pytest.approx(0.769276, abs=1e-6),
        "count": 2,
        "runs": 5,
    }
    half = sample.finished_by(110.0, confidence=0.5)
    assert half.low is not None
    assert half.low > 0.12


def test_runs_that_a_limit_ended_before_the_time_are_counted() -> None:
    status = [FINISHED, DEPLETED, OUT_OF_TIME, OUT_OF_EVENTS, OUT_OF_TIME]
    sample = days_of_training([100.0, 1.0, 50.0, 60.0, 500.0], status=status)
    assert [sample.cut_off_before(hours) for hours in (50.0, 50.1, 100.0, 501.0)] == [0, 1, 2, 3]
    (told,) = sample.to_dict(by=[100.0])["finished_by"]
    assert told == {"hours": 100.0, **sample.finished_by(100.0).to_dict(), "cut_off": 2}


def test_the_document_has_the_share_of_every_status() -> None:
    sample = days_of_training([1.0] * 4, status=[FINISHED, DEPLETED, DEPLETED, DEPLETED])
    shares = sample.to_dict()["shares"]
    assert list(shares) == ["finished", "depleted", "out_of_time", "out_of_events"]
    assert shares["depleted"] == sample.share_of("depleted").to_dict()
    assert shares["depleted"]["count"] == 3
    assert shares["out_of_time"]["high"] == pytest.approx(1.0 - 0.05**0.25)
    assert sample.shares(0.5)["finished"] == sample.share_of("finished", 0.5)


@pytest.mark.parametrize("hours", [-1.0, math.nan, "100 h", None, True])
def test_a_time_that_is_none_is_refused(hours: object) -> None:
    with pytest.raises(fc.RequestError, match=r"hours must be a number from 0 on; got"):
        days_of_training([1.0]).finished_by(hours)  # type: ignore[arg-type] # wrong on purpose


def test_the_share_of_a_status_counts_all_runs() -> None:
    sample = days_of_training([1.0] * 4, status=[FINISHED, DEPLETED, DEPLETED, DEPLETED])
    assert sample.share_of("depleted").value == 0.75
    assert sample.share_of(fc.Status.FINISHED).count == 1
    assert sample.share_of("out_of_events").low == 0.0
    assert sample.share_of("finished") == sample.finished_by(math.inf)
    for wrong in ("deplete", 1):
        with pytest.raises(fc.RequestError, match=r"unknown status"):
            sample.share_of(wrong)  # type: ignore[arg-type] # wrong on purpose


def test_server_hours_are_those_of_finished_runs_by_state() -> None:
    scenario = fc.load("small").with_(job__length="5 d")
    sample = fc.simulate(scenario, replications=10, seed=1)
    hours = sample.server_hours()
    assert list(hours) == list(fc.SERVER_STATES)
    servers = scenario.cluster.working_pool + scenario.cluster.spare_pool
    wall = sample.mean("training_hours")
    assert wall is not None
    assert sum(part.mean or 0.0 for part in hours.values()) == pytest.approx(servers * wall)
    assert hours["active"].n == 10
    narrow, wide = (sample.server_hours(each)["standby"] for each in (0.5, 0.99))
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.low < narrow.low

    ends = np.array([FINISHED, DEPLETED], dtype=np.uint8)
    states = np.zeros((2, len(fc.SERVER_STATES)))
    states[:, 0] = 10.0, 50.0
    runs = fc.Runs(np.ones((2, len(fc.METRICS))), ends, states, seed=1)
    mixed = fc.Sample(scenario=scenario, runs=runs, seed=1)
    assert mixed.server_hours()["active"].mean == 10.0
    assert mixed.frame()["server_hours_active"].to_list() == [10.0, 50.0]
