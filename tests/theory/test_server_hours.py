"""Server-hours by state, servers in repair at once, and the share of defective servers.

Against closed forms: books that add up, Little's law, the Poisson number in repair of M/G/infinity,
and a fleet whose condition never changes.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.strategies import CORNERS, PAIRWISE
from tests.theory.numbers import assert_close, assert_mean, simulate, standard_error
from tests.theory.scenarios import plain

from failcast.engine import METRICS, SERVER_STATES, run
from failcast.scenario import Constant, Distribution, Exponential, Lognormal, Scenario, load

AUTOMATED = SERVER_STATES.index("automated_repair")
MANUAL = SERVER_STATES.index("manual_repair")


def hours_of(scenario: Scenario, replications: int) -> tuple[np.ndarray, np.ndarray]:
    """Wall hours and server-hours by state of each replication."""
    runs = run(scenario, replications=replications, seed=1)
    return runs.values[:, METRICS.index("training_hours")], runs.server_hours


@pytest.mark.parametrize("scenario", [*PAIRWISE, *CORNERS])
def test_every_server_is_in_one_state_at_any_time(scenario: Scenario) -> None:
    wall, hours = hours_of(scenario, 3)
    servers = scenario.cluster.working_pool + scenario.cluster.spare_pool
    assert hours.sum(axis=1) == pytest.approx(servers * wall, rel=1e-9)
    assert (hours >= 0.0).all()


def test_a_job_without_failures_uses_its_servers_and_leaves_the_others() -> None:
    scenario = plain(4, standbys=2, idle=3, length=100.0, mean_life=1e9).with_(
        failures__random__rate=0.0, cluster__spare_pool=5, selection__time=0.0
    )
    wall, hours = hours_of(scenario, 1)
    assert wall.tolist() == [100.0]
    assert hours[0].tolist() == [400.0, 200.0, 300.0, 500.0, *[0.0] * (len(SERVER_STATES) - 4)]


def test_stages_of_repair_share_their_hours_as_their_means_say() -> None:
    """Each failure costs 2 h of automated repair and, in half of all cases, 10 h of manual."""
    scenario = plain(40, standbys=40, length=2000.0, mean_life=400.0).with_(
        repair__automated__time=Exponential(mean=2.0),
        repair__automated__escalate=0.5,
        repair__manual__time=Lognormal(mean=10.0, sigma=1.0),
    )
    runs = run(scenario, replications=200, seed=1)
    failures = runs.values[:, METRICS.index("failures")]
    # Repairs that the end leaves open are cut short: on average one residual repair of each server
    # that is down then. Its mean is E[S^2] / 2 per failure and hour of the run's end.
    rate = 40.0 / 400.0
    second = {AUTOMATED: 2.0 * 2.0**2, MANUAL: 0.5 * 10.0**2 * np.e}
    for state, mean in ((AUTOMATED, 2.0), (MANUAL, 0.5 * 10.0)):
        residuals = runs.server_hours[:, state] - mean * failures
        cut = rate * second[state] / 2.0
        if state == MANUAL:
            cut += rate * 0.5 * 10.0 * 2.0  # not begun yet, while its automated stage runs
        assert_mean(residuals, -cut, SERVER_STATES[state])


@pytest.mark.parametrize("repair", [Exponential(mean=8.0), Constant(value=8.0)])
def test_servers_down_are_poisson_where_standbys_abound(repair: Distribution) -> None:
    """M/G/infinity: failures at rate 1 / h and repairs of 8 h leave Poisson(8) servers in repair.

    The law has 0.9918 up to 15 servers and 0.9827 up to 14. The time above 15 is a share of 0.0082
    with a standard error of about 0.0004 in a run of 400,000 h (visits last about 0.6 h, and come
    in clusters of one repair's length), so the percentile is 15 by more than 4 standard errors.
    """
    scenario = plain(200, standbys=60, length=400_000.0, mean_life=200.0).with_(
        repair__automated__time=repair
    )
    expected = int(stats.poisson.ppf(0.99, 8.0))
    assert expected == 15
    columns = simulate(scenario, 4)
    assert set(columns["down_p99"].tolist()) == {float(expected)}


def test_down_p99_counts_both_stages() -> None:
    both = plain(200, standbys=60, length=20_000.0, mean_life=200.0).with_(
        repair__automated__time=4.0, repair__automated__escalate=1.0, repair__manual__time=4.0
    )
    one = both.with_(repair__automated__time=8.0, repair__automated__escalate=0.0)
    first, second = simulate(both, 5), simulate(one, 5)
    assert (first["down_p99"] == second["down_p99"]).all()
    assert (first["down_p99"] > 0.0).all()


def test_the_defective_share_stays_where_no_repair_mends_and_none_takes_time() -> None:
    scenario = plain(20, length=1000.0, mean_life=100.0).with_(
        failures__systematic__fraction=0.25,
        failures__systematic__multiplier=3.0,
        repair__automated__silent_failure=1.0,
    )
    assert simulate(scenario, 5)["defective_mean"] == pytest.approx(np.full(5, 0.25), rel=1e-9)


def test_the_defective_share_decays_as_repairs_mend() -> None:
    """Defective servers fail at rate d and are mended at once: share × (1 - e^(-d T)) / (d T)."""
    scenario = plain(40, length=100.0, mean_life=100.0).with_(
        failures__systematic__fraction=0.5,
        failures__systematic__multiplier=4.0,
        repair__automated__silent_failure=0.0,
    )
    decay = 100.0 / (100.0 / 5.0)
    expected = 0.5 * (1.0 - np.exp(-decay)) / decay
    assert_mean(simulate(scenario, 400)["defective_mean"], expected)


def test_little_s_law_at_table_1() -> None:
    """Mean servers in repair = failures per hour × mean hours of repair, about 40.4 h here."""
    scenario = load("airesim-table1")
    runs = run(scenario, replications=30, seed=1)
    wall = runs.values[:, METRICS.index("training_hours")]
    failures = runs.values[:, METRICS.index("failures")]
    down = runs.server_hours[:, [AUTOMATED, MANUAL]].sum(axis=1)
    per_failure = down / failures
    mean = 2.0 + 0.8 * 48.0
    # Open repairs at the end lack at most their residual, relative to all failures of the run.
    lacking = 4360.0 / failures.mean() * mean / wall.mean()
    assert_close(
        float(per_failure.mean()), mean, standard_error(per_failure) + lacking, "hours of repair"
    )
