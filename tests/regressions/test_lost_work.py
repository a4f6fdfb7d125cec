"""B02 of the original: checkpoints are free and no work is ever lost."""

from __future__ import annotations

from tests.theory.numbers import assert_mean, simulate
from tests.theory.test_checkpoints import (
    LENGTH,
    RATE,
    RECOVERY,
    RUNS,
    assert_sample,
    failures_in,
    job,
)

from failcast.scenario import Checkpoint


def test_b02_without_checkpoints_a_failure_starts_the_job_from_zero() -> None:
    length = 40.0
    sample = simulate(job(Checkpoint(interval="none"), job__length=length), RUNS)
    failures = failures_in(length)
    assert_mean(sample["failures"], failures, "failures")
    assert_mean(sample["training_hours"], failures * (1.0 / RATE + RECOVERY), "hours")
    assert_mean(sample["lost_hours"], failures / RATE - length, "lost")


def test_b02_continuous_checkpoints_lose_nothing() -> None:
    sample = simulate(job(Checkpoint()), RUNS)
    assert_sample(sample, LENGTH + RATE * LENGTH * RECOVERY, RATE * LENGTH)
    assert not sample["lost_hours"].any()
