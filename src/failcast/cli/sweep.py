"""`failcast sweep`: a scenario over a grid of values, kept in a folder that can be continued.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
"""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import output
from failcast.cli.guard import guarded
from failcast.cli.options import (
    EngineOption,
    ExecutorOption,
    JsonOption,
    MetricOption,
    OverridesOption,
    QuietOption,
    ReplicationsOption,
    ScenarioArgument,
    SeedOption,
    StoreOption,
    ThreadsOption,
    VaryOption,
    load_scenario,
)
from failcast.cli.ready import command_line, compile_kernel, default_threads
from failcast.interrupts import INTERRUPTED


def sweep(
    scenario: ScenarioArgument,
    vary: VaryOption,
    overrides: OverridesOption = None,
    metric: MetricOption = None,
    replications: ReplicationsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    engine: EngineOption = "kernel",
    executor: ExecutorOption = "threads",
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Simulate SCENARIO with every combination of the values of --vary.

    All cells share their chance. With --out the runs are kept, and the same command goes on where
    it was cut short.
    """
    with guarded():
        names = metric or ["training_hours", "ettr"]
        measures = list(dict.fromkeys(fc.Measure.parse(text) for text in names))
        base = load_scenario(scenario, overrides, quiet=quiet)
        from failcast.results.cost import check_priced

        check_priced((each.metric for each in measures), base, vary)
        workers = default_threads() if threads is None else threads
        how: dict[str, Any] = {
            "replications": replications,
            "seed": seed,
            "threads": workers,
            "engine": engine,
            "executor": executor,
            "store": store,
        }
        found, seconds = _sweep(base, vary, how, quiet)
        if as_json:
            names = [each.name for each in measures] if metric else []
            output.print_json(found.to_dict(names, **command_line()))
        else:
            from failcast.cli.sweep_report import report

            report(found, measures, seconds)
        if store is not None and not quiet:
            whose = "the complete" if found.interrupted else "all"
            output.notice(f"The runs of {whose} cells are in {shlex.quote(str(store))}")
    raise typer.Exit(INTERRUPTED if found.interrupted else 0)


def _sweep(
    base: fc.Scenario, vary: list[str], how: dict[str, Any], quiet: bool
) -> tuple[fc.Sweep, float]:
    """Sweep with progress on stderr; return that and the seconds it took."""
    from failcast.cli.progress import Progress
    from failcast.results.workers import check_executor

    check_executor(how["executor"])
    size = fc.check_sweep(base, vary, replications=how["replications"], seed=how["seed"])
    if how["engine"] == "kernel":
        compile_kernel(quiet)
    begin = time.perf_counter()

    def show(more: int) -> None:
        progress.show(more)

    with Progress(size, quiet=quiet) as progress, interrupts.raised():
        found = fc.sweep(base, vary, **how, on_progress=show, keep_on_interrupt=True)
        interrupts.note()
    interrupts.answer()
    if found.interrupted:
        output.notice(_interrupted(found, how["store"]))
    return found, time.perf_counter() - begin


def _interrupted(found: fc.Sweep, store: Path | None) -> str:
    feasible = len(found.cells) - len(found.infeasible)
    start = f"Interrupted after {len(found.done):,} of {feasible:,} cells"
    if store is None:
        return f"{start}; with --out DIR the next sweep goes on where this one ended."
    return f"{start}; the same command goes on where this one ended."
