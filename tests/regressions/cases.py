"""What the regressions share: a calm scenario to build cases from, and both engines run at once.

In the calm scenario nothing takes time and nothing is left to chance but what a case asks for, so
that most right answers are whole numbers. On the map: tests/regressions only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.theory.numbers import assert_mean as assert_mean

from failcast.engine import EVENT_NAMES, METRICS, Policies, Status, run, trace
from failcast.engine.model import BUCKETS, JOB_PHASES
from failcast.scenario import Constant, ConstantLife, Scenario

Row = tuple[float, str, int, int]
MINUTES = 1.0 / 60.0
DAYS = 24.0
#: Longer than any job here: what takes this long never ends.
FOR_EVER = 1e6

#: Ten servers that live exactly 100 h, no overheads, repair takes an hour and always succeeds.
CALM = Scenario().with_(
    name="calm",
    cluster__working_pool=10,
    cluster__spare_pool=0,
    job__servers=10,
    job__warm_standbys=0,
    job__length=250.0,
    failures__random__rate=0.01,
    failures__systematic__fraction=0.0,
    failures__life=ConstantLife(),
    recovery__time=0.0,
    selection__time=0.0,
    preemption__wait=0.0,
    repair__automated__time=Constant(value=1.0),
    repair__automated__escalate=0.0,
    repair__automated__silent_failure=0.0,
    repair__manual__silent_failure=0.0,
)


def calm(**changes: Any) -> Scenario:
    """The calm scenario with changed fields; `life_hours` is the mean life of a good server."""
    life_hours = changes.pop("life_hours", None)
    if life_hours is not None:
        assert "failures__random__rate" not in changes
        changes["failures__random__rate"] = 1.0 / life_hours
    return CALM.with_(**changes)


@dataclass(frozen=True)
class Story:
    """One replication: its events, its status, its metrics."""

    rows: Sequence[Row]
    status: Status
    metrics: dict[str, float]

    def __getitem__(self, metric: str) -> float:
        return self.metrics[metric]

    def of(self, *events: str) -> list[Row]:
        """The rows of these events, in order."""
        assert set(events) <= set(EVENT_NAMES)
        return [row for row in self.rows if row[1] in events]

    def times(self, event: str) -> list[float]:
        """When an event happened, in hours."""
        return [row[0] for row in self.of(event)]

    def phases(self) -> list[tuple[str, float, float]]:
        """Each phase of the job with its begin and end, in hours."""
        begins = [(row[1], row[0]) for row in self.of(*JOB_PHASES[:-1])]
        ends = [begin for _, begin in begins[1:]] + [self.rows[-1][0]]
        return [(name, begin, end) for (name, begin), end in zip(begins, ends, strict=True)]


def story(scenario: Scenario, *, seed: int = 1, policies: type[Policies] | None = None) -> Story:
    """Run one replication on both engines, which must agree (a user's policies: reference only)."""
    told = []
    for engine in ("reference",) if policies else ("kernel", "reference"):
        chosen: Any = {"seed": seed, "engine": engine, "policies": policies}
        events = trace(scenario, **chosen)
        values = run(scenario, replications=1, **chosen).values[0].tolist()
        metrics = dict(zip(METRICS, values, strict=True))
        parts = math.fsum(metrics[bucket] for bucket in BUCKETS)
        assert parts == pytest.approx(metrics["training_hours"], rel=1e-9)
        told.append(Story(events.rows(), events.status, metrics))
    assert all(one == told[0] for one in told)
    return told[0]


def columns(scenario: Scenario, replications: int, *, seed: int = 1) -> dict[str, np.ndarray]:
    """The metrics of many replications on the kernel, each a column, and their status."""
    runs = run(scenario, replications=replications, seed=seed)
    return dict(zip(METRICS, runs.values.T, strict=True)) | {"status": runs.status}
