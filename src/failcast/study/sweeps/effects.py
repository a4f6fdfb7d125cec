"""What each axis of a sweep does to a metric, over all cells: paired, with its interval.

On the map: study, below the tables and the wording of sweeps. A value of an axis is compared with
another over the cells that differ in nothing else, replication by replication; the mean over these
pairs of cells is one figure for each replication, and the replications are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from failcast.results.measure import Measure
from failcast.results.statistics import Floats
from failcast.study.differences import (
    Difference,
    ShareDifference,
    difference,
    share_difference,
)

if TYPE_CHECKING:
    from failcast.study.sweeps.sweep import Sweep


@dataclass(frozen=True)
class Effect:
    """The largest effect of an axis: its `other` value instead of its `base` value.

    `difference` is the mean over `cells` pairs of cells that differ in this axis only, paired by
    replication; of a metric, over the replications that finished in all of them.
    """

    path: str
    base: str
    other: str
    cells: int
    difference: Difference | ShareDifference


def sweep_effects(sweep: Sweep, measure: Measure | None = None) -> tuple[Effect, ...]:
    """The effect of each axis, between the two values that the measure is furthest apart for.

    It is that of the training time unless another is given. Those of the largest size come first.
    An axis without two comparable values has none.
    """
    measure = measure or Measure("training_hours")
    columns = {cell.number: measure.of(sweep.sample(cell).runs) for cell in sweep.done}
    found = [
        effect
        for axis in range(len(sweep.axes))
        if (effect := _effect(sweep, axis, measure, columns)) is not None
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.difference.difference or 0.0)))


def _effect(sweep: Sweep, axis: int, measure: Measure, columns: dict[int, Floats]) -> Effect | None:
    ends = _furthest_apart(sweep, axis, columns)
    if ends is None:
        return None
    pairs = _pairs(sweep, axis, *ends)
    if not pairs:
        return None
    base = np.array([columns[cell] for cell, _ in pairs])
    other = np.array([columns[cell] for _, cell in pairs])
    kind = _of_shares if measure.is_share else _of_metric
    gap = kind(measure.name, base, other, sweep.scenario.run.confidence)
    return Effect(sweep.axes[axis].path, *ends, len(pairs), gap)


def _furthest_apart(sweep: Sweep, axis: int, columns: dict[int, Floats]) -> tuple[str, str] | None:
    """The values with the least and the greatest mean over cells, in the order of the axis."""
    values = sweep.axes[axis].values
    means = {}
    for value in values:
        found = [columns[cell.number] for cell in sweep.done if cell.values[axis] == value]
        known = [column[~np.isnan(column)] for column in found]
        figures = [float(column.mean()) for column in known if column.size]
        if figures:
            means[value] = sum(figures) / len(figures)
    if len(means) < 2:
        return None
    rising = sorted(means, key=lambda value: means[value])  # stable, so equal ones keep their order
    first, second = sorted((rising[0], rising[-1]), key=values.index)
    return first, second


def _pairs(sweep: Sweep, axis: int, base: str, other: str) -> list[tuple[int, int]]:
    """The cells with one value and those with the other that differ in nothing else."""
    partners: dict[tuple[str, ...], dict[str, int]] = {}
    for cell in sweep.done:
        rest = (*cell.values[:axis], *cell.values[axis + 1 :])
        partners.setdefault(rest, {})[cell.values[axis]] = cell.number
    return [(each[base], each[other]) for each in partners.values() if {base, other} <= set(each)]


def _of_metric(name: str, base: Floats, other: Floats, confidence: float) -> Difference:
    """The difference of means over cells, in the replications that finished in all of them.

    `base` and `other` are (cells, replications).
    """
    means = base.mean(axis=0), other.mean(axis=0)
    known = ~np.isnan(means[0]) & ~np.isnan(means[1])
    return difference(name, means[0][known], means[1][known], confidence)


def _of_shares(name: str, base: Floats, other: Floats, confidence: float) -> ShareDifference:
    """The mean over cells of the differences of shares, and the mean of their intervals.

    The cells share their chance, so their differences err together; where they do not, the mean is
    known better than this says.
    """
    found = [
        share_difference(name, first > 0.5, second > 0.5, confidence)
        for first, second in zip(base, other, strict=True)
    ]

    def mean(figure: str) -> float:
        return float(np.mean([getattr(each, figure) for each in found]))

    return ShareDifference(
        base=mean("base"),
        other=mean("other"),
        difference=mean("difference"),
        low=mean("low"),
        high=mean("high"),
        pairs=found[0].pairs,
        name=name,
        gained=sum(each.gained for each in found),
        lost=sum(each.lost for each in found),
    )
