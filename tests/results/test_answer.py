"""The answer says what a reader needs first, and never more than the runs support."""

from __future__ import annotations

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
    assert "The runs that do not finish are in none of these figures" in answer
    assert "those of the luckier runs: 1 run ran out of" in answer
    assert "2 runs reached the horizon of 256,000 days (out_of_time)." in answer


@pytest.mark.parametrize(
    ("status", "reason", "remedy"),
    [
        (DEPLETED, "ran out of servers (depleted)", "cluster.spare_pool"),
        (OUT_OF_TIME, "reached the horizon of 256,000 days (out_of_time)", "run.horizon"),
        (OUT_OF_EVENTS, "reached run.max_events = 100,000,000", "job.length"),
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
