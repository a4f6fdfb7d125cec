"""Repairs that keep the age: failures of a server are a Poisson process whose rate is its hazard.

With Weibull lives that is the power law process of Crow (1974): (t/scale)^shape failures are
expected in t hours of exposure, and their number has the Poisson distribution, whatever else stops
the job. On the map: engine/ages.py.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from tests.theory.numbers import assert_mean, assert_variance, simulate
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.engine.ages import in_other_condition, life_from
from failcast.engine.plan import make_plan
from failcast.engine.random import LIFE, Chance
from failcast.scenario import (
    Exponential,
    ExponentialLife,
    Regeneration,
    Scenario,
    WeibullLife,
)

SHAPES = (0.5, 1.0, 2.0, 3.5)
MEAN_LIFE = 50.0
SERVERS = 20


def hazard(shape: float, hours: float, mean: float = MEAN_LIFE) -> float:
    """The cumulative hazard of a Weibull life: the failures expected up to an age."""
    return float((hours * math.gamma(1.0 + 1.0 / shape) / mean) ** shape)


def kept(shape: float, servers: int, length: float, **changes: Any) -> Scenario:
    """A job of servers that keep their age, with repairs and recoveries of no time."""
    changes = {"failures__life": WeibullLife(shape=shape), "repair__restores": "age_kept"} | changes
    return plain(servers, length=length, mean_life=MEAN_LIFE, **changes)


@pytest.mark.parametrize("shape", SHAPES)
def test_servers_that_keep_their_slots_are_power_law_processes(shape: float) -> None:
    length = 2.0 * MEAN_LIFE
    sample = simulate(kept(shape, SERVERS, length, diagnosis__probability=0.0), 400)
    expected = SERVERS * hazard(shape, length)
    assert_mean(sample["failures"], expected)
    assert_variance(sample["failures"], expected)  # a Poisson number


@pytest.mark.parametrize("shape", SHAPES)
def test_so_is_one_that_is_repaired_time_after_time(shape: float) -> None:
    # The job stands still while its only server is repaired, and the server with it.
    scenario = kept(
        shape,
        1,
        3.0 * MEAN_LIFE,
        repair__automated__time=Exponential(mean=5.0),
        recovery__time=0.5,
    )
    sample = simulate(scenario, 2000)
    assert_mean(sample["failures"], hazard(shape, 3.0 * MEAN_LIFE))
    assert sample["stalls"].sum() > 1000


@pytest.mark.parametrize("shape", SHAPES)
def test_an_innocent_server_goes_on_as_it_was(shape: float) -> None:
    # The wrong server is repaired each time, at once, and nobody ever pauses.
    sample = simulate(kept(shape, 2, 2.0 * MEAN_LIFE, diagnosis__wrong_server=1.0), 2000)
    assert (sample["blamed_right"] == 0.0).all()
    assert_mean(sample["failures"], 2.0 * hazard(shape, 2.0 * MEAN_LIFE))
    assert_variance(sample["failures"], 2.0 * hazard(shape, 2.0 * MEAN_LIFE))


@pytest.mark.parametrize("shape", SHAPES)
def test_failures_of_an_old_server_are_those_behind_its_age(shape: float) -> None:
    age, length = 0.8 * MEAN_LIFE, MEAN_LIFE
    scenario = kept(shape, SERVERS, length, failures__initial_age=age, diagnosis__probability=0.0)
    expected = SERVERS * (hazard(shape, age + length) - hazard(shape, age))
    assert_mean(simulate(scenario, 400)["failures"], expected)


@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_a_stationary_start_brings_ages_along(shape: float) -> None:
    # An age in the midst of a life has the density S(x) / mean, as what is left of it has.
    length = MEAN_LIFE
    law = stats.weibull_min(shape, scale=MEAN_LIFE / math.gamma(1.0 + 1.0 / shape))
    expected, _ = integrate.quad(
        lambda age: law.sf(age) / MEAN_LIFE * (hazard(shape, age + length) - hazard(shape, age)),
        0.0,
        np.inf,
    )
    scenario = kept(
        shape, SERVERS, length, failures__initial_age="stationary", diagnosis__probability=0.0
    )
    assert_mean(simulate(scenario, 600)["failures"], SERVERS * expected)


@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_a_mended_server_is_as_old_as_before(shape: float) -> None:
    # Its first failure comes at the hazard of a defective server, all later ones at that of a good
    # one of its age.
    length, multiplier = MEAN_LIFE, 3.0
    bad = MEAN_LIFE / (1.0 + multiplier)
    law = stats.weibull_min(shape, scale=bad / math.gamma(1.0 + 1.0 / shape))
    expected = (
        law.cdf(length)
        + integrate.quad(
            lambda t: law.pdf(t) * (hazard(shape, length) - hazard(shape, t)), 0.0, length
        )[0]
    )
    scenario = kept(
        shape,
        1,
        length,
        failures__systematic={"fraction": 1.0, "multiplier": multiplier},
        repair__automated__silent_failure=0.0,
    )
    assert_mean(simulate(scenario, 4000)["failures"], float(expected))


@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_an_innocent_server_that_is_mended_changes_its_hazard_there(shape: float) -> None:
    # Two defective servers, always the other one blamed and mended: the first failure, at the rate
    # of two defective servers, mends one; the second one mends the other if that is not the one
    # that failed, and so on. Followed by a simulation of its own, by cumulative hazards.
    length, multiplier, runs = MEAN_LIFE, 3.0, 4000
    scenario = kept(
        shape,
        2,
        length,
        failures__systematic={"fraction": 1.0, "multiplier": multiplier},
        repair__automated__silent_failure=0.0,
        diagnosis__wrong_server=1.0,
    )
    found = simulate(scenario, runs)["failures"]
    means = np.array([MEAN_LIFE, MEAN_LIFE / (1.0 + multiplier)])
    counts = []
    for run in range(runs):
        chance, draw = Chance(77, run), itertools.count()
        clock, bad, count = 0.0, [1, 1], 0
        while True:
            # Competing risks: the smaller of two residual lives, drawn afresh each time.
            points = []
            for server in range(2):
                e = -math.log1p(-chance.uniform(LIFE, server, next(draw)))
                before = hazard(shape, clock, means[bad[server]])
                scale = means[bad[server]] / math.gamma(1.0 + 1.0 / shape)
                points.append(scale * (before + e) ** (1.0 / shape))
            failed = int(points[1] < points[0])
            clock = points[failed]
            if clock >= length:
                break
            count += 1
            bad[1 - failed] = 0
        counts.append(count)
    other = np.array(counts, float)
    error = math.hypot(found.std(ddof=1), other.std(ddof=1)) / math.sqrt(runs)
    assert abs(found.mean() - other.mean()) < 4.0 * error


@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_a_server_that_turns_defective_keeps_its_age(shape: float) -> None:
    # The only server turns defective at 20 h, by regeneration, and no repair mends it.
    turn, length = 20.0, MEAN_LIFE
    scenario = kept(
        shape,
        1,
        length,
        failures__systematic={"fraction": 0.0, "multiplier": 1.5},
        failures__regeneration=Regeneration(interval=turn, share=1.0),
        repair__automated__silent_failure=1.0,
    )
    bad = MEAN_LIFE / 2.5
    expected = hazard(shape, turn)
    expected += hazard(shape, length, bad) - hazard(shape, turn, bad)
    sample = simulate(scenario, 4000)
    assert_mean(sample["failures"], expected)
    assert_variance(sample["failures"], expected)


@pytest.mark.parametrize("wrong", [0.0, 0.5])
def test_exponential_lives_have_no_age_to_keep(wrong: float) -> None:
    new = kept(
        1.0,
        5,
        4.0 * MEAN_LIFE,
        failures__life=ExponentialLife(),
        repair__restores="new",
        failures__systematic={"fraction": 0.4, "multiplier": 4.0},
        diagnosis__probability=0.8,
        diagnosis__wrong_server=wrong,
        repair__automated__time=2.0,
    )
    old = new.with_(repair__restores="age_kept")
    if wrong == 0.0:
        assert trace(new, seed=3).rows() == trace(old, seed=3).rows()
        return
    # An innocent server keeps its life and does not draw another one: the law is the same.
    one, other = (simulate(each, 1500)["failures"] for each in (new, old))
    error = math.hypot(one.std(ddof=1), other.std(ddof=1)) / math.sqrt(1500)
    assert abs(one.mean() - other.mean()) < 4.0 * error


# --- the arithmetic ---------------------------------------------------------------------------


def plan_of(shape: float, **changes: Any) -> Any:
    """The plan of servers with these lives."""
    return make_plan(kept(shape, 1, 1.0, **changes))


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 3.0, 40.0, 1000.0])
@pytest.mark.parametrize("lives", [1e-6, 0.3, 0.999, 1.001, 2.5])
def test_the_hazard_of_a_life_is_the_exponential_it_was_drawn_by(
    shape: float, lives: float
) -> None:
    plan, root = plan_of(shape), Chance(1, 0).root
    scale = np.longdouble(MEAN_LIFE) / np.longdouble(math.gamma(1.0 + 1.0 / shape))
    age = lives * float(scale)
    for n in range(50):
        e = Chance(1, 0).sample((1, 1.0, 0.0), LIFE, 0, n)
        left = life_from(plan, root, 0, n, False, age)
        assert left >= 0.0
        if shape * abs(math.log(lives)) > 300.0:
            continue  # so sure to fail, or so far from it, that no test can tell
        log_age = np.log(np.longdouble(age) / scale) * np.longdouble(shape)
        grown = shape * np.log1p(np.longdouble(left) / np.longdouble(age))
        spent = np.exp(log_age) * np.expm1(grown)
        # What is left is a float beside an age: its error in hazard is that of the last digit.
        assert float(spent) == pytest.approx(e, rel=1e-9 * max(1.0, shape))


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 3.0, 40.0])
def test_turning_defective_and_good_again_changes_nothing(shape: float) -> None:
    plan = plan_of(shape, failures__systematic__multiplier=5.0)
    for age, left in itertools.product((0.0, 1e-3, 1.0, 30.0), (1e-9, 0.1, 5.0, 1e4)):
        bad = in_other_condition(plan, left, age, True)
        assert 0.0 <= bad <= left
        assert in_other_condition(plan, bad, age, False) == pytest.approx(left, rel=1e-6)
        if age == 0.0 or shape == 1.0:
            assert bad == pytest.approx(left / 6.0, rel=1e-9)


def test_what_is_infinite_or_nothing_stays_so() -> None:
    plan = plan_of(2.0)
    for defective in (False, True):
        assert math.isinf(in_other_condition(plan, math.inf, 3.0, defective))
        assert in_other_condition(plan, 0.0, 3.0, defective) == 0.0
    never = plan_of(2.0, failures__random__rate=0.0)
    assert math.isinf(life_from(never, Chance(1, 0).root, 0, 0, False, 3.0))
    rows = trace(kept(2.0, 2, 9.0, failures__random__rate=0.0), seed=1).rows()
    assert not any(event == "failure" for _, event, _, _ in rows)
