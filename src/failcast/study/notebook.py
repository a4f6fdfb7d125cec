"""How comparisons show themselves in a notebook: the answer, then the differences of all metrics.

On the map: study, beside comparison.py. Each function returns HTML for the `_repr_html_` of one
kind of object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from failcast.results import wording
from failcast.scenario import notebook

if TYPE_CHECKING:
    from failcast.study.comparison import Comparison
    from failcast.study.differences import Difference


def comparison_html(comparison: Comparison) -> str:
    """The answer, a row for each metric that is not zero in both or always the same, what ran."""
    parts = [notebook.answer(comparison.answer())]
    found = comparison.differences()
    rows = {name: gap for name, gap in found.items() if not gap.zero and not gap.same}
    if comparison.pairs and rows:
        interval = f"{100.0 * comparison.base.confidence:g} % interval"
        head = ("metric", "base", "other", "difference", interval, "shown", "saved")
        parts.append(notebook.table(head, [_row(name, gap) for name, gap in rows.items()]))
    for title, names in (
        ("Zero in every run of both", [name for name, gap in found.items() if gap.zero]),
        ("The same in every pair", [name for name, gap in found.items() if gap.same]),
    ):
        if comparison.pairs and names:
            parts.append(notebook.remark(f"{title}: {', '.join(names)}."))
    base = comparison.base
    ran = (
        f"{comparison.name} and {base.scenario.name}: {comparison.pairs:,} pairs of "
        f"{base.replications:,}, seed {base.seed}, {base.engine} engine"
    )
    return notebook.block(*parts, notebook.remark(ran))


def _row(name: str, gap: Difference) -> tuple[str, ...]:
    decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
    figures = (gap.base, gap.other, gap.difference)
    return (
        name,
        *("–" if each is None else wording.number(each, decimals) for each in figures),
        wording.interval(gap.low, gap.high, decimals, unknown="–"),
        gap.direction,
        "–" if gap.saved is None else f"{wording.number(gap.saved, 1)} ×",
    )
