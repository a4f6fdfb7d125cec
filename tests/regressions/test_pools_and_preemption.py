"""B17, B18, B19, T1: spares come and go as configured, counts are rounded, feasible cells run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.regressions.cases import DAYS, FOR_EVER, MINUTES, Story, calm, story

import failcast as fc
from failcast.engine import Status, run
from failcast.engine.plan import share_of
from failcast.scenario import Constant, Exponential, ExponentialLife, Scenario, ScenarioError

# --- B17: preemption is serial, deaf to repairs, never undone --------------------------------


@pytest.mark.parametrize(("mode", "minutes"), [("together", 3 * 20), ("one_at_a_time", 153 * 20)])
def test_b17_a_shortage_is_requested_together_or_one_by_one(mode: str, minutes: int) -> None:
    """200 spares, three shortages of 51 servers each: 60 min in parallel, 3060 min in series."""
    ran = story(
        calm(
            cluster__working_pool=0,
            cluster__spare_pool=200,
            job__servers=51,
            failures__exposure__recovering=True,  # all 51 fail together, at 100 h and at 200 h
            preemption__mode=mode,
            preemption__wait=20 * MINUTES,
            repair__automated__time=Constant(value=FOR_EVER),
        )
    )
    assert ran["preemptions"] == 153
    assert ran["host_selections"] == 3
    assert ran["waiting_hours"] == pytest.approx(minutes * MINUTES, rel=1e-12)
    # Spares leave in pool order.
    assert [row[2] for row in ran.of("preemption")] == list(range(153))


def race(mode: str, repair_minutes: float, wait_minutes: float) -> Story:
    """One server, one spare: the failed one's repair against the spare's arrival."""
    return story(
        calm(
            cluster__working_pool=1,
            cluster__spare_pool=1,
            job__servers=1,
            job__length=150.0,
            preemption__mode=mode,
            preemption__wait=wait_minutes * MINUTES,
            repair__automated__time=Constant(value=repair_minutes * MINUTES),
        )
    )


def test_b17_together_wakes_at_the_first_of_repair_and_arrival() -> None:
    """Repair 1 min against preemption 1000 min, and the other way round: 1 min, not 1000."""
    repaired, arrived = race("together", 1.0, 1000.0), race("together", 1000.0, 1.0)
    for ran in (repaired, arrived):
        assert ran["waiting_hours"] == pytest.approx(1 * MINUTES, rel=1e-9)
        assert ran["stalls"] == 0
        assert ran.status == Status.FINISHED
    # The late arrival becomes idle: nobody selects again for it.
    assert repaired.times("arrival") == pytest.approx([100.0 + 1000 * MINUTES])
    assert repaired["host_selections"] == arrived["host_selections"] == 2


def test_b17_one_at_a_time_waits_in_full_as_the_original_does() -> None:
    ran = race("one_at_a_time", 1.0, 1000.0)
    assert ran["waiting_hours"] == pytest.approx(1000 * MINUTES, rel=1e-9)


def test_b17_a_repair_during_the_wait_is_counted_after_it() -> None:
    """Two lost, both repaired in 1 min: one wait of 20 min, then enough, no second spare."""
    ran = story(
        calm(
            cluster__working_pool=2,
            cluster__spare_pool=2,
            job__servers=2,
            job__length=150.0,
            failures__exposure__recovering=True,
            preemption__wait=20 * MINUTES,
            repair__automated__time=Constant(value=1 * MINUTES),
        )
    )
    assert ran["preemptions"] == 1
    assert ran["waiting_hours"] == pytest.approx(20 * MINUTES, rel=1e-9)


def lending(back: str, **changes: Any) -> Scenario:
    """14 + 50 servers for a year: ten fail together every 100 d, ten spares take their places."""
    defaults: dict[str, Any] = {
        "cluster__working_pool": 14,
        "cluster__spare_pool": 50,
        "job__warm_standbys": 4,
        "job__length": 365 * DAYS,
        "life_hours": 100 * DAYS,
        "failures__exposure__recovering": True,
        "preemption__wait": 20 * MINUTES,
        "preemption__return": back,
        "repair__automated__time": Constant(value=50.0),
    }
    return calm(**(defaults | changes))


@pytest.mark.parametrize("mode", ["together", "one_at_a_time"])
def test_b17_servers_on_loan_go_back_when_all_is_healed(mode: str) -> None:
    """At the end the pools are 14 + 50 again; the original ends with 18 + 46."""
    ran = story(lending("when_healed", preemption__mode=mode))
    assert ran["preemptions"] >= 10
    assert len(ran.of("return_to_spares")) == ran["preemptions"]
    assert ran.of("preemption", "return_to_spares")[-1][1:2] == ("return_to_spares",)
    assert ran.of("return_to_spares")[-1][3] == 0  # servers still on loan


def test_b17_never_keeps_the_loans() -> None:
    ran = story(lending("never"))
    assert ran["preemptions"] > 0
    assert not ran.of("return_to_spares")


@pytest.mark.parametrize("mode", ["together", "one_at_a_time"])
@pytest.mark.parametrize("seed", range(5))
def test_b17_no_more_is_on_loan_than_is_in_repair(mode: str, seed: int) -> None:
    """While the job computes, each loan stands in for a server that is in repair."""
    ran = story(
        lending(
            "when_healed",
            preemption__mode=mode,
            job__length=100 * DAYS,
            life_hours=5 * DAYS,
            failures__life=ExponentialLife(),
            failures__exposure__recovering=False,
            repair__automated__time=Exponential(mean=60.0),
            selection__time=0.5,
        ),
        seed=seed,
    )
    loans = in_repair = 0
    assert ran["preemptions"] > 5
    for _, event, _, _ in ran.rows:
        loans += (event == "preemption") - (event == "return_to_spares")
        in_repair += (event == "blame") - (event == "automated_repair_end")
        if event == "computing":
            assert 0 <= loans <= in_repair


# --- B18: idle servers do not top up the standbys --------------------------------------------


def test_b18_idle_servers_join_at_a_selection_only() -> None:
    """One at work, 2 standbys, 100 idle: every third failure finds no standby and selects anew."""
    ran = story(
        calm(
            cluster__working_pool=103,
            job__servers=1,
            job__warm_standbys=2,
            job__length=95.0,
            life_hours=10.0,
            selection__time=1.0,
            repair__automated__time=Constant(value=FOR_EVER),
        )
    )
    assert ran["failures"] == 9
    assert ran["standby_promotions"] == 6
    assert ran["host_selections"] == 1 + 3
    assert ran["training_hours"] == 95.0 + 4 * 1.0
    assert [row[3] for row in ran.of("selecting")] == [2, 2, 2, 2]  # full standbys again


def test_b18_a_repaired_server_tops_up_the_standbys() -> None:
    """With repairs shorter than lives the standbys never run out, and nobody selects again."""
    ran = story(
        calm(
            cluster__working_pool=103,
            job__servers=1,
            job__warm_standbys=2,
            job__length=95.0,
            life_hours=10.0,
            repair__automated__time=Constant(value=9.0),
        )
    )
    assert ran["standby_promotions"] == ran["failures"] == 9
    assert ran["host_selections"] == 1
    working = {row[2] for row in ran.of("failure")}
    assert len(working) == 3  # the 100 idle ones stay idle


# --- B19: int() instead of rounding ----------------------------------------------------------

SHARES = [
    (0.29, 100, 29),
    (0.57, 100, 57),
    (0.15, 6, 1),
    (0.145, 100, 15),
    (0.285, 200, 57),
    (0.15, 30, 5),
    (0.05, 9, 0),
    (0.05, 10, 1),
    (0.07, 100, 7),
    (1.1e-5, 100, 0),
    (0.0, 100, 0),
    (1.0, 7, 7),
]


@pytest.mark.parametrize(("fraction", "servers", "defective"), SHARES)
def test_b19_a_fraction_of_the_servers_is_rounded(
    fraction: float, servers: int, defective: int
) -> None:
    """Defective servers fail at 100 h, good ones would at 600 h: the failures count them.

    One fifth of the servers are spares, which count too.
    """
    spares = servers // 5
    ran = story(
        calm(
            cluster__working_pool=servers - spares,
            cluster__spare_pool=spares,
            job__servers=servers,
            job__length=150.0,
            life_hours=600.0,
            failures__systematic__fraction=fraction,
            preemption__mode="together",
            diagnosis__probability=0.0,
        )
    )
    assert ran["failures"] == defective


@pytest.mark.parametrize("count", [1, 7, 100, 4360])
def test_b19_every_percentage_is_rounded_half_up(count: int) -> None:
    """Exact in whole numbers, at every percentage, where int() is one short now and then."""
    shares = [share_of(percent / 100, count) for percent in range(101)]
    assert shares == [(2 * percent * count + 100) // 200 for percent in range(101)]


# --- T1: a cell of the original's own Table 1 sweep crashes ----------------------------------


def table1(standbys: int, pool: int, spares: int) -> Scenario:
    """A cell of the sweep over standbys and working pool."""
    return fc.load("airesim-table1").with_(
        job__warm_standbys=standbys, cluster__working_pool=pool, cluster__spare_pool=spares
    )


@pytest.mark.parametrize(("standbys", "pool", "spares"), [(32, 4112, 200), (32, 4112, 16)])
def test_t1_the_cell_of_32_standbys_and_pool_4112_runs(
    standbys: int, pool: int, spares: int
) -> None:
    """4096 + 32 servers from a pool of 4112: spares fill the gap, up to the very last one."""
    sample = fc.simulate(table1(standbys, pool, spares), replications=2)
    assert sample.status_counts()["finished"] == 2
    assert sample.values("preemptions").min() >= 1
    assert sample.values("training_hours").min() > 256 * DAYS


def test_t1_the_cell_runs_in_the_reference_too() -> None:
    short = table1(32, 4112, 200).with_(job__length=6.0)
    kernel, reference = (
        run(short, replications=1, seed=1, engine=engine) for engine in ("kernel", "reference")
    )
    assert kernel.values.tobytes() == reference.values.tobytes()
    assert kernel.status[0] == Status.FINISHED


def test_t1_an_infeasible_cell_is_refused_in_a_sentence() -> None:
    """One server too few, spares included: refused before any run, with the four sizes."""
    with pytest.raises(ScenarioError) as refused:
        table1(32, 4112, 15)
    sentence = str(refused.value)
    for part in (
        "job.servers (4096)",
        "job.warm_standbys (32)",
        "4128 servers",
        "cluster.working_pool (4112)",
        "cluster.spare_pool (15)",
        "hold 4127",
    ):
        assert part in sentence
