"""Run the points of a design: each a scenario of its own with a few replications.

On the map: study, below methods.py; the one place where a ranking calls the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final

import numpy as np

from failcast.engine import METRICS, SERVER_STATES
from failcast.engine.entry import run_block
from failcast.engine.plan import make_plan
from failcast.engine.simulate import check_books, check_server_hours
from failcast.engine.world import TRACE_DTYPE, World
from failcast.results.statistics import Floats
from failcast.scenario import Scenario

Progress = Callable[[int], None]

#: Points that a thread takes at once.
_POINTS_AT_ONCE: Final = 8
#: How long threads are waited for that hear of an interruption only after their present run.
_PATIENCE_SECONDS: Final = 2.0


def run_points(
    build: Callable[[int], Scenario],
    firsts: Sequence[int],
    count: int,
    *,
    seed: int,
    threads: int,
    on_progress: Progress | None = None,
) -> tuple[Floats, np.ndarray]:
    """Run `count` replications of each point, from the number in `firsts` on.

    `build` makes the scenario of a point, by its number; any thread may call it. Each run is that
    of `engine.run` with the same scenario, seed and number. Returns the metrics, shape (points,
    count, metrics), and the status of each run, shape (points, count).
    """
    points = len(firsts)
    metrics = np.empty((points, count, len(METRICS)))
    status = np.empty((points, count), np.uint8)
    stop = np.zeros(1, np.uint8)
    no_trace = np.empty(0, TRACE_DTYPE)

    def work(begin: int) -> None:
        for number in range(begin, min(points, begin + _POINTS_AT_ONCE)):
            plan = make_plan(build(number))
            world, hours = World(plan, no_trace), np.empty((count, len(SERVER_STATES)))
            run_block(
                plan, world, seed, firsts[number], metrics[number], hours, status[number], stop
            )
            if stop[0]:
                return
            check_books(metrics[number])
            check_server_hours(metrics[number], hours, int(plan.servers_total))
            if on_progress is not None:
                on_progress(count)

    pool = ThreadPoolExecutor(threads)
    futures: list[Future[None]] = []
    try:
        futures += [pool.submit(work, begin) for begin in range(0, points, _POINTS_AT_ONCE)]
        for future in futures:
            future.result()
    finally:
        stop[0] = 1
        pool.shutdown(wait=False, cancel_futures=True)
        wait([each for each in futures if not each.cancelled()], timeout=_PATIENCE_SECONDS)
    return metrics, status
