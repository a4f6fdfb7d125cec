"""Failures that strike during a recovery start it again: closed forms of `exposure: recovering`.

With k exposed servers of rate r, a recovery of constant R lasts, restarts included,

    V(k) = (1 - exp(-k r R)) / (k r) + (1 - exp(-k r R)) V(k - 1),    V(0) = R

if each one that fails leaves (the blamed ones); the job fails at rate n r and recovers with n - 1
survivors, so its wall time is L (1 + n r V(n - 1)). If nobody is blamed all n stay exposed, the
recursion closes on itself, V = (exp(n r R) - 1) / (n r), and the wall time is L exp(n r R).
Repairs take no time, so standbys never run out. B03 of the reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from tests.theory.numbers import assert_mean, simulate
from tests.theory.scenarios import plain

from failcast.scenario import Constant, Distribution, Exponential

RECOVERY = 2.4
LENGTH = 1000.0
#: Rate of failures -> mean time until one strikes or the recovery ends, chance that one strikes.
Race = Callable[[float], tuple[float, float]]


def against_a_constant(rate: float) -> tuple[float, float]:
    """The race of failures at `rate` per hour with a recovery of constant length."""
    wins = -math.expm1(-rate * RECOVERY)
    return wins / rate, wins


def against_an_exponential(rate: float) -> tuple[float, float]:
    """The same race with an exponential recovery, drawn anew at each start."""
    return 1.0 / (rate + 1.0 / RECOVERY), rate / (rate + 1.0 / RECOVERY)


def recovery_with(exposed: int, rate: float, race: Race) -> tuple[float, float]:
    """Return hours and failures of a recovery that starts with so many exposed servers."""
    hours, failures = RECOVERY, 0.0
    for k in range(1, exposed + 1):
        mean, wins = race(k * rate)
        hours, failures = mean + wins * hours, wins * (1.0 + failures)
    return hours, failures


@pytest.mark.parametrize("servers", [2, 10, 1000])
@pytest.mark.parametrize(
    ("recovery", "race"),
    [
        (Constant(value=RECOVERY), against_a_constant),
        (Exponential(mean=RECOVERY), against_an_exponential),
    ],
    ids=["constant", "exponential"],
)
def test_b03_survivors_fail_while_the_job_recovers(
    servers: int, recovery: Distribution, race: Race
) -> None:
    rate = 1.0 / (servers * RECOVERY)  # rate × recovery = 1 for the job as a whole
    scenario = plain(
        servers,
        standbys=servers,
        length=LENGTH,
        mean_life=1.0 / rate,
        recovery__time=recovery,
        failures__exposure__recovering=True,
    )
    sample = simulate(scenario, 200)
    assert sample["host_selections"].max() == 1.0
    hours, failures = recovery_with(servers - 1, rate, race)
    assert_mean(sample["training_hours"], LENGTH * (1.0 + servers * rate * hours))
    assert_mean(sample["failures"], LENGTH * servers * rate * (1.0 + failures))


def test_b03_many_servers_come_near_the_simple_formula() -> None:
    # The two formulas differ by the one server that is being repaired: by 1 / n or so.
    rate = 1.0 / (1000 * RECOVERY)
    hours, _ = recovery_with(999, rate, against_a_constant)
    assert 1.0 + 1000 * rate * hours == pytest.approx(math.e, rel=2e-3)


def test_b03_unblamed_servers_stay_exposed_so_the_simple_formula_is_exact() -> None:
    # The reference's case: ten servers that fail once a day, recoveries of 144 min, 100 d:
    # 391,433 min, where the original gave 287,616.
    scenario = plain(
        10,
        length=2400.0,
        mean_life=24.0,
        recovery__time=RECOVERY,
        diagnosis__probability=0.0,
        failures__exposure__recovering=True,
    )
    sample = simulate(scenario, 300)
    assert_mean(sample["training_hours"], 2400.0 * math.e)
    assert_mean(60.0 * sample["training_hours"], 391_433.0)
    # The clock runs throughout: failures are Poisson over all of it.
    assert_mean(sample["failures"] - sample["training_hours"] * 10 / 24.0, 0.0)


def test_b03_sheltered_servers_do_not_fail_while_the_job_recovers() -> None:
    # Without exposure each failure costs one recovery: L (1 + rate × recovery).
    scenario = plain(10, standbys=10, length=2400.0, mean_life=24.0, recovery__time=RECOVERY)
    sample = simulate(scenario, 200)
    assert_mean(sample["training_hours"], 2400.0 * 2.0)
