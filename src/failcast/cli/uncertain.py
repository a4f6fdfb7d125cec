"""`failcast run` where inputs are uncertain: a prediction, or a curve over what is unknown.

On the map: cli, beside run.py. All numbers come from the public API.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import failcast as fc
from failcast import interrupts
from failcast.cli import output
from failcast.cli.progress import Progress
from failcast.cli.ready import command_line, compile_kernel
from failcast.scenario.beliefs import Unknown, beliefs_of

if TYPE_CHECKING:
    from failcast.cli.run import Asked


def run_uncertain(
    plan: fc.Scenario, how: dict[str, Any], asked: Asked
) -> tuple[list[fc.Verdict], bool]:
    """Run it and print the report or the document; return the verdicts and whether Ctrl-C came.

    `how` are arguments of `predict`.
    """
    if any(isinstance(each, Unknown) for each in beliefs_of(plan)):
        _draw_curve(plan, how, asked)
        return [], False
    draws, each = fc.check_prediction(
        plan, **{name: how[name] for name in ("draws", "replications", "seed")}
    )
    begin = _ready(how, asked)
    with Progress(draws * each, quiet=asked.quiet) as progress, interrupts.raised():
        found = fc.predict(plan, **how, on_progress=_shown(progress), keep_on_interrupt=True)
        interrupts.note()
    interrupts.answer()
    if found.interrupted:
        output.notice(
            f"Interrupted after {len(found.draws):,} of {draws:,} draws of the inputs; the result "
            "is of these. Press Ctrl-C again to end without it."
        )
    seconds = time.perf_counter() - begin
    verdicts = [goal.judge(found) for goal in asked.goals]
    if asked.as_json:
        document = found.to_dict(
            inputs=asked.inputs, goals=verdicts, by=asked.times, **command_line()
        )
        output.print_json(document)
    else:
        from failcast.cli.uncertain_report import report_prediction

        report_prediction(found, seconds, asked.times)
    return verdicts, found.interrupted


def _draw_curve(plan: fc.Scenario, how: dict[str, Any], asked: Asked) -> None:
    """The curve over the unknown input, and the break-even of each goal."""
    span = fc.span_of(plan)
    if how["draws"] is not None:
        raise fc.RequestError("draws has no effect where an input is unknown: leave it out.")
    arguments = {name: value for name, value in how.items() if name != "draws"}
    sizes = {name: how[name] for name in ("replications", "seed")}
    total = fc.check_curve(plan, span, **sizes)
    begin = _ready(how, asked)
    total += 2 * total // 3 * len(asked.goals)  # about as many points are made for a break-even
    with Progress(total, quiet=asked.quiet) as progress, interrupts.raised():
        made = fc.curve(plan, span, **arguments, on_progress=_shown(progress))
        evens = [fc.break_even_of(made, goal) for goal in asked.goals]
    if asked.as_json:
        goals = [even.to_dict() for even in evens]
        document = made.to_dict(inputs=asked.inputs, by=asked.times, goals=goals, **command_line())
        output.print_json(document)
        return
    from failcast.cli.uncertain_report import report_curve

    report_curve(made, evens, time.perf_counter() - begin, asked.times)


def _ready(how: dict[str, Any], asked: Asked) -> float:
    """Have the kernel at hand and return the time at which the work begins."""
    if how["engine"] == "kernel":
        compile_kernel(asked.quiet)
    return time.perf_counter()


def _shown(progress: Progress) -> Callable[[int], None]:
    """What is called with the number of runs that are done."""

    def show(more: int) -> None:
        progress.show(more)

    return show
