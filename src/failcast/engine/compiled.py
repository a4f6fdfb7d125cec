"""How this package compiles: two decorators, one of which every compiled function has.

``bare`` switches numba's reference counting off: with it, a replication took nine times as long
(see docs/explanation/decisions.md). The price: a bare function makes no arrays and returns none.
Their owner is Python, which holds them for as long as the compiled code runs. A division by zero
gives infinity, as in numpy, so that no division needs a check.

``inlined`` is the same, laid into its callers: for what is small or happens at every failure. A
call costs more than most of these functions do.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numba
import numpy as np

# ``_nrt`` is an option of numba's own tests and targets; its type hints do not list it.
_njit: Final[Any] = numba.njit
#: How everything is compiled.
OPTIONS: Final[dict[str, Any]] = {
    "cache": True,
    "nogil": True,
    "_nrt": False,
    "error_model": "numpy",
}
bare: Final[Any] = _njit(**OPTIONS)
inlined: Final[Any] = _njit(**OPTIONS, forceinline=True)


def code(value: int) -> int:
    """Return ``value`` as the kind of integer that compiled code takes for a variable.

    Numba compiles a function anew for each plain integer constant it is called with, so that
    ``record`` alone had 17 versions. A numpy integer is just an ``int64``: one version.
    """
    return cast(int, np.int64(value))
