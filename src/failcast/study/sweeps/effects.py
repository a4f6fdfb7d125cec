"""What each axis of a sweep does to a metric, over all cells: paired, with its interval.

On the map: study, below the tables and the wording of sweeps. A value of an axis is compared with
another over the cells that differ in nothing else, replication by replication; the mean over these
pairs of cells is one figure for each replication, and the replications are independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

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


#: Axes of more values are compared only with the values of the least and the greatest mean.
_MOST_COMPARED: Final = 40

Columns: TypeAlias = dict[int, Floats]


@dataclass(frozen=True)
class Effect:
    """The largest effect of an axis: its `other` value instead of its `base` value.

    `difference` is the mean over `cells` pairs of cells that differ in this axis only, paired by
    replication; of a metric, over the replications that finished in all of them. Its interval is
    that of the largest of all pairs of values: it holds for all of them together (Bonferroni).
    """

    path: str
    base: str
    other: str
    cells: int
    difference: Difference | ShareDifference


def sweep_effects(sweep: Sweep, measure: Measure | str = "training_hours") -> tuple[Effect, ...]:
    """The effect of each axis, between the two values that the measure is furthest apart for.

    Those of the largest size come first. An axis without two comparable values has none. Raises
    RequestError for a wrong name.
    """
    asked = Measure.parse(measure) if isinstance(measure, str) else measure
    return effects_of(sweep, [asked])[asked.name]


def effects_of(sweep: Sweep, measures: Sequence[Measure]) -> dict[str, tuple[Effect, ...]]:
    """The effects on several measures, by their names; each cell is read once.

    The sweep keeps them, as its answer and its tables are of the same ones.
    """
    known = sweep._effects
    missing = [each for each in measures if each.name not in known]
    columns: dict[str, Columns] = {each.name: {} for each in missing}
    for cell in sweep.done if missing else ():
        runs = sweep.sample(cell).runs
        for each in missing:
            columns[each.name][cell.number] = each.of(runs)
    for each in missing:
        known[each.name] = _made(sweep, each, columns[each.name])
    return {each.name: known[each.name] for each in measures}


def _made(sweep: Sweep, measure: Measure, columns: Columns) -> tuple[Effect, ...]:
    found = (_effect(sweep, axis, measure, columns) for axis in range(len(sweep.axes)))
    known = (each for each in found if each is not None)
    return tuple(sorted(known, key=lambda each: -abs(each.difference.difference or 0.0)))


def _effect(sweep: Sweep, axis: int, measure: Measure, columns: Columns) -> Effect | None:
    values = sweep.axes[axis].values
    partners = _partners(sweep, axis)
    means = {cell: _mean(column) for cell, column in columns.items()}
    pairs = {
        (base, other): _pairs(partners, base, other)
        for base, other in _candidates(values, partners, means)
    }
    known = {ends: cells for ends, cells in pairs.items() if cells}
    if not known:
        return None
    ends = max(known, key=lambda each: abs(_gap(known[each], means)))
    base = np.array([columns[cell] for cell, _ in known[ends]])
    other = np.array([columns[cell] for _, cell in known[ends]])
    count = len(values) * (len(values) - 1) // 2
    confidence = 1.0 - (1.0 - sweep.scenario.run.confidence) / count
    kind = _of_shares if measure.is_share else _of_metric
    gap = kind(measure.name, base, other, confidence)
    return Effect(sweep.axes[axis].path, *ends, len(known[ends]), gap)


def _partners(sweep: Sweep, axis: int) -> list[dict[str, int]]:
    """The cells that differ in this axis only, by its value, for each setting of the others."""
    found: dict[tuple[str, ...], dict[str, int]] = {}
    for cell in sweep.done:
        rest = (*cell.values[:axis], *cell.values[axis + 1 :])
        found.setdefault(rest, {})[cell.values[axis]] = cell.number
    return list(found.values())


def _candidates(
    values: Sequence[str], partners: Sequence[dict[str, int]], means: Mapping[int, float]
) -> Iterator[tuple[str, str]]:
    """The pairs of values that are looked at, in the order of the axis."""
    ends = values
    if len(values) > _MOST_COMPARED:
        whole = {value: _over(partners, value, means) for value in values}
        known = [value for value in values if not math.isnan(whole[value])]
        ends = [] if not known else [f(known, key=lambda v: whole[v]) for f in (min, max)]
    for number, base in enumerate(values):
        for other in values[number + 1 :]:
            if base in ends or other in ends:
                yield base, other


def _over(partners: Sequence[dict[str, int]], value: str, means: Mapping[int, float]) -> float:
    found = [means[each[value]] for each in partners if value in each]
    known = [mean for mean in found if not math.isnan(mean)]
    return sum(known) / len(known) if known else math.nan


def _pairs(partners: Sequence[dict[str, int]], base: str, other: str) -> list[tuple[int, int]]:
    return [(each[base], each[other]) for each in partners if base in each and other in each]


def _gap(cells: Sequence[tuple[int, int]], means: Mapping[int, float]) -> float:
    gaps = [means[other] - means[base] for base, other in cells]
    known = [gap for gap in gaps if not math.isnan(gap)]
    return sum(known) / len(known) if known else 0.0


def _mean(column: Floats) -> float:
    known = column[~np.isnan(column)]
    return float(known.mean()) if known.size else math.nan


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
