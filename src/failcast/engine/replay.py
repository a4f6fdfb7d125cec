"""Replayed failures as the engines see them: a table of times and servers behind the plan.

Beside ``lives.py``, whose place they take, and compiled as that is for both engines.
"""

from __future__ import annotations

import math

import numpy as np

from failcast.engine.compiled import bare
from failcast.engine.random import number_at


@bare
def replay_hours(plan, number):  # type: ignore[no-untyped-def]  # compiled
    """Return when the failure of this number comes, in hours since the start; infinite: never."""
    if number >= plan.replayed:
        return math.inf
    return number_at(np.uint64(plan.replay_a), 2 * number).is_


@bare
def replay_server(plan, number):  # type: ignore[no-untyped-def]  # compiled
    """Return the server that the failure of this number strikes."""
    return int(number_at(np.uint64(plan.replay_a), 2 * number + 1).is_)
