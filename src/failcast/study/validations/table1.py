"""AIReSim's report at its defaults: the model beside another simulator, not beside a real system.

On the map: study, one file for the checks of an anchor or of several alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from failcast.scenario import Scenario
from failcast.study.validations.check import Check
from failcast.study.validations.measures import Estimate, Simulated, mean_of


def _failures(scenario: Scenario) -> float:
    """Random failures in the hours that the job computes: all its servers are exposed."""
    return scenario.job.servers * scenario.failures.random.rate * scenario.job.length


def _systematic(scenario: Scenario) -> float:
    """Systematic failures where each defective server fails until a repair succeeds.

    Of the spares that join only those count that were in the pool from the start: none.
    """
    automated, manual = scenario.repair.automated, scenario.repair.manual
    silent = (1.0 - automated.escalate) * automated.silent_failure
    success = 1.0 - silent - automated.escalate * manual.silent_failure
    systematic = scenario.failures.systematic
    share = systematic.multiplier / (1.0 + systematic.multiplier)
    return systematic.fraction * scenario.cluster.working_pool / success * share


def _all_failures(scenario: Scenario) -> float:
    return _failures(scenario) + _systematic(scenario)


def _work_and_recoveries(scenario: Scenario) -> float:
    return scenario.job.length + _all_failures(scenario) * scenario.recovery.time.mean_hours


def _manual_to_the_end(found: Simulated) -> Estimate | None:
    """Manual repairs as the original counts them: those that end after the job as well.

    Repairs in the manual stage have begun to be manual; of those in the automated stage as many
    will be as are escalated.
    """
    v = found.values
    ended = v("repairs_successful") + v("repairs_silent")
    in_manual = v("repairs_automated") - ended
    in_automated = v("failures") - v("repairs_automated")
    escalate = found.sample.scenario.repair.automated.escalate
    return found.mean(v("repairs_manual") + in_manual + escalate * in_automated)


def _escalated(scenario: Scenario) -> float:
    return scenario.repair.automated.escalate * _all_failures(scenario)


CHECKS: Final[Mapping[str, Check]] = {
    "training_hours": Check(
        "table1", mean_of("training_hours"), _work_and_recoveries, "work + failures × recovery"
    ),
    "ettr": Check(
        "table1",
        mean_of("ettr"),
        lambda s: s.job.length / _work_and_recoveries(s),
        "work / (work + failures × recovery)",
    ),
    "failures": Check(
        "table1", mean_of("failures"), _all_failures, "random + systematic, without spares"
    ),
    "failures_random": Check(
        "table1", mean_of("failures_random"), _failures, "servers × rate × length"
    ),
    "failures_systematic": Check(
        "table1",
        mean_of("failures_systematic"),
        _systematic,
        "defective / P(repair succeeds) × multiplier / (1 + multiplier)",
    ),
    "repairs_manual": Check("table1", _manual_to_the_end, _escalated, "escalated × failures"),
    "host_selections": Check("table1", mean_of("host_selections")),
    "preemptions": Check("table1", mean_of("preemptions")),
    "stalls": Check("table1", mean_of("stalls")),
}
