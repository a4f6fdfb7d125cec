"""A failure elsewhere renews nobody: failure times are predicted exactly from the lives drawn.

The n-th life of a server is a number with an address, so a test can add lives up by itself and say
at which point of the job's clock each server fails. On the map: MODEL, "ageing: the clock idea".
"""

from __future__ import annotations

from collections import deque

import pytest
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.engine.random import LIFE, Chance
from failcast.scenario import (
    ConstantLife,
    Life,
    LognormalLife,
    Regeneration,
    Scenario,
    UniformLife,
    WeibullLife,
)

SEED = 20
MEAN_LIFE = 10.0
LIVES: list[Life] = [
    WeibullLife(shape=2.0),
    WeibullLife(shape=0.5),
    LognormalLife(sigma=1.0),
    UniformLife(spread=0.9),
]


def life_hours(life: Life, server: int, renewal: int) -> float:
    """The life that a good server was dealt, in hours."""
    return MEAN_LIFE * Chance(SEED, 0).sample(life.kernel(), LIFE, server, renewal)


def events(scenario: Scenario, name: str) -> list[tuple[float, int]]:
    """Time and server of every event of this name in replication 0."""
    rows = trace(scenario, seed=SEED).rows()
    return [(time, server) for time, event, server, _ in rows if event == name]


def failures_of_one_slot_each(life: Life, servers: int, length: float) -> list[tuple[float, int]]:
    """Point on the job's clock and server of each failure, if every server keeps its slot."""
    points = []
    for server in range(servers):
        point, renewal = life_hours(life, server, 0), 1
        while point < length:
            points.append((point, server))
            point, renewal = point + life_hours(life, server, renewal), renewal + 1
    return sorted(points)


def assert_same_events(found: list[tuple[float, int]], expected: list[tuple[float, int]]) -> None:
    """The same servers, in order, at the same times up to rounding."""
    assert [server for _, server in found] == [server for _, server in expected]
    assert [time for time, _ in found] == pytest.approx([time for time, _ in expected], rel=1e-12)


@pytest.mark.parametrize("life", LIVES, ids=repr)
@pytest.mark.parametrize("diagnosed", [0.0, 1.0])
def test_each_server_fails_at_the_running_sums_of_its_lives(life: Life, diagnosed: float) -> None:
    # 20 servers, all at work: nobody is blamed, or the blamed one is repaired at once and, as
    # nobody else is there, picked again. The clock stands during the recoveries of 1.5 h.
    scenario = plain(
        20,
        length=100.0,
        mean_life=MEAN_LIFE,
        failures__life=life,
        diagnosis__probability=diagnosed,
        recovery__time=1.5,
    )
    points = failures_of_one_slot_each(life, 20, 100.0)
    assert len(points) > 100
    expected = [(point + 1.5 * k, server) for k, (point, server) in enumerate(points)]
    assert_same_events(events(scenario, "failure"), expected)


@pytest.mark.parametrize("life", LIVES, ids=repr)
def test_exposed_servers_age_while_the_job_recovers(life: Life) -> None:
    # With `exposure: recovering` the clock runs all the time, so failures are at the running sums
    # on the wall clock itself, until the job has computed its 30 h.
    scenario = plain(
        20,
        length=30.0,
        mean_life=MEAN_LIFE,
        failures__life=life,
        failures__exposure__recovering=True,
        diagnosis__probability=0.0,
        recovery__time=0.4,
    )
    found = events(scenario, "failure")
    ((end, _),) = events(scenario, "finished")
    assert end > 50.0
    assert_same_events(found, failures_of_one_slot_each(life, 20, end))


@pytest.mark.parametrize("life", LIVES, ids=repr)
def test_a_swapped_server_begins_its_next_life_when_it_takes_a_slot(life: Life) -> None:
    # Two slots, three standbys in a queue; a server repaired at once goes to its end, if a standby
    # is missing. Its life is counted from the point on the clock at which it is promoted.
    scenario = plain(
        2, standbys=3, length=200.0, mean_life=MEAN_LIFE, failures__life=life, recovery__time=1.0
    )
    rows = trace(scenario, seed=SEED).rows()
    promotions = [server for _, event, server, _ in rows if event == "promotion"]
    # The one selection is random: who was left out shows in the first three promotions.
    queue = deque(promotions[:3])
    renewals = dict.fromkeys(range(5), 0)
    points = {s: life_hours(life, s, 0) for s in range(5) if s not in queue}
    expected = []
    while (point := min(points.values())) < 200.0:
        failing = min(points, key=points.__getitem__)
        expected.append((point + len(expected), failing))
        del points[failing]
        renewals[failing] += 1
        if len(queue) < 3:  # else it is idle, and nothing but a selection would use it again
            queue.append(failing)
        promoted = queue.popleft()
        points[promoted] = point + life_hours(life, promoted, renewals[promoted])
    found = [(time, server) for time, event, server, _ in rows if event == "failure"]
    assert len(expected) > 20
    assert_same_events(found, expected)


def test_lives_of_one_length_end_at_one_point_of_the_clock() -> None:
    # All five reach 10 h together: the clock stands at 10 h until each has failed and the job has
    # recovered from it, five times 2 h; then the same at 20 h.
    scenario = plain(
        5, length=25.0, mean_life=MEAN_LIFE, failures__life=ConstantLife(),
        diagnosis__probability=0.0, recovery__time=2.0, selection__time=1.0,
    )  # fmt: skip
    expected = [(1.0 + 10.0 + 2.0 * k, k) for k in range(5)]
    expected += [(1.0 + 20.0 + 2.0 * (5 + k), k) for k in range(5)]
    assert_same_events(events(scenario, "failure"), expected)
    assert events(scenario, "finished") == [(1.0 + 25.0 + 2.0 * 10, -1)]


def test_regeneration_divides_what_is_left_of_a_life() -> None:
    # All good servers turn defective at 4 h, when 6 of their 10 h are left: 6 / (1 + 5) = 1 h.
    # Their next lives are 10 / 6 h. Nobody is good afterwards, so nothing else changes.
    scenario = plain(
        3, length=9.0, mean_life=MEAN_LIFE, failures__life=ConstantLife(),
        failures__systematic={"fraction": 0.0, "multiplier": 5.0},
        diagnosis__probability=0.0,
    )  # fmt: skip
    turned = scenario.with_(
        failures__systematic__fraction=0.4,
        failures__regeneration=Regeneration(interval=4.0, share=1.0),
    )
    # 40 % of three servers are defective from the start: one, whose lives are 10 / 6 h.
    rows = trace(turned, seed=SEED).rows()
    first = {server: time for time, event, server, _ in reversed(rows) if event == "failure"}
    (bad,) = (server for server, time in first.items() if time == pytest.approx(10.0 / 6.0))
    turned_at_4, turned_at_8 = sorted(first.values())[1:]
    assert bad in (0, 1, 2)
    assert turned_at_4 == pytest.approx(4.0 + 6.0 / 6.0)
    assert turned_at_8 == pytest.approx(8.0 + 2.0 / 6.0)
    assert not events(scenario, "failure")
