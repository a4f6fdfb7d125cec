"""Arrays that compiled code reaches by their address, and how Python owns them. No numba here.

A process that finds the compiled kernel on disk runs it without numba, which takes long to load
(``image``). So whatever such a process needs stands in files that do not import it: this one,
``model``, ``plan``, ``world`` and ``simulate``.
"""

from __future__ import annotations

import os
from typing import Final, cast

import numpy as np


def _is_jit_off() -> bool:
    """Read the variable as numba does: a number, and zero for what is none."""
    try:
        return bool(int(os.environ.get("NUMBA_DISABLE_JIT", "0")))
    except ValueError:
        return False


#: Whether numba is switched off, and the kernel runs as plain Python.
JIT_IS_OFF: Final = _is_jit_off()
#: With numba switched off, addresses are looked up here.
TABLES: Final[dict[int, np.ndarray]] = {}

#: A number of a table: of a result, or of a distribution that three numbers cannot describe.
NUMBER_DTYPE: Final = np.dtype((np.record, [("is_", np.float64)]))
#: Numbers of a table that are compared at once.
LANES: Final = 8


def code(value: int) -> int:
    """Return ``value`` as the kind of integer that compiled code takes for a variable.

    Numba compiles a function anew for each plain integer constant it is called with, so that
    ``record`` alone had 17 versions. A numpy integer is just an ``int64``: one version.
    """
    return cast(int, np.int64(value))


def address_of(table: np.ndarray) -> int:
    """Return the address of a table; the caller keeps the table for as long as it is used."""
    address = int(table.ctypes.data)
    if JIT_IS_OFF:
        TABLES[address] = table
    return address
