"""Replayed failures: a run is made again from its own failures, and each line does what it says.

Chance has an address, so a run whose failures are given, and nothing else, repeats all the rest of
the run they come from. On the map: engine/kernel/replay.py and engine/reference_replay.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.strategies import CORNERS, PAIRWISE
from tests.theory.numbers import assert_mean, simulate
from tests.theory.scenarios import plain

import failcast as fc
from failcast.engine import METRICS, run, trace
from failcast.scenario import Replay, Scenario, WeibullLife

Rows = list[tuple[float, str, int, int]]


def failures_of(rows: Rows) -> list[tuple[float, int]]:
    """Time and server of all failures of a trace."""
    return [(time, server) for time, event, server, _ in rows if event == "failure"]


def replayed(rows: Rows, file: Path) -> Replay:
    """The failures of a trace, by way of a file."""
    lines = [f"{time!r},{server}" for time, server in failures_of(rows)]
    file.write_text("\n".join(["hours,server", *lines, ""]), encoding="utf-8")
    return Replay.from_file(file, time="hours", server="server", unit="h")


def assert_same(found: Rows, expected: Rows) -> None:
    """The same events with the same details, at the same times up to rounding.

    What kind of failure it is does not count: replayed ones are all random.
    """
    assert [row[1:3] for row in found] == [row[1:3] for row in expected]
    assert [row[3] for row in found if row[1] != "failure"] == [
        row[3] for row in expected if row[1] != "failure"
    ]
    assert [row[0] for row in found] == pytest.approx([row[0] for row in expected], rel=1e-12)


def until(end: float, rows: Rows) -> Rows:
    """The events before a time, and not so close to it that rounding might move them beyond."""
    return [row for row in rows if row[0] < end * (1.0 - 1e-9)]


def drawn(scenario: Scenario) -> bool:
    """Whether a run has failures of its own, and none that ties would put in another order."""
    lives, relapse = scenario.failures.life, scenario.repair.relapse
    return (
        scenario.failures.replay is None
        and scenario.failures.random.rate > 0.0
        and not isinstance(lives, fc.ConstantLife | fc.EmpiricalLife | fc.MixtureLife)
        and (relapse is None or isinstance(relapse.time, fc.Exponential))
    )


@pytest.mark.parametrize("number", [n for n, s in enumerate([*PAIRWISE, *CORNERS]) if drawn(s)])
def test_a_run_is_made_again_from_its_failures(number: int, tmp_path: Path) -> None:
    scenario = [*PAIRWISE, *CORNERS][number]
    rows = trace(scenario, seed=7).rows()[:2000]
    # When a server in reserve failed is in no trace: up to where the first one is found.
    end = min([row[0] for row in rows if row[1] == "found_failed"], default=rows[-1][0])
    rows = until(end, rows)
    if not failures_of(rows):
        pytest.skip("no server failed before one in reserve was found")
    # Rounding of the job's clock may move a failure by its last digit, which counts in a tie only.
    again = scenario.with_(failures__replay=replayed(rows, tmp_path / "log.csv"))
    assert_same(until(end, trace(again, seed=7).rows()), rows)


def test_a_real_sized_run_is_made_again_to_its_end(tmp_path: Path) -> None:
    scenario = fc.load("small").with_(failures__life="weibull(0.7)", job__length="20 d")
    rows = trace(scenario, seed=3).rows()
    again = scenario.with_(failures__replay=replayed(rows, tmp_path / "log.csv"))
    assert_same(trace(again, seed=3).rows(), rows)
    assert trace(again, seed=3, engine="reference").rows() == trace(again, seed=3).rows()
    one, other = (run(each, replications=1, seed=3).values[0] for each in (scenario, again))
    kinds = METRICS.index("failures_random"), METRICS.index("failures_systematic")
    assert one[kinds[0]] + one[kinds[1]] == other[kinds[0]] > other[kinds[1]] == 0.0
    same = [i for i in range(len(METRICS)) if i not in kinds]
    assert other[same] == pytest.approx(one[same], rel=1e-9)
    # Nothing of a file depends on rates and lives.
    faster = again.with_(failures__random__rate=0.5, failures__life=WeibullLife(shape=3.0))
    assert trace(faster, seed=3).rows() == trace(again, seed=3).rows()


def small(failures: list[tuple[float, int]], **changes: Any) -> Scenario:
    """Two servers at work for 10 h, one standby, one idle server; recovery takes an hour."""
    scenario = plain(
        2,
        standbys=1,
        idle=1,
        length=10.0,
        mean_life=1.0,
        failures__replay=Replay(failures=failures),
        recovery__time=1.0,
        selection__policy="pool_order",
        repair__automated__time=100.0,
    )
    return scenario.with_(**changes)


def outcome(scenario: Scenario) -> dict[str, float]:
    """The metrics of one run."""
    return {name: float(column[0]) for name, column in simulate(scenario, 1).items()}


def events(scenario: Scenario) -> list[tuple[float, str]]:
    """Time and name of all events."""
    return [(time, event) for time, event, _, _ in trace(scenario, seed=1).rows()]


def hosts() -> tuple[int, int, int, int]:
    """The two servers at work in `small`, the standby and the idle one."""
    rows = trace(small([(3.0, s) for s in range(4)], job__length=4.0), seed=1).rows()
    first, second = (server for _, event, server, _ in rows if event == "failure")
    (standby,) = (server for _, event, server, _ in rows if event == "promotion")
    (idle,) = {0, 1, 2, 3} - {first, second, standby}
    return first, second, standby, idle


def test_an_active_server_fails_when_the_file_says() -> None:
    one, _, _, _ = hosts()
    found = events(small([(3.0, one)]))
    assert found[2:] == [
        (3.0, "failure"),
        (3.0, "blame"),
        (3.0, "recovering"),
        (4.0, "promotion"),
        (4.0, "computing"),
        (11.0, "finished"),
    ]


def test_who_does_not_work_for_the_job_is_ignored_and_counted() -> None:
    one, other, standby, idle = hosts()
    result = outcome(small([(2.0, idle), (2.0, standby), (3.0, one), (3.5, one), (5.0, one)]))
    assert (result["failures"], result["replay_ignored"]) == (1.0, 4.0)
    # A standby that took a slot is at work. What comes after the end, at 12 h, is not counted.
    result = outcome(small([(3.0, one), (5.0, standby), (12.5, other), (99.0, idle)]))
    assert (result["failures"], result["replay_ignored"]) == (2.0, 0.0)
    assert result["failures_random"] == 2.0


def test_a_failure_while_recovering_starts_it_again() -> None:
    one, other, _, _ = hosts()
    result = outcome(small([(3.0, one), (3.75, other)]))
    assert result["failures"] == 2.0
    assert result["recovery_hours"] == 1.75
    # It is not ageing that makes servers fail here, so exposure while recovering changes nothing.
    exposed = small([(3.0, one), (3.75, other)], failures__exposure__recovering=True)
    assert outcome(exposed)["recovery_hours"] == 1.75


def test_a_job_that_selects_hosts_selects_again() -> None:
    one, other, _, _ = hosts()
    # The first start takes from 0 h to 3.5 h, but one of its servers fails at 3 h.
    slow = small([(3.0, one), (9.0, other)], selection__time=3.5)
    result = outcome(slow)
    assert (result["failures"], result["replay_ignored"]) == (2.0, 0.0)
    # Then from 3 h to 6.5 h. From 9 h on the job recovers for an hour; nothing else stops it.
    assert (result["selection_hours"], result["recovery_hours"]) == (6.5, 1.0)
    assert result["training_hours"] == 6.5 + 10.0 + 1.0


def test_a_job_that_stands_still_loses_the_server() -> None:
    # Of two servers and no reserve one fails at 3 h and is repaired for 100 h. The job stalls from
    # 4 h on, when it has recovered. The other fails at 50 h and is back at 150 h.
    one, other, _, _ = hosts()
    bare = small([(3.0, one), (50.0, other)], cluster__working_pool=2, job__warm_standbys=0)
    result = outcome(bare)
    assert (result["failures"], result["replay_ignored"], result["stalls"]) == (2.0, 0.0, 1.0)
    assert result["stalled_hours"] == 150.0 - 4.0
    assert result["training_hours"] == 150.0 + 7.0


def test_one_in_reserve_fails_where_it_is_exposed() -> None:
    one, _, standby, idle = hosts()
    failures = [(1.0, standby), (2.0, idle), (2.5, standby), (3.0, one)]
    exposed = small(failures, failures__exposure__standby=0.01)
    result = outcome(exposed)
    # The dead standby is found when it is to take the slot; the idle server is fit and takes it.
    assert (result["failures"], result["failures_reserve"]) == (1.0, 1.0)
    assert result["replay_ignored"] == 2.0
    assert result["host_selections"] == 2.0
    checked = exposed.with_(failures__exposure__idle=1.0, failures__health_check=2.25)
    found = [(time, event) for time, event in events(checked) if event == "found_failed"]
    assert found == [(2.25, "found_failed")] * 2


def test_a_failure_in_a_checkpoint_loses_it() -> None:
    # After every 2 h a checkpoint takes half an hour; a failure in the second one costs 2 h.
    one, _, _, _ = hosts()
    for moment, lost, written in ((4.75, 2.0, 4.0), (5.0, 2.0, 4.0), (4.5, 2.0, 4.0)):
        scenario = small(
            [(moment, one)], checkpoint={"interval": 2.0, "write": 0.5}, recovery__time=0.0
        )
        for found in (outcome(scenario), traced(scenario)):
            assert (found["lost_hours"], found["checkpoints"]) == (lost, written), moment
    inside = small([(4.25, one)], checkpoint={"interval": 2.0, "write": 0.5})
    assert outcome(inside)["lost_hours"] == 1.75


def traced(scenario: Scenario) -> dict[str, float]:
    """The metrics of one run of the reference engine, which looks at each cycle."""
    values = run(scenario, replications=1, seed=1, engine="reference").values[0]
    return dict(zip(METRICS, values.tolist(), strict=True))


def test_a_server_that_is_down_already_is_no_new_failure() -> None:
    # Nobody knows yet who failed: until 4 h it stays in its slot, and cannot fail again.
    one, other, _, _ = hosts()
    late = small(
        [(3.0, one), (3.5, one), (3.75, other)],
        recovery={"detect": 0.5, "diagnose": 0.5, "restart": 1.0},
    )
    result = outcome(late)
    assert (result["failures"], result["replay_ignored"]) == (2.0, 1.0)


def test_the_finish_comes_before_a_failure_of_the_same_instant() -> None:
    one, _, _, _ = hosts()
    result = outcome(small([(10.0, one)]))
    assert (result["failures"], result["replay_ignored"]) == (0.0, 0.0)


def test_failures_of_one_instant_strike_one_after_the_other() -> None:
    one, other, _, _ = hosts()
    result = outcome(small([(3.0, one), (3.0, other), (3.0, other)]))
    assert (result["failures"], result["replay_ignored"]) == (2.0, 1.0)


def test_defective_servers_fail_as_the_file_says_and_no_more() -> None:
    one, _, _, _ = hosts()
    failures = [(float(hour), one) for hour in range(1, 9)]
    bad = small(
        failures,
        failures__systematic={"fraction": 1.0, "multiplier": 1000.0},
        diagnosis__probability=0.0,
        recovery__time=0.0,
    )
    result = outcome(bad)
    assert (result["failures_random"], result["failures_systematic"]) == (8.0, 0.0)
    assert result["defective_mean"] == 1.0


def test_chance_decides_all_the_rest() -> None:
    one, _, _, _ = hosts()
    scenario = small(
        [(0.5 * n, one) for n in range(1, 19)],
        diagnosis__probability=0.7,
        recovery__time=0.0,
        repair__automated__time=0.0,
        cluster__working_pool=2,
        job__warm_standbys=0,
    )
    sample = simulate(scenario, 3000)
    assert set(sample["failures"]) == {18.0}
    assert_mean(sample["undiagnosed"], 18.0 * 0.3)
