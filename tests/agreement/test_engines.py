"""The kernel equals the reference, bit for bit, over scenarios that reach every option."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.agreement import many
from tests.agreement.uncompiled import cases, digest
from tests.generated import scenarios
from tests.strategies import CORNERS, PAIRWISE

from failcast.engine import METRICS, Policies, Status, Trace, draw, model, run, trace
from failcast.engine.plan import make_plan
from failcast.engine.random import DEFECTIVE
from failcast.engine.reference import Reference
from failcast.engine.reference_state import Server, State
from failcast.engine.simulate import reference_row
from failcast.engine.world import TRACE_DTYPE
from failcast.scenario import Constant, ConstantLife, Scenario, UniformLife

BOOKS = slice(METRICS.index("productive_hours"), METRICS.index("stalled_hours") + 1)


def agree(scenario: Scenario, replication: int = 0) -> Status:
    """Compare one replication on both engines: every event, the status, every metric."""
    seed = scenario.run.seed
    traced = trace(scenario, seed=seed, replication=replication)
    kernel = run(scenario, replications=1, seed=seed, first=replication)
    reference = Reference(make_plan(scenario), seed, replication, record=True)
    ended = reference.run()
    assert reference.trace is not None
    lines = np.array(reference.trace, dtype=TRACE_DTYPE)
    if traced.lines.tobytes() != lines.tobytes():
        theirs = Trace(lines, traced.status, seed, replication)
        assert traced.rows() == theirs.rows()  # shows the first difference
    assert dict(zip(METRICS, kernel.values[0], strict=True)) == pytest.approx(
        dict(zip(METRICS, reference_row(reference), strict=True)), rel=0, abs=0, nan_ok=True
    )
    assert kernel.server_hours[0].tolist() == reference.server_hours
    assert kernel.status[0] == traced.status == ended
    balance(kernel.values[0])
    return traced.status


def balance(row: np.ndarray) -> None:
    """Every hour of the run is in exactly one bucket, and no bucket is negative."""
    assert row[BOOKS].sum() == pytest.approx(row[0], rel=1e-9)
    assert (row[BOOKS] >= 0.0).all()


@pytest.mark.parametrize("number", range(len(PAIRWISE)))
def test_engines_agree_on_all_pairs_of_options(number: int) -> None:
    for replication in range(3):
        agree(PAIRWISE[number], replication)


@pytest.mark.parametrize("number", range(len(CORNERS)))
def test_engines_agree_in_corners(number: int) -> None:
    agree(CORNERS[number])


@settings(max_examples=250)
@given(scenarios())
def test_engines_agree_on_generated_scenarios(scenario: Scenario) -> None:
    agree(scenario)


@settings(max_examples=250)
@given(scenarios(most_servers=4))
def test_engines_agree_on_tiny_clusters(scenario: Scenario) -> None:
    agree(scenario)


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_engines_agree_on_numbered_scenarios(first: int) -> None:
    """These are the first of those that `many.py` ran a hundred thousand of."""
    for number in range(first, first + 100):
        agree(many.scenario(number))


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_engines_agree_where_a_run_is_cut_short(first: int) -> None:
    for number in range(first, first + 100):
        agree(many.cut_short(number))


@pytest.mark.parametrize("number", range(20))
def test_engines_agree_on_some_hundred_servers(number: int) -> None:
    agree(many.large(number))


def test_the_smallest_draws_are_found_where_a_bound_was_too_low() -> None:
    """One defective server of ten: in 1 of 60,000 replications all draws lie above the bound."""
    scenario = PAIRWISE[0].with_(
        cluster__working_pool=10,
        cluster__spare_pool=0,
        job__servers=8,
        job__warm_standbys=0,
        failures__systematic__fraction=0.1,
    )
    bound = 0.1 + 6.0 * (0.1 * 0.9 / 10) ** 0.5
    above = [
        seed
        for seed in range(400_000)
        if all(draw(seed, 0, DEFECTIVE, server, 0) >= bound for server in range(10))
    ]
    assert above
    for seed in above:
        agree(scenario.with_(run__seed=seed))


TINY = list(
    itertools.product(
        (1, 2, 3, 4),
        (0, 1),
        (ConstantLife(), UniformLife(spread=1.0)),
        (0.0, 1.0),
        (0.0, 2.0),
        ("one_at_a_time", "together"),
        (False, True),
    )
)


@pytest.mark.parametrize("servers", [1, 2, 3, 4])
def test_engines_agree_where_everything_happens_at_once(servers: int) -> None:
    """Constant lives and zero durations: all ties that the ranking of events has to break."""
    for size, standbys, life, overhead, repair, mode, exposed in TINY:
        if size != servers:
            continue
        scenario = Scenario().with_(
            cluster__working_pool=servers,
            cluster__spare_pool=standbys + 1,
            job__servers=servers,
            job__warm_standbys=standbys,
            job__length=20.0,
            failures__random__rate=0.25,
            failures__life=life,
            failures__exposure__recovering=exposed,
            recovery__time=Constant(value=overhead),
            selection__time=Constant(value=overhead),
            preemption__wait=Constant(value=repair),
            preemption__mode=mode,
            preemption__return="when_healed",
            repair__automated__time=Constant(value=repair),
            repair__manual__time=Constant(value=repair),
            run__horizon=200.0,
        )
        agree(scenario)


def test_engines_agree_where_few_of_many_servers_are_active() -> None:
    """The innocent server is then counted out, no longer found by trying."""
    scenario = Scenario().with_(
        cluster__working_pool=3000,
        cluster__spare_pool=0,
        job__servers=3,
        job__warm_standbys=2,
        job__length=100.0,
        failures__random__rate=0.2,
        diagnosis__wrong_server=1.0,
    )
    agree(scenario)


class ChoosesNobody(Policies):
    """A user's own policy that never finds enough servers."""

    def select(self, *args: object) -> tuple[list[int], list[int]]:  # type: ignore[override]
        return [], []


def test_generated_scenarios_reach_every_event_transition_and_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What no test scenario reaches, no test of agreement covers."""
    events: set[str] = set()
    moves: set[tuple[int, int]] = set()
    phases: set[tuple[int | None, int]] = set()
    move, enter, end = State.move, State.enter, State.end

    def watched_move(self: State, server: Server, state: int) -> None:
        moves.add((server.state, state))
        move(self, server, state)

    def watched_enter(self: State, phase: int, detail: int) -> None:
        phases.add((self.phase, phase))
        enter(self, phase, detail)

    def watched_end(self: State, status: Status) -> None:
        phases.add((self.phase, model.ENDED))
        end(self, status)

    monkeypatch.setattr(State, "move", watched_move)
    monkeypatch.setattr(State, "enter", watched_enter)
    monkeypatch.setattr(State, "end", watched_end)
    short = PAIRWISE[0].with_(run__max_events=5)
    late = CORNERS[0].with_(preemption__wait=1e4)
    slow = CORNERS[0].with_(selection__time=1e4)
    writing = PAIRWISE[0].with_(
        checkpoint={"interval": 1.0, "write": 1e4}, failures__exposure__checkpointing=False
    )
    # A standby is not chosen again where one fails in a selection; reserves are found failed.
    swapped = Scenario().with_(
        cluster={"working_pool": 20, "spare_pool": 5},
        job={"servers": 6, "warm_standbys": 3, "length": 300.0},
        failures__random__rate=0.05,
        failures__exposure={"idle": 1.0, "standby": 1.0, "spare": 1.0, "selecting": True},
        failures__health_check=1.0,
        selection={"policy": "random", "time": 2.0},
    )
    for scenario in [*PAIRWISE, *CORNERS, short, late, slow, writing, swapped]:
        for replication in range(3):
            found = trace(
                scenario, seed=scenario.run.seed, replication=replication, engine="reference"
            )
            events.update(event for _, event, _, _ in found.rows())
    alone = PAIRWISE[0].with_(cluster__spare_pool=0, cluster__working_pool=50)
    trace(alone, seed=1, engine="reference", policies=ChoosesNobody)
    assert events == set(model.EVENT_NAMES)
    assert moves == {(old, new) for old, new, _ in model.SERVER_TRANSITIONS}
    assert phases == {(old, new) for old, new, _ in model.JOB_TRANSITIONS}


def test_compiled_and_uncompiled_kernel_agree() -> None:
    """Numba has miscompiled loops before; the same source as plain Python is the judge."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("uncompiled.py"))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [digest(case) for case in cases()]
