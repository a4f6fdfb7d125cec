"""How the kernel's time grows with the servers, and how much memory a thread needs for them.

Everything is scaled with the job: pools, spares and standbys. The work of the job stays 256 days,
so the failures grow as the servers do, and the time of one replication is what is fitted.
"""

from __future__ import annotations

import tracemalloc

import numpy as np

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, interleaved
from benchmarks.table1 import failures_of, table1
from failcast.engine import run
from failcast.engine.plan import make_plan
from failcast.engine.world import TRACE_DTYPE, World
from failcast.scenario import Scenario


def scaled(scenario: Scenario, servers: int) -> Scenario:
    """The scenario with a job of so many servers, and all else in proportion; one at least."""
    cluster, job = scenario.cluster, scenario.job
    share = servers / job.servers
    return scenario.with_(
        job__servers=servers,
        job__warm_standbys=max(1, round(share * job.warm_standbys)),
        cluster__working_pool=max(servers + 1, round(share * cluster.working_pool)),
        cluster__spare_pool=max(1, round(share * cluster.spare_pool)),
    )


def measure(effort: Effort) -> Measured:
    """Time for one replication at each size, the exponent of its growth, and memory."""
    scenarios = {size: scaled(table1(effort), size) for size in effort.sizes}
    works = {
        str(size): lambda size=size: run(scenarios[size], replications=effort.sizes[size], seed=1)
        for size in effort.sizes
    }
    times = interleaved(works, effort.scaling_rounds)
    each = {size: [ms / effort.sizes[size] for ms in times[str(size)].cpu] for size in effort.sizes}
    figures = {f"kernel_{size}_servers_ms": Figure.of(ms, "ms") for size, ms in each.items()}
    for size, count in effort.sizes.items():
        failures = float(failures_of(scenarios[size], count).mean())
        figures[f"kernel_{size}_servers_failure_ns"] = Figure.of(
            [1e6 * ms / failures for ms in each[size]], "ns"
        )
    exponents = [
        exponent(list(each), [each[size][number] for size in each])
        for number in range(effort.scaling_rounds)
    ]
    ratios = {"scaling_exponent": Figure.of(exponents, better="lower", limit=1.1)}
    for size in (4096, 131_072):
        ratios[f"memory_{size}_servers_mb"] = Figure.of(
            [memory_mb(scaled(table1(effort), size))], "MB", better="lower"
        )
    return Measured(figures, ratios)


def exponent(sizes: list[int], times: list[float]) -> float:
    """The slope of the least-squares line through the logarithms of time over size."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def memory_mb(scenario: Scenario) -> float:
    """What one thread allocates to run the scenario, in MB (of a million bytes)."""
    plan = make_plan(scenario)
    tracemalloc.start()
    try:
        world = World(plan, np.empty(0, TRACE_DTYPE))
        held, _ = tracemalloc.get_traced_memory()
        del world
    finally:
        tracemalloc.stop()
    return held / 1e6
