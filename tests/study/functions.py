"""Functions whose sensitivity is known, and noise, for the tests of rankings.

Ishigami's function of three uniform inputs: T. Ishigami and T. Homma, An importance quantification
technique in uncertainty analysis for computer models, ISUMA (1990). A fourth input does nothing.
"""

from __future__ import annotations

import numpy as np

from failcast.engine.uniforms import uniforms
from failcast.results.statistics import Floats

A, B = 7.0, 0.1
_FIRST = (0.5 * (1.0 + B * np.pi**4 / 5.0) ** 2, A**2 / 8.0, 0.0, 0.0)
_BOTH = 8.0 * B**2 * np.pi**8 / 225.0
VARIANCE = sum(_FIRST) + _BOTH
#: Sobol's indices, worked out on paper.
FIRST = np.array(_FIRST) / VARIANCE
TOTAL = np.array([_FIRST[0] + _BOTH, _FIRST[1], _BOTH, 0.0]) / VARIANCE
#: A stream that no study draws from.
_NOISE = 77


def ishigami(shares: Floats) -> Floats:
    """The function at points in [0, 1], the inputs along the last axis."""
    x = 2.0 * np.pi * shares - np.pi
    value: Floats = np.sin(x[..., 0]) * (1.0 + B * x[..., 2] ** 4) + A * np.sin(x[..., 1]) ** 2
    return value


def noise(seed: int, *shape: int) -> Floats:
    """Standard normal noise."""
    count = int(np.prod(shape))
    first, second = uniforms(seed, _NOISE, 2, count)
    normal = np.sqrt(-2.0 * np.log1p(-first)) * np.cos(2.0 * np.pi * second)
    return normal.reshape(shape)


def seen_twice(values: Floats, seed: int, sd: float) -> Floats:
    """Each value as two runs see it, with independent noise; the runs along a new last axis."""
    return values[..., np.newaxis] + sd * noise(seed, *values.shape, 2)
