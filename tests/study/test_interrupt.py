"""Ctrl-C in studies: pairs that are done are a comparison, and a plan tells what it knows."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.results.test_interrupt import press_after

import failcast as fc
from failcast.engine import Runs
from failcast.engine.executors import Task
from failcast.study import pairs

DAYS = fc.load("small").with_(job__length=72.0)
FASTER = DAYS.with_(recovery__time="10 min")


@pytest.fixture(autouse=True)
def heed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Heed Ctrl-C even where a shell in the background started the tests without it.

    Scenarios take turns after some hundred runs, so that a test need not wait for a second of work.
    """
    monkeypatch.setattr(pairs, "MOST_WORK_IN_BLOCK", 2e5)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("engine", "threads", "asked", "press"),
    [("kernel", 1, 20_000, 5000), ("kernel", 2, 20_000, 5000), ("reference", 1, 60, 45)],
)
def test_pairs_that_are_done_are_a_comparison(
    engine: Any, threads: int, asked: int, press: int
) -> None:
    how: dict[str, Any] = {"seed": 4, "threads": threads, "engine": engine}
    others = (FASTER, DAYS.with_(job__warm_standbys=4))
    how |= {"on_progress": press_after(press), "keep_on_interrupt": True}
    found = fc.compare(DAYS, *others, replications=asked, **how)
    count = found[0].base.replications
    assert press / 10 < count < asked
    assert all(each.interrupted and each.other.replications == count for each in found)
    fixed = fc.compare(DAYS, *others, replications=count, seed=4)
    for one, two in zip(found, fixed, strict=True):
        assert one.differences() == two.differences()
        assert one.answer() == (
            f"{two.answer()} The comparison was interrupted: these are its first {count:,} pairs."
        )
    document = json.loads(json.dumps(fc.comparison_document(found)))
    assert document["interrupted"] is True
    assert document["manifest"]["replications"] == count
    assert fc.comparison_document(fixed)["interrupted"] is False


def test_turns_leave_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    rough = DAYS.with_(run__precision=0.002, run__min_replications=30)
    (turns,) = fc.compare(rough, FASTER, threads=2)
    monkeypatch.setattr(pairs, "MOST_WORK_IN_BLOCK", 1.0)
    (ones,) = fc.compare(rough, FASTER)
    base = fc.simulate(rough)
    assert turns.base.precision == ones.base.precision == base.precision
    for found in (turns, ones):
        assert np.array_equal(found.base.runs.values, base.runs.values)
        other = fc.simulate(FASTER, replications=base.replications)
        assert np.array_equal(found.other.runs.values, other.runs.values)


def test_a_precision_that_was_cut_short_is_that_of_the_pairs() -> None:
    rough = DAYS.with_(run__precision=1e-6)
    (found,) = fc.compare(rough, FASTER, on_progress=press_after(5000), keep_on_interrupt=True)
    precision = found.base.precision
    assert precision is not None
    assert not precision.met
    alone = fc.simulate(rough, precision=1e-6, max_replications=found.base.replications)
    assert alone.precision is not None
    assert precision.reached == alone.precision.reached


def test_a_sample_as_the_base_is_cut_to_the_pairs() -> None:
    sample = fc.simulate(DAYS, replications=20_000)
    (found,) = fc.compare(sample, FASTER, on_progress=press_after(3000), keep_on_interrupt=True)
    count = found.other.replications
    assert 300 < count < 20_000
    assert found.base.replications == count
    assert np.array_equal(found.base.runs.values, sample.runs.values[:count])
    assert sample.replications == 20_000


def test_without_two_pairs_or_unasked_it_is_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt):
        fc.compare(DAYS, FASTER, replications=20_000, on_progress=press_after(2000))
    with pytest.raises(KeyboardInterrupt):
        fc.compare(DAYS, FASTER, on_progress=press_after(1), keep_on_interrupt=True)


CHOOSE = ["job.warm_standbys=0..16", "cluster.spare_pool=8..24"]
GOALS = ["ettr >= 0.9"]


def planned(press: int) -> fc.Plan:
    """A plan that is interrupted after so many runs."""
    how: dict[str, Any] = {"seed": 5, "keep_on_interrupt": True}
    return fc.plan(DAYS, CHOOSE, GOALS, on_progress=press_after(press), **how)


def test_a_plan_tells_what_it_knows_at_every_stage() -> None:
    whole = fc.plan(DAYS, CHOOSE, GOALS, seed=5)
    assert whole.chosen is not None
    assert not whole.interrupted
    seen = set()
    for press in range(24, whole.runs, whole.runs // 25):
        found = planned(press)
        assert found.interrupted
        assert not found.complete
        assert press <= found.runs < whole.runs
        assert found.frontier
        answer = found.answer()
        assert f"The plan was interrupted after {found.runs:,} runs: a cheaper" in answer
        document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert document["interrupted"] is True
        if found.chosen is None:
            assert found.nearest is not None
            assert not found.less
            assert not found.assumptions
            met = found.nearest.judgement.value == "met"
            assert ("It was not yet judged on fresh runs" in answer) == met
            assert ("No setting was shown to meet" in answer) != met
            seen.add("promising" if met else "nearest")
        else:
            assert found.chosen.fresh
            assert found.chosen.judgement.value == "met"
            seen.add("chosen")
    assert seen >= {"promising", "chosen"}


def test_a_plan_without_anything_or_unasked_is_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt):
        fc.plan(DAYS, CHOOSE, GOALS, on_progress=press_after(500))

    class Pressed:
        def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fc.plan(DAYS, CHOOSE, GOALS, executor=Pressed(), keep_on_interrupt=True)
