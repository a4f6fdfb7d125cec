"""`failcast reproduce`: run a published study again and check its findings.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
"""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer
from rich.text import Text

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
from failcast.cli.report import print_lines, table_lines
from failcast.results import wording

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
            _report(found, seconds)


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


def _report(found: fc.Reproduction, seconds: float) -> None:
    console, columns = output.results(), output.columns()
    for line in output.folded(found.answer(), columns):
        console.print(Text(line, style="bold"))
    console.print()
    for finding in found.findings:
        sign = "agrees:" if finding.agrees else "differs:"
        text = f"{sign:8} {finding.statement} {finding.numbers}"
        print_lines(map(Text, output.folded(text, columns, indent=" " * 9)), columns)
    console.print()
    print_lines(_effects(found, columns), columns)
    console.print()
    print_lines([Text(_what_ran(found, seconds))], columns)


def _effects(found: fc.Reproduction, columns: int | None) -> list[Text]:
    """What each parameter does to the training time at most, over all working pools."""
    rows = [("parameter", "value", "instead of", "training_hours", "interval", "share")]
    for sweep in found.published.values():
        path = sweep.axes[0].path
        effect = next(each for each in fc.sweep_effects(sweep) if each.path == path)
        gap = effect.difference
        decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
        mean = gap.difference or 0.0
        rows.append(
            (
                path,
                effect.other,
                effect.base,
                f"{'+' if mean > 0.0 else ''}{wording.number(mean, decimals)}",
                wording.interval(gap.low, gap.high, decimals, unknown="-"),
                wording.percent(abs(mean) / gap.base) if gap.base else "-",
            )
        )
    return list(table_lines(rows, columns, (("interval",),)))


def _what_ran(found: fc.Reproduction, seconds: float) -> str:
    runs = {name: len(each.done) * each.replications for name, each in found.sweeps.items()}
    published = sum(runs[name] for name in found.published)
    return (
        f"{published:,} runs of the study and {sum(runs.values()) - published:,} more, from seed "
        f"{next(iter(found.sweeps.values())).seed}: {seconds:.1f} s. Source: {found.study.source}."
    )
