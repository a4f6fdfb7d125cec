"""B06, B13 to B16, B35: policies see what an operator sees, and do what they say.

The original gives credit that no server can earn, and retires by hidden truth.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.regressions.cases import DAYS, FOR_EVER, assert_mean, calm, columns, story

from failcast.engine import METRICS, Policies, ServerView, Status, run, trace
from failcast.scenario import (
    Constant,
    Exponential,
    ExponentialLife,
    Never,
    Retirement,
    Scenario,
    ScoreFloor,
    Threshold,
)

# --- B06: the escalation policy is never asked -----------------------------------------------


@pytest.mark.parametrize("always", [True, False])
def test_b06_the_escalation_policy_is_asked_after_every_automated_repair(always: bool) -> None:
    """`Always` sends 31 of 31 to manual repair; the original asks it 0 times."""
    asked: list[int] = []

    class Fixed(Policies):
        def escalate(self, server: ServerView, chance: float) -> bool:
            asked.append(server.number)
            return always

    scenario = calm(
        cluster__working_pool=12,
        job__warm_standbys=2,
        job__length=500.0,
        failures__life=ExponentialLife(),
        # The scenario says the opposite of the policy.
        repair__automated__escalate=0.0 if always else 1.0,
        repair__manual__time=Constant(value=2.0),
    )
    rows = trace(scenario, seed=1, engine="reference", policies=Fixed).rows()
    ended = [(server, detail) for _, event, server, detail in rows if "automated" in event]
    assert len(ended) > 30
    assert asked == [server for server, _ in ended]
    assert {detail for _, detail in ended} == ({2} if always else {1})


@pytest.mark.parametrize(("escalate", "detail"), [(1.0, 2), (0.0, 1)])
def test_b06_the_probability_of_escalation_holds_at_its_ends(escalate: float, detail: int) -> None:
    ran = story(
        calm(
            job__length=500.0,
            repair__automated__escalate=escalate,
            repair__manual__time=Constant(value=2.0),
        )
    )
    assert ran["repairs_automated"] == 40
    assert ran["repairs_manual"] == 40 * escalate
    assert {row[3] for row in ran.of("automated_repair_end")} == {detail}


# --- B13: credit that no server can earn -----------------------------------------------------


class Scores(Policies):
    """Keeps the score of every server after each of its blames."""

    seen: dict[int, list[float]]

    def retire(self, server: ServerView, now_hours: float) -> bool:
        self.seen.setdefault(server.number, []).append(server.score)
        return super().retire(server, now_hours)


def scores(scenario: Scenario) -> dict[int, list[float]]:
    """The scores of one replication, by server."""

    class Mine(Scores):
        seen = {}  # noqa: RUF012  # one replication, one class

    run(scenario, replications=1, seed=1, engine="reference", policies=Mine)
    return Mine.seen


#: 12 servers, 10 at work; half live 100 h, half 5 h, so that the job is stopped all the time.
SHORT_RUNS = calm(
    cluster__working_pool=12,
    job__warm_standbys=2,
    job__length=1000.0,
    life_hours=100.0,
    failures__systematic__fraction=0.5,
    failures__systematic__multiplier=19.0,
    repair__automated__silent_failure=1.0,
)


def test_b13_credit_is_for_the_own_operation_of_each_server() -> None:
    """A life of 100 h is four periods: 100 + 40 - 30; a life of 5 h is none: 100 - 30."""
    assert columns(SHORT_RUNS, 5)["mean_run_hours"].max() < 24.0
    seen = scores(SHORT_RUNS)
    assert len(seen) == 12
    firsts = sorted(score[0] for score in seen.values())
    assert firsts == [70.0] * 6 + [110.0] * 6
    for score in seen.values():
        step = -30.0 if score[0] == 70.0 else 10.0
        assert all(later - earlier == step for earlier, later in pairwise(score))


def test_b13_the_floor_retires_those_that_earn_no_credit() -> None:
    """70, 40, 10, -20: the 11 of 22 that live 5 h are retired at their fourth blame, no other."""
    ran = story(SHORT_RUNS.with_(cluster__working_pool=22, retirement=ScoreFloor()))
    assert ran["servers_retired"] == 11
    blames = np.bincount([server for _, _, server, _ in ran.of("blame")], minlength=22)
    retired = [server for _, _, server, _ in ran.of("retirement")]
    assert (blames[retired] == 4).all()
    assert ran.status == Status.FINISHED


def test_b13_on_a_busy_job_every_server_earns_credit() -> None:
    """12 servers, one failure a day each, 100 d: 0 earn credit in the original, all 12 here."""
    case = calm(
        cluster__working_pool=12,
        job__warm_standbys=2,
        job__length=100 * DAYS,
        failures__random__rate=1 / DAYS,
        failures__life=ExponentialLife(),
    )
    assert columns(case, 3)["mean_run_hours"].max() < 5.0
    seen = scores(case)
    earned = [max(b - a for a, b in pairwise([100.0, *score])) > -30.0 for score in seen.values()]
    assert earned == [True] * 12


# --- B14: retirement by hidden truth, window taken after the repair --------------------------


def test_b14_a_policy_is_told_what_an_operator_knows() -> None:
    """No attribute of a view tells the condition, the remaining life or whether blame was right."""
    names = {field.name for field in dataclasses.fields(ServerView)}
    assert names == {"number", "state", "blame_hours", "score", "operating_hours"}
    public = {name for name in dir(ServerView) if not name.startswith("_")}
    assert public == names | {"blames"}
    view = ServerView(0, "active", (), 100.0, 0.0)
    assert not hasattr(view, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.score = 0.0  # type: ignore[misc]


def test_b14_the_blamed_server_is_retired_also_when_it_is_innocent() -> None:
    """All diagnoses wrong, one blame is enough: who is blamed goes, who failed stays."""
    ran = story(
        calm(
            cluster__working_pool=30,
            job__length=150.0,
            failures__life=ExponentialLife(),
            diagnosis__wrong_server=1.0,
            retirement=Threshold(failures=1, window=1.0),
        )
    )
    failed, blamed, retired = (
        [row[2] for row in ran.of(event)] for event in ("failure", "blame", "retirement")
    )
    assert len(blamed) > 5
    assert ran["blamed_wrong"] == len(blamed)
    assert all(one != other for one, other in zip(failed, blamed, strict=True))
    assert retired == blamed[: len(retired)]
    assert len(retired) >= len(blamed) - 1  # the last repair may still be open


def test_b14_failures_that_nobody_was_blamed_for_retire_nobody() -> None:
    rules: tuple[Retirement, ...] = (Threshold(failures=1, window=FOR_EVER), ScoreFloor(floor=99.0))
    for rule in rules:
        ran = story(calm(diagnosis__probability=0.0, retirement=rule))
        assert ran["failures"] == 20
        assert ran["servers_retired"] == 0


def test_b14_the_window_is_taken_at_the_blame_not_after_the_repair() -> None:
    """1 blame in 60 min, repairs of 2 d: 8 of 8; the original retires 7 of 280."""
    ran = story(
        calm(
            cluster__working_pool=17,
            job__warm_standbys=7,
            failures__life=ExponentialLife(),
            repair__automated__time=Constant(value=2 * DAYS),
            retirement=Threshold(failures=1, window=1.0),
        )
    )
    assert ran["failures"] == ran["servers_retired"] == 8
    assert ran.status == Status.DEPLETED
    for (blamed, _, server, _), (gone, _, same, _) in zip(
        ran.of("blame"), ran.of("retirement"), strict=True
    ):
        assert (server, gone) == (same, blamed + 48.0)


@pytest.mark.parametrize(
    ("failures", "window", "ends"),
    [
        (1, 1.0, 15.0),  # the first blame, at 10, and 5 h of repair
        (2, 15.0, 30.0),  # blamed at 10 and 25: the window includes its edge
        (2, 14.99, None),
        (3, 30.0, 45.0),
        (3, 29.99, None),
    ],
)
def test_b14_the_window_reaches_back_from_the_blame(
    failures: int, window: float, ends: float | None
) -> None:
    """One server that lives 10 h and is repaired for 5 h: blamed at 10, 25, 40, …"""
    ran = story(
        calm(
            cluster__working_pool=1,
            job__servers=1,
            life_hours=10.0,
            repair__automated__time=Constant(value=5.0),
            retirement=Threshold(failures=failures, window=window),
        )
    )
    if ends is None:
        assert ran.status == Status.FINISHED
    else:
        assert ran.rows[-2:] == [(ends, "retirement", 0, 0), (ends, "depleted", -1, 0)]


# --- B15: the worse the diagnosis, the faster ------------------------------------------------


def lone(**changes: Any) -> Scenario:
    """One defective server that lives 10 h, or 60 h once it is mended."""
    return calm(
        cluster__working_pool=1,
        job__servers=1,
        life_hours=60.0,
        failures__systematic__fraction=1.0,
        job__length=95.0,
        **changes,
    )


def test_b15_an_undiagnosed_fault_is_transient() -> None:
    """It costs a recovery and nothing else: no blame, no repair, a new life, the old condition."""
    ran = story(lone(diagnosis__probability=0.0, recovery__time=0.5))
    assert ran.times("failure") == pytest.approx(
        [10.0 * (n + 1) + 0.5 * n for n in range(9)], rel=1e-12
    )
    assert ran["undiagnosed"] == 9
    assert ran["training_hours"] == pytest.approx(95.0 + 9 * 0.5, rel=1e-12)
    assert not ran.of("blame", "automated_repair_end", "stalled", "waiting")
    assert ran["host_selections"] == 1


def test_b15_a_diagnosed_fault_costs_a_repair() -> None:
    ran = story(lone(diagnosis__probability=1.0, recovery__time=0.5))
    # The repair of 1 h outlasts the recovery, and mends the server.
    assert ran.times("failure") == pytest.approx([10.0, 71.0], rel=1e-12)
    assert ran["undiagnosed"] == 0
    assert ran["stalled_hours"] == pytest.approx(2 * 0.5)


def test_b15_until_faults_relapse_worse_diagnosis_is_faster() -> None:
    """What the model fixes today, as in the original: 2135, 1729 and 1461 h there."""
    case = calm(
        job__length=60 * DAYS,
        failures__life=ExponentialLife(),
        repair__automated__time=Exponential(mean=10.0),
        recovery__time=1.0,
    )
    hours = [
        columns(case.with_(diagnosis__probability=p), 100)["training_hours"] for p in (1, 0.5, 0)
    ]
    assert hours[0].mean() > hours[1].mean() > hours[2].mean()
    # Without any diagnosis only recoveries are left.
    assert_mean(hours[2], 1440.0 * (1.0 + 10 * 0.01 * 1.0))


def test_b15_with_faults_that_relapse_worse_diagnosis_is_slower() -> None:
    case = calm(
        job__length=30 * DAYS,
        failures__life=ExponentialLife(),
        repair__automated__time=Exponential(mean=10.0),
        repair__relapse={"probability": 1.0, "time": 5.0},
        recovery__time=1.0,
    )
    hours = [
        columns(case.with_(diagnosis__probability=p), 20)["training_hours"].mean()
        for p in (1, 0.5, 0)
    ]
    assert hours[0] < hours[1] < hours[2]


# --- B16: a failed repair must leave the fault -----------------------------------------------


@pytest.mark.parametrize(
    ("silent", "failures"), [(1.0, [10.0, 21.0, 32.0, 43.0]), (0.0, [10.0, 71.0])]
)
def test_b16_a_silent_repair_leaves_a_defective_server_defective(
    silent: float, failures: list[float]
) -> None:
    ran = story(lone(repair__automated__silent_failure=silent))
    assert ran.times("failure")[:4] == pytest.approx(failures, rel=1e-12)
    assert ran["repairs_silent"] == ran["failures"] * silent
    assert ran["repairs_successful"] == ran["failures"] * (1.0 - silent)


def test_b16_the_stage_that_ends_the_repair_decides() -> None:
    """Escalated: the manual stage counts, whatever the automated one would have done."""
    case = lone(repair__automated__escalate=1.0, repair__manual__time=Constant(value=4.0))
    mended = story(case.with_(repair__automated__silent_failure=1.0))
    assert mended.times("failure") == pytest.approx([10.0, 75.0], rel=1e-12)
    broken = story(case.with_(repair__manual__silent_failure=1.0))
    assert broken.times("failure")[:3] == pytest.approx([10.0, 25.0, 40.0], rel=1e-12)


def test_b16_good_servers_stay_good_whatever_their_repair() -> None:
    """61.6 = 61.6 failures in the original: so it is here where no fault relapses."""
    case = calm(job__length=500.0, failures__life=ExponentialLife())
    quiet, silent = (
        columns(case.with_(repair__automated__silent_failure=p), 50) for p in (0.0, 1.0)
    )
    assert quiet["failures"].tolist() == silent["failures"].tolist()
    assert (quiet["repairs_silent"] == 0).all()
    assert (silent["repairs_successful"] == 0).all()


def test_b16_with_relapse_a_silent_repair_of_a_good_server_leaves_its_fault() -> None:
    case = calm(
        job__length=500.0,
        failures__life=ExponentialLife(),
        repair__relapse={"probability": 1.0, "time": 5.0},
    )
    quiet, silent = (
        columns(case.with_(repair__automated__silent_failure=p), 50) for p in (0.0, 1.0)
    )
    assert not quiet["relapses"].any()
    assert (silent["relapses"] > silent["failures_random"]).all()


def test_b16_who_is_wrongly_blamed_is_renewed_and_who_failed_keeps_its_slot() -> None:
    """Two defective servers, all diagnoses wrong: one fails every 10 h, the other one is repaired.

    The job waits 1 h for each repair; the innocent server's life is new after it.
    """
    ran = story(
        calm(
            cluster__working_pool=2,
            job__servers=2,
            job__length=65.0,
            life_hours=60.0,
            failures__systematic__fraction=1.0,
            diagnosis__wrong_server=1.0,
        )
    )
    assert [row[2] for row in ran.of("failure")] == [0] * 6
    assert [row[2] for row in ran.of("blame")] == [1] * 6
    assert ran.times("failure") == pytest.approx([10.0 + 11.0 * n for n in range(6)], rel=1e-12)


@pytest.mark.parametrize("silent", [0.0, 1.0])
def test_b16_a_wrong_diagnosis_mends_the_innocent_as_the_model_says(silent: float) -> None:
    """12 defective servers, all diagnoses wrong: all become good, unless repairs mend nothing."""
    ran = story(
        calm(
            cluster__working_pool=12,
            job__servers=12,
            job__length=3000.0 if silent == 0.0 else 400.0,
            failures__life=ExponentialLife(),
            failures__systematic__fraction=1.0,
            diagnosis__wrong_server=1.0,
            repair__automated__silent_failure=silent,
        )
    )
    systematic = [row[3] for row in ran.of("failure")]
    assert len(systematic) > 250
    # About 12 × (1 + 1/2 + … + 1/12) = 37 blames reach every server once.
    late = systematic[200:]
    assert sum(late) == 0 if silent == 0.0 else sum(late) > 0.7 * len(late)


# --- B35: an undiagnosed failure with no standbys is swapped out -----------------------------


@pytest.mark.parametrize("standbys", [0, 2])
@pytest.mark.parametrize("spares", [0, 3])
def test_b35_an_undiagnosed_server_keeps_its_slot(standbys: int, spares: int) -> None:
    """No selection, no preemption, no promotion: recovery only."""
    ran = story(
        calm(
            cluster__working_pool=10 + standbys,
            cluster__spare_pool=spares,
            job__warm_standbys=standbys,
            diagnosis__probability=0.0,
            recovery__time=0.25,
            selection__time=0.05,
            preemption__wait=0.5,
        )
    )
    assert ran["failures"] == ran["undiagnosed"] == 20
    assert ran["host_selections"] == 1
    zeros = ("preemptions", "stalls", "standby_promotions", "waiting_hours", "stalled_hours")
    assert [ran[name] for name in zeros] == [0.0] * len(zeros)
    assert ran["training_hours"] == pytest.approx(250.0 + 0.05 + 20 * 0.25, rel=1e-12)
    failing = [row[2] for row in ran.of("failure")]
    assert sorted(failing[:10]) == sorted(failing[10:])  # the same ten servers, a life later


def test_b35_with_nobody_else_to_blame_the_failed_server_is_blamed() -> None:
    """A job of one server has no innocent: the diagnosis is right."""
    ran = story(lone(diagnosis__wrong_server=1.0))
    assert ran["blamed_right"] == ran["failures"] > 0
    assert ran["blamed_wrong"] == 0


@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
def test_b35_every_failure_is_diagnosed_or_not(probability: float) -> None:
    """Blamed rightly, blamed wrongly or undiagnosed: each failure is one of them, at its share."""
    ran = columns(
        calm(
            failures__life=ExponentialLife(),
            diagnosis__probability=probability,
            diagnosis__wrong_server=0.25,
            retirement=Never(),
        ),
        400,
    )
    assert {"blamed_right", "blamed_wrong", "undiagnosed"} <= set(METRICS)
    parts = ran["blamed_right"] + ran["blamed_wrong"] + ran["undiagnosed"]
    assert (parts == ran["failures"]).all()
    residual = ran["blamed_right"] - probability * 0.75 * ran["failures"]
    assert_mean(residual, 0.0)
    assert_mean(ran["undiagnosed"] - (1.0 - probability) * ran["failures"], 0.0)
