"""Run by a test with numba switched off: prints the kernel's steps for one failure, by servers.

A step is a line of the kernel that is executed, as plain Python. No clock is read, so the number is
the same on every machine. What a run costs before its first failure is taken out: the difference of
two lengths of the job is divided by the difference of their failures.
"""

from __future__ import annotations

import json
import sys
import threading
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from failcast.engine import METRICS, run
from failcast.scenario import ConstantLife, Scenario, load

Make = Callable[[int, int], Scenario]


def scenario(servers: int, days: int) -> Scenario:
    """Return Table 1 at this size: pool, standbys and spares in proportion."""
    return load("airesim-table1").with_(
        cluster__working_pool=servers + servers // 64 + servers // 128,
        cluster__spare_pool=servers // 16,
        job__servers=servers,
        job__warm_standbys=servers // 64,
        job__length=f"{days} d",
        selection__policy="random",
    )


def at_once(servers: int, days: int) -> Scenario:
    """Return the same with lives that all end at once, and half of the blames on innocents.

    Until day 17 nobody fails, then all defective servers do. The good ones that are blamed for it
    leave a day on which all the others stay.
    """
    return scenario(servers, days).with_(failures__life=ConstantLife(), diagnosis__wrong_server=0.5)


def steps_and_failures(what: Make, servers: int, days: int) -> tuple[int, float]:
    """Run one replication and count the executed lines of the kernel, and the failures."""
    steps = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line if "/kernel/" in frame.f_code.co_filename.replace("\\", "/") else None

    threading.settrace(call)
    runs = run(what(servers, days), replications=1, seed=1)
    threading.settrace(None)  # type: ignore[arg-type]  # None switches it off
    return steps, float(runs.values[0, METRICS.index("failures")])


def steps_of_a_failure(what: Make, servers: int) -> float:
    """Return the steps that a failure costs in a job of so many servers."""
    short, long = (steps_and_failures(what, servers, days) for days in (10, 30))
    return (long[0] - short[0]) / (long[1] - short[1])


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # 64-bit hashes wrap on purpose
    kind = {"scenario": scenario, "at_once": at_once}[sys.argv[1]]
    print(json.dumps({size: steps_of_a_failure(kind, int(size)) for size in sys.argv[2:]}))
