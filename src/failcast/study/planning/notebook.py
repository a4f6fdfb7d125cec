"""How a plan shows itself in a notebook: the answer, the setting and its neighbours, the frontier.

On the map: study, beside plan.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from failcast.results import wording
from failcast.scenario import notebook
from failcast.study.planning.wording import figure_words

if TYPE_CHECKING:
    from failcast.study.planning.plan import Option, Plan


def plan_html(plan: Plan) -> str:
    """The answer, the chosen setting, one step less of each choice, the frontier, what ran."""
    parts = [notebook.answer(plan.answer())]
    paths = tuple(choice.path for choice in plan.choices)
    left = range(1 + len(paths))
    if plan.chosen is not None:
        head = ("setting", *paths, plan.aim_name, *(goal.goal.text for goal in plan.goals), "goals")
        rows = [("chosen", *_cells(plan, plan.chosen))]
        rows += [("one step less", *_cells(plan, each)) for each in plan.less.values()]
        parts.append(notebook.table(head, rows, left=left))
    frontier = [_frontier_row(plan, each) for each in plan.frontier]
    parts.append(notebook.table((plan.aim_name, *paths, "ettr", "goals"), frontier))
    if plan.assumptions:
        rows = [
            (each.path, each.now, low or f"{each.low} or less", high or f"{each.high} or more")
            for each in plan.assumptions
            for low, high in [each.bounds]
        ]
        head = ("assumption", "now", "does from", "up to")
        parts.append(notebook.table(head, rows, left=range(4)))
    ran = f"{plan.runs:,} runs of {plan.tried:,} settings of {plan.scenario.name}, seed {plan.seed}"
    return notebook.block(*parts, notebook.remark(ran))


def _cells(plan: Plan, point: Option) -> tuple[str, ...]:
    figures = zip(plan.goals, point.figures, strict=True)
    words = [figure_words(goal, figure).partition(" is ")[2] or "–" for goal, figure in figures]
    return (*point.setting.values(), _price(point), *words, point.judgement.value)


def _frontier_row(plan: Plan, point: Option) -> tuple[str, ...]:
    mean, interval = point.ettr
    low, high = interval or (None, None)
    decimals = wording.decimals_for_mean(mean, low, high)
    ends = wording.interval(low, high, decimals, unknown="–")
    ettr = f"{wording.number(mean or 0.0, decimals)}\n{ends}"
    return (_price(point), *point.setting.values(), ettr, point.judgement.value)


def _price(point: Option) -> str:
    whole = float(point.price).is_integer()
    return wording.number(point.price, 0 if whole else wording.decimals_for_value(point.price))
