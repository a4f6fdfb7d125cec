"""B05: "random" host selection takes any server; the original takes a prefix of the pool order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.regressions.cases import DAYS, assert_mean, calm, columns

from failcast.engine import trace
from failcast.engine.model import TRIES_PER_HIT
from failcast.scenario import Constant, ExponentialLife, Scenario


def half_bad(policy: str, **changes: Any) -> Scenario:
    """200 servers, 100 at work, half of them defective (10 times more failures), never mended."""
    defaults: dict[str, Any] = {
        "cluster__working_pool": 200,
        "job__servers": 100,
        "job__length": 60 * DAYS,
        "failures__random__rate": 0.02 / DAYS,
        "failures__life": ExponentialLife(),
        "failures__systematic__fraction": 0.5,
        "failures__systematic__multiplier": 10.0,
        "repair__automated__time": Constant(value=0.0),
        "repair__automated__silent_failure": 1.0,
        "selection__policy": policy,
    }
    return calm(**(defaults | changes))


def test_b05_random_selection_is_uniform_over_defective_and_good() -> None:
    """Without standbys each failure is a new selection: 100 of 200 at random, half defective."""
    bad = np.arange(101)
    chances = hypergeom(200, 100, 100).pmf(bad)
    hours_between = chances @ (1.0 / ((0.02 / DAYS) * (100 + 10 * bad)))
    ran = columns(half_bad("random"), 200)
    assert_mean(ran["failures"], 60 * DAYS / hours_between)
    # Of the failures of a defective server 10 in 11 are systematic.
    share = chances @ (bad * 10 / (100 + 10 * bad))
    assert_mean(ran["failures_systematic"] / ran["failures"], share)


#: Without spares a selection draws among all servers; with so many it draws from a list.
TRIAL_AND_LIST = pytest.mark.parametrize("spares", [0, 1000])


@TRIAL_AND_LIST
def test_b05_random_selection_is_uniform_over_the_numbers(spares: int) -> None:
    """With equal servers every server fails equally often: chi-square over 200 servers."""
    equal = half_bad(
        "random",
        cluster__spare_pool=spares,
        failures__systematic__fraction=0.0,
        failures__random__rate=0.01,
    )
    assert (200 + spares > TRIES_PER_HIT * 100) == (spares > 0)
    counts = np.zeros(200)
    for replication in range(20):
        for _, event, server, _ in trace(equal, seed=5, replication=replication).rows():
            counts[server] += event == "failure"
    expected = counts.sum() / 200
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert expected > 100
    assert abs(chi_square - 199) < 4.0 * math.sqrt(2 * 199)


def test_b05_pool_order_is_the_original_and_says_so() -> None:
    """By last entry into the pool defective servers drift to its end, where nobody takes them."""
    uniform, prefix = columns(half_bad("random"), 50), columns(half_bad("pool_order"), 50)
    assert prefix["failures"].mean() < 0.65 * uniform["failures"].mean()
    shares = [ran["failures_systematic"].sum() / ran["failures"].sum() for ran in (prefix, uniform)]
    assert shares[0] < shares[1] - 0.05


@TRIAL_AND_LIST
@pytest.mark.parametrize("policy", ["random", "pool_order"])
def test_b05_standbys_are_drawn_uniformly_too(policy: str, spares: int) -> None:
    """The first promotion is of any server; in the original it is of one behind the job's."""
    idle = 1 if policy == "random" else 0
    case = calm(
        selection__policy=policy,
        cluster__working_pool=9 + idle,
        cluster__spare_pool=spares,
        job__servers=7,
        job__warm_standbys=2,
        job__length=101.0,
    )
    first = []
    for replication in range(500):
        rows = trace(case, seed=1, replication=replication).rows()
        first.append(next(server for _, event, server, _ in rows if event == "promotion"))
    counts, expected = np.bincount(first), 500 / (9 + idle)
    assert len(counts) == 9 + idle
    freedom = len(counts) - 1
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi_square - freedom) < 4.0 * math.sqrt(2 * freedom)
