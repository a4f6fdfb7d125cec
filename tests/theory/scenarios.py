"""The plain scenario of the theory tests: good servers, and nothing but computing takes time.

Each test adds the one or two things its formula is about. On the map: helper of tests/theory.
"""

from __future__ import annotations

from typing import Any

from failcast.scenario import (
    AutomatedRepair,
    Cluster,
    Failures,
    Job,
    ManualRepair,
    RandomFailures,
    Repair,
    Scenario,
    SystematicFailures,
)


def plain(
    servers: int,
    *,
    standbys: int = 0,
    idle: int = 0,
    length: float,
    mean_life: float,
    **changes: Any,
) -> Scenario:
    """Return a job of `length` hours on servers whose lives have a mean of `mean_life` hours.

    No server is defective; recovery, selection and repair take no time; there are no spares.
    `changes` are fields by path, as in `Scenario.with_`.
    """
    scenario = Scenario(
        cluster=Cluster(working_pool=servers + standbys + idle, spare_pool=0),
        job=Job(servers=servers, warm_standbys=standbys, length=length),
        failures=Failures(
            random=RandomFailures(rate=1.0 / mean_life),
            systematic=SystematicFailures(fraction=0.0),
        ),
        repair=Repair(
            automated=AutomatedRepair(time=0.0, escalate=0.0),
            manual=ManualRepair(time=0.0),
        ),
    )
    free_of_charge = {"recovery__time": 0.0, "selection__time": 0.0}
    return scenario.with_(**(free_of_charge | changes))
