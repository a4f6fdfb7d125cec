"""Records of failures and repairs without a job: a GPU fleet, a cluster at Los Alamos, lemon nodes.

On the map: study, one file for the checks of an anchor or of several alike. A record is simulated
as a job that always has its servers and loses no time, so that it is a fleet that only fails and is
repaired.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from failcast.scenario import Scenario
from failcast.scenario.drawn import DurationFamily
from failcast.study.validations import formulas
from failcast.study.validations.check import Check, ClosedForm
from failcast.study.validations.measures import (
    IN_REPAIR,
    failures_in,
    hours_between_failures,
    mean_of,
    of_repairs,
    quantile_of_repairs,
    runs_with_failures,
    servers_in,
)


def _hours(scenario: Scenario) -> DurationFamily:
    """The hours of a repair: in these records it has one stage."""
    return scenario.repair.automated.time


def _quantile(q: float) -> ClosedForm:
    return lambda scenario: formulas.quantile(_hours(scenario), q)


def _mean(scenario: Scenario) -> float:
    return _hours(scenario).mean_hours


def _failures_per_hour(scenario: Scenario) -> float:
    return scenario.job.servers * scenario.failures.random.rate


def _down(scenario: Scenario) -> float:
    return formulas.in_repair(_failures_per_hour(scenario), _mean(scenario))


def _record(case: str, family: str) -> dict[str, Check]:
    """What is asked of every record of failures and repairs."""
    of = f"of the {family} distribution"
    return {
        "repair_mean": Check(case, of_repairs(np.mean), _mean, of),
        "repair_median": Check(case, quantile_of_repairs(0.5), _quantile(0.5), of),
        "repair_p90": Check(case, quantile_of_repairs(0.9), _quantile(0.9), of),
        "repair_p99": Check(case, quantile_of_repairs(0.99), _quantile(0.99), of),
        "down_mean": Check(case, servers_in(IN_REPAIR), _down, "failures per hour × mean repair"),
    }


_TRACE_DAYS: Final = 348.98


def _faults(scenario: Scenario) -> float:
    return _failures_per_hour(scenario) * 24.0 * _TRACE_DAYS


INFINITEHBD: Final[Mapping[str, Check]] = {
    "faults": Check("fleet", failures_in(_TRACE_DAYS), _faults, "servers × rate × time"),
    **_record("fleet", "Weibull"),
    "repair_sd": Check(
        "fleet",
        of_repairs(lambda hours: np.std(hours, ddof=1)),
        lambda s: formulas.standard_deviation(_hours(s)),
        "of the Weibull distribution",
    ),
    "down_p99": Check(
        "fleet",
        mean_of("down_p99"),
        lambda s: formulas.poisson_quantile(_down(s), 0.99),
        "of a Poisson number",
    ),
    "servers_hit": Check(
        "fleet",
        closed_form=lambda s: formulas.servers_hit(s.job.servers, _faults(s)),
        formula="servers × (1 - e^(-faults / servers))",
    ),
}

LANL: Final[Mapping[str, Check]] = {
    "between_failures": Check(
        "system18",
        hours_between_failures,
        lambda s: 1.0 / _failures_per_hour(s),
        "1 / (nodes × rate)",
    ),
    **_record("system18", "lognormal"),
    "gap_shape": Check("system18", closed_form=lambda s: 1.0, formula="exponential gaps"),
}


def _jobs_that_fail(scenario: Scenario) -> float:
    systematic, pool = scenario.failures.systematic, scenario.cluster.working_pool
    return formulas.jobs_that_fail(
        scenario.failures.random.rate * scenario.job.length,
        servers=scenario.job.servers,
        pool=pool,
        defective=math.floor(systematic.fraction * pool + 0.5),
        multiplier=systematic.multiplier,
    )


_LEMONS: Final = "1 - P(none of its servers fails), lemons hypergeometric"

LEMONS: Final[Mapping[str, Check]] = {
    "failed_before": Check("before", runs_with_failures, _jobs_that_fail, _LEMONS),
    "failed_after": Check("after", runs_with_failures, _jobs_that_fail, _LEMONS),
}
