"""The figures of one cell of a sweep, all metrics at once: what a table of cells is made of.

On the map: study, below sweep.py. The same figures as those of a sample, to the last digits, in a
hundredth of the time, since a sweep has thousands of cells.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from failcast.engine import METRICS, Runs, Status
from failcast.results import statistics
from failcast.results.statistics import QUANTILES, Floats

#: The figures of a metric, in the order of the rows of `Figures.table`.
FIGURES: Final = ("mean", "low", "high", "sd", *QUANTILES)


class Figures(NamedTuple):
    """Figures over the finished runs of a cell.

    `table` is (figures, metrics): rows are FIGURES, columns are failcast.METRICS; what the runs
    cannot give is NaN. `counts` are the runs by the way they ended, in the order of Status.
    """

    table: Floats
    counts: tuple[int, ...]

    def of(self, metric: str, figure: str = "mean") -> float | None:
        """One figure, None where the runs cannot give it."""
        value = float(self.table[FIGURES.index(figure), METRICS.index(metric)])
        return None if math.isnan(value) else value

    @property
    def finished(self) -> int:
        """Number of runs that finished."""
        return self.counts[Status.FINISHED]


def figures_of(runs: Runs, confidence: float) -> Figures:
    """The figures of runs of one scenario."""
    values = runs.values[runs.status == Status.FINISHED]
    table = np.full((len(FIGURES), len(METRICS)), np.nan)
    counts = np.bincount(runs.status, minlength=len(Status))
    n = len(values)
    if n > 0:
        same = values.min(axis=0) == values.max(axis=0)
        mean = np.where(same, values[0], values.mean(axis=0))
        table[0] = mean
        table[4:] = np.quantile(values, list(QUANTILES.values()), axis=0)
    if n > 1:
        sd = np.where(same, 0.0, values.std(axis=0, ddof=1))
        half = statistics.t_quantile(n - 1, confidence) * sd / math.sqrt(n)
        positive = values.min(axis=0) >= 0.0
        table[1] = np.where(positive, np.maximum(0.0, mean - half), mean - half)
        table[2], table[3] = mean + half, sd
    return Figures(table, tuple(int(count) for count in counts))
