"""Results depend on scenario, seed and replication, and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from failcast.engine import draw, run, trace
from failcast.engine.random import LIFE, STREAMS, Chance
from failcast.scenario import Scenario, load

SMALL = load("small")


def test_threads_leave_no_mark() -> None:
    alone = run(SMALL, replications=30, seed=7)
    for threads in (2, 3, 8):
        shared = run(SMALL, replications=30, seed=7, threads=threads)
        assert shared.values.tobytes() == alone.values.tobytes()
        assert shared.status.tobytes() == alone.status.tobytes()


def test_a_replication_is_the_same_in_any_block() -> None:
    whole = run(SMALL, replications=12, seed=7)
    for first in (0, 5, 11):
        part = run(SMALL, replications=12 - first, seed=7, first=first)
        assert part.values.tobytes() == whole.values[first:].tobytes()


def test_one_scenario_after_another_leaves_no_trace() -> None:
    """The world is reset between replications: nothing of a replication reaches the next."""
    busy = SMALL.with_(retirement="threshold(2, 30 d)", selection__policy="highest_score")
    last = run(busy, replications=5, seed=3).values[4]
    assert run(busy, replications=1, seed=3, first=4).values[0].tobytes() == last.tobytes()


def test_neighbouring_seeds_share_no_replication() -> None:
    """B21: seeds 42 and 43 of the original share all replications but one."""
    rows = [run(SMALL, replications=100, seed=seed).values for seed in (42, 43, 44)]
    assert len({row.tobytes() for row in np.concatenate(rows)}) == 300


def test_progress_is_told_replication_by_replication() -> None:
    told: list[int] = []
    run(SMALL, replications=50, seed=1, threads=2, on_progress=told.append)
    assert sum(told) == 50


def test_a_long_trace_is_whole() -> None:
    """The trace's first guess of its own length is too short here."""
    scenario = Scenario().with_(
        cluster__working_pool=4, cluster__spare_pool=0, job__servers=2, job__warm_standbys=1,
        job__length=1e4, failures__random__rate=1.0, recovery__time=0.01,
        repair__automated__time=0.01, repair__manual__time=0.01,
    )  # fmt: skip
    kernel = trace(scenario, seed=1)
    assert len(kernel.lines) > 1 << 16
    assert kernel.lines.tobytes() == trace(scenario, seed=1, engine="reference").lines.tobytes()


def test_an_address_is_one_number() -> None:
    assert draw(1, 2, LIFE, 3, 4) == Chance(1, 2).uniform(LIFE, 3, 4)
    assert 0.0 <= draw(2**64 - 1, 2**32 - 1, LIFE, 2**32 - 1, 2**32 - 1) < 1.0
    near = {draw(s, r, stream, e, n) for s in (1, 2) for r in (0, 1) for e in (0, 1) for n in (0, 1)
            for stream, _, _ in STREAMS.values()}  # fmt: skip
    assert len(near) == 16 * len(STREAMS)


def test_streams_have_numbers_of_their_own() -> None:
    numbers = [number for number, _, _ in STREAMS.values()]
    assert len(set(numbers)) == len(numbers)


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="one of: kernel, reference"):
        run(SMALL, replications=1, seed=1, engine="fast")  # type: ignore[arg-type]
