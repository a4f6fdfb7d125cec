"""The answer says what a reader needs first, and never more than the runs support."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.synthetic import (
    DEPLETED,
    FINISHED,
    OUT_OF_EVENTS,
    OUT_OF_TIME,
    days_of_training,
    sample_of,
)

import failcast as fc
from failcast.results import wording


def test_length_interval_work_ettr_and_the_largest_cost() -> None:
    answer = days_of_training([9864.0, 9888.0, 9912.0]).answer()
    assert answer == (
        "Training takes 412 days (95 % interval 410 to 414) for 256 days of work: ETTR 60 %; "
        "recovery after failures takes 30 % of the time."
    )


def test_the_confidence_of_the_interval_is_named() -> None:
    scenario = fc.Scenario().with_(run__confidence=0.9)
    columns = {"training_hours": [9000.0, 9100.0], "productive_hours": [6144.0] * 2}
    assert "(90 % interval" in sample_of(columns, scenario=scenario).answer()


def test_one_run_has_no_interval() -> None:
    answer = days_of_training([9870.0]).answer()
    assert answer.startswith("Training takes 411.2 days (one run: no interval) for 256 days")


def test_a_run_without_failures() -> None:
    scenario = fc.Scenario().with_(job__length=24.0)
    columns = {"training_hours": [24.0] * 3, "productive_hours": [24.0] * 3, "ettr": [1.0] * 3}
    assert sample_of(columns, scenario=scenario).answer() == (
        "Training takes 24 hours (the same in every run) for 24 hours of work: ETTR 100 %; "
        "every hour is productive. No failure was seen."
    )


def test_b12_some_runs_unfinished_are_counted_and_left_out() -> None:
    status = [FINISHED, FINISHED, DEPLETED, OUT_OF_TIME, OUT_OF_TIME]
    answer = days_of_training([9864.0, 9888.0, 1.0, 1e6, 1e6], status=status).answer()
    assert answer.startswith("Training finishes in 2 of 5 runs; it takes 412 days (95 % interval ")
    means = "The means are over the runs that finish, which are the luckier ones: "
    assert f"{means}1 run ran out of servers" in answer
    assert "2 runs reached the horizon of 256,000 days (out_of_time)." in answer


@pytest.mark.parametrize(
    ("status", "reason", "remedy"),
    [
        (DEPLETED, "ran out of servers (depleted)", "cluster.spare_pool"),
        (OUT_OF_TIME, "reached the horizon of 256,000 days (out_of_time)", "run.horizon"),
        (OUT_OF_EVENTS, "reached run.max_events = 10,000,000", "job.length"),
    ],
)
def test_nothing_finished_says_why_and_what_to_change(
    status: int, reason: str, remedy: str
) -> None:
    answer = days_of_training([10.0, 20.0], status=[status] * 2).answer()
    assert answer.startswith(f"Training does not finish in any of 2 runs: all {reason}")
    assert remedy in answer


def test_a_horizon_reached_says_where_the_time_went() -> None:
    answer = days_of_training([10.0, 20.0], status=[OUT_OF_TIME] * 2).answer()
    assert "up to then, recovery after failures takes 30 % of the time" in answer


def test_a_horizon_shorter_than_the_job_is_told_as_such() -> None:
    scenario = fc.Scenario().with_(run__horizon=24.0)
    sample = sample_of({"training_hours": [24.0]}, status=[OUT_OF_TIME], scenario=scenario)
    assert sample.answer() == (
        "Training does not finish in the one run: it reached the horizon of 24 hours "
        "(out_of_time), which is too short for 256 days of work. Raise run.horizon."
    )


def test_ettr_and_the_largest_cost_are_both_means_of_the_runs_shares() -> None:
    """As a ratio of means recovery would take 82 %, and the two would add up to 132 %."""
    columns = {
        "training_hours": [10.0, 90.0],
        "ettr": [0.9, 0.1],
        "productive_hours": [9.0, 9.0],
        "recovery_hours": [1.0, 81.0],
    }
    answer = sample_of(columns).answer()
    assert "ETTR 50 %; recovery after failures takes 50 % of the time." in answer


def test_the_largest_cost_is_largest_by_that_definition_too() -> None:
    columns = {
        "training_hours": [10.0, 10.0, 100.0],
        "ettr": [0.5, 0.5, 0.5],
        "productive_hours": [5.0, 5.0, 50.0],
        "recovery_hours": [5.0, 5.0, 0.0],
        "stalled_hours": [0.0, 0.0, 50.0],
    }
    assert "recovery after failures takes 33 % of the time" in sample_of(columns).answer()


@given(st.lists(st.tuples(st.floats(0.0, 1e6), st.floats(0.0, 1e6)), min_size=1, max_size=20))
def test_ettr_and_the_largest_cost_never_exceed_100_percent(
    hours: list[tuple[float, float]],
) -> None:
    productive = [1.0 + work for work, _ in hours]
    wall = [1.0 + work + lost for work, lost in hours]
    columns = {
        "training_hours": wall,
        "ettr": [part / whole for part, whole in zip(productive, wall, strict=True)],
        "productive_hours": productive,
        "recovery_hours": [lost for _, lost in hours],
    }
    sample = sample_of(columns)
    ettr = sample.mean("ettr")
    assert ettr is not None
    assert ettr + sample.wall_shares()["recovery_hours"] <= 1.0 + 1e-12


PRECISION = fc.Precision("failures", 0.01, 0.02, 200, 300)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, ""),
        ({"precision": replace(PRECISION, reached=0.01)}, ""),
        (
            {"precision": PRECISION},
            " The precision of 1 % is not reached: after 3 runs the mean of failures is known to "
            "± 2.0 %; some 12 would do: raise max_replications.",
        ),
        (
            {"precision": replace(PRECISION, reached=None)},
            " The precision of 1 % is not reached: after 3 runs failures has no interval "
            "relative to its mean, as it is zero in every run.",
        ),
        ({"interrupted": True}, " The simulation was interrupted: these are its first 3 runs."),
        (
            {"interrupted": True, "precision": PRECISION},
            " The simulation was interrupted: these are its first 3 runs. The precision of 1 % is "
            "not reached: after 3 runs the mean of failures is known to ± 2.0 %; some 12 would do.",
        ),
    ],
)
def test_what_became_of_a_wanted_precision_and_of_an_interruption(
    changes: dict[str, object], sentence: str
) -> None:
    sample = days_of_training([9864.0, 9888.0, 9912.0])
    assert replace(sample, **changes).answer() == sample.answer() + sentence  # type: ignore[arg-type] # by name


def test_a_precision_of_runs_that_do_not_finish() -> None:
    none = days_of_training([10.0, 20.0], status=[DEPLETED] * 2)
    told = replace(none, precision=replace(PRECISION, reached=None)).answer()
    assert told.endswith(" is not reached, as no run finishes; so there are no more than 2.")
    one = days_of_training([10.0, 20.0], status=[FINISHED, DEPLETED])
    told = replace(one, precision=replace(PRECISION, reached=None)).answer()
    assert told.endswith(
        "failures has no interval relative to its mean, as only one of them finished."
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.6223, "62 %"),
        (0.0451, "4.5 %"),
        (0.9553, "95.5 %"),
        (0.99962, "99.96 %"),
        (0.0004, "0.04 %"),
        (1e-9, "under 0.0001 %"),
        (1.0 - 1e-9, "over 99.9999 %"),
    ],
)
def test_a_share_never_rounds_to_a_false_0_or_100(share: float, text: str) -> None:
    assert wording.percent(share) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.823, 0.9149, "82 to 91 %"),
        (0.79, 0.922, "79 to 92 %"),
        (0.0014, 0.064, "0.1 to 6 %"),
        (0.0141, 0.0183, "1.4 to 1.8 %"),
        (0.93, 0.9992, "93 to 99.92 %"),
        (0.0, 0.5, "0 to 50 %"),
        (0.5, 1.0, "50 to 100 %"),
        (0.00012, 0.00015, "0.012 to 0.015 %"),
    ],
)
def test_a_range_of_shares_has_the_digits_of_its_width(low: float, high: float, text: str) -> None:
    assert wording.percent_range(low, high) == text


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (6144.0, "256 days"),
        (48.0, "2 days"),
        (24.0, "24 hours"),
        (1.5, "90 minutes"),
        (9873.4, "411.4 days"),
        (24.0 * 123456.0, "123,456 days"),
        (1.0 / 60.0, "1 minute"),
    ],
)
def test_a_duration_has_a_unit_that_reads_well(hours: float, text: str) -> None:
    assert wording.quantity(hours, wording.time_unit(hours)) == text


@pytest.mark.parametrize(
    ("half", "decimals"), [(250.0, 0), (25.0, 0), (2.5, 1), (0.025, 3), (1e-12, 6)]
)
def test_an_interval_decides_the_digits_of_its_mean(half: float, decimals: int) -> None:
    assert wording.decimals_for_error(half) == decimals


@pytest.mark.parametrize(
    ("value", "decimals"), [(1440.05, 2), (6144.0, 0), (0.05, 2), (0.99996528, 6), (0.0, 0)]
)
def test_a_value_without_interval_is_shown_without_zeros_at_the_end(
    value: float, decimals: int
) -> None:
    assert wording.decimals_for_value(value, digits=6) == decimals


def test_no_number_is_a_negative_zero() -> None:
    assert wording.number(-0.0001, 2) == "0.00"
    assert wording.number(-0.5, 2) == "-0.50"
