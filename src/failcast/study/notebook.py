"""How comparisons show themselves in a notebook: the answer, then the differences of all metrics.

On the map: study, beside comparison.py. Each function returns HTML for the `_repr_html_` of one
kind of object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from failcast.engine.model import COST
from failcast.results import wording
from failcast.scenario import notebook

if TYPE_CHECKING:
    from failcast.study.comparison import Comparison
    from failcast.study.differences import Difference
    from failcast.study.lever import Lever, Levers


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
        ("Zero in every run of both", _zero(found)),
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


def _zero(found: Mapping[str, Difference]) -> list[str]:
    """Metrics that are zero in every run of both; the cost is, without prices, and is no news."""
    return [name for name, gap in found.items() if gap.zero and name != COST]


def levers_html(levers: Levers) -> str:
    """The best lever, a row for each that was tried, and why the others were not."""
    tried = [(lever, lever.difference) for lever in levers if lever.difference is not None]
    parts = [notebook.answer(levers.answer())]
    if tried:
        interval = f"{100.0 * levers[0].confidence:g} % interval"
        head = ("lever", "now", "then", "training_hours", interval, "shown")
        rows = [_lever_row(lever, gap) for lever, gap in tried]
        parts.append(notebook.table(head, rows, left=(0, 1, 2)))
    parts += [
        notebook.remark(f"Not tried: {lever.part} the {lever.knob}: {lever.reason}")
        for lever in levers
        if lever.difference is None
    ]
    return notebook.block(*parts)


def _lever_row(lever: Lever, gap: Difference) -> tuple[str, ...]:
    decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
    return (
        f"{lever.part} the {lever.knob}",
        lever.now,
        lever.then or "",
        "–" if gap.difference is None else wording.number(gap.difference, decimals),
        wording.interval(gap.low, gap.high, decimals, unknown="–"),
        gap.direction,
    )


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
