"""The books balance in every run, and the counters close, over all pairs of options.

The metrics are checked against each other and against the event trace of the same run, from which
hours and counts are added up again. On the map: MODEL, "the books balance".
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from tests.strategies import PAIRWISE
from tests.theory.numbers import Column

from failcast.engine import METRICS, Status, run, trace
from failcast.scenario import Scenario

BOOKS = (
    "productive_hours",
    "lost_hours",
    "degraded_hours",
    "checkpoint_hours",
    "recovery_hours",
    "selection_hours",
    "waiting_hours",
    "stalled_hours",
)
BALANCE = 1e-9
#: The bucket of the hours that follow each of these events, until the next of them.
PHASES = {
    "waiting": "waiting_hours",
    "stalled": "stalled_hours",
    "selecting": "selection_hours",
    "computing": "productive_hours",  # and those that are lost afterwards
    "checkpointing": "checkpoint_hours",
    "recovering": "recovery_hours",
}
ENDS = {status.label for status in Status}


@pytest.fixture(scope="module")
def runs() -> list[tuple[Scenario, dict[str, Column], Column]]:
    """Two replications of every pairwise scenario: scenario, columns, status."""
    results = []
    for scenario in PAIRWISE:
        of_one = run(scenario, replications=2, seed=scenario.run.seed)
        columns = {name: of_one.values[:, i] for i, name in enumerate(METRICS)}
        results.append((scenario, columns, of_one.status))
    return results


Results = list[tuple[Scenario, dict[str, Column], Column]]


def test_every_hour_is_in_one_book(runs: Results) -> None:
    for scenario, columns, status in runs:
        books = np.array([columns[name] for name in BOOKS])
        wall = columns["training_hours"]
        assert (books >= 0.0).all()
        np.testing.assert_allclose(books.sum(axis=0), wall, rtol=BALANCE)
        np.testing.assert_allclose(
            columns["ettr"], columns["productive_hours"] / wall, rtol=BALANCE
        )
        finished = status == Status.FINISHED
        np.testing.assert_allclose(
            columns["productive_hours"][finished], scenario.job.length, rtol=BALANCE
        )
        assert (columns["productive_hours"][~finished] < scenario.job.length).all()
        out_of_time = status == Status.OUT_OF_TIME
        np.testing.assert_allclose(wall[out_of_time], scenario.horizon_hours, rtol=BALANCE)
        assert (wall <= scenario.horizon_hours * (1.0 + BALANCE)).all()


def test_counters_close(runs: Results) -> None:
    for scenario, c, _ in runs:
        blamed = c["blamed_right"] + c["blamed_wrong"]
        ended = c["repairs_successful"] + c["repairs_silent"]
        causes = c["failures_random"] + c["failures_systematic"] + c["relapses"]
        assert (c["failures"] == causes).all()
        known = blamed + c["undiagnosed"]  # the end may come before a diagnosis
        assert (known <= c["failures"]).all()
        if scenario.recovery.detect.mean_hours + scenario.recovery.diagnose.mean_hours == 0.0:
            assert (known == c["failures"]).all()
        assert (c["repairs_automated"] <= blamed + c["failures_reserve"]).all()
        again = np.maximum(0.0, c["requalifications"] - ended)  # back to the manual stage
        assert (c["repairs_manual"] <= c["repairs_automated"] + again).all()
        assert (ended <= c["repairs_automated"]).all()
        if scenario.repair.requalification is None:
            assert not c["requalifications"].any()
            assert (c["repairs_manual"] <= ended).all()
        else:
            assert (ended <= c["requalifications"]).all()
        assert (c["servers_retired"] <= ended).all()
        assert (c["standby_promotions"] <= blamed).all()
        assert (c["host_selections"] >= 1.0)[c["productive_hours"] > 0.0].all()
        assert (c["stalls"] >= 1.0)[c["stalled_hours"] > 0.0].all()
        assert (c["preemptions"] >= 1.0)[c["waiting_hours"] > 0.0].all()
        operating = c["productive_hours"] + c["lost_hours"] + c["checkpoint_hours"]
        mean = operating / (c["failures"] + 1.0)
        np.testing.assert_allclose(c["mean_run_hours"], mean, rtol=BALANCE)
        if scenario.preemption.return_ == "never":
            assert (c["preemptions"] <= scenario.cluster.spare_pool).all()
        if scenario.preemption.mode == "one_at_a_time" and _constant_wait(scenario) is not None:
            least = c["preemptions"] * _constant_wait(scenario)
            assert (c["waiting_hours"] <= least * (1.0 + BALANCE)).all()


def _constant_wait(scenario: Scenario) -> float | None:
    wait = scenario.preemption.wait
    return wait.mean_hours if wait.family == "constant" else None


def test_hours_and_counts_are_those_of_the_trace(runs: Results) -> None:
    for scenario, columns, status in runs:
        rows = trace(scenario, seed=scenario.run.seed).rows()
        assert rows[-1][1] == Status(int(status[0])).label
        times = [time for time, _, _, _ in rows]
        assert times == sorted(times)
        tested = scenario.repair.requalification is not None
        for name, hours in _hours(rows).items():
            if name == "productive_hours":
                hours -= columns["lost_hours"][0]
            assert math.isclose(hours, columns[name][0], rel_tol=BALANCE, abs_tol=1e-7), name
        for name, count in _counts(rows, tested).items():
            found = columns[name][0]
            if name == "undiagnosed" and scenario.recovery.diagnose.mean_hours > 0.0:
                assert found <= count <= found + scenario.job.servers  # some at the end
            else:
                assert count == found, (scenario.run.seed, name)


def _hours(rows: list[tuple[float, str, int, int]]) -> dict[str, float]:
    """Hours in each bucket, from the times between changes of the job's phase."""
    phases = [(time, event) for time, event, _, _ in rows if event in PHASES or event in ENDS]
    hours = dict.fromkeys(PHASES.values(), 0.0)
    for (begin, event), (end, _) in itertools.pairwise(phases):
        hours[PHASES[event]] += end - begin
    return hours


def _counts(rows: list[tuple[float, str, int, int]], tested: bool) -> dict[str, int]:
    """The counters, from the events and their details."""
    n = Counter(event for _, event, _, _ in rows)
    d = Counter((event, detail) for _, event, _, detail in rows)
    automated, manual = "automated_repair_end", "manual_repair_end"
    ended = _tested(rows) if tested else [d[automated, i] + d[manual, i] for i in (0, 1)]
    return {
        "failures": n["failure"],
        "failures_systematic": d["failure", 1],
        "relapses": d["failure", 2],
        "blamed_right": d["blame", 1],
        "blamed_wrong": d["blame", 0],
        "undiagnosed": n["failure"] - n["blame"],
        "repairs_automated": n[automated],
        "repairs_manual": n[manual],
        "repairs_successful": ended[1],
        "repairs_silent": ended[0],
        "requalifications": n["requalification_end"],
        "preemptions": n["preemption"],
        "host_selections": n["selecting"],
        "standby_promotions": n["promotion"],
        "stalls": n["stalled"],
        "servers_retired": n["retirement"],
        "checkpoints": n["checkpoint"],
        "failures_reserve": n["found_failed"],
    }


def _tested(rows: list[tuple[float, str, int, int]]) -> list[int]:
    """Of servers that passed their test: those whose last stage failed silently, and the others."""
    ended, outcome = [0, 0], {}
    for _, event, server, detail in rows:
        if event in ("automated_repair_end", "manual_repair_end"):
            outcome[server] = detail
        elif event == "requalification_end" and detail == 1:
            ended[outcome.pop(server)] += 1
    return ended


def test_the_scenarios_reach_every_end_and_every_counter(runs: Results) -> None:
    # Else the tests above would say little.
    seen = {status for _, _, of_one in runs for status in of_one.tolist()}
    assert seen >= {Status.FINISHED, Status.DEPLETED, Status.OUT_OF_TIME}
    built = set(METRICS) - {"degraded_hours", "cost"}
    assert all(any(columns[name].any() for _, columns, _ in runs) for name in built)
