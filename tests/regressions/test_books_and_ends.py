"""B07 to B12 and B27: every hour and every event is counted once, and every run ends with a reason.

Exact cases where lives and repairs are constants; laws that hold in every run elsewhere.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from tests.regressions.cases import (
    DAYS,
    FOR_EVER,
    MINUTES,
    assert_mean,
    calm,
    columns,
    story,
)

import failcast as fc
from failcast.engine import Policies, Status, run
from failcast.engine.model import BUCKETS
from failcast.scenario import (
    Constant,
    Exponential,
    ExponentialLife,
    Never,
    Scenario,
    Threshold,
    Uniform,
)

# --- B07: stalled hours are in no counter ----------------------------------------------------


def test_b07_stalled_hours_are_booked() -> None:
    """Job 10 of 10, repair 1 d, recovery 5 min, selection 3 min: every failure is a stall."""
    ran = story(
        calm(
            job__length=30 * DAYS,
            repair__automated__time=Constant(value=1 * DAYS),
            recovery__time=5 * MINUTES,
            selection__time=3 * MINUTES,
        )
    )
    failures = 7 * 10  # ten servers, each at 100, 200, …, 700 h of operation
    assert ran["failures"] == ran["stalls"] == failures
    assert ran["stalled_hours"] == pytest.approx(failures * (24.0 - 5 * MINUTES), rel=1e-12)
    assert ran["recovery_hours"] == pytest.approx(failures * 5 * MINUTES, rel=1e-12)
    assert ran["selection_hours"] == pytest.approx((failures + 1) * 3 * MINUTES, rel=1e-12)
    assert ran["waiting_hours"] == 0.0
    assert ran["training_hours"] == pytest.approx(
        720.0 + failures * 24.0 + (failures + 1) * 3 * MINUTES, rel=1e-12
    )


def test_b07_each_bucket_is_the_time_spent_in_its_phase() -> None:
    """Random failures and repairs, spares too: the books say what the trace says."""
    ran = story(
        calm(
            cluster__working_pool=12,
            cluster__spare_pool=2,
            job__warm_standbys=1,
            job__length=30 * DAYS,
            failures__life=ExponentialLife(),
            recovery__time=Exponential(mean=1.0),
            selection__time=0.5,
            preemption__wait=3.0,
            preemption__return="when_healed",
            repair__automated__time=Exponential(mean=1 * DAYS),
        ),
        seed=2,
    )
    spent = dict.fromkeys(("computing", "recovering", "selecting", "waiting", "stalled"), 0.0)
    for phase, begin, end in ran.phases():
        spent[phase] += end - begin
    booked = ("productive", "recovery", "selection", "waiting", "stalled")
    for phase, bucket in zip(spent, booked, strict=True):
        assert ran[f"{bucket}_hours"] == pytest.approx(spent[phase], rel=1e-9)
        assert spent[phase] > 0.0


@pytest.mark.parametrize("horizon", [50.0, 100.5, 112.0, 124.02])
def test_b07_the_books_balance_also_when_the_horizon_cuts_a_phase(horizon: float) -> None:
    """Computing until 100, recovering until 101, stalled until 124, selecting until 124.05."""
    ran = story(
        calm(
            repair__automated__time=Constant(value=1 * DAYS),
            recovery__time=1.0,
            selection__time=3 * MINUTES,
            run__horizon=horizon,
        )
    )
    assert ran.status == Status.OUT_OF_TIME
    assert ran["training_hours"] == horizon
    assert math.fsum(ran[bucket] for bucket in BUCKETS) == pytest.approx(horizon, rel=1e-12)


# --- B08: wake-ups are counted as stalls -----------------------------------------------------


@pytest.mark.parametrize("stalls", [2, 4, 6])
def test_b08_a_stall_counts_once_however_often_servers_return(stalls: int) -> None:
    """Standbys 4, pool 14, repair around 3000 min: ten servers fail and come back one by one."""
    ran = story(
        calm(
            cluster__working_pool=14,
            job__warm_standbys=4,
            job__length=stalls * 100.0 + 50.0,
            failures__exposure__recovering=True,  # so that all ten of an age fail at once
            repair__automated__time=Uniform(low=40.0, high=60.0),
        )
    )
    assert ran["stalls"] == len(ran.of("stalled")) == stalls
    assert ran["failures"] == 10 * stalls
    assert ran["host_selections"] == stalls + 1
    for begin, end in zip(ran.times("stalled"), ran.times("selecting")[1:], strict=True):
        returns = {t for t in ran.times("automated_repair_end") if begin < t <= end}
        assert len(returns) == 10  # ten wake-ups, the last one ends the stall
    assert ran["stalled_hours"] == pytest.approx(ran["training_hours"] - ran["productive_hours"])


def test_b08_waiting_that_ends_in_a_stall_is_one_stall() -> None:
    """One spare arrives, still short: the job stalls from then on until the repair ends."""
    ran = story(
        calm(
            cluster__working_pool=2,
            cluster__spare_pool=1,
            job__servers=2,
            job__length=150.0,
            failures__exposure__recovering=True,  # both servers fail at 100 h
            preemption__wait=5.0,
            repair__automated__time=Constant(value=50.0),
        )
    )
    assert ran.phases()[2:6] == [
        ("recovering", 100.0, 100.0),
        ("recovering", 100.0, 100.0),
        ("waiting", 100.0, 105.0),
        ("stalled", 105.0, 150.0),
    ]
    assert ran["stalls"] == 1


# --- B09: what ends after the job is counted -------------------------------------------------


def one_failure(repair_hours: float, **changes: Any) -> Scenario:
    """One server fails at 16 h, a standby takes over, the job of one day ends at 24 h."""
    return calm(
        cluster__working_pool=2,
        job__servers=1,
        job__warm_standbys=1,
        job__length=24.0,
        life_hours=16.0,
        repair__automated__time=Constant(value=repair_hours),
        **changes,
    )


def test_b09_repairs_after_the_end_of_the_job_do_not_count() -> None:
    """A job of 1 day, repair takes 694 d: 1 failure, 0 repairs, nobody retired."""
    for retirement in (Never(), Threshold(failures=1, window=24.0)):
        ran = story(one_failure(694 * DAYS, retirement=retirement))
        assert ran["training_hours"] == 24.0
        assert ran["failures"] == 1
        for counter in ("automated", "manual", "successful", "silent"):
            assert ran[f"repairs_{counter}"] == 0
        assert ran["servers_retired"] == 0
        assert ran.rows[-1] == (24.0, "finished", -1, 0)


def test_b09_an_automated_stage_counts_while_the_manual_one_is_open() -> None:
    ran = story(
        one_failure(
            2.0, repair__automated__escalate=1.0, repair__manual__time=Constant(value=694 * DAYS)
        )
    )
    assert (ran["repairs_automated"], ran["repairs_manual"]) == (1, 0)
    assert (ran["repairs_successful"], ran["repairs_silent"]) == (0, 0)


@pytest.mark.parametrize(("repair_hours", "counted"), [(7.99, 1), (8.0, 1), (8.01, 0)])
def test_b09_a_repair_that_ends_with_the_job_counts(repair_hours: float, counted: int) -> None:
    """At the same instant the end of a repair comes before the finish."""
    ran = story(one_failure(repair_hours, retirement=Threshold(failures=1, window=24.0)))
    assert ran["training_hours"] == 24.0
    assert ran["repairs_automated"] == ran["servers_retired"] == counted


# --- B10: after a stall the original waits for the standbys too --------------------------------


def machines(standbys: int, resume_with: str) -> Scenario:
    """14 machines, 10 at work, one failure per machine and 10 d, repair 3000 min, no overheads."""
    return calm(
        cluster__working_pool=14,
        job__warm_standbys=standbys,
        job__length=60 * DAYS,
        job__resume_with=resume_with,
        life_hours=10 * DAYS,
        failures__life=ExponentialLife(),
        repair__automated__time=Exponential(mean=50.0),
    )


def expected_hours(waits_for_standbys: bool) -> float:
    """The expected training time of `machines`: a Markov chain, the number of machines in repair.

    Up to four the job computes; a fifth failure stalls it, until one machine is back (50/5 h in
    the mean) or all five (50/5 + 50/4 + … + 50/1 h).
    """
    failing, mending, length = 10.0 / 240.0, 1.0 / 50.0, 1440.0
    rates = np.zeros((6, 6))  # in computing time; the last column collects the number of stalls
    for j in range(5):
        if j:
            rates[j, j - 1] = j * mending
        rates[j, j + 1 if j < 4 else 0 if waits_for_standbys else 4] += failing
        rates[j, j] -= rates[j, :5].sum()
    rates[4, 5] = failing
    stalls = expm(length * rates)[0, 5]
    returns = (5, 4, 3, 2, 1) if waits_for_standbys else (5,)
    return float(length + stalls * sum(50.0 / k for k in returns))


def test_b10_standbys_do_not_slow_a_job_that_resumes_without_them() -> None:
    """Equal with 4 standbys and with none; the original has 1808 h and 1490 h."""
    few, many = (columns(machines(n, "job"), 3000)["training_hours"] for n in (0, 4))
    assert_mean(few, expected_hours(waits_for_standbys=False))
    assert_mean(many, expected_hours(waits_for_standbys=False))


def test_b10_waiting_for_standbys_is_an_option_with_its_own_price() -> None:
    waits = columns(machines(4, "job_and_standbys"), 3000)["training_hours"]
    assert expected_hours(waits_for_standbys=True) > 1.15 * expected_hours(False)
    assert_mean(waits, expected_hours(waits_for_standbys=True))
    none = columns(machines(0, "job_and_standbys"), 500)["training_hours"]
    assert none.tolist() == columns(machines(0, "job"), 500)["training_hours"].tolist()


def test_b10_the_job_resumes_at_the_first_return_or_at_the_last() -> None:
    """Five servers are lost at 100 to 104 h and return at 150 to 154 h."""
    case = calm(
        cluster__working_pool=14,
        job__warm_standbys=4,
        job__length=101.0,
        recovery__time=1.0,
        repair__automated__time=Constant(value=50.0),
    )
    for resume_with, until in (("job", 150.0), ("job_and_standbys", 154.0)):
        ran = story(case.with_(job__resume_with=resume_with))
        assert ran.times("failure")[:5] == [100.0, 101.0, 102.0, 103.0, 104.0]
        assert ("stalled", 105.0, until) in ran.phases()


# --- B11: depleted with enough servers left --------------------------------------------------


def few_servers(**changes: Any) -> Scenario:
    """Job 2, standby 1, three servers in all, 100 d; every blamed server is retired."""
    return calm(
        cluster__working_pool=3,
        job__servers=2,
        job__warm_standbys=1,
        job__length=100 * DAYS,
        life_hours=100 * DAYS,
        failures__life=ExponentialLife(),
        retirement=Threshold(failures=1, window=24.0),
        **changes,
    )


def test_b11_the_job_finishes_with_the_two_servers_left() -> None:
    """One server of the three fails, early: the original gives up there."""
    ran = story(
        few_servers().with_(
            failures__random__rate=1e-6,
            failures__life="constant",
            failures__systematic__fraction=0.34,
            failures__systematic__multiplier=1e4,
            repair__automated__silent_failure=1.0,
        ),
        seed=2,
    )
    assert ran["servers_retired"] == ran["failures"] == 1
    assert ran.of("failure")[0][0] < 0.05 * 2400.0
    assert ran.status == Status.FINISHED
    assert ran["training_hours"] == 2400.0


@pytest.mark.parametrize("spares", [0, 1], ids=["all in the pool", "one of them a spare"])
@pytest.mark.parametrize("resume_with", ["job", "job_and_standbys"])
def test_b11_depleted_means_that_too_few_can_ever_come_back(resume_with: str, spares: int) -> None:
    """Depleted at the second retirement and not before, whatever the target of a shortage was."""
    scenario = few_servers(job__resume_with=resume_with).with_(
        cluster__working_pool=3 - spares, cluster__spare_pool=spares
    )
    ran = columns(scenario, 300)
    assert set(ran["status"]) == {Status.FINISHED, Status.DEPLETED}
    depleted = ran["status"] == Status.DEPLETED
    assert (ran["servers_retired"][depleted] == 2).all()
    assert set(ran["servers_retired"][~depleted]) == {0, 1}


def test_b11_the_target_of_a_shortage_shrinks_with_each_retirement() -> None:
    """Three servers are wanted after a shortage, two once one of them is retired for good."""
    scenario = few_servers(job__resume_with="job_and_standbys").with_(
        failures__random__rate=0.01,
        repair__automated__time=Constant(value=48.0),
        retirement=Threshold(failures=8, window=FOR_EVER),
    )
    relieved = 0
    for seed in range(10):
        ran = story(scenario, seed=seed)
        retired = 0
        for _, event, _, detail in ran.of("stalled", "selecting", "retirement"):
            retired += event == "retirement"
            if event == "stalled":  # one survivor at most, of three or of two that are wanted
                assert detail in ((2, 3) if retired == 0 else (1, 2))
            relieved += event == "selecting" and retired == 1
    assert relieved > 0


# --- B12: aborted runs enter the mean --------------------------------------------------------


def test_b12_runs_that_ran_out_of_servers_have_no_mean() -> None:
    """Pool 14, every failure retires its server, 2400 h of work: depleted after 5, in every run."""
    sample = fc.simulate(depleting(2400.0), replications=50)
    assert sample.status_counts()["depleted"] == 50
    assert set(sample.runs.values[:, fc.METRICS.index("servers_retired")]) == {5}
    assert sample.mean("training_hours") is None
    assert sample.to_dict()["metrics"]["training_hours"]["mean"] is None
    assert sample.summary("training_hours").n == 0
    assert sample.answer().startswith("Training does not finish in any of 50 runs")
    assert "depleted" in sample.answer()


def depleting(length: float) -> Scenario:
    """Job 10, standbys 4, pool 14, one failure a day, no second chance."""
    return calm(
        cluster__working_pool=14,
        job__warm_standbys=4,
        job__length=length,
        life_hours=10 * DAYS,
        failures__life=ExponentialLife(),
        retirement=Threshold(failures=1, window=24.0),
    )


def test_b12_figures_are_of_finished_runs_and_the_others_are_told() -> None:
    """Some finish 100 h with 4 failures at most: the mean is not drawn down by the others."""
    sample = fc.simulate(depleting(100.0), replications=200)
    finished = sample.status_counts()["finished"]
    assert 0 < finished < 200
    rows = sample.frame().filter(sample.frame()["status"] == "finished")["training_hours"]
    assert len(rows) == sample.summary("training_hours").n == finished
    assert rows.min() >= 100.0 * (1.0 - 1e-12)  # rounding of the hours that add up to it
    assert sample.mean("training_hours") == pytest.approx(rows.mean(), rel=1e-12)
    assert f"finishes in {finished} of 200 runs" in sample.answer()
    assert f"{200 - finished} runs ran out of servers (depleted)" in sample.answer()
    assert sample.to_dict()["status"]["depleted"] == 200 - finished


# --- B27: what never ends --------------------------------------------------------------------


@pytest.mark.parametrize("recovering", [False, True])
def test_b27_ten_failures_a_minute_end_at_the_horizon(recovering: bool) -> None:
    """The default horizon is 1,000 lengths of the job."""
    scenario = calm(
        job__length=1.0,
        failures__random__rate=600.0,
        failures__life=ExponentialLife(),
        failures__exposure__recovering=recovering,
        diagnosis__probability=0.0,
        recovery__time=20 * MINUTES,
    )
    ran = story(scenario.with_(run__max_events=3_000) if recovering else scenario)
    if recovering:  # a recovery of 20 min never ends, and failures alone use up the events
        assert ran.status == Status.OUT_OF_EVENTS
        assert ran["productive_hours"] < 0.01
    else:
        assert ran.status == Status.OUT_OF_TIME
        assert ran["training_hours"] == 1000.0
        assert ran["productive_hours"] < 1.0


def test_b27_failures_that_take_no_time_end_at_the_limit_of_events() -> None:
    scenario = calm(failures__random__rate=1e6, diagnosis__probability=0.0, run__max_events=1000)
    ran = story(scenario)
    assert ran.status == Status.OUT_OF_EVENTS
    sample = fc.simulate(scenario, replications=2)
    assert "run.max_events = 1,000 (out_of_events)" in sample.answer()


class TooFew(Policies):
    """Never finds enough servers."""

    def select(self, available: Any, servers: int, standbys: int, pick: Any, tie: Any) -> Any:
        return [view.number for view in available][: servers - 1], []


@pytest.mark.parametrize("mode", ["one_at_a_time", "together"])
@pytest.mark.parametrize("spares", [0, 3])
def test_b27_a_policy_that_returns_too_few_servers_ends_at_the_horizon(
    mode: str, spares: int
) -> None:
    """The original asks again every minute for ever; here the job stalls until the horizon."""
    ran = story(
        calm(
            cluster__spare_pool=spares,
            preemption__mode=mode,
            preemption__wait=5.0,
            run__horizon=1000.0,
        ),
        policies=TooFew,
    )
    assert ran.status == Status.OUT_OF_TIME
    assert ran["training_hours"] == 1000.0
    assert ran["host_selections"] == 0
    assert ran["waiting_hours"] + ran["stalled_hours"] == 1000.0


def test_b27_a_policy_that_turns_stingy_later_ends_at_the_horizon_too() -> None:
    """The first selection works; after a failure the policy never finds enough again."""

    class OnlyOnce(Policies):
        asked = 0

        def select(self, available: Any, servers: int, *rest: Any) -> Any:
            self.asked += 1
            if self.asked > 1:
                return [], []
            return super().select(available, servers, *rest)

    scenario = calm(cluster__working_pool=11, run__horizon=500.0)
    runs = run(scenario, replications=2, seed=1, engine="reference", policies=OnlyOnce)
    assert runs.status.tolist() == [Status.OUT_OF_TIME] * 2
    ran = story(scenario, policies=OnlyOnce)
    assert ran["productive_hours"] == 100.0
    assert ran["stalled_hours"] == 400.0


def test_b27_a_trace_is_in_order_and_ends_with_the_status() -> None:
    """Whatever ends a run, its trace is in order and its last line says how it ended."""
    for scenario in (depleting(2400.0), calm(run__horizon=120.0), calm()):
        ran = story(scenario)
        assert all(one[0] <= other[0] for one, other in pairwise(ran.rows))
        assert ran.rows[-1][1] == ran.status.label
