"""Standby, idle and spare servers that age, and failures while the job stands still."""

from __future__ import annotations

import math

import numpy as np
from tests.theory.numbers import assert_close, assert_mean
from tests.theory.scenarios import plain

from failcast.engine import SERVER_STATES, run, trace
from failcast.scenario import Scenario

RATE = 0.02


def test_spares_that_a_health_check_finds_are_repaired_and_come_back() -> None:
    """All happens on a grid: checks every half hour, repairs of two hours that begin at one.

    A fit spare is found failed at a check with 1 - exp(-r/2), and is back four checks later, in
    time for the next period; the mean number in repair follows from that chain, step by step.
    """
    period, repair, spares, length = 0.5, 2.0, 60, 200.0
    scenario = plain(1, length=length, mean_life=1.0 / RATE).with_(
        cluster__spare_pool=spares,
        diagnosis__probability=0.0,
        failures__exposure__spare=1.0,
        failures__health_check=period,
        repair__automated__time=repair,
    )
    runs = run(scenario, replications=400, seed=2)
    found = -math.expm1(-RATE * period)
    fit, away = 1.0, [0.0] * int(repair / period)
    hours = 0.0
    for _ in range(int(length / period)):
        hours += sum(away) * period
        back = away.pop(0)  # a repair ends before the check of the same instant
        away.append(fit * found)
        fit += back - away[-1]
    in_repair = runs.server_hours[:, SERVER_STATES.index("automated_repair")]
    assert_mean(in_repair, spares * hours, "hours in repair")
    assert not runs.server_hours[:, SERVER_STATES.index("idle")].any()


def first_after_recovery(scenario: Scenario, runs: int) -> list[str]:
    """Return what happens first when the first recovery of each run is over."""
    events = []
    for replication in range(runs):
        rows = trace(scenario, seed=4, replication=replication, engine="reference").rows()
        begun = next(i for i, row in enumerate(rows) if row[1] == "recovering")
        events.append(rows[begun + 1][1])
    return events


def test_a_standby_that_has_failed_is_found_when_it_is_to_take_a_slot() -> None:
    """The job's n servers fail first at rate n r; the standby is fit with n r / (n r + r)."""
    servers, runs = 4, 1500
    scenario = plain(servers, standbys=3, length=80.0, mean_life=1.0 / RATE).with_(
        failures__exposure__standby=1.0,
        repair__automated__time=1e6,
        job__length=1e5,
        run__max_events=3,
        run__horizon=1e6,
    )
    events = first_after_recovery(scenario, runs)
    fit = events.count("promotion")
    assert fit + events.count("found_failed") == runs
    share = servers / (servers + 1.0)
    error = math.sqrt(share * (1.0 - share) / runs)
    assert_close(fit / runs, share, error, "fit standbys")


def test_a_server_ages_by_its_factor_in_each_reserve() -> None:
    """Idle servers at a quarter of the rate: found when the first selection after T needs them."""
    servers, wait, runs = 1, 30.0, 1500
    scenario = plain(servers, idle=1, length=1e5, mean_life=1.0 / RATE).with_(
        failures__exposure__idle=0.25,
        recovery__time=wait,
        repair__automated__time=1e6,
        run__max_events=3,
        run__horizon=1e6,
    )
    events = first_after_recovery(scenario, runs)
    # The first failure comes after an exponential time, the recovery is constant.
    share = math.exp(-0.25 * RATE * wait) * RATE / (1.25 * RATE)
    error = math.sqrt(share * (1.0 - share) / runs)
    assert_close(events.count("selecting") / runs, share, error, "fit idle servers")


def test_servers_that_wait_fail_where_they_are_exposed() -> None:
    """While a job waits w for a spare, each of its n - 1 survivors fails with 1 - exp(-r w)."""
    servers, wait, runs = 6, 12.0, 1200
    scenario = plain(servers, length=1e4, mean_life=1.0 / RATE).with_(
        cluster__spare_pool=1,
        preemption__wait=wait,
        failures__exposure__waiting=True,
        repair__automated__time=1e6,
        run__max_events=40,
        run__horizon=1e6,
    )
    failures = []
    for replication in range(runs):
        rows = trace(scenario, seed=6, replication=replication, engine="reference").rows()
        names = [row[1] for row in rows]
        begun = names.index("waiting", names.index("recovering"))
        arrived = names.index("arrival")
        failures.append(names[begun:arrived].count("failure"))
    expected = (servers - 1) * -math.expm1(-RATE * wait)
    assert_mean(np.array(failures, dtype=float), expected, "failures while waiting")


def test_a_selection_starts_again_when_a_server_fails_in_it() -> None:
    """The first start: n servers, selection s; it ends with the first undisturbed try."""
    servers, selection = 5, 2.0
    scenario = plain(servers, idle=400, length=1.0, mean_life=50.0).with_(
        selection__time=selection,
        failures__exposure__selecting=True,
        repair__automated__time=1e5,
        run__horizon=1e6,
    )
    runs = run(scenario, replications=3000, seed=7)
    from failcast.engine import METRICS

    first = []
    for replication in range(400):
        rows = trace(scenario, seed=7, replication=replication, engine="reference").rows()
        first.append(next(row[0] for row in rows if row[1] == "computing"))
    rate = servers / 50.0
    assert_mean(np.array(first), math.expm1(rate * selection) / rate, "first start")
    selections = runs.values[:, METRICS.index("host_selections")]
    assert selections.mean() > 1.0
