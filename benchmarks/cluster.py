"""A Ray of this machine against threads, on the wall: the same tasks of half a second, in turns.

Both have as many workers as the process may use cores. Starting Ray is not in it: it takes seconds,
once for a sweep of any length.
"""

from __future__ import annotations

import importlib.util
import os
import sys

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, Work, interleaved, quotients
from benchmarks.table1 import table1
from failcast.engine.executors import Executor, Task, Threads
from failcast.engine.ray_executor import Ray

ABSENT = "Left out, since Ray is not installed: pip install 'failcast[ray]'.\n"
#: Tasks of a round, for each core.
_TASKS = 4


def measure(effort: Effort) -> Measured:
    """Wall time of the same tasks on threads and on Ray; nothing where Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        sys.stderr.write(ABSENT)
        return Measured({}, {})
    cores, scenario, count = len(os.sched_getaffinity(0)), table1(effort), effort.task
    tasks = [Task(scenario, 1, count * number, count) for number in range(_TASKS * cores)]

    def work(executor: Executor) -> Work:
        return lambda: list(executor.run(tasks))

    with Ray(cpus=cores) as ray:
        list(ray.run([Task(scenario, 1, number, 1) for number in range(8 * cores)]))
        times = interleaved({"threads": work(Threads(cores)), "ray": work(ray)}, effort.ray_rounds)
    threads, rays = times["threads"].wall, times["ray"].wall
    figure = Figure.of([wall * cores / len(tasks) for wall in threads], "ms")
    ratio = Figure.of(quotients(rays, threads), better="lower", limit=1.15)
    return Measured({"threads_task_wall_ms": figure}, {"ray_over_threads": ratio})
