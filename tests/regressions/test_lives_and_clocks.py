"""B01, B03, B04, B20, B33: lives are kept, clocks run when they should, shares are explicit."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr
from tests.regressions.cases import DAYS, assert_mean, calm, columns, story

import failcast as fc
from failcast.engine import Status
from failcast.engine.random import LIFE, Chance
from failcast.scenario import (
    Constant,
    ExponentialLife,
    Life,
    LognormalLife,
    Regeneration,
    WeibullLife,
)
from failcast.scenario.distributions import EXPONENTIAL

# --- B01: every failure draws anew the life of all servers -----------------------------------


def renewals(cdf: Callable[[np.ndarray], np.ndarray], horizon: float, steps: int = 2000) -> float:
    """Expected renewals up to `horizon` for lives with this distribution, all new at time 0.

    The renewal equation by the midpoint rule: M. Xie, On the solution of renewal-type integral
    equations, Communications in Statistics - Simulation and Computation 18 (1989).
    """
    width = horizon / steps
    at, middle = cdf(width * np.arange(steps + 1)), cdf(width * (np.arange(steps) + 0.5))
    expected = np.zeros(steps + 1)
    for k in range(1, steps + 1):
        earlier = np.diff(expected[:k]) @ middle[1:k][::-1] - expected[k - 1] * middle[0]
        expected[k] = (at[k] + earlier) / (1.0 - middle[0])
    return float(expected[-1])


def weibull(shape: float) -> Callable[[np.ndarray], np.ndarray]:
    """The distribution of Weibull lives of mean 1."""
    return lambda age: -np.expm1(-((age * math.gamma(1.0 + 1.0 / shape)) ** shape))


def lognormal(sigma: float) -> Callable[[np.ndarray], np.ndarray]:
    """The distribution of lognormal lives of mean 1."""
    return lambda age: ndtr((np.log(np.maximum(age, 1e-300)) + 0.5 * sigma**2) / sigma)


@pytest.mark.parametrize(
    ("life", "cdf", "about"),
    [
        (WeibullLife(shape=2.0), weibull(2.0), 965),
        (WeibullLife(shape=0.5), weibull(0.5), 1185),
        (LognormalLife(sigma=1.0), lognormal(1.0), 1038),
        (ExponentialLife(), weibull(1.0), 1000),
    ],
    ids=["weibull 2", "weibull 0.5", "lognormal 1", "exponential"],
)
def test_b01_failures_are_those_of_independent_renewals(
    life: Life, cdf: Callable[[np.ndarray], np.ndarray], about: int
) -> None:
    """100 of 120 servers at work, 100 d, mean life 10 d: the original has 99, 100,232 and 186."""
    scenario = calm(
        cluster__working_pool=120,
        job__servers=100,
        job__warm_standbys=20,
        job__length=100 * DAYS,
        life_hours=10 * DAYS,
        failures__life=life,
        repair__automated__time=Constant(value=0.1),
    )
    expected = 100 * renewals(cdf, 10.0)
    assert expected == pytest.approx(about, rel=0.01)
    ran = columns(scenario, 300)
    # While standbys last, each slot of the job is a renewal process of its own.
    assert ran["host_selections"].max() == 1
    assert_mean(ran["failures"], expected)


def test_b01_constant_lives_give_each_server_its_own_failures() -> None:
    """100 servers, 10 d each, 95 d: 9 failures each; drawn anew together it would be 9 in all."""
    ran = story(
        calm(
            cluster__working_pool=100,
            job__servers=100,
            job__length=95 * DAYS,
            life_hours=10 * DAYS,
            diagnosis__probability=0.0,
        )
    )
    assert ran["failures"] == 900
    assert sorted(set(ran.times("failure"))) == pytest.approx(240.0 * np.arange(1, 10), rel=1e-12)


def test_b01_a_failure_elsewhere_moves_no_failure_point() -> None:
    """Each server fails at the sums of its own lives, though others fail in between."""
    mean, shape = 50.0, 2.0
    ran = story(
        calm(life_hours=mean, failures__life=WeibullLife(shape=shape), diagnosis__probability=0.0),
        seed=3,
    )
    chance = Chance(3, 0)
    for server in range(10):
        units = [chance.sample((EXPONENTIAL, 1.0, 0.0), LIFE, server, n) for n in range(30)]
        lives = mean / math.gamma(1.5) * np.array(units) ** (1.0 / shape)
        own = [time for time, _, failed, _ in ran.of("failure") if failed == server]
        assert own == pytest.approx([t for t in np.cumsum(lives) if t < 250.0], rel=1e-12)


def test_b01_a_selection_renews_nobody_either() -> None:
    """Constant lives of 100 h: a server that sits out selections has its hours left."""
    ran = story(calm(cluster__working_pool=13, job__length=1000.0), seed=2)
    assert ran["host_selections"] > 10
    # 13 servers share 10 slots: every server's failures are one per 100 h of its own operation.
    operating = 10 * 1000.0
    assert operating / 100.0 - 13 <= ran["failures"] <= operating / 100.0


# --- B03: nothing fails during recovery ------------------------------------------------------


@pytest.mark.parametrize(
    ("exposed", "factor"), [(True, math.e), (False, 2.0)], ids=["exposed", "safe"]
)
def test_b03_failures_strike_during_recovery_if_exposed(exposed: bool, factor: float) -> None:
    """10 servers, 1 failure a day each, recovery 144 min, 100 d: L·e^{λR}, or L·(1 + λR)."""
    scenario = calm(
        job__length=100 * DAYS,
        failures__random__rate=1 / DAYS,
        failures__life=ExponentialLife(),
        failures__exposure__recovering=exposed,
        recovery__time=2.4,
        diagnosis__probability=0.0,  # all ten stay exposed, so that λ is the same while recovering
    )
    assert_mean(columns(scenario, 200)["training_hours"], factor * 2400.0)


def test_b03_a_failure_while_recovering_restarts_the_recovery() -> None:
    """One server lives 8 h, the other 8.5 h, recovery takes 1 h: the first one ends at 9.5 h."""
    changes = {
        "cluster__working_pool": 2,
        "job__servers": 2,
        "job__length": 15.0,
        "life_hours": 8.5,
        "failures__systematic__fraction": 0.5,
        "failures__systematic__multiplier": 0.0625,
        "diagnosis__probability": 0.0,
        "recovery__time": 1.0,
    }
    exposed = story(calm(**changes, failures__exposure__recovering=True))
    # Both age while they recover: their next lives end at 16 h and 17 h by the clock on the wall.
    assert exposed.times("failure") == [8.0, 8.5, 16.0, 17.0]
    assert exposed["recovery_hours"] == 1.5 + 2.0
    assert exposed["training_hours"] == 15.0 + 3.5
    safe = story(calm(**changes))
    assert safe.times("failure") == [8.0, 9.5]  # the clock stands still from 8 to 9
    assert safe["recovery_hours"] == 2.0
    assert safe["training_hours"] == 17.0


@pytest.mark.parametrize("exposed", [True, False])
def test_b03_only_active_servers_fail_and_only_while_exposed(exposed: bool) -> None:
    """Standby, idle, selecting and stalled servers do not fail."""
    ran = story(
        calm(
            cluster__working_pool=13,
            job__warm_standbys=2,
            failures__life=ExponentialLife(),
            failures__exposure__recovering=exposed,
            recovery__time=1.0,
            selection__time=2.0,
            repair__automated__time=Constant(value=20.0),
            job__length=500.0,
        )
    )
    phase, during = "", set()
    for _, event, _, _ in ran.rows:
        if event == "failure":
            during.add(phase)
        if event in ("waiting", "stalled", "selecting", "computing", "recovering"):
            phase = event
    assert ran["stalls"] > 0
    assert during == ({"computing", "recovering"} if exposed else {"computing"})


# --- B04: with regeneration the original never ends ------------------------------------------


@pytest.mark.parametrize("interval", [0.7, 24.0, 30 * DAYS])
@pytest.mark.parametrize("rate", [0.0, 0.01])
def test_b04_regeneration_ends_with_the_job(interval: float, rate: float) -> None:
    ran = story(
        calm(
            job__length=24.0,
            failures__random__rate=rate,
            failures__systematic__fraction=0.15,
            failures__regeneration=Regeneration(interval=interval),
        )
    )
    assert ran.status == Status.FINISHED
    assert ran.rows[-1][1] == "finished"
    assert ran["training_hours"] >= 24.0
    assert len(ran.times("regeneration")) == math.floor(ran["training_hours"] / interval)


def test_b04_the_original_file_of_one_day_takes_one_day(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("bad_server_regeneration: true\njob_length: 1440\nrandom_failure_rate: 0\n")
    sample = fc.simulate(fc.load(file), replications=3)
    assert sample.values("training_hours").tolist() == pytest.approx([24.05] * 3)


# --- B20: what a multiplier multiplies -------------------------------------------------------


def test_b20_multiplier_5_means_six_times_the_rate() -> None:
    """A good server lives 60 h, a defective one 10 h; 5 of 6 of its failures are systematic."""
    defective = calm(
        cluster__working_pool=1,
        job__servers=1,
        life_hours=60.0,
        failures__systematic__fraction=1.0,
        failures__systematic__multiplier=5.0,
        diagnosis__probability=0.0,
        job__length=95.0,
    )
    assert story(defective).times("failure") == pytest.approx(10.0 * np.arange(1, 10), rel=1e-12)
    good = defective.with_(failures__systematic__fraction=0.0)
    assert story(good).times("failure") == pytest.approx([60.0])
    many = columns(defective.with_(job__length=1205.0), 200)
    assert set(many["failures"]) == {120.0}
    assert_mean(many["failures_systematic"], 100.0)


# --- B33: regeneration with a hidden 0.1 -----------------------------------------------------


@pytest.mark.parametrize(
    ("fraction", "servers", "share", "turned"),
    [
        (0.15, 118, 0.1, 2),  # 100 good ones: 1.5 is rounded up
        (0.15, 118, 1.0, 15),
        (0.29, 141, 1.0, 29),  # 0.29 × 100 in binary is below 29
        (0.3, 50, 1.0, 11),  # 35 good ones: 10.5
        (0.15, 10, 0.01, 1),  # at least one
        (1.0, 10, 1.0, 0),  # nobody is left to turn
    ],
)
def test_b33_regeneration_turns_the_share_it_says(
    fraction: float, servers: int, share: float, turned: int
) -> None:
    ran = story(
        calm(
            cluster__working_pool=servers - 5,
            cluster__spare_pool=5,  # spares count
            job__length=2.0,
            failures__random__rate=0.0,
            failures__systematic__fraction=fraction,
            failures__regeneration=Regeneration(interval=1.5, share=share),
        )
    )
    assert ran.of("regeneration") == [(1.5, "regeneration", -1, turned)]


def test_b33_what_is_left_of_a_life_is_divided_by_one_plus_multiplier() -> None:
    """A server of 60 h turns defective at 30 h, multiplier 5: the 30 h that are left become 5 h."""
    ran = story(
        calm(
            cluster__working_pool=1,
            job__servers=1,
            job__length=50.0,
            life_hours=60.0,
            failures__regeneration=Regeneration(interval=30.0, share=0.01),
            diagnosis__probability=0.0,
        )
    )
    # Then defective lives of 10 h.
    assert ran.times("failure") == pytest.approx([35.0, 45.0], rel=1e-12)


def test_b33_servers_in_repair_turn_too_and_a_repair_undoes_it() -> None:
    """The failed server turns defective while in repair; its success makes it good again."""
    ran = story(
        calm(
            cluster__working_pool=1,
            job__servers=1,
            job__length=150.0,
            life_hours=60.0,
            failures__regeneration=Regeneration(interval=65.0, share=0.01),
            repair__automated__time=Constant(value=10.0),
            run__horizon=129.0,
        )
    )
    # Repair ends at 70; the new life is a good one's and would end at 130, when it turns again.
    assert ran.of("regeneration") == [(65.0, "regeneration", -1, 1)]
    assert ran.times("failure") == pytest.approx([60.0])
    assert ran.status == Status.OUT_OF_TIME
