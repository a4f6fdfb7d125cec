"""Both engines count the same servers at the same times, and a trace tells the same numbers."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from tests.agreement import many
from tests.strategies import CORNERS, PAIRWISE

from failcast.engine import SERIES_STATES, SERVER_STATES, Grid, run, trace
from failcast.engine.plan import make_plan
from failcast.scenario import Scenario

#: A step of no round number, and one at whose multiples things happen: times are 0.05, 0.25, 0.5.
STEPS = (0.7310585, 0.25)


def counted(scenario: Scenario, engine: str, step: float, replications: int = 2) -> Grid:
    """The servers by state along the runs of a scenario."""
    grid = Grid.of(step, 400, replications)
    how = {"seed": scenario.run.seed, "engine": engine}
    run(scenario, replications=replications, grid=grid, **how)  # type: ignore[arg-type]  # names
    return grid


def agree(scenario: Scenario) -> None:
    """The counts of both engines are the same, and those of all servers."""
    servers = scenario.cluster.working_pool + scenario.cluster.spare_pool
    for step in STEPS:
        kernel, reference = (counted(scenario, name, step).counts for name in ENGINES)
        assert np.array_equal(kernel, reference)
        assert set(kernel.sum(axis=2).flat) <= {0, servers}
        assert (kernel[:, 0].sum(axis=1) == servers).all()


ENGINES = ("kernel", "reference")


@pytest.mark.parametrize("number", range(len(PAIRWISE)))
def test_engines_agree_on_all_pairs_of_options(number: int) -> None:
    agree(PAIRWISE[number])


@pytest.mark.parametrize("number", range(len(CORNERS)))
def test_engines_agree_in_corners(number: int) -> None:
    agree(CORNERS[number])


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_engines_agree_where_a_run_is_cut_short(first: int) -> None:
    for number in range(first, first + 20):
        scenario = many.cut_short(number)
        kernel, reference = (counted(scenario, name, 0.5, 1).counts for name in ENGINES)
        assert np.array_equal(kernel, reference)


class Replay:
    """Servers by state along a trace, as far as its events tell."""

    def __init__(self, spares: int, tested: bool, limits: bool) -> None:
        self.now = dict.fromkeys(("arriving", "awaiting_repair", "in_repair", "retired"), 0)
        self.now["spare"] = spares
        self.shop = "awaiting_repair" if limits else "in_repair"  # where a repair begins
        self.at_home: set[int] = set()  # in repair, and a spare again after it
        self.returned = -1
        self.tested = tested  # after each repair

    def move(self, old: str, new: str) -> None:
        """Change a server's state; one that is not counted here is empty."""
        for state, change in ((old, -1), (new, 1)):
            if state:
                self.now[state] += change

    def take(self, event: str, server: int, detail: int) -> None:
        """Take the next event of the trace."""
        over = event == "manual_repair_end" or (event == "automated_repair_end" and detail != 2)
        if self.tested:
            over = event == "requalification_end" and detail == 1
        again = (event, detail) in (("automated_repair_end", 2), ("requalification_end", 0))
        if event == "found_failed" and SERVER_STATES[detail] == "spare":
            self.at_home.add(server)
            self.move("spare", self.shop)
        elif event in ("blame", "found_failed"):
            self.move("", self.shop)
        elif event in ("automated_repair_begin", "manual_repair_begin"):
            self.move("awaiting_repair", "in_repair")
        elif over:
            self.returned = server if server in self.at_home else -1
            self.move("in_repair", "spare" if server in self.at_home else "")
            self.at_home.discard(server)
        elif again:
            self.move("in_repair", self.shop)  # to the manual stage
        elif event == "retirement":
            self.move("spare" if server == self.returned else "", "retired")
        elif event in MOVES:
            self.move(*MOVES[event])


MOVES = {
    "preemption": ("spare", "arriving"),
    "arrival": ("arriving", ""),
    "return_to_spares": ("", "spare"),
}


@pytest.mark.parametrize("number", range(0, len(PAIRWISE), 3))
def test_a_trace_tells_the_same_numbers(number: int) -> None:
    """Who left which state can be read off a trace; what happens at a time is there by then."""
    scenario, step = PAIRWISE[number], 0.25
    found = counted(scenario, "kernel", step, 1).counts[0]
    seen = int((found.sum(axis=1) > 0).sum())
    assert seen > 10
    tested = scenario.repair.requalification is not None
    limits = bool(make_plan(scenario).shop)
    replay = Replay(scenario.cluster.spare_pool, tested, limits)
    events = trace(scenario, seed=scenario.run.seed)
    waiting = deque(events)
    for place in range(seen):
        while waiting and waiting[0][0] <= place * step:
            _, event, server, detail = waiting.popleft()
            replay.take(event, server, detail)
        row = dict(zip(SERIES_STATES, found[place].tolist(), strict=True))
        assert {state: row[state] for state in replay.now} == replay.now, place


def test_a_run_is_counted_until_it_ends_and_no_longer() -> None:
    scenario = PAIRWISE[0]
    grid = Grid.of(0.5, 1000, 3)
    runs = run(scenario, replications=3, seed=1, grid=grid)
    wall = runs.values[:, 0]
    assert (grid.counts.any(axis=2) == (np.arange(1000) * 0.5 < wall[:, None])).all()


def test_the_counts_change_nothing_and_do_not_depend_on_threads() -> None:
    scenario = PAIRWISE[0].with_(job__length=300.0)
    grids = [Grid.of(2.0, 500, 40) for _ in range(2)]
    plain = run(scenario, replications=40, seed=1)
    for threads, grid in zip((1, 3), grids, strict=True):
        again = run(scenario, replications=40, seed=1, threads=threads, grid=grid)
        assert np.array_equal(again.values, plain.values, equal_nan=True)
    assert np.array_equal(grids[0].counts, grids[1].counts)


def test_what_has_no_room_is_left_out() -> None:
    """Each replication stays within its own rows."""
    scenario = PAIRWISE[0]
    wide, narrow = Grid.of(1.0, 300, 4), Grid.of(1.0, 7, 4)
    for grid in (wide, narrow):
        run(scenario, replications=4, seed=1, grid=grid)
    assert np.array_equal(narrow.counts, wide.counts[:, :7])
    slow = Grid.of(1.0, 7, 4)
    run(scenario, replications=4, seed=1, grid=slow, engine="reference")
    assert np.array_equal(slow.counts, narrow.counts)
