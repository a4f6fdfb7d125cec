"""`failcast rank`: which inputs of a scenario matter, and how sure that is.

On the map: cli. All numbers come from the public API; the tables are those of rank_report.py.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import candidates, output
from failcast.cli.guard import guarded
from failcast.cli.options import (
    ExecutorOption,
    JsonOption,
    MetricOption,
    OverridesOption,
    QuietOption,
    ScenarioArgument,
    SeedOption,
    ThreadsOption,
    input_files,
    load_scenario,
    whole_number,
)
from failcast.cli.ready import command_line, compile_kernel, default_threads, hours_of

VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="PATH=LOW..HIGH",
        help="An input and its range, such as recovery.time=10min..40min, with :log behind it for "
        "even ratios; may be repeated. Default: the main numbers, halved and doubled.",
        autocompletion=candidates.overrides,
    ),
]
MethodOption = Annotated[
    Literal["sobol", "morris", "tornado"],
    typer.Option(
        help="sobol: shares of the variance; morris: a cheap screening; tornado: one at a time."
    ),
]
SamplesOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number,
        metavar="N",
        help="Rows of sobol (512), trajectories of morris (64), replications of tornado (the "
        "scenario's).",
    ),
]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TIME",
        help="Rank for the share of runs that finish within this time, too, such as 420d; may be "
        "repeated.",
    ),
]


def rank(
    scenario: ScenarioArgument,
    overrides: OverridesOption = None,
    vary: VaryOption = None,
    metric: MetricOption = None,
    by: ByOption = None,
    method: MethodOption = "sobol",
    samples: SamplesOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    executor: ExecutorOption = "threads",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Rank the inputs of SCENARIO: which of them matter, over their ranges."""
    with guarded():
        times = hours_of(by)
        plan = load_scenario(scenario, overrides, quiet=quiet)
        inputs = input_files(scenario)
        wanted: dict[str, Any] = {
            "vary": vary or [],
            "metrics": [*(metric or ([] if times else ["training_hours"]))],
            "by": times,
            "method": method,
            "samples": samples,
            "seed": seed,
            "threads": default_threads() if threads is None else threads,
        }
        ranking, seconds = _rank(plan, wanted, executor, quiet)
        if as_json:
            output.print_json(ranking.to_dict(inputs=inputs, **command_line()))
        else:
            from failcast.cli.rank_report import report

            report(ranking, seconds)


def _rank(
    plan: fc.Scenario, wanted: dict[str, Any], executor: str, quiet: bool
) -> tuple[fc.Ranking, float]:
    """Rank with notices and progress on stderr; return the ranking and the seconds it took."""
    from failcast.cli.progress import Progress
    from failcast.results.workers import check_executor

    check_executor(executor)
    runs = fc.check_rank(plan, **wanted)
    compile_kernel(quiet)
    begin = time.perf_counter()

    def show(more: int) -> None:
        progress.show(more)

    with Progress(runs, quiet=quiet) as progress, interrupts.raised():
        ranking = fc.rank(plan, **wanted, executor=executor, on_progress=show)
    return ranking, time.perf_counter() - begin
