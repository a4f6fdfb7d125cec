"""`failcast compare`: what a change saves, pair by pair of runs that share their chance.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
"""

from __future__ import annotations

import time
from typing import Any

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import output
from failcast.cli.guard import guarded
from failcast.cli.options import (
    ByOption,
    JsonOption,
    OverridesOption,
    QuietOption,
    ReplicationsOption,
    ScenariosArgument,
    SeedOption,
    ThreadsOption,
    input_files,
    load_pairs,
)
from failcast.cli.ready import command_line, compile_kernel, default_threads, hours_of
from failcast.interrupts import INTERRUPTED


def compare(
    scenarios: ScenariosArgument,
    overrides: OverridesOption = None,
    replications: ReplicationsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    by: ByOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare scenarios, or SCENARIO with itself changed by -s: what that saves.

    All run on the same chance, so that little of it is left in a difference. With one SCENARIO, -s
    makes the other one; with several, -s applies to all of them. What says how the samples are
    taken, such as run.replications, is for all in any case.
    """
    with guarded():
        times = hours_of(by)
        plans = load_pairs(scenarios, overrides, quiet=quiet)
        inputs = [file for source in scenarios for file in input_files(source)]
        workers = default_threads() if threads is None else threads
        how = {"replications": replications, "seed": seed, "threads": workers}
        found, seconds = _compare(plans, how, quiet)
        if as_json:
            document = fc.comparison_document(found, inputs=inputs, by=times, **command_line())
            output.print_json(document)
        else:
            from failcast.cli.compare_report import report

            report(found, seconds, times)
    raise typer.Exit(INTERRUPTED if found[0].interrupted or interrupts.pressed() else 0)


def _compare(
    plans: list[fc.Scenario], how: dict[str, Any], quiet: bool
) -> tuple[tuple[fc.Comparison, ...], float]:
    """Compare with progress on stderr; return that and the seconds it took."""
    from failcast.cli.progress import Progress

    (first, most), *_ = (fc.check_request(plan, **how) for plan in plans)
    compile_kernel(quiet)
    begin = time.perf_counter()

    def show(more: int) -> None:
        progress.show(more)

    with Progress(len(plans) * first, quiet=quiet) as progress, interrupts.raised():
        found = fc.compare(
            *plans,
            **how,
            on_progress=show,
            on_estimate=progress.expect,
            keep_on_interrupt=True,
        )
        interrupts.note()
    interrupts.answer()
    if found[0].interrupted:
        upto = "" if first == most else "at most "
        output.notice(
            f"Interrupted after {found[0].base.replications:,} of {upto}{most:,} pairs; the result "
            "is of these. Press Ctrl-C again to end without it."
        )
    return found, time.perf_counter() - begin
