"""What `failcast plan` prints: the answer, the goals, one step less, the frontier, what ran.

On the map: cli, beside report.py, whose ways it follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import print_lines, table_lines
from failcast.results import wording
from failcast.study.planning.wording import numbers


def report(plan: fc.Plan, seconds: float) -> None:
    """Print the whole report to stdout; `seconds` is how long the plan took."""
    console, columns = output.results(), output.columns()
    for line in output.folded(plan.answer(), columns):
        console.print(Text(line, style="bold"))
    points = list(point_lines(plan, columns))
    frontier, assumed = list(frontier_lines(plan, columns)), list(assumed_lines(plan, columns))
    for part in filter(None, (points, frontier, assumed, [Text(what_ran(plan, seconds))])):
        console.print()
        print_lines(part, columns)


def point_lines(plan: fc.Plan, columns: int | None) -> Iterator[Text]:
    """The chosen setting, and one step less of each choice, with the figures of the goals."""
    if plan.chosen is None:
        return
    rows = [("setting", *_paths(plan), plan.aim_name, *_goal_heads(plan), "goals")]
    rows.append(("chosen", *_point(plan, plan.chosen)))
    rows += [("one step less", *_point(plan, point)) for point in plan.less.values()]
    yield from table_lines(rows, columns, ())
    yield from map(
        Text,
        output.folded(
            f"  in brackets: what each figure is at least or at most, all goals together with "
            f"{100.0 * plan.confidence:g} % confidence, on {plan.chosen.replications} fresh runs",
            columns,
            indent="  ",
        ),
    )


def frontier_lines(plan: fc.Plan, columns: int | None) -> Iterator[Text]:
    """The settings of which none is both cheaper and of a higher ETTR."""
    level = f"{100.0 * plan.confidence:g} % interval"
    rows = [(plan.aim_name, *_paths(plan), "ettr", level, "runs", "goals")]
    for point in plan.frontier:
        mean, interval = point.ettr
        low, high = interval or (None, None)
        decimals = wording.decimals_for_mean(mean, low, high)
        rows.append(
            (
                _price(point.price),
                *point.setting.values(),
                wording.number(mean or 0.0, decimals),
                wording.interval(low, high, decimals, unknown="-"),
                f"{point.replications}",
                point.judgement.value,
            )
        )
    title = f"Settings of which none is both smaller in {plan.aim_name} and better in ETTR:"
    yield Text(title, style="bold")
    yield from table_lines(rows, columns, (("runs",),), style="")


def assumed_lines(plan: fc.Plan, columns: int | None) -> Iterator[Text]:
    """How far each assumption may be wrong until a goal is missed."""
    if not plan.assumptions:
        return
    rows: list[tuple[str, ...]] = [("assumption", "now", "from", "up to", "goal missed beyond")]
    for each in plan.assumptions:
        low, high = each.bounds
        ends = (low or f"{each.low} or less", high or f"{each.high} or more")
        rows.append((each.path, each.now, *ends, "; ".join(each.goals)))
    yield Text("How far an assumption may be wrong until the setting misses a goal:", style="bold")
    yield from table_lines(rows, columns, (("goal missed beyond",),), style="", left=5)


def what_ran(plan: fc.Plan, seconds: float) -> str:
    """One line on the work done."""
    return (
        f"{plan.runs:,} runs of {plan.tried:,} settings of {plan.scenario.name} from seed "
        f"{plan.seed}: {seconds:.1f} s."
    )


def _paths(plan: fc.Plan) -> tuple[str, ...]:
    return tuple(choice.path for choice in plan.choices)


def _goal_heads(plan: fc.Plan) -> tuple[str, ...]:
    return tuple(goal.goal.text for goal in plan.goals)


def _point(plan: fc.Plan, point: fc.Option) -> Sequence[str]:
    figures = zip(plan.goals, point.figures, strict=True)
    cells = [_figure(goal, figure) for goal, figure in figures]
    return (*point.setting.values(), _price(point.price), *cells, point.judgement.value)


def _figure(goal: fc.Wanted, figure: fc.Figure) -> str:
    """`9,941.4 (9,949.8)`: a figure and the bound that the goal has to hold for."""
    value, bound = numbers(goal, figure)
    return f"{value} ({bound or '-'})" if value else "-"


def _price(price: float) -> str:
    return wording.number(price, 0 if price.is_integer() else wording.decimals_for_value(price))
