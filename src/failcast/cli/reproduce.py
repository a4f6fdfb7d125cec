"""`failcast reproduce`: run a published study again and check its findings.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
"""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import candidates, output
from failcast.cli.guard import guarded
from failcast.cli.options import (
    ExecutorOption,
    JsonOption,
    QuietOption,
    ReplicationsOption,
    SeedOption,
    StoreOption,
    ThreadsOption,
)
from failcast.cli.ready import compile_kernel, default_threads

StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="airesim.", autocompletion=candidates.studies)
]


def reproduce(
    study: StudyArgument,
    replications: ReplicationsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    executor: ExecutorOption = "threads",
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a published STUDY again and say which of its findings agree.

    airesim: the sweeps over Table 1 of arXiv 2603.07041, ten parameters by four working pools.
    """
    with guarded():
        how: dict[str, Any] = {
            "replications": replications,
            "seed": seed,
            "threads": default_threads() if threads is None else threads,
            "executor": executor,
            "store": store,
        }
        found, seconds = _reproduce(study, how, quiet)
        if as_json:
            output.print_json(found.to_dict())
        else:
            from failcast.cli.reproduce_report import report

            report(found, seconds)


def _reproduce(study: str, how: dict[str, Any], quiet: bool) -> tuple[fc.Reproduction, float]:
    """Run the study with progress on stderr; return it and the seconds it took."""
    from failcast.cli.progress import Progress
    from failcast.results.workers import check_executor

    check_executor(how["executor"])
    runs = fc.runs_of_study(study, how["replications"])
    compile_kernel(quiet)
    begin = time.perf_counter()

    def show(more: int) -> None:
        progress.show(more)

    with Progress(runs, quiet=quiet) as progress, interrupts.raised():
        found = fc.reproduce(study, **how, on_progress=show)
    return found, time.perf_counter() - begin
