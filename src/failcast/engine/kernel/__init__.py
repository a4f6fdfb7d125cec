"""The kernel: the reference's compiled twin. Arrays and numbers only.

Functions here carry the names of the reference's methods, take ``(plan, world, …)`` and change the
world in place. No ``while True`` (numba miscompiles it), no closures (they never hit the cache).
"""

from __future__ import annotations

from failcast.engine.kernel.loop import run_block
from failcast.engine.kernel.world import TRACE_DTYPE, World

__all__ = ["TRACE_DTYPE", "World", "run_block"]
