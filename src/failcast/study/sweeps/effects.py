"""What each axis of a sweep does to a metric, over all cells: paired, with its interval.

On the map: study, below the tables and the wording of sweeps. A value of an axis is compared with
another over the cells that differ in nothing else, replication by replication; the mean over these
pairs of cells is one figure for each replication, and the replications are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from failcast.engine import METRICS, Status
from failcast.results.statistics import Floats
from failcast.study.differences import Difference, difference

if TYPE_CHECKING:
    from failcast.study.sweeps.sweep import Sweep


@dataclass(frozen=True)
class Effect:
    """The largest effect of an axis: its `other` value instead of its `base` value.

    `difference` is the mean over `cells` pairs of cells that differ in this axis only, paired by
    replication, over the replications that finished in all of them.
    """

    path: str
    base: str
    other: str
    cells: int
    difference: Difference


def effects(sweep: Sweep, metric: str = "training_hours") -> tuple[Effect, ...]:
    """The effect of each axis, between the two values that the metric is furthest apart for.

    Those of the largest size come first. An axis without two comparable values has none.
    """
    columns = {cell.number: _column(sweep, cell.number, metric) for cell in sweep.done}
    found = [
        effect
        for axis in range(len(sweep.axes))
        if (effect := _effect(sweep, axis, metric, columns)) is not None
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.difference.difference or 0.0)))


def _column(sweep: Sweep, cell: int, metric: str) -> Floats:
    """The metric in each replication of a cell, NaN where it did not finish; (replications,)."""
    runs = sweep.sample(cell).runs
    column: Floats = runs.values[:, METRICS.index(metric)].copy()
    column[runs.status != Status.FINISHED] = np.nan
    return column


def _effect(sweep: Sweep, axis: int, metric: str, columns: dict[int, Floats]) -> Effect | None:
    ends = _furthest_apart(sweep, axis, metric)
    return None if ends is None else _between(sweep, axis, metric, columns, *ends)


def _furthest_apart(sweep: Sweep, axis: int, metric: str) -> tuple[str, str] | None:
    """The values with the least and the greatest mean over cells, in the order of the axis."""
    values = sweep.axes[axis].values
    means = {}
    for value in values:
        cells = [cell for cell in sweep.done if cell.values[axis] == value]
        figures = [sweep.figures[cell.number].of(metric) for cell in cells]
        known = [figure for figure in figures if figure is not None]
        if known:
            means[value] = sum(known) / len(known)
    if len(means) < 2:
        return None
    rising = sorted(means, key=lambda value: means[value])  # stable, so equal ones keep their order
    first, second = sorted((rising[0], rising[-1]), key=values.index)
    return first, second


def _between(
    sweep: Sweep, axis: int, metric: str, columns: dict[int, Floats], base: str, other: str
) -> Effect | None:
    """The effect of one value instead of another over the cells that have a partner."""
    partners: dict[tuple[str, ...], dict[str, int]] = {}
    for cell in sweep.done:
        rest = (*cell.values[:axis], *cell.values[axis + 1 :])
        partners.setdefault(rest, {})[cell.values[axis]] = cell.number
    pairs = [(each[base], each[other]) for each in partners.values() if {base, other} <= set(each)]
    if not pairs:
        return None
    means = [np.mean([columns[cell] for cell in side], axis=0) for side in zip(*pairs, strict=True)]
    both = ~np.isnan(means[0]) & ~np.isnan(means[1])
    confidence = sweep.scenario.run.confidence
    gap = difference(metric, means[0][both], means[1][both], confidence)
    return Effect(sweep.axes[axis].path, base, other, len(pairs), gap)
