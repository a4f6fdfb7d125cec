"""What lets a process of a second start quickly: fewer garbage collections, no unused library.

On the map: cli, for `main` and `failcast run` only; nothing here changes a result. It is meant for
a process that ends with the verb: who calls `main` from a longer program finds rarer collections
and, where failcast loaded numba first, numba without BLAS. The figures of the cold start in
docs/explanation/speed.md say what it saves.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_NEW_OBJECTS: Final = 100_000
_BLAS: Final = "scipy.linalg.cython_blas"


def spare_collections() -> None:
    """Look for garbage less often: imports make hundreds of thousands of objects that all stay."""
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


def spare_last_collection() -> None:
    """Leave what is there to the end of the process; Python would search it all once more."""
    gc.freeze()


@contextmanager
def without_blas() -> Iterator[None]:
    """Let numba find no BLAS, which the kernel has no use for and which loads half of scipy.

    To numba scipy is optional. What was imported before stays, and the name is free again after.
    """
    if _BLAS in sys.modules or "numba.np.arraymath" in sys.modules:
        yield
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]  # an import of it raises ImportError
    try:
        yield
    finally:
        del sys.modules[_BLAS]
