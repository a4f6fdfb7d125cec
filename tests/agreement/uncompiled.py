"""Run by a test with numba switched off: prints a hash of each trace and of each result row.

The same kernel source then runs as plain Python; compiled and uncompiled must not differ.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.strategies import CORNERS, PAIRWISE

from failcast.engine import run, trace
from failcast.scenario import Scenario

#: The uncompiled kernel is slow: jobs stop early, but late enough for every kind of event.
LIMIT_EVENTS = 600


def cases() -> list[Scenario]:
    """Return the scenarios that compiled and uncompiled code are compared on."""
    return [scenario.with_(run__max_events=LIMIT_EVENTS) for scenario in [*PAIRWISE, *CORNERS]]


def digest(scenario: Scenario) -> str:
    """Return a hash of one replication's event trace and result row."""
    lines = trace(scenario, seed=scenario.run.seed).lines
    runs = run(scenario, replications=1, seed=scenario.run.seed)
    parts = (lines, runs.values, runs.server_hours)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


if __name__ == "__main__":
    with np.errstate(over="ignore"):  # 64-bit hashes wrap on purpose
        for case in cases():
            print(digest(case))
