"""Points that fill a cube evenly, with chance: Sobol's sequence, scrambled.

On the map: study, below the design of Sobol's indices.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from failcast.engine.uniforms import DESIGN, Words, words
from failcast.results.statistics import Floats

#: Digits of a coordinate. What they leave out is far below any effect.
_BITS: Final = 32


def net(seed: int, number: int, points: int, columns: int) -> Floats:
    """Points in [0, 1), shape (points, columns), `points` a power of two; see `number`.

    Each point is uniform, and nets of different `number` are independent. Each digit of a
    coordinate is flipped or not by a draw that the digits before it address. Source: A. B. Owen,
    Randomly permuted (t, m, s)-nets and (t, s)-sequences (1995).
    """
    digits = _plain(points, columns)
    entities = np.arange(number * columns, (number + 1) * columns, dtype=np.uint64)[np.newaxis]
    scrambled = digits.copy()
    for place in range(_BITS):
        before = digits >> np.uint64(_BITS - place)
        flips = words(seed, DESIGN, entities, before | np.uint64(1 << place)) & np.uint64(1)
        scrambled ^= flips << np.uint64(_BITS - 1 - place)
    return np.asarray(scrambled * 2.0**-_BITS, np.float64)


@functools.lru_cache(maxsize=1)
def _plain(points: int, columns: int) -> Words:
    """The digits of Sobol's sequence, all nets the same."""
    from scipy.stats import qmc

    sequence = qmc.Sobol(columns, scramble=False, bits=_BITS)
    shares = sequence.random_base2(points.bit_length() - 1)
    return np.asarray(shares * 2.0**_BITS, np.uint64)
