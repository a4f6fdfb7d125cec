"""Checkpoints and lost work against exact expectations of a job with failures at a constant rate.

A stretch x of exposed hours that starts again at each failure takes (exp(r x) - 1) / r and sees
exp(r x) - 1 failures (Daly 2006). With checkpoints a run is a chain of such stretches; where tiers
keep different checkpoints it is a small Markov chain, which is solved.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.theory.numbers import Column, assert_mean, simulate
from tests.theory.scenarios import plain

from failcast.scenario import (
    Checkpoint,
    Constant,
    MemoryTier,
    RemoteTier,
    Scenario,
    Tiers,
    optimum,
)

SERVERS = 20
MEAN_LIFE = 400.0
RATE = SERVERS / MEAN_LIFE  # one failure in 20 hours
RECOVERY = 0.75
INTERVAL = 8.0
WRITE = 1.5
SEGMENTS = 12
LENGTH = INTERVAL * SEGMENTS
RUNS = 4000


def job(checkpoint: Checkpoint, **changes: object) -> Scenario:
    """A job of which nobody is taken out, so that its failures come at a constant rate."""
    return plain(
        SERVERS,
        length=LENGTH,
        mean_life=MEAN_LIFE,
        **{
            "checkpoint": checkpoint,
            "recovery__time": RECOVERY,
            "diagnosis__probability": 0.0,
            **changes,
        },
    )


def failures_in(*stretches: float) -> float:
    """Failures of a job that repeats each stretch until it is done without one."""
    return sum(math.expm1(RATE * stretch) for stretch in stretches)


def assert_sample(sample: dict[str, Column], hours: float, failures: float) -> None:
    assert_mean(sample["training_hours"], hours, "training_hours")
    assert_mean(sample["failures"], failures, "failures")
    assert np.allclose(sample["productive_hours"], LENGTH, rtol=1e-12)


def test_blocking_checkpoints() -> None:
    """All segments but the last end with a write, during which failures strike as well."""
    checkpoint = Checkpoint(interval=INTERVAL, write=WRITE)
    sample = simulate(job(checkpoint), RUNS)
    stretches = [INTERVAL + WRITE] * (SEGMENTS - 1) + [INTERVAL]
    failures = failures_in(*stretches)
    assert_sample(sample, failures * (1.0 / RATE + RECOVERY), failures)
    assert set(sample["checkpoints"]) == {SEGMENTS - 1.0}


def test_blocking_checkpoints_with_failures_during_recovery() -> None:
    """The wall time of MODEL section 8, with the last segment's write left out."""
    scenario = job(Checkpoint(interval=INTERVAL, write=WRITE), failures__exposure__recovering=True)
    sample = simulate(scenario, RUNS)
    stretches = [INTERVAL + WRITE] * (SEGMENTS - 1) + [INTERVAL]
    hours = math.exp(RATE * RECOVERY) / RATE * failures_in(*stretches)
    assert_mean(sample["training_hours"], hours, "training_hours")


def test_writes_that_no_failure_strikes() -> None:
    scenario = job(
        Checkpoint(interval=INTERVAL, write=WRITE), failures__exposure__checkpointing=False
    )
    failures = failures_in(*[INTERVAL] * SEGMENTS)
    writing = (SEGMENTS - 1) * WRITE
    sample = simulate(scenario, RUNS)
    assert_sample(sample, writing + failures * (1.0 / RATE + RECOVERY), failures)
    assert np.allclose(sample["checkpoint_hours"], writing)


def survives(hours: float) -> float:
    """The probability that nothing fails in so many exposed hours."""
    return math.exp(-RATE * hours)


def until(hours: float) -> float:
    """The mean time until a failure, or until so many hours are over."""
    return -math.expm1(-RATE * hours) / RATE


@pytest.mark.parametrize("persist", [0.5, 3.0, 7.5])
def test_asynchronous_checkpoints_lose_what_is_not_yet_safe(persist: float) -> None:
    """A copy is safe `persist` hours after it was taken, and the job goes on meanwhile.

    Restarted at checkpoint i, the next one is safe after interval + persist; where one has just
    become safe, after another interval. Solved from the end.
    """
    restarted = until(INTERVAL) + (1.0 - survives(INTERVAL)) * RECOVERY
    restarted /= survives(INTERVAL)
    rest = INTERVAL - persist
    running = until(rest) + (1.0 - survives(rest)) * (RECOVERY + restarted)
    for _ in range(SEGMENTS - 1):
        whole = INTERVAL + persist
        restarted = until(whole) / survives(whole) + running
        restarted += (1.0 / survives(whole) - 1.0) * RECOVERY
        onward = survives(INTERVAL) * running
        running = until(INTERVAL) + onward + (1.0 - survives(INTERVAL)) * (RECOVERY + restarted)
    tiers = Tiers(remote=RemoteTier(persist=Constant(value=persist)))
    sample = simulate(job(Checkpoint(interval=INTERVAL, tiers=tiers)), RUNS)
    assert_mean(sample["training_hours"], restarted, "training_hours")
    assert not sample["checkpoint_hours"].any()


MEMORY_RESTORE = 0.25
REMOTE_RESTORE = 2.0
EVERY = 3
TAKEN_OUT = 0.4


def hours_with_tiers() -> float:
    """Mean wall time with every checkpoint in memory and every third one outside the job.

    State: the checkpoint from which the job goes on, and whether memory holds it. A failure in
    which a server is taken out loses what is in memory.
    """
    states = [(i, held) for i in range(SEGMENTS) for held in (False, True)]
    place = {state: n for n, state in enumerate(states)}
    matrix, known = np.eye(len(states)), np.zeros(len(states))
    for (i, held), n in place.items():
        stretch = INTERVAL + (WRITE if i < SEGMENTS - 1 else 0.0)
        known[n] = until(stretch)
        if i < SEGMENTS - 1:
            matrix[n, place[i + 1, True]] -= survives(stretch)
        fails = 1.0 - survives(stretch)
        far = EVERY * (i // EVERY)
        crash = (i, True) if held else (far, False)
        for chance, (back, near) in ((1.0 - TAKEN_OUT, crash), (TAKEN_OUT, (far, False))):
            restore = MEMORY_RESTORE if near else REMOTE_RESTORE * (back > 0)
            known[n] += fails * chance * (RECOVERY + restore)
            matrix[n, place[back, near]] -= fails * chance
    return float(np.linalg.solve(matrix, known)[place[0, False]])


def test_tiers_that_survive_different_failures() -> None:
    tiers = Tiers(
        memory=MemoryTier(restore=MEMORY_RESTORE),
        remote=RemoteTier(every=EVERY, restore=REMOTE_RESTORE),
    )
    scenario = job(
        Checkpoint(interval=INTERVAL, write=WRITE, tiers=tiers),
        cluster__working_pool=SERVERS + 100,
        job__warm_standbys=100,
        diagnosis__probability=TAKEN_OUT,
        failures__reboot=0.0,
    )
    sample = simulate(scenario, RUNS)
    assert_mean(sample["training_hours"], hours_with_tiers(), "training_hours")


def test_a_reboot_empties_memory_and_a_crash_does_not() -> None:
    tiers = Tiers(memory=MemoryTier(), remote="off")
    checkpoint = Checkpoint(interval=INTERVAL, tiers=tiers)
    kept = simulate(job(checkpoint, failures__reboot=0.0), RUNS)
    assert_sample(
        kept, failures_in(*[INTERVAL] * SEGMENTS) * (1.0 / RATE + RECOVERY),
        failures_in(*[INTERVAL] * SEGMENTS),
    )  # fmt: skip
    short = job(checkpoint, failures__reboot=1.0, job__length=40.0)
    lost = simulate(short, RUNS)
    assert_mean(lost["failures"], failures_in(40.0), "failures")


@pytest.mark.parametrize("exposed", [True, False])
@pytest.mark.parametrize("write", [0.002, 0.2, 5.0, 60.0])
def test_the_optimal_interval_is_the_least_of_the_exact_cost(write: float, exposed: bool) -> None:
    scenario = job(
        Checkpoint(interval="optimal", write=write), failures__exposure__checkpointing=exposed
    )

    def cost(interval: float) -> float:
        if exposed:
            return math.expm1(RATE * (interval + write)) / interval
        return (math.expm1(RATE * interval) / RATE + write) / interval

    best = optimum(scenario)
    found = minimize_scalar(
        cost, bounds=(0.01 * best.young, 3.0 * best.young), method="bounded",
        options={"xatol": 1e-9},
    )  # fmt: skip
    assert best.interval == pytest.approx(found.x, rel=1e-4)
    assert best.young == pytest.approx(math.sqrt(2.0 * write / RATE))
    if write < 1.0:
        assert best.daly == pytest.approx(best.interval, rel=0.01)


def test_no_other_interval_costs_less_than_the_optimal_one() -> None:
    def hours(interval: float | str) -> Column:
        checkpoint = Checkpoint(interval=interval, write=0.5)
        return simulate(job(checkpoint, job__length=1000.0), 400)["training_hours"]

    best = hours("optimal")
    for factor in (0.4, 2.5):
        other = hours(factor * optimum(job(Checkpoint(interval="optimal", write=0.5))).interval)
        gap = other - best
        assert gap.mean() > 4.0 * gap.std(ddof=1) / math.sqrt(gap.size)


def test_the_optimal_interval_counts_what_a_tier_loses() -> None:
    """A tier that keeps every fourth checkpoint loses four intervals where one would be lost."""
    whole = job(Checkpoint(interval="optimal", write=0.5))
    fourth = whole.with_(checkpoint__tiers__remote__every=4)
    assert optimum(fourth).interval == pytest.approx(
        optimum(whole.with_(failures__random__rate=4.0 / MEAN_LIFE)).interval
    )
    nothing = whole.with_(failures__random__rate=0.0)
    assert optimum(nothing).interval == math.inf
    assert simulate(nothing, 2)["training_hours"].tolist() == [LENGTH, LENGTH]
