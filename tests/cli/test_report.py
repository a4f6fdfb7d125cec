"""The parts of the report, on samples whose figures are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.synthetic import (
    DEPLETED,
    FINISHED,
    OUT_OF_TIME,
    days_of_training,
    sample_of,
)

import failcast as fc
from failcast.cli.balance import CELLS, STYLES, apportion, balance_lines
from failcast.cli.report import (
    cost_lines,
    metric_lines,
    series_lines,
    server_lines,
    share_lines,
    what_ran,
)
from failcast.cli.table import aligned
from failcast.engine.model import BUCKETS


def rows_of(text: list[str]) -> dict[str, list[str]]:
    """The table's lines by their first word."""
    return {line.split()[0]: line.split()[1:] for line in text}


def test_the_table_shows_the_digits_that_the_interval_supports() -> None:
    table = [text.plain for text in metric_lines(days_of_training([9860.0, 9870.0, 9880.0]))]
    rows = rows_of(table)
    shown = ["9,870", "9,845", "to", "9,895", "9,861", "9,870", "9,879"]
    assert rows["training_hours"] == shown
    assert rows["failures"] == ["10", "10", "to", "10", "10", "10", "10"]
    assert "lost_hours" not in rows
    zeros = " ".join(line.strip() for line in table).partition("zero in every run: ")[2]
    assert {"lost_hours", "stalls", "servers_retired"} <= set(zeros.split(", "))


def test_the_quantiles_of_the_training_time_have_intervals() -> None:
    hours = [9000.0 + value for value in range(1, 101)]
    lines = [text.plain for text in metric_lines(days_of_training(hours))]
    told = (
        "95 % intervals of training_hours: p5 9,001 to 9,011; p50 9,040 to 9,061; "
        "p95 9,090 to 9,100"
    )
    assert told in lines
    few = [text.plain for text in metric_lines(days_of_training(hours[:20]))]
    assert "95 % intervals of training_hours: p50 9,006 to 9,015" in few
    for without in (hours[:5], [9000.0] * 100):
        lines = [text.plain for text in metric_lines(days_of_training(without))]
        assert not any("intervals of" in line for line in lines)


def test_the_ends_of_a_quantile_have_at_most_one_digit_more_than_the_mean() -> None:
    """Many equal values around one quantile make its interval far narrower than the mean's."""
    hours = [1000.0 + value for value in range(40)] + [1050.0, 1050.0001] * 20
    hours += [1100.0 + value for value in range(40)]
    lines = [text.plain for text in metric_lines(days_of_training(hours))]
    told = next(line for line in lines if "intervals of" in line)
    assert "p50 1,050.00 to 1,050.00" in told
    assert rows_of(lines)["training_hours"][0] == "1,063.0"


def shares_of(sample: fc.Sample, *times: float) -> list[str]:
    return [text.plain for text in share_lines(sample, times)]


def test_the_share_that_finishes_within_a_time_has_an_interval_or_a_bound() -> None:
    sample = days_of_training([24.0 * day for day in range(1, 101)])
    assert shares_of(sample, 24.0 * 87.0, 12.0, 24.0 * 100.0) == [
        "Finished within 87 days: 87 % of runs (79 to 92 %)",
        "Finished within 12 hours: none of 100 runs (at most 3.0 %)",
        "Finished within 100 days: all of 100 runs (at least 97.0 %)",
    ]
    assert shares_of(sample) == []


def test_a_time_that_is_asked_for_twice_is_told_once_and_as_it_was_meant() -> None:
    sample = days_of_training([100.0, 200.0])
    times = (1.0, 1.5, 100.0, 62.6 * 24.0, 1.0, 1.0 / 60.0, 1e-3 / 3600.0)
    assert [
        line.partition(":")[0].removeprefix("Finished within ")
        for line in shares_of(sample, *times)
    ] == ["1 hour", "1.5 hours", "100 hours", "62.6 days", "1 minute", "0.001 seconds"]


def test_that_a_limit_ended_all_the_others_is_said_so() -> None:
    days = [24.0 * day for day in range(1, 11)]
    some = days_of_training(days, status=[FINISHED] * 7 + [OUT_OF_TIME] * 3)
    assert shares_of(some, 241.0)[0].endswith("; a limit ended all the others before that")
    none = days_of_training(days, status=[OUT_OF_TIME] * 10)
    assert shares_of(none, 241.0)[0].endswith("; a limit ended all of them before that")


def test_how_runs_ended_is_told_where_some_did_not_finish() -> None:
    status = [FINISHED] * 7 + [DEPLETED, OUT_OF_TIME, OUT_OF_TIME]
    sample = days_of_training([24.0 * day for day in range(1, 11)], status=status)
    assert shares_of(sample, 240.0) == [
        "Finished within 10 days: 70 % of runs (40 to 89 %); "
        "a limit ended 1 of the others before that",
        "Finished: 70 % of runs (40 to 89 %)",
        "Depleted: 10 % of runs (2 to 40 %)",
        "Out of time: 20 % of runs (6 to 51 %)",
    ]


def test_that_none_was_depleted_is_told_where_servers_can_be_retired() -> None:
    retiring = fc.Scenario().with_(retirement="threshold(failures=3, window=30 d)")
    sample = sample_of({"training_hours": [1.0] * 200}, scenario=retiring)
    assert shares_of(sample) == ["Depleted: none of 200 runs (at most 1.5 %)"]


def test_mtbf_without_failures_is_shown_as_a_bound() -> None:
    columns = {"training_hours": [300.0, 300.0], "productive_hours": [300.0, 300.0]}
    table = [text.plain for text in metric_lines(sample_of(columns))]
    assert rows_of(table)["mtbf_hours"] == [">", "200.3", "no", "failure", "seen"]


def test_mtbf_says_that_it_is_over_all_runs_where_some_are_unfinished() -> None:
    sample = days_of_training([100.0, 110.0, 5000.0], status=[FINISHED, FINISHED, DEPLETED])
    lines = [text.plain for text in metric_lines(sample)]
    assert any(line.startswith("mtbf_hours (all 3 runs) ") for line in lines)
    finished = [text.plain for text in metric_lines(days_of_training([100.0, 110.0]))]
    assert not any("all 2 runs" in line for line in finished)


def test_without_a_finished_run_there_is_no_table() -> None:
    sample = days_of_training([1.0, 2.0], status=[DEPLETED, DEPLETED])
    lines = [text.plain for text in metric_lines(sample)]
    assert lines == [
        "No run finished, so there are no means to show. Runs by their end: depleted 2."
    ]


@pytest.mark.parametrize(("unicode", "sign"), [(True, "█"), (False, "#")])
def test_the_bar_is_as_wide_as_it_should_be(unicode: bool, sign: str) -> None:
    title, bar, *legend = (
        text.plain for text in balance_lines(days_of_training([10.0, 20.0]), unicode)
    )
    assert title == "Where the hours of a run go (mean of 2 finished runs):"
    assert len(bar) == 2 + CELLS
    assert bar.count(sign) == 0.6 * CELLS
    assert legend[0] == f"  {sign} productive   9.000 h   60.0 %"
    assert legend[-1] == "    total       15.000 h  100.0 %"
    assert unicode or all(line.isascii() for line in (title, bar, *legend))


def test_the_title_counts_the_runs_behind_it() -> None:
    one = days_of_training([10.0, 20.0], status=[FINISHED, DEPLETED])
    assert "(mean of 1 finished run):" in balance_lines(one, True)[0].plain
    none = days_of_training([10.0, 20.0], status=[DEPLETED, DEPLETED])
    assert "(mean of 2 unfinished runs):" in balance_lines(none, True)[0].plain


def test_a_job_that_takes_no_time_has_no_bar() -> None:
    lines = balance_lines(sample_of({"training_hours": [0.0]}), True)
    assert [line.plain for line in lines] == [
        "No time passed: there is no balance of hours to show."
    ]


def test_every_bucket_has_a_sign_of_its_own() -> None:
    assert set(STYLES) == set(BUCKETS)
    for column in zip(*STYLES.values(), strict=True):
        assert len(set(column)) == len(STYLES)


@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=8), st.integers(1, 1000))
def test_apportioned_units_add_up_and_are_within_one_of_the_share(
    shares: list[float], units: int
) -> None:
    whole = apportion(shares, units)
    assert sum(whole) == units
    for share, count in zip(shares, whole, strict=True):
        assert abs(count - units * share / sum(shares)) < 1.0 + 1e-9


def test_columns_are_as_wide_as_their_content() -> None:
    rows = [("name", "a"), ("x" * 40, "12345"), ("y", "")]
    assert aligned(rows) == [f"name{' ' * 36}      a", f"{'x' * 40}  12345", "y"]


@pytest.mark.parametrize("columns", [60, 72, 80, 100])
def test_every_part_fits_the_terminal_and_says_what_it_leaves_out(columns: int) -> None:
    sample = fc.simulate(fc.load("small", "run.horizon=62.7 d"), replications=400, seed=1)
    assert sample.unfinished
    metrics = [text.plain for text in metric_lines(sample, columns)]
    servers = [text.plain for text in server_lines(sample, columns)]
    bar = [text.plain for text in balance_lines(sample, True, columns)]
    assert max(map(len, [*metrics, *servers, *bar])) <= columns
    assert len(bar[1]) == min(columns, 2 + CELLS)
    assert ("p50" in metrics[0]) == (columns >= 100)
    assert ("p95" in metrics[0]) == (columns >= 80)
    for lines, headings in (
        (metrics, ["p5", "p50", "p95"]),
        (servers[1:], ["share", "servers"]),
    ):
        missing = [heading for heading in headings if heading not in lines[0].split()]
        notes = [line for line in lines if line.startswith("not shown in ")]
        assert bool(missing) == bool(notes)
        if missing:
            told = notes[0].partition(": ")[2].partition(";")[0]
            assert told.split(", ") == missing


def test_what_ran_counts_one_as_one() -> None:
    line = what_ran(days_of_training([10.0]), seconds=0.5)
    assert line == (
        "1 replication of scenario from seed 1, kernel engine, 1 thread: "
        "0.50 s, 500.00 ms per replication."
    )


def test_server_hours_are_shown_by_state_with_shares_and_numbers_of_servers() -> None:
    hours = np.zeros((2, len(fc.SERVER_STATES)))
    hours[:, fc.SERVER_STATES.index("active")] = 800.0, 1200.0
    hours[:, fc.SERVER_STATES.index("manual_repair")] = 250.0
    values = np.zeros((2, len(fc.METRICS)))
    values[:, fc.METRICS.index("training_hours")] = 100.0
    runs = fc.Runs(values, np.full(2, FINISHED, np.uint8), hours, seed=1)
    title, _, *lines = [
        text.plain for text in server_lines(fc.Sample(scenario=fc.Scenario(), runs=runs, seed=1))
    ]
    assert title == "Where the servers of a run are (mean of 2 finished runs):"
    rows = rows_of(lines)
    assert list(rows) == ["active", "manual_repair"]
    assert rows["active"][0] == "1,000"
    assert rows["active"][-3:] == ["80", "%", "10"]
    assert rows["manual_repair"] == ["250", "250", "to", "250", "20", "%", "2.5"]


PRICES = ["cost.gpu_hour=2.5", "cost.idle_hour=4", "cost.repair=100", "cost.manual_repair=750"]


@pytest.mark.parametrize("columns", [60, 72, 80, 100, None])
def test_costs_are_shown_by_cause_where_anything_has_a_price(columns: int | None) -> None:
    sample = fc.simulate(fc.load("small", PRICES), replications=50, seed=1)
    lines = [text.plain for text in cost_lines(sample, columns)]
    assert max(map(len, lines)) <= (columns or 100)
    assert lines[0].startswith("What a run costs (mean of 50 finished runs; vacant slots of")
    rows = rows_of(lines)
    assert "8,012,184" in rows["total"]
    assert {"productive", "recovery", "standby", "idle", "manual_repair"} <= set(rows)
    assert not {"stalled", "lost", "automated_repair"} & set(rows)
    assert ("price" in rows["cause"]) == (columns is None or columns >= 80)
    assert ("times" in rows["repair"]) == (columns != 60)


def test_gpu_hours_are_shown_on_request_where_nothing_has_a_price() -> None:
    sample = fc.simulate(fc.load("small"), replications=5, seed=1)
    assert not list(cost_lines(sample))
    rows = rows_of([text.plain for text in cost_lines(sample, gpu_hours=True)])
    assert rows["productive"][0] == "2,949,120"
    assert rows["total"][-2:] == ["100", "%"]
    none = days_of_training([1.0], status=[DEPLETED])
    assert not list(cost_lines(none, gpu_hours=True))


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_servers_over_time_fit_the_terminal(columns: int) -> None:
    found = fc.series(fc.load("small"), replications=20, seed=1)
    lines = [text.plain for text in series_lines(found, columns)]
    assert max(map(len, lines)) <= columns
    (head,) = (line for line in lines if line.startswith("  state "))
    assert head.count("days") == (4 if columns == 120 else 2)
    assert rows_of(lines)["runs"][0] == "20"
