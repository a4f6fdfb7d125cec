"""Samples whose statistics are known beforehand, for the tests of results and of the command line.

Uniform numbers come from a hash of their index (the finaliser of SplitMix64), so they are the same
on every machine and need no generator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import failcast as fc

FINISHED, DEPLETED, OUT_OF_TIME, OUT_OF_EVENTS = range(4)


def sample_of(
    columns: Mapping[str, Sequence[float]],
    *,
    status: Sequence[int] | None = None,
    scenario: fc.Scenario | None = None,
) -> fc.Sample:
    """A sample with the given metric columns; the others are zero."""
    size = len(next(iter(columns.values())))
    values = np.zeros((size, len(fc.METRICS)))
    for name, column in columns.items():
        values[:, fc.METRICS.index(name)] = column
    codes = np.zeros(size) if status is None else np.asarray(status)
    hours = np.zeros((size, len(fc.SERVER_STATES)))
    runs = fc.Runs(values, codes.astype(np.uint8), hours, seed=1, first=0)
    return fc.Sample(scenario=scenario or fc.Scenario(), runs=runs, seed=1)


def days_of_training(hours: Sequence[float], *, status: Sequence[int] | None = None) -> fc.Sample:
    """A sample of runs of those lengths: 60 % productive, 30 % recovery, 10 % selection."""
    wall = np.asarray(hours, dtype=float)
    columns = {
        "training_hours": wall,
        "ettr": np.full(wall.size, 0.6),
        "productive_hours": 0.6 * wall,
        "recovery_hours": 0.3 * wall,
        "selection_hours": 0.1 * wall,
        "failures": np.full(wall.size, 10.0),
        "mean_run_hours": 0.6 * wall / 11.0,
    }
    return sample_of({name: list(column) for name, column in columns.items()}, status=status)


def uniforms(rows: int, columns: int, salt: int = 0) -> NDArray[np.float64]:
    """A table of numbers that behave like independent uniform ones strictly between 0 and 1."""
    index = np.arange(rows * columns, dtype=np.uint64) + np.uint64(salt * 1_000_003 + 1)
    word = index * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word ^= word >> np.uint64(31)
    unit = ((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return unit.reshape(rows, columns)


def normals(rows: int, columns: int, salt: int = 0) -> NDArray[np.float64]:
    """A table of numbers that behave like independent standard normal ones."""
    table: NDArray[np.float64] = ndtri(uniforms(rows, columns, salt))
    return table
