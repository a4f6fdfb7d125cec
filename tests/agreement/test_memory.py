"""What compiled code compares at once, beside numpy."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from failcast.engine.memory import are_alike, count_below
from failcast.engine.tables import LANES, NUMBER_DTYPE, address_of
from failcast.engine.world import STATE_DTYPE


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types for it here
def alike(table: Any, row: int, value: int) -> Any:
    """Whether so many states are one."""
    return are_alike(table, row, value)


@numba.njit  # type: ignore[untyped-decorator]
def below(table: Any, row: int, value: float) -> Any:
    """How many of so many numbers are smaller."""
    return count_below(table, row, value)


@pytest.mark.parametrize("first", [0, 1, 7, 8, 11])
@pytest.mark.parametrize("value", [0, 3, 9])
def test_states_are_alike_where_none_differs(first: int, value: int) -> None:
    states = np.zeros(first + 2 * LANES, STATE_DTYPE)
    states["is_"] = value
    address = np.uint64(address_of(states))
    assert alike(address, first, value)
    assert not alike(address, first, value + 1)
    for place in range(len(states)):
        states["is_"][place] = value + 1
        assert alike(address, first, value) == (not first <= place < first + LANES)
        states["is_"][place] = value


def test_numbers_below_are_counted_as_numpy_does() -> None:
    numbers = np.zeros(4 * LANES, NUMBER_DTYPE)
    numbers["is_"] = [7 * place % 5 for place in range(len(numbers))]
    numbers["is_"][5] = np.inf
    address = np.uint64(address_of(numbers))
    for first in range(3 * LANES):
        for value in (0.0, 2.0, 4.5, np.inf):
            expected = np.count_nonzero(numbers["is_"][first : first + LANES] < value)
            assert below(address, first, value) == expected
