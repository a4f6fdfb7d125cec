"""Two threads against one, on the wall: the same replications, in turns, beside a control.

The control is work that two cores must do twice as fast as one: hashing, without common memory. It
tells what the machine had to give in the same seconds. What threads reach of that is a matter of
failcast alone, also where other people's work leaves less than two cores.
"""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, Work, interleaved, quotients
from benchmarks.table1 import table1
from failcast.engine import run

_PIECE = bytes(1 << 20)
_PIECES_OF_A_REPLICATION = 4


def measure(effort: Effort) -> Measured:
    """Wall time of the same work on one and two threads; nothing where there is only one core."""
    if len(os.sched_getaffinity(0)) < 2:
        return Measured({}, {})
    scenario, count = table1(effort), effort.shared

    def kernel(threads: int) -> Work:
        return lambda: run(scenario, replications=count, seed=1, threads=threads)

    works = {"one": kernel(1), "two": kernel(2), "alone": _control(1, count)}
    times = interleaved(works | {"both": _control(2, count)}, effort.rounds)
    one, two = times["one"], times["two"]
    throughput = quotients(one.wall, two.wall)
    possible = quotients(times["alone"].wall, times["both"].wall)
    return Measured(
        {
            "one_thread_wall_ms": Figure.of(one.wall, "ms"),
            "two_threads_wall_ms": Figure.of(two.wall, "ms"),
            "two_threads_cpu_over_one": Figure.of(quotients(two.cpu, one.cpu)),
            "control_two_threads_over_one": Figure.of(possible),
        },
        {
            "two_threads_over_one": Figure.of(throughput, better="higher", limit=1.7),
            "two_threads_over_control": Figure.of(quotients(throughput, possible), better="higher"),
        },
    )


def _control(threads: int, replications: int) -> Work:
    """Hash as many pieces as take about as long as the replications, on so many threads."""
    pieces = _PIECES_OF_A_REPLICATION * replications

    def digest(_: int) -> bytes:
        return hashlib.sha256(_PIECE).digest()  # lets go of Python's lock while it hashes

    def work() -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(digest, range(pieces)))

    return work
