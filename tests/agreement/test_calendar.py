"""The kernel's calendar gives what a plain heap gives, whatever goes in and out in which order.

The scenarios of the other tests are too small and too orderly for some of its ways: a sheet that
goes back to the lists, a lap of empty days, crowds of one day. On the map: engine/kernel/calendar.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
import pytest
from tests.agreement.many import Dice

from failcast.engine.kernel import calendar
from failcast.engine.kernel.rows import calendar_at, server_at
from failcast.engine.plan import make_plan
from failcast.engine.world import DUE, TRACE_DTYPE, World
from failcast.scenario import Scenario

INSERT, REMOVE, LOOK, TAKE = range(4)
NOBODY = -1


class Step(NamedTuple):
    """One operation; the key (hours), rank and server are what goes in or must come out."""

    what: int
    server: int
    key: float = 0.0
    rank: int = 0


@numba.njit  # without a cache, which would grow stale
def follow(w, rate, limit, steps, keys, found):  # type: ignore[no-untyped-def]  # compiled
    """Do all steps on an empty calendar; write the key and the server of each look.

    All servers count as active. Who is out of the calendar has no key beyond its limit.
    """
    c = calendar_at(w.calendars, DUE)
    calendar.clear(c, rate, limit)
    for server in range(w.servers_total):
        server_at(w.servers, server).key = 0.0
    for n in range(len(steps)):
        what, server, rank = steps[n, 0], steps[n, 1], steps[n, 2]
        if what == INSERT:
            calendar.insert(w, c, server, keys[n], rank)
        elif what == REMOVE:
            calendar.remove(w, c, server)
            server_at(w.servers, server).key = 0.0
        else:
            keys[n] = calendar.next_key(w, c)
            found[n] = calendar.next_server(c) if keys[n] < math.inf else NOBODY
            if what == TAKE and keys[n] < math.inf:
                c.first += 1
                server_at(w.servers, found[n]).key = 0.0


def world_of(servers: int) -> World:
    """A world of so many servers, of which nothing but the calendars is used."""
    scenario = Scenario().with_(
        cluster__working_pool=servers, cluster__spare_pool=0, job__servers=1, job__warm_standbys=0
    )
    return World(make_plan(scenario), np.empty(0, TRACE_DTYPE))


def check(world: World, rate: float, steps: list[Step]) -> None:
    """Compare all that comes out of the kernel's calendar with what the steps say."""
    rows = np.array([(step.what, step.server, step.rank) for step in steps])
    keys = np.array([step.key if step.what == INSERT else math.nan for step in steps])
    found = np.full(len(steps), NOBODY)
    # Whether everybody is on a list, or only who is due soon, is to make no difference.
    for limit in (1e300, 2.0 / rate, 1e-3 / rate):
        given = keys.copy()
        follow(world.record, rate, limit, rows, given, found)
        for n, step in enumerate(steps):
            if step.what in (LOOK, TAKE):
                assert (given[n], found[n]) == (step.key, step.server), f"step {n}, limit {limit}"


class Heap:
    """What a calendar has to do, done by the standard library; it writes down its steps."""

    def __init__(self, servers: int) -> None:
        self.steps: list[Step] = []
        self.free = list(range(servers))
        self.inside: dict[int, tuple[float, int, int]] = {}
        self._lines: list[tuple[float, int, int]] = []
        self.now = 0.0

    def insert(self, server: int, key: float, rank: int) -> None:
        """Enter a server; one whose key is infinite never comes up, but can be taken out."""
        self.free.remove(server)
        self.inside[server] = (key, rank, server)
        heapq.heappush(self._lines, (key, rank, server))
        self.steps.append(Step(INSERT, server, key, rank))

    def remove(self, server: int) -> None:
        """Take a server out, wherever it is."""
        del self.inside[server]
        self.free.append(server)
        self.steps.append(Step(REMOVE, server))

    def look(self, what: int) -> None:
        """Say who is next, and let it go where the step is to take it."""
        while self._lines and self.inside.get(self._lines[0][2]) != self._lines[0]:
            heapq.heappop(self._lines)  # it was removed before
        key, _, server = self._lines[0] if self._lines else (math.inf, 0, NOBODY)
        self.steps.append(Step(what, server if key < math.inf else NOBODY, key))
        if what == TAKE and key < math.inf:
            heapq.heappop(self._lines)
            del self.inside[server]
            self.free.append(server)
            self.now = key


#: How far off an entry is, in hours, by chance.
KINDS: dict[str, Callable[[Dice], float]] = {
    "steady": lambda dice: dice.between(0.0, 100.0),
    "ties": lambda dice: float(dice.one_of((0.0, 1.0, 2.0, 50.0))),
    "crowds": lambda dice: float(dice.one_of((0.0, 700.0))) + dice.between(0.0, 1e-6),
    "far": lambda dice: dice.between(0.0, dice.one_of((0.1, 1e3, 1e6, 1e9))),
    "huge": lambda dice: float(dice.one_of((0.0, 5e-324, 9e18, 1e200, 1e308, math.inf))),
}
#: Expected events per hour, from which the length of a day comes; any must do.
RATES = (1e-300, 1e-3, 1.0, 1e3, 1e300)


def steps(dice: Dice, servers: int, far: Callable[[Dice], float]) -> list[Step]:
    """Fill and empty a calendar in waves, one step at a time."""
    heap, share = Heap(servers), 0.5
    for n in range(10 * servers + 100):
        if n % servers == 0:
            share = dice.one_of((0.1, 0.4, 0.9))
        if heap.free and dice.between(0.0, 1.0) < share:
            # Some come up for a time that has passed already, which makes the calendar go back.
            past = dice.one_of((1.0, 1.0, 1.0, 0.5))
            key = past * min(heap.now, 1e15) + far(dice)
            heap.insert(dice.one_of(heap.free), key, dice.whole(0, 2))
        elif heap.inside and dice.between(0.0, 1.0) < 0.2:
            heap.remove(dice.one_of(list(heap.inside)))
        else:
            heap.look(dice.one_of((LOOK, TAKE, TAKE)))
    return heap.steps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("servers", [1, 2, 7, 300])
def test_what_comes_out_is_what_comes_out_of_a_heap(servers: int, kind: str) -> None:
    world, dice = world_of(servers), Dice(servers)
    for rate in RATES:
        check(world, rate, steps(dice, servers, KINDS[kind]))


def one_day(dice: Dice, servers: int, tied: bool) -> list[Step]:
    """All are due on one day, in any order; of the tied ones two at the same time."""
    heap = Heap(servers)
    for server in range(servers):
        heap.insert(server, 1e6 + dice.between(0.0, 1.0), 0)
    if tied:
        key = heap.inside[0][0]
        heap.remove(servers - 1)
        heap.insert(servers - 1, key, 0)
    for _ in range(servers + 1):
        heap.look(TAKE)
    return heap.steps


@pytest.mark.parametrize("tied", [False, True])
def test_days_of_every_length_are_sorted(tied: bool) -> None:
    """Up to some length a day is sorted by counting, eight lines at a time, unless two are tied."""
    dice = Dice(8)
    for servers in range(2, 140):
        check(world_of(servers), 1e-3, one_day(dice, servers, tied))


def crowd_and_an_earlier_one(servers: int) -> list[Step]:
    """All but two are due on one far day, which is begun; then two come up for days before it."""
    heap = Heap(servers)
    for server in range(2, servers):
        heap.insert(server, 1e6 + (7 * server % servers) * 1e-3, 0)
    heap.look(LOOK)
    heap.insert(0, 3.0, 0)
    heap.remove(servers // 2)
    heap.insert(1, 1e5, 0)
    for _ in range(servers):
        heap.look(TAKE)
    return heap.steps


@pytest.mark.parametrize("servers", [10, 66, 67, 68, 69, 500])
@pytest.mark.parametrize("rate", RATES)
def test_a_day_that_was_begun_waits_for_earlier_ones(rate: float, servers: int) -> None:
    check(world_of(servers), rate, crowd_and_an_earlier_one(servers))


def test_who_is_compared_with_is_right() -> None:
    """Ties go to the smaller rank; a comparison that took two in either order would fail here."""
    both = [Step(INSERT, 1, 5.0, 1), Step(INSERT, 0, 5.0, 2)]
    world, taken = world_of(3), [Step(TAKE, 1, 5.0), Step(TAKE, 0, 5.0), Step(LOOK, -1, math.inf)]
    check(world, 1.0, [*both, *taken])
    with pytest.raises(AssertionError, match="step 2"):
        check(world, 1.0, [*both, Step(TAKE, 0, 5.0)])
