"""Numbers for statistical tests: columns of a sample, and comparisons within standard errors.

A mean is compared with theory within `ERRORS` standard errors that the sample itself supplies, so
a test states no tolerance of its own. Used by the tests of theory, original and production.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from failcast.engine import METRICS, SERVER_STATES, Status, run
from failcast.engine import random as chance
from failcast.scenario import Scenario

#: Standard errors that a true mean may be away: a sound test fails once in some 16,000.
ERRORS = 4.0
#: Rounding that columns of equal numbers may show, relative.
ROUNDING = 1e-9

Column = np.ndarray


def simulate(scenario: Scenario, replications: int, seed: int = 1) -> dict[str, Column]:
    """Run the kernel; return the metrics by name. Every run must have finished."""
    runs = run(scenario, replications=replications, seed=seed)
    assert set(runs.status.tolist()) == {Status.FINISHED}
    return {name: runs.values[:, i] for i, name in enumerate(METRICS)}


def server_hours(scenario: Scenario, replications: int, seed: int = 1) -> dict[str, Column]:
    """Run the kernel; return the server-hours of each run by state."""
    hours = run(scenario, replications=replications, seed=seed).server_hours
    return {state: hours[:, i] for i, state in enumerate(SERVER_STATES)}


def standard_error(values: Column) -> float:
    """The standard error of the mean."""
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def standard_error_of_variance(values: Column) -> float:
    """The standard error of the variance, from the fourth central moment: no normality assumed."""
    fourth = float(np.mean((values - values.mean()) ** 4))
    return math.sqrt(max(0.0, fourth - float(values.var()) ** 2) / len(values))


def standard_error_of_sd(values: Column) -> float:
    """The standard error of the standard deviation (delta method on that of the variance)."""
    sd = float(values.std(ddof=1))
    return standard_error_of_variance(values) / (2.0 * sd) if sd > 0.0 else 0.0


def assert_close(found: float, expected: float, error: float, what: str = "") -> None:
    """`found` is within 4 times `error` (one standard error) of `expected`."""
    room = max(ERRORS * error, ROUNDING * abs(expected))
    away = (found - expected) / max(error, 1e-300)
    assert abs(found - expected) <= room, (
        f"{what}: {found:.6g} is {away:.1f} standard errors of {error:.3g} from {expected:.6g}"
    )


def assert_mean(values: Column | Sequence[float], expected: float, what: str = "mean") -> None:
    """The sample's mean is `expected`."""
    sample = np.asarray(values, dtype=float)
    assert_close(float(sample.mean()), expected, standard_error(sample), what)


def assert_variance(values: Column, expected: float, what: str = "variance") -> None:
    """The sample's variance is `expected`."""
    error = standard_error_of_variance(values)
    assert_close(float(values.var(ddof=1)), expected, error, what)


def assert_same_mean(one: Column, other: Column, what: str = "mean") -> None:
    """Two independent samples have the same mean."""
    error = math.hypot(standard_error(one), standard_error(other))
    assert_close(float(one.mean()), float(other.mean()), error, what)


def assert_same_spread(one: Column, other: Column, what: str = "sd") -> None:
    """Two independent samples have the same standard deviation."""
    error = math.hypot(standard_error_of_sd(one), standard_error_of_sd(other))
    rounding = ROUNDING * float(abs(one).mean())
    if max(one.std(), other.std()) > rounding:
        assert_close(float(one.std(ddof=1)), float(other.std(ddof=1)), error, what)


def uniforms(label: int, shape: Sequence[int]) -> Column:
    """Uniform numbers in [0, 1) for simulations that a test writes itself.

    A counter through the hash of `engine/random.py`, in a sequence of its own for each label.
    """
    mix: Any = getattr(chance.mix, "py_func", chance.mix)
    start = np.array([label], dtype=np.uint64) * np.uint64(0xDA942042E4DD58B5)
    golden = np.uint64(0x9E3779B97F4A7C15)
    words = mix(mix(start) + np.arange(math.prod(shape), dtype=np.uint64) * golden)
    return ((words >> np.uint64(11)) * 2.0**-53).reshape(shape)
