"""Studies: the published one and a plan at Table 1, a sweep beside bare runs, and its memory."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, Work, interleaved, quotients
from benchmarks.table1 import table1
from failcast.engine import METRICS, run
from failcast.engine.model import SERVER_STATES
from failcast.scenario import Scenario
from failcast.study import STUDIES, check_sweep, plan, reproduce, sweep

_THREADS = 2
#: The sweep's replications of a cell are those of the published study.
_OF_A_CELL = STUDIES["airesim"].replications


def measure(effort: Effort) -> Measured:
    """Wall time of the studies, and the processor time of a sweep over that of its bare runs.

    The studies are measured once: they are long, and their length is what matters.
    """
    scenario = table1(effort)
    figures = {
        "table1_study_s": _seconds(lambda: _study(effort), limit=15.0),
        "plan_s": _seconds(lambda: _plan(scenario, effort), limit=30.0),
    }
    ratios = {
        "sweep_over_bare_runs": _sweep_over_runs(scenario, effort),
        "kept_sweep_memory_over_columns": _memory_over_columns(effort, stored=False),
        "stored_sweep_memory_over_columns": _memory_over_columns(effort, stored=True),
    }
    return Measured(figures, ratios)


def _seconds(work: Work, limit: float) -> Figure:
    wall = interleaved({"work": work}, 1)["work"].wall
    return Figure.of([wall[0] / 1000.0], "s", limit=limit)


def _study(effort: Effort) -> None:
    reproduce("airesim", replications=effort.of_a_cell, threads=_THREADS)


def _plan(scenario: Scenario, effort: Effort) -> None:
    goals = ["p95(training_hours) <= 9950", "ettr >= 0.62"]
    choose = ["cluster.spare_pool=0..400", "job.warm_standbys=0..64"]
    plan(scenario, choose, goals, threads=_THREADS, budget=effort.budget)


def _sweep_over_runs(scenario: Scenario, effort: Effort) -> Figure:
    """What a cell costs beside its runs: axes, checks, tables, blocks on the disk.

    The cells are shared out among rounds, so that a change of the machine's pace meets both works.
    """
    rounds = effort.scaling_rounds
    # The time of a selection changes results and next to nothing about the work.
    vary = [f"selection.time=1 min..10 min:{effort.cells // rounds}"]
    count = check_sweep(scenario, vary, replications=1)
    each = effort.of_a_cell or _OF_A_CELL
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(1000))

        def sweeping() -> None:
            store = Path(folder) / str(next(numbers))
            sweep(scenario, vary, replications=each, threads=_THREADS, store=store)

        def bare() -> None:
            run(scenario, replications=count * each, seed=1, threads=_THREADS)

        times = interleaved({"sweep": sweeping, "bare": bare}, rounds)
    ratios = quotients(times["sweep"].cpu, times["bare"].cpu)
    return Figure.of(ratios, better="lower", limit=1.0 / 0.9)


def _memory_over_columns(effort: Effort, stored: bool) -> Figure:
    """The most memory that a sweep takes, over that of the metrics and hours of all its runs.

    The job is small, so that runs are many and the worlds of the threads take next to nothing.
    """
    cells, each = effort.kept
    scenario = table1(effort).with_(
        job__servers=16, job__warm_standbys=1, cluster__working_pool=20, cluster__spare_pool=2
    )
    vary = [f"selection.time=1 min..10 min:{cells}"]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "sweep" if stored else None
        tracemalloc.start()
        try:
            sweep(scenario, vary, replications=each, threads=_THREADS, store=store)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    columns = 8 * (len(METRICS) + len(SERVER_STATES)) * cells * each
    return Figure.of([most / columns], better="lower")
