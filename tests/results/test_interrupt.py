"""Ctrl-C while a sample is made: the runs that are done are a sample of their own."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import failcast as fc
from failcast import engine as engines

DAYS = fc.load("small").with_(job__length=72.0)


@pytest.fixture(autouse=True)
def heed() -> Iterator[None]:
    """Heed Ctrl-C even where a shell in the background started the tests without it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_after(replications: int) -> Callable[[int], None]:
    """Ctrl-C once so many replications are done, whichever thread did them."""
    done = 0

    def show(more: int) -> None:
        nonlocal done
        before, done = done, done + more
        if before < replications <= done:
            signal.raise_signal(signal.SIGINT)

    return show


@pytest.mark.parametrize(
    ("engine", "threads", "asked"),
    [("kernel", 1, 20_000), ("kernel", 2, 20_000), ("reference", 1, 60)],
)
def test_what_is_done_is_the_sample_of_as_many_replications(
    engine: Any, threads: int, asked: int
) -> None:
    how: dict[str, Any] = {"seed": 4, "threads": threads, "engine": engine}
    sample = fc.simulate(
        DAYS, replications=asked, **how, on_progress=press_after(20), keep_on_interrupt=True
    )
    assert sample.interrupted
    assert 20 <= sample.replications < asked
    fixed = fc.simulate(DAYS, replications=sample.replications, seed=4)
    assert np.array_equal(sample.runs.values, fixed.runs.values)
    assert np.array_equal(sample.runs.status, fixed.runs.status)
    document = sample.to_dict()
    assert document["interrupted"]
    assert document["manifest"]["replications"] == sample.replications
    assert document["metrics"] == fixed.to_dict()["metrics"]
    assert fc.Scenario.model_validate(document["scenario"]) == fixed.scenario_as_run()
    assert f"was interrupted: these are its first {sample.replications:,} runs." in sample.answer()


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_without_being_asked_to_it_keeps_nothing(engine: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        fc.simulate(DAYS, replications=20_000, engine=engine, on_progress=press_after(1))


def test_where_nothing_is_done_there_is_nothing_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engines, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fc.simulate(DAYS, keep_on_interrupt=True)


def test_earlier_batches_of_a_precise_sample_are_kept() -> None:
    press = press_after(20)
    sample = fc.simulate(
        DAYS, precision=1e-6, seed=4, on_progress=press_after(2000), keep_on_interrupt=True
    )
    assert sample.interrupted
    assert 2000 <= sample.replications < 5000
    assert sample.precision is not None
    assert not sample.precision.met
    fixed = fc.simulate(DAYS, replications=sample.replications, seed=4)
    assert np.array_equal(sample.runs.values, fixed.runs.values)
    told: list[int] = []

    def show(total: int) -> None:
        told.append(total)
        press(20)

    between = fc.simulate(DAYS, precision=1e-6, on_estimate=show, keep_on_interrupt=True)
    assert (between.interrupted, between.replications, len(told)) == (True, 200, 1)


def test_an_uninterrupted_sample_says_so() -> None:
    sample = fc.simulate(DAYS, replications=2, keep_on_interrupt=True)
    assert not sample.interrupted
    assert sample.to_dict()["interrupted"] is False


def test_the_engine_gives_the_runs_before_the_first_that_had_not_ended() -> None:
    with pytest.raises(engines.RunInterrupted) as caught:
        engines.run(
            DAYS, replications=20_000, seed=4, first=7, threads=2, on_progress=press_after(50)
        )
    runs = caught.value.runs
    assert 50 <= len(runs.status) == len(runs.values) < 20_000
    whole = engines.run(DAYS, replications=len(runs.status), seed=4, first=7)
    assert (runs.first, runs.seed) == (7, 4)
    assert np.array_equal(runs.values, whole.values)


def test_parts_of_a_sample_join_to_the_whole() -> None:
    whole = engines.run(DAYS, replications=30, seed=4)
    parts = [engines.run(DAYS, replications=10, seed=4, first=first) for first in (0, 10, 20)]
    joined = engines.Runs.joined(parts)
    assert np.array_equal(joined.values, whole.values)
    assert np.array_equal(joined.status, whole.status)
    assert (joined.first, joined.seed) == (0, 4)
    assert np.array_equal(joined.leading(7).values, whole.values[:7])
