"""Spare parts of a base stock (S-1, S), against Palm's theorem.

Failures are a Poisson stream where standbys abound, and each needs a part that is ordered at once.
So the parts on order are an infinite server: Poisson with the mean rate × the integral of
P(lead time > u), whatever the shape of the lead time. On the map: MODEL, "repair".
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import cumulative_trapezoid, trapezoid
from tests.theory.numbers import assert_mean, server_hours, simulate
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.scenario import (
    Constant,
    ConstantLife,
    Exponential,
    Gamma,
    Lognormal,
    Scenario,
    SpareParts,
)

RATE, LENGTH = 0.25, 400.0
LEAD_TIMES: list[tuple[Any, Any]] = [
    (Exponential(mean=16.0), stats.expon(scale=16.0)),
    (Constant(value=16.0), stats.uniform(16.0, 1e-9)),
    (Gamma(mean=16.0, shape=0.5), stats.gamma(0.5, scale=32.0)),
    (Lognormal(mean=16.0, sigma=1.0), stats.lognorm(1.0, scale=16.0 * np.exp(-0.5))),
]
HOURS = np.linspace(0.0, LENGTH, 20_001)


def shop(stock: int, lead_time: Any, probability: float = 1.0, **changes: Any) -> Scenario:
    """All repairs are manual and take no time; the only wait is that for a part."""
    scenario = plain(
        50,
        standbys=250,
        length=LENGTH,
        mean_life=50 / RATE,
        repair__automated={"time": 0.0, "escalate": 1.0},
        repair__manual={
            "time": 0.0,
            "parts": SpareParts(probability=probability, stock=stock, lead_time=lead_time),
        },
    )
    return scenario.with_(**changes)


def on_order(drawn: Any, rate: float = RATE) -> np.ndarray:
    """The mean number of parts on order at HOURS, with none at first."""
    integral: np.ndarray = rate * cumulative_trapezoid(drawn.sf(HOURS), HOURS, initial=0.0)
    return integral


def orders(scenario: Scenario, replications: int) -> list[list[int]]:
    """Of each run: what is left in stock after each order."""
    return [
        [
            detail
            for _, event, _, detail in trace(scenario, seed=3, replication=number)
            if event == "part_order"
        ]
        for number in range(replications)
    ]


@pytest.mark.parametrize(("lead_time", "drawn"), LEAD_TIMES, ids=["exp", "const", "gamma", "logn"])
@pytest.mark.parametrize("stock", [0, 2, 4, 7])
def test_the_fill_rate_is_palms(stock: int, lead_time: Any, drawn: Any) -> None:
    # An order finds a part if fewer than all are on order; it sees the mean of all times (PASTA).
    found = orders(shop(stock, lead_time), 150)
    filled = RATE * trapezoid(stats.poisson.cdf(stock - 1, on_order(drawn)), HOURS)
    assert_mean([sum(left >= 0 for left in run) for run in found], float(filled), "filled")
    assert_mean([len(run) for run in found], RATE * LENGTH, "orders")


@pytest.mark.parametrize(("lead_time", "drawn"), LEAD_TIMES, ids=["exp", "const", "gamma", "logn"])
@pytest.mark.parametrize("stock", [0, 3, 6])
def test_servers_wait_for_what_is_beyond_the_stock(stock: int, lead_time: Any, drawn: Any) -> None:
    # Those that wait are the parts on order less the stock, if that is above zero.
    hours = server_hours(shop(stock, lead_time), 600)
    mean = on_order(drawn)
    beyond = np.arange(1, 200)[:, None]
    waiting = (beyond * stats.poisson.pmf(stock + beyond, mean)).sum(axis=0)
    assert_mean(hours["awaiting_repair"], float(trapezoid(waiting, HOURS)))
    assert not hours["manual_repair"].any()


def test_not_every_repair_needs_a_part() -> None:
    found = orders(shop(3, Exponential(mean=16.0), probability=0.3), 300)
    assert_mean([len(run) for run in found], 0.3 * RATE * LENGTH)
    mean = on_order(stats.expon(scale=16.0), 0.3 * RATE)
    filled = 0.3 * RATE * trapezoid(stats.poisson.cdf(2, mean), HOURS)
    assert_mean([sum(left >= 0 for left in run) for run in found], float(filled))


def test_parts_that_are_always_at_hand_are_no_limit() -> None:
    base = shop(100_000, Constant(value=1e6), repair__manual__time=Exponential(mean=20.0))
    one, other = simulate(base.with_(repair__manual__parts="off"), 20), simulate(base, 20)
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def test_a_part_and_then_a_crew() -> None:
    # Failures at 10, 11 and 12 h, repairs of 5 h by one crew, one part in stock, 10 h to order one.
    # The first has both; the second its part at 20 h; the third at 21 h, and the crew at 25 h.
    # (Those that took their places fail from 23 h on: they are behind them.)
    scenario = plain(
        3, standbys=3, length=30.0, mean_life=10.0, failures__life=ConstantLife(),
        recovery__time=1.0,
        repair__automated={"time": 0.0, "escalate": 1.0},
        repair__manual={
            "time": 5.0, "crews": 1,
            "parts": SpareParts(probability=1.0, stock=1, lead_time=Constant(value=10.0)),
        },
    )  # fmt: skip
    rows = trace(scenario, seed=1).rows()
    a, b, c = [server for _, event, server, _ in rows if event == "failure"][:3]
    told = ("part_order", "part_arrival", "manual_repair_begin", "manual_repair_end")
    mine = [row[:3] for row in rows if row[1] in told and row[2] in (a, b, c, -1)]
    assert mine[:12] == [
        (10.0, "part_order", a),
        (10.0, "manual_repair_begin", a),
        (11.0, "part_order", b),
        (12.0, "part_order", c),
        (15.0, "manual_repair_end", a),
        (20.0, "part_arrival", b),
        (20.0, "manual_repair_begin", b),
        (21.0, "part_arrival", c),
        (22.0, "part_arrival", -1),
        (25.0, "manual_repair_end", b),
        (25.0, "manual_repair_begin", c),
        (30.0, "manual_repair_end", c),
    ]
    left = [detail for _, event, _, detail in rows if event in ("part_order", "part_arrival")]
    assert left[:6] == [0, -1, -2, -1, 0, 1]


def test_the_job_depends_on_its_parts() -> None:
    # One server beside the job, no parts in stock: every second failure waits for one.
    hours = [
        simulate(
            shop(stock, Exponential(mean=16.0), cluster__working_pool=52, job__warm_standbys=2), 60
        )["training_hours"].mean()
        for stock in (0, 1, 3, 50)
    ]
    assert hours == sorted(hours, reverse=True)
    assert hours[0] > hours[2] > hours[3]
