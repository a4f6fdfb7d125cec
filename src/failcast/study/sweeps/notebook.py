"""How a sweep shows itself in a notebook: the answer, the cells, what each axis does.

On the map: study, beside sweep.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from failcast.results import wording
from failcast.scenario import notebook
from failcast.study.sweeps.effects import Effect, sweep_effects

if TYPE_CHECKING:
    from failcast.study.sweeps.cells import Cell
    from failcast.study.sweeps.sweep import Sweep

#: The metrics of the table, and most rows of it.
METRICS_SHOWN: Final = ("training_hours", "ettr")
CELLS_MAX: Final = 60


def sweep_html(sweep: Sweep) -> str:
    """The answer, the first cells with training time and ETTR, the effects, what ran."""
    parts = [notebook.answer(sweep.answer())]
    if sweep.done:
        head = (*(axis.path for axis in sweep.axes), *METRICS_SHOWN)
        cells = sweep.done[:CELLS_MAX]
        left = range(len(sweep.axes))
        parts.append(notebook.table(head, [_row(sweep, cell) for cell in cells], left=left))
        if len(sweep.done) > CELLS_MAX:
            rest = f"{len(sweep.done) - CELLS_MAX:,} more cells are in table()."
            parts.append(notebook.remark(rest))
        effects = [_effect_row(each) for each in sweep_effects(sweep)]
        interval = f"{100.0 * sweep.scenario.run.confidence:g} % interval"
        head = ("axis", "value", "instead of", METRICS_SHOWN[0], interval, "shown")
        parts.append(notebook.table(head, effects, left=(0, 1, 2)))
    ran = (
        f"{sweep.replications:,} replications of each of {len(sweep.done):,} cells of "
        f"{sweep.scenario.name}, seed {sweep.seed}, {sweep.engine} engine"
    )
    return notebook.block(*parts, notebook.remark(ran))


def _row(sweep: Sweep, cell: Cell) -> tuple[str, ...]:
    return (*cell.values, *(_figure(sweep, cell, name) for name in METRICS_SHOWN))


def _figure(sweep: Sweep, cell: Cell, name: str) -> str:
    """A mean, and behind it its interval in small type."""
    mean, interval = sweep.mean(cell, name)
    if mean is None:
        return "–"
    low, high = interval or (None, None)
    decimals = wording.decimals_for_mean(mean, low, high)
    ends = wording.interval(low, high, decimals, unknown="–")
    return f"{wording.number(mean, decimals)}\n{ends}"


def _effect_row(effect: Effect) -> tuple[str, ...]:
    gap = effect.difference
    decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
    return (
        effect.path,
        effect.other,
        effect.base,
        "–" if gap.difference is None else wording.number(gap.difference, decimals),
        wording.interval(gap.low, gap.high, decimals, unknown="–"),
        gap.direction,
    )
