"""AIReSim's Table 1 in closed form: failures, repairs and training time at three recovery times.

4096 of 4160 servers compute for 256 d, each fails 0.01 times a day at random; 15 % are defective
and fail five times as often on top, until a repair succeeds. Lives are exponential.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.theory.numbers import Column, assert_mean, assert_variance, simulate

from failcast.scenario import load

SERVERS, RATE_PER_DAY, DAYS = 4096, 0.01, 256
#: Every hour of computing exposes all servers of the job, whoever they are: a Poisson count.
RANDOM_FAILURES = SERVERS * RATE_PER_DAY * DAYS  # 10,485.76
#: A repair succeeds with 0.6 if it ends automated (1 in 5), with 0.8 if it is escalated.
REPAIR_SUCCESS = 0.2 * 0.6 + 0.8 * 0.8  # 0.76
DEFECTIVE_AT_START = 0.15 * 4160


@pytest.fixture(scope="module")
def table1() -> dict[str, Column]:
    """A sample of the preset."""
    return simulate(load("airesim-table1"), 150)


def systematic_failures(preemptions: float) -> float:
    """Expected systematic failures of defective servers of which the last is mended in the run.

    Each fails until a repair succeeds: a geometric number of failures of mean 1 / 0.76, of which
    5 in 6 are systematic. 256 d are 15 of its lives of 16.7 d, so none is left over. Spares are
    defective as often; those that are preempted join in.
    """
    return (DEFECTIVE_AT_START + 0.15 * preemptions) / REPAIR_SUCCESS * 5.0 / 6.0


def test_random_failures_are_poisson(table1: dict[str, Column]) -> None:
    assert round(RANDOM_FAILURES) == 10_486
    assert_mean(table1["failures_random"], RANDOM_FAILURES)
    assert_variance(table1["failures_random"], RANDOM_FAILURES)


def test_systematic_failures_end_with_the_repair_that_succeeds(table1: dict[str, Column]) -> None:
    expected = systematic_failures(float(table1["preemptions"].mean()))
    assert_mean(table1["failures_systematic"], expected)
    share = table1["failures_systematic"] / table1["failures"]
    assert_mean(share, expected / (RANDOM_FAILURES + expected))


def test_three_repairs_in_four_succeed(table1: dict[str, Column]) -> None:
    ended = table1["repairs_successful"] + table1["repairs_silent"]
    manual = table1["repairs_manual"]
    # Stage by stage, so that the manual repairs still open at the end of the job bias nothing.
    assert_mean(table1["repairs_successful"] - 0.6 * (ended - manual) - 0.8 * manual, 0.0)
    assert_mean(manual - 0.8 * table1["repairs_automated"], -open_manual(table1))
    # As a plain share: the open ones (45 of 11,000, of the better kind) take 0.0002 off.
    share = float(table1["repairs_successful"].sum() / ended.sum())
    error = (0.76 * 0.24 / float(ended.sum())) ** 0.5
    assert share == pytest.approx(0.76, abs=4.0 * error + 2e-4)


def open_manual(table1: dict[str, Column]) -> float:
    """Manual repairs open at the end, by Little's law: their rate × their mean of 48 h."""
    return float(np.mean(0.8 * table1["failures"] / table1["training_hours"])) * 48.0


@pytest.mark.parametrize(("minutes", "figure"), [(10, 8_011), (20, 9_873), (30, 11_734)])
def test_training_time_is_computing_plus_recoveries(minutes: int, figure: int) -> None:
    sample = simulate(load("airesim-table1").with_(recovery__time=f"{minutes} min"), 80, seed=3)
    overheads = sample["selection_hours"] + sample["waiting_hours"]
    whole = 24.0 * DAYS + sample["failures"] * minutes / 60.0 + overheads
    np.testing.assert_allclose(sample["training_hours"], whole, rtol=1e-9)
    failures = RANDOM_FAILURES + systematic_failures(float(sample["preemptions"].mean()))
    expected = 24.0 * DAYS + failures * minutes / 60.0 + float(overheads.mean())
    assert_mean(sample["training_hours"], expected)
    assert_mean(sample["training_hours"], figure)
    assert_mean(sample["ettr"], 24.0 * DAYS / expected)


def test_selection_costs_three_minutes_and_a_spare_twenty(table1: dict[str, Column]) -> None:
    np.testing.assert_allclose(table1["selection_hours"], table1["host_selections"] * 3.0 / 60.0)
    np.testing.assert_allclose(table1["waiting_hours"], table1["preemptions"] * 20.0 / 60.0)
    assert table1["preemptions"].mean() > 5.0
    assert not table1["stalled_hours"].any()
