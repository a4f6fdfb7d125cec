"""How a ranking shows itself in a notebook: the answer, a table for each metric, what ran.

On the map: study, beside rank.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from failcast.scenario import notebook
from failcast.study.ranking import wording

if TYPE_CHECKING:
    from failcast.study.ranking.methods import MetricRanking
    from failcast.study.ranking.rank import Ranking


def ranking_html(ranking: Ranking) -> str:
    """The answer, a table for each metric, the inputs without an effect, and what ran."""
    parts = [notebook.answer(ranking.answer())]
    for one in ranking.metrics:
        parts.append(_table(ranking, one))
        if one.without_effect and math.isfinite(one.mean):
            names = ", ".join(each.path for each in one.without_effect)
            parts.append(notebook.remark(f"No effect on {one.metric} shown: {names}."))
    parts += map(notebook.remark, wording.left_out(ranking))
    return notebook.block(*parts, notebook.remark(wording.what_ran(ranking)))


def _table(ranking: Ranking, one: MetricRanking) -> str:
    if not one.ranked:
        return ""
    ranges = {each.path: f"{each.low} to {each.high}" for each in ranking.inputs}
    head = ("place", one.metric, "range", *map(wording.heading, one.ranked[0].figures))
    rows = [
        (
            wording.place(each),
            each.path,
            ranges[each.path],
            *(wording.figure(one, name, figure) for name, figure in each.figures.items()),
        )
        for each in one.ranked
    ]
    return notebook.table(head, rows, left=(0, 1, 2))
