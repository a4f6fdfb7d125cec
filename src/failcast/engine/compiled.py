"""How this package compiles: two decorators, one of which every compiled function has.

``bare`` switches numba's reference counting off: with it, a replication took nine times as long
(see docs/explanation/decisions.md). The price: a bare function makes no arrays and returns none.
Their owner is Python, which holds them for as long as the compiled code runs. A division by zero
gives infinity, as in numpy, so that no division needs a check.

``inlined`` is the same, laid into its callers: for what is small or happens at every failure. A
call costs more than most of these functions do. ``bare`` says that it is not: numba hands the
option down to whatever an inlined function calls first, and so three quarters of the kernel became
one function of 146,000 instructions, which took four minutes to compile.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numba

from failcast.engine.sources import fingerprint

_STAMP: Final = "failcast-kernel-sources"

# ``_nrt`` is an option of numba's own tests and targets; its type hints do not list it.
_njit: Final[Any] = numba.njit
#: How everything is compiled.
OPTIONS: Final[dict[str, Any]] = {
    "cache": True,
    "nogil": True,
    "_nrt": False,
    "error_model": "numpy",
}
bare: Final[Any] = _njit(**OPTIONS, forceinline=False)
inlined: Final[Any] = _njit(**OPTIONS, forceinline=True)


def drop_stale(function: Any) -> None:
    """Empty numba's cache of the folder a function stands in, if other sources filled it."""
    stats = getattr(function, "stats", None)  # a plain function, where numba is switched off
    if stats is None or not stats.cache_path:
        return
    folder = Path(stats.cache_path)
    stamp = folder / _STAMP
    try:
        if stamp.is_file() and stamp.read_text() == fingerprint():
            return
        for compiled in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
            compiled.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        stamp.write_text(fingerprint())
    except OSError:
        return  # a folder that cannot be written holds no cache of ours either


@bare
def _of_this_folder():  # type: ignore[no-untyped-def]  # compiled
    return 0


drop_stale(_of_this_folder)
