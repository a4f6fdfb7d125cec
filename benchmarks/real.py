"""Real clusters: what checkpoints, phases and crews cost beside Table 1; a large fleet.

The cost of a failure is that of a whole replication over its failures, so it holds what a
replication costs by itself: where there are few failures to a server, much of it is the servers.
"""

from __future__ import annotations

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, Work, interleaved, quotients
from benchmarks.table1 import failures_of, table1
from failcast.engine import run
from failcast.scenario import load

#: 12,500 servers for so long, so often, on so many threads.
LARGE_LENGTH = "90 d"
LARGE_RUNS = 200
THREADS = 2


def measure(effort: Effort) -> Measured:
    """Processor time for a failure of Llama 3 and of Table 1; wall time of a large fleet."""
    scenarios = {"table1": table1(effort), "llama3": load("llama3-405b")}
    counts = {"table1": effort.replications, "llama3": 10 * effort.replications}

    def kernel(name: str) -> Work:
        return lambda: run(scenarios[name], replications=counts[name], seed=1)

    works = {name: kernel(name) for name in scenarios}
    failures = {name: float(failures_of(scenarios[name], counts[name]).sum()) for name in works}
    times = interleaved(works, effort.rounds)
    each = {name: [1e6 * ms / failures[name] for ms in times[name].cpu] for name in works}
    large = load("frontier-100k").with_(job__length=LARGE_LENGTH)
    runs = LARGE_RUNS if effort.compiles else 2
    work: Work = lambda: run(large, replications=runs, seed=1, threads=THREADS)  # noqa: E731
    wall = interleaved({"large": work}, effort.scaling_rounds)["large"].wall
    return Measured(
        {
            "llama3_failure_ns": Figure.of(each["llama3"], "ns"),
            "large_fleet_s": Figure.of([ms / 1000.0 for ms in wall], "s", limit=5.0),
        },
        {
            "llama3_failure_over_table1": Figure.of(
                quotients(each["llama3"], each["table1"]), better="lower", limit=2.0
            )
        },
    )
