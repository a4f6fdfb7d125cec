"""Meta's training jobs: Llama 3, the research clusters, and what was told of 100,000 GPUs.

On the map: study, one file for the checks of an anchor or of several alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from failcast.scenario import Scenario
from failcast.scenario.optimum import interval_hours
from failcast.study.validations import formulas
from failcast.study.validations.check import Check
from failcast.study.validations.measures import (
    failures_in,
    hours_between_failures,
    mean_of,
    share_of_failures,
)


def _rate(scenario: Scenario) -> float:
    """Failures of the job per hour."""
    return scenario.job.servers * scenario.failures.random.rate


def _between(scenario: Scenario) -> float:
    return 1.0 / _rate(scenario)


def _exact(scenario: Scenario) -> float:
    return formulas.exact_ettr(
        _rate(scenario),
        interval_hours(scenario),
        write=scenario.checkpoint.write.mean_hours,
        restart=scenario.recovery.mean_hours,
    )


def _expected(scenario: Scenario) -> float:
    return formulas.expected_ettr(
        _rate(scenario),
        interval_hours(scenario),
        write=scenario.checkpoint.write.mean_hours,
        restart=scenario.recovery.mean_hours,
    )


_EXACT: Final = "exact for Poisson failures, by renewal"
_EXPECTED: Final = "the source's expected ETTR"
_BETWEEN: Final = "1 / (servers × rate)"

_DAYS: Final = 54.0

LLAMA3: Final[Mapping[str, Check]] = {
    "interruptions": Check(
        "job", failures_in(_DAYS), lambda s: _rate(s) * 24.0 * _DAYS, "servers × rate × time"
    ),
    "between_failures": Check("job", hours_between_failures, _between, _BETWEEN),
    "one_server": Check(
        "job",
        share_of_failures("blamed_right"),
        lambda s: s.diagnosis.probability,
        "the probability of a diagnosis",
    ),
    "ettr": Check("job", mean_of("ettr"), _exact, _EXACT),
}


def _ettr(case: str) -> Check:
    return Check(case, mean_of("ettr"), _expected, _EXPECTED)


def _mttf(case: str) -> Check:
    return Check(case, hours_between_failures, _between, _BETWEEN)


RESEARCH_CLUSTERS: Final[Mapping[str, Check]] = {
    "ettr_16k_60min": _ettr("16k-60min"),
    "ettr_16k_5min": _ettr("16k-5min"),
    "ettr_8k_30min": _ettr("8k-30min"),
    "ettr_rsc2": _ettr("rsc2"),
    "mttf_16384": _mttf("16384"),
    "mttf_131072": _mttf("131072"),
    "mttf_1024": _mttf("1024"),
}

FRONTIER: Final[Mapping[str, Check]] = {
    "between_failures": Check("job", hours_between_failures, _between, _BETWEEN),
    "ettr": Check("job", mean_of("ettr"), _exact, _EXACT),
}
