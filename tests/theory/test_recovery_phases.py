"""Phases of recovery: each is drawn and booked on its own, and the blame comes after two."""

from __future__ import annotations

import numpy as np
import pytest
from tests.theory.numbers import assert_mean, simulate
from tests.theory.scenarios import plain

from failcast.engine import METRICS, SERVER_STATES, run, trace
from failcast.engine.model import PHASE_HOURS
from failcast.scenario import Distribution, Exponential, Lognormal, Uniform

PHASES: dict[str, Distribution] = {
    "detect": Lognormal(mean=0.2, sigma=1.0),
    "diagnose": Exponential(mean=0.3),
    "reschedule": Uniform(low=0.0, high=0.2),
    "restart": Exponential(mean=0.5),
    "load": Lognormal(median=0.1, sigma=0.5),
    "warm_up": Exponential(mean=0.05),
}
FIELDS = {f"recovery__{name}": phase for name, phase in PHASES.items()}
SERVERS = 50


def test_each_phase_takes_its_mean_for_each_failure() -> None:
    scenario = plain(SERVERS, standbys=40, length=2000.0, mean_life=1000.0, **FIELDS)
    sample = simulate(scenario.with_(recovery__time=0.1), 800)
    expected = SERVERS * 2000.0 / 1000.0
    assert_mean(sample["failures"], expected, "failures")
    for name, phase in PHASES.items():
        assert_mean(sample[f"{name}_hours"], expected * phase.mean_hours, name)
    phases = np.sum([sample[name] for name in PHASE_HOURS], axis=0)
    assert np.allclose(sample["recovery_hours"], phases + 0.1 * sample["failures"])


def test_named_phases_take_the_place_of_the_undivided_time() -> None:
    from failcast.scenario import Recovery

    assert Recovery(detect=0.1).time.mean_hours == 0.0
    assert Recovery().time.mean_hours == pytest.approx(1.0 / 3.0)
    assert Recovery(time=0.5, detect=0.1).mean_hours == pytest.approx(0.6)


def test_the_repair_begins_when_the_diagnosis_is_over() -> None:
    late = plain(
        5, standbys=20, length=500.0, mean_life=100.0,
        recovery__detect=0.25, recovery__diagnose=0.5, recovery__restart=1.0,
        repair__automated__time=3.0,
    )  # fmt: skip
    lines = trace(late, seed=3).rows()
    failed = {}
    for time, event, server, _ in lines:
        if event == "failure":
            failed[server] = time
        elif event == "blame":
            assert time == pytest.approx(failed[server] + 0.75)
        elif event == "automated_repair_end":
            assert time == pytest.approx(failed.pop(server) + 3.75)
    assert sum(event == "blame" for _, event, _, _ in lines) > 10


def test_a_recovery_that_starts_again_books_what_was_spent() -> None:
    scenario = plain(
        SERVERS, standbys=60, length=200.0, mean_life=100.0, failures__exposure__recovering=True,
        **FIELDS,
    )  # fmt: skip
    runs = run(scenario, replications=50, seed=5)
    values = dict(zip(METRICS, runs.values.T, strict=True))
    phases = np.sum([values[name] for name in PHASE_HOURS], axis=0)
    assert np.allclose(phases, values["recovery_hours"])
    # Some were cut short, so the phases take less than their means for each failure.
    whole = values["failures"].mean() * sum(phase.mean_hours for phase in PHASES.values())
    assert phases.mean() < 0.9 * whole
    assert runs.server_hours.shape[1] == len(SERVER_STATES)


def test_nobody_who_has_failed_is_taken_for_an_innocent() -> None:
    """With failures during a long diagnosis, several wait for it at once."""
    scenario = plain(
        3, standbys=30, length=100.0, mean_life=10.0, failures__exposure__recovering=True,
        recovery__diagnose=Exponential(mean=4.0), diagnosis__wrong_server=1.0,
        repair__automated__time=1.0,
    )  # fmt: skip
    waiting: list[int] = []
    for _, event, server, detail in trace(scenario, seed=1).rows():
        if event == "failure":
            assert server not in waiting
            waiting.append(server)
        elif event == "blame":  # one for each failure, in their order
            assert server not in waiting[1:]
            assert (server == waiting.pop(0)) == bool(detail)
