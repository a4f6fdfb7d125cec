"""A test after each repair: rounds of manual repair, hours in each state, availability.

A repair goes round and round between the manual stage and the test until a test is passed, so its
rounds are geometric; with exponential times it is an absorbing Markov chain. On the map: MODEL,
"repair".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.linalg import expm
from tests.theory.numbers import assert_mean, server_hours, simulate
from tests.theory.scenarios import plain

import failcast as fc
from failcast.engine import METRICS, trace
from failcast.scenario import Constant, ConstantLife, Exponential, Lognormal, Scenario, SpareParts


class Odds(NamedTuple):
    """The probabilities of a repair."""

    escalate: float
    automated_silent: float
    manual_silent: float
    detects: float

    @property
    def silent(self) -> float:
        """The first time, the last stage fails silently."""
        return self.escalate * self.manual_silent + (1.0 - self.escalate) * self.automated_silent

    @property
    def again(self) -> float:
        """Mean rounds of manual repair after a test: the first is found, then so are others."""
        return self.silent * self.detects / (1.0 - self.manual_silent * self.detects)

    @property
    def returns_broken(self) -> float:
        """The repair is over, and nothing is mended."""
        return (self.silent + self.again * self.manual_silent) * (1.0 - self.detects)

    def repair(self, automated: Any = 0.0, manual: Any = 0.0, test: Any = 0.0) -> dict[str, Any]:
        """The scenario's block, with the times of the stages."""
        return {
            "automated": {
                "time": automated,
                "escalate": self.escalate,
                "silent_failure": self.automated_silent,
            },
            "manual": {"time": manual, "silent_failure": self.manual_silent},
            "requalification": {"time": test, "detects": self.detects},
        }


ODDS = [
    Odds(1.0, 0.0, 0.5, 0.8),
    Odds(0.0, 0.6, 0.3, 0.5),
    Odds(0.7, 0.4, 0.6, 1.0),
    Odds(0.3, 0.9, 0.2, 0.25),
    Odds(0.8, 0.4, 0.2, 0.0),
]


@pytest.mark.parametrize("odds", ODDS)
def test_so_many_tests_and_manual_stages_for_each_repair(odds: Odds) -> None:
    # Repairs take no time, so all are over, and each counts as much as those of its odds do (Wald).
    sample = simulate(plain(20, length=500.0, mean_life=80.0, repair=odds.repair()), 400)
    repairs = sample["repairs_automated"]
    assert (repairs == sample["failures"]).all()
    assert_mean(sample["requalifications"] - (1.0 + odds.again) * repairs, 0.0, "tests")
    assert_mean(sample["repairs_manual"] - (odds.escalate + odds.again) * repairs, 0.0, "manual")
    assert_mean(sample["repairs_silent"] - odds.returns_broken * repairs, 0.0, "silent")
    assert (sample["repairs_silent"] + sample["repairs_successful"] == repairs).all()


def test_the_rounds_of_a_repair_are_geometric() -> None:
    odds = Odds(escalate=1.0, automated_silent=0.0, manual_silent=0.7, detects=0.9)
    scenario = plain(20, length=500.0, mean_life=80.0, repair=odds.repair())
    rounds: list[list[int]] = []
    for number in range(40):
        of_run, open_rounds = [], [0] * 20
        for _, event, server, passed in trace(scenario, seed=2, replication=number):
            if event == "requalification_end":
                open_rounds[server] += 1
                if passed:
                    of_run.append(open_rounds[server])
                    open_rounds[server] = 0
        assert not any(open_rounds)
        rounds.append(of_run)
    for k in range(2, 10):
        longer = [sum(n >= k for n in run) - 0.63 ** (k - 1) * len(run) for run in rounds]
        assert_mean(longer, 0.0, f"{k} rounds or more")


def hours_of_states(odds: Odds, times: tuple[float, float, float], rate: float, end: float) -> Any:
    """Mean hours in the automated stage, the manual stage and tests up to `end`.

    Failures come at `rate` and none waits, so each is a chain of its own, with exponential times:
    the stages, a test that follows a silent failure, and one that does not.
    """
    automated, manual, test = times
    q = np.zeros((4, 4))
    q[0] = np.array([-1.0, odds.escalate, 0.0, 0.0]) / automated
    q[0, 2] = (1.0 - odds.escalate) * odds.automated_silent / automated
    q[0, 3] = (1.0 - odds.escalate) * (1.0 - odds.automated_silent) / automated
    q[1] = np.array([0.0, -1.0, odds.manual_silent, 1.0 - odds.manual_silent]) / manual
    q[2] = np.array([0.0, odds.detects, -1.0, 0.0]) / test
    q[3, 3] = -1.0 / test
    inverse = np.linalg.inv(q)
    # The integral of (end - u) exp(q u), from the first state on.
    mean = rate * (inverse @ inverse @ (expm(q * end) - np.eye(4) - q * end))[0]
    return mean[0], mean[1], mean[2] + mean[3]


@pytest.mark.parametrize("odds", ODDS)
@pytest.mark.parametrize("end", [15.0, 400.0])
def test_hours_in_each_state_are_those_of_the_chain(odds: Odds, end: float) -> None:
    times = (2.0, 8.0, 5.0)
    repair = odds.repair(*(Exponential(mean=mean) for mean in times))
    scenario = plain(20, standbys=150, length=end, mean_life=40.0, repair=repair)
    hours = server_hours(scenario, 800)
    assert not simulate(scenario, 800)["stalls"].any()
    expected = hours_of_states(odds, times, 0.5, end)
    for state, mean in zip(
        ("automated_repair", "manual_repair", "requalification"), expected, strict=True
    ):
        assert_mean(hours[state], mean, state)
    assert not hours["awaiting_repair"].any()


@pytest.mark.parametrize("odds", ODDS)
def test_availability_is_that_of_mean_life_and_mean_repair(odds: Odds) -> None:
    # One server, and its job stalls while it is in repair: alternating renewal. A job of so many
    # hours of work fails a Poisson number of times, and each costs a whole repair, of any shape.
    automated, manual, test = (
        Constant(value=1.0),
        Lognormal(mean=6.0, sigma=1.0),
        Exponential(mean=3.0),
    )
    mean = 1.0 + (odds.escalate + odds.again) * 6.0 + (1.0 + odds.again) * 3.0
    scenario = plain(
        1, length=2000.0, mean_life=25.0, repair=odds.repair(automated, manual, test),
    )  # fmt: skip
    sample = simulate(scenario, 500)
    assert_mean(sample["failures"], 80.0)
    assert_mean(sample["stalled_hours"], 80.0 * mean)
    # Renewal reward: up for 25 h of 25 h + the mean repair, as a ratio of means.
    available = 25.0 / (25.0 + mean)
    assert_mean(2000.0 - available * sample["training_hours"], 0.0)


def test_servers_under_test_are_down() -> None:
    # A test that never ends: each failure adds one to those that are down.
    scenario = plain(
        1, standbys=9, length=10.0, mean_life=1.0, failures__life=ConstantLife(),
        repair__requalification={"time": Constant(value=1e6)},
    )  # fmt: skip
    sample, hours = simulate(scenario, 1), server_hours(scenario, 1)
    assert sample["down_p99"][0] == 9
    assert hours["requalification"][0] == pytest.approx(sum(range(10)))
    in_repair = fc.series(scenario, replications=1, step=0.5).values("in_repair")[0]
    assert in_repair[1:20:2].tolist() == list(range(10))


def test_all_that_is_between_failure_and_return_is_down() -> None:
    # 8 h of one stage, or of three with a wait between them: the same servers are down as long.
    one = plain(
        20, standbys=40, length=500.0, mean_life=40.0, repair__automated__time=Constant(value=8.0)
    )
    divided = one.with_(
        repair__automated={"time": Constant(value=1.0), "escalate": 1.0},
        repair__manual={
            "time": Constant(value=2.0),
            "silent_failure": 0.0,
            "parts": SpareParts(probability=1.0, stock=0, lead_time=Constant(value=4.0)),
        },
        repair__requalification={"time": Constant(value=1.0)},
    )
    found, other = simulate(one, 60), simulate(divided, 60)
    assert np.array_equal(found["down_p99"], other["down_p99"])
    assert found["down_p99"].max() > 8
    hours = server_hours(divided, 60)
    waits = hours["awaiting_repair"] / hours["manual_repair"]
    assert np.allclose(waits, 2.0, rtol=0.02)


def test_a_test_that_takes_no_time_and_finds_nothing_changes_nothing() -> None:
    base = plain(
        20, standbys=5, length=400.0, mean_life=80.0, failures__systematic__fraction=0.3,
        repair__automated={"time": Exponential(mean=5.0), "escalate": 0.6, "silent_failure": 0.4},
        repair__manual={"time": Exponential(mean=20.0), "silent_failure": 0.3},
    )  # fmt: skip
    tested = base.with_(repair__requalification={"time": 0.0, "detects": 0.0})
    mended = base.with_(repair__automated__silent_failure=0, repair__manual__silent_failure=0)
    finds = {"time": 0.0, "detects": 1.0}
    for one, other in ((base, tested), (mended, mended.with_(repair__requalification=finds))):
        before, after = simulate(one, 50), simulate(other, 50)
        ended = after["repairs_silent"] + after["repairs_successful"]
        assert np.array_equal(after.pop("requalifications"), ended)
        assert all(np.array_equal(before[name], after[name], equal_nan=True) for name in after)
        assert set(after) == set(METRICS) - {"requalifications"}


def test_a_server_that_is_found_asks_anew_for_a_part_and_a_crew() -> None:
    # Two servers fail at 10 h of the job's clock, the second after a recovery of 0.5 h; one crew.
    # No manual repair mends anything and each test finds that, so they go round and round.
    scenario = _round_and_round()
    rows = trace(scenario, seed=1).rows()
    a, b = [server for _, event, server, _ in rows if event == "failure"]
    told = [row for row in rows if "repair" in row[1] or "part" in row[1] or "requ" in row[1]]
    assert told == [
        (10.0, "automated_repair_begin", a, 0),
        (10.5, "automated_repair_begin", b, 0),
        (11.0, "automated_repair_end", a, 2),
        (11.0, "part_order", a, 1),
        (11.0, "manual_repair_begin", a, 0),
        (11.5, "automated_repair_end", b, 2),
        (11.5, "part_order", b, 0),
        (13.0, "manual_repair_end", a, 0),
        (13.0, "manual_repair_begin", b, 0),
        (14.0, "requalification_end", a, 0),
        (14.0, "part_order", a, -1),
        (15.0, "manual_repair_end", b, 0),
        (16.0, "requalification_end", b, 0),
        (16.0, "part_order", b, -2),
        (19.0, "part_arrival", a, -1),
        (19.0, "manual_repair_begin", a, 0),
        (19.5, "part_arrival", b, 0),
    ]
    assert rows[-1][1] == "out_of_time"


def _round_and_round() -> Scenario:
    return plain(
        2, standbys=2, length=30.0, mean_life=10.0, failures__life=ConstantLife(),
        recovery__time=0.5,
        repair__automated={"time": Constant(value=1.0), "escalate": 1.0},
        repair__manual={
            "time": Constant(value=2.0), "crews": 1, "silent_failure": 1.0,
            "parts": SpareParts(probability=1.0, stock=2, lead_time=Constant(value=8.0)),
        },
        repair__requalification={"time": Constant(value=1.0)},
        run__horizon=20.5,
    )  # fmt: skip
