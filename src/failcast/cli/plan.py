"""`failcast plan`: the cheapest setting that meets goals, and what that rests on.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
"""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import candidates, output
from failcast.cli.guard import GOAL_FAILED, guarded
from failcast.cli.options import (
    ExecutorOption,
    JsonOption,
    OverridesOption,
    QuietOption,
    ScenarioArgument,
    SeedOption,
    ThreadsOption,
    load_scenario,
    share,
    whole_number,
)
from failcast.cli.ready import command_line, compile_kernel, default_threads
from failcast.interrupts import INTERRUPTED

ChooseOption = Annotated[
    list[str],
    typer.Option(
        metavar="PATH=VALUES",
        help="What may be set: low..high, low..high:log, or a,b,c; may be repeated.",
        autocompletion=candidates.overrides,
    ),
]
GoalOption = Annotated[
    list[str],
    typer.Option(
        metavar="GOAL",
        help="What has to hold, such as 'p95(training_hours) <= 9900'; may be repeated.",
        autocompletion=candidates.measures,
    ),
]
MinimizeOption = Annotated[
    str,
    typer.Option(
        metavar="AIM",
        help="What is to be small: servers (of both pools), cost (where priced), or a metric.",
        autocompletion=candidates.aims,
    ),
]
ConfidenceOption = Annotated[
    Any,
    typer.Option(
        parser=share, metavar="SHARE", help="How sure the goals have to be met (default: 0.95)."
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number, metavar="N", help="Runs that the search may spend (default: 8,000)."
    ),
]


def plan(
    scenario: ScenarioArgument,
    choose: ChooseOption,
    goal: GoalOption,
    minimize: MinimizeOption = "servers",
    overrides: OverridesOption = None,
    confidence: ConfidenceOption = None,
    budget: BudgetOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    executor: ExecutorOption = "threads",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Choose the cheapest setting of SCENARIO that meets all goals.

    Settings are ranked on shared chance; the one that is chosen is then judged on fresh runs.
    """
    with guarded():
        base = load_scenario(scenario, overrides, quiet=quiet)
        how: dict[str, Any] = {"seed": seed, "executor": executor}
        if confidence is not None:
            how["confidence"] = confidence
        if budget is not None:
            how["budget"] = budget
        how["threads"] = default_threads() if threads is None else threads
        found, seconds = _plan(base, (choose, goal, minimize), how, quiet)
        if as_json:
            output.print_json(found.to_dict(**command_line()))
        else:
            from failcast.cli.plan_report import report

            report(found, seconds)
        if found.chosen is None:
            output.notice("No setting was shown to meet all goals.")
    raise typer.Exit(_code(found))


def _code(found: fc.Plan) -> int:
    """The exit code; that of an interruption goes before that of goals that are not met."""
    if found.interrupted or interrupts.pressed():
        return INTERRUPTED
    return GOAL_FAILED if found.chosen is None else 0


def _plan(
    base: fc.Scenario, what: tuple[list[str], list[str], str], how: dict[str, Any], quiet: bool
) -> tuple[fc.Plan, float]:
    """Plan with progress on stderr; return the plan and the seconds it took."""
    from failcast.cli.progress import Progress
    from failcast.results.workers import check_executor

    check_executor(how["executor"])
    fc.check_plan(base, *what)
    compile_kernel(quiet)
    begin = time.perf_counter()

    def show(more: int) -> None:
        progress.show(more)

    most = how.get("budget", fc.PLAN_BUDGET)
    with Progress(most, quiet=quiet, about="about ") as progress, interrupts.raised():
        found = fc.plan(base, *what, **how, on_progress=show, keep_on_interrupt=True)
        interrupts.note()
    interrupts.answer()
    if found.interrupted:
        output.notice(
            f"Interrupted after {found.runs:,} runs; the plan is as far as it is known. Press "
            "Ctrl-C again to end without it."
        )
    return found, time.perf_counter() - begin
