"""The kernel: the reference's compiled twin. Arrays and numbers only.

Functions here carry the names of the reference's methods, take ``(plan, world, …)`` and change the
world in place. No ``while True`` (numba miscompiles it), no closures (they never hit the cache).
``engine.entry`` calls it, compiled by numba or from the machine code that numba left on disk.
"""

from __future__ import annotations

from failcast.engine.compiled import drop_stale
from failcast.engine.kernel.loop import run_block

__all__ = ["run_block"]

drop_stale(run_block)
