"""Whole arrays of draws, for studies: how a design is scrambled, which rows a resample has.

On the map: engine, beside random.py, whose hash it is. A study draws as replication 2**32, which
no run can be, so that it shares no draw with any run of the same seed. That file loads numba, which
most studies do without: it is loaded when something is drawn.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

#: The number of the replication that studies draw as.
STUDY: Final = 2**32

# The streams of studies. A number, once given, is never used for anything else.
DESIGN: Final = 1
RESAMPLE: Final = 2


def words(seed: int, stream: int, entities: Words, numbers: Words) -> Words:
    """The 64 random bits at each address (seed, STUDY, stream, entity, number).

    Entities and numbers are below 2**32 and broadcast against each other.
    """
    from failcast.engine import random as chance

    mix = getattr(chance.mix, "py_func", chance.mix)  # numpy's own loops; numba may be off
    root = np.uint64(chance.replication_root(np.uint64(seed), np.uint64(STUDY)))
    places = (entities << chance._S32) + numbers
    bits: Words = mix(
        mix(root + places * chance._GOLDEN) + np.array([stream], np.uint64) * chance._STREAM
    )
    return bits


def uniforms(
    seed: int, stream: int, rows: int, columns: int, first: int = 0
) -> NDArray[np.float64]:
    """The uniform draws in [0, 1) of a stream, shape (rows, columns).

    The entity of a row is its number, counted from `first`; the number of a draw is its column.
    Each is `draw(seed, STUDY, stream, entity, n)`.
    """
    from failcast.engine import random as chance

    entities = np.arange(first, first + rows, dtype=np.uint64)[:, np.newaxis]
    bits = words(seed, stream, entities, np.arange(columns, dtype=np.uint64)[np.newaxis])
    return np.asarray((bits >> chance._S11) * chance._TO_UNIT, np.float64)
