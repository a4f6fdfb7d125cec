"""The way into the kernel: from its image on disk, or compiled by numba."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from failcast.engine import building, image
from failcast.engine.native import Native
from failcast.engine.plan import Plan
from failcast.engine.tables import NUMBER_DTYPE, address_of
from failcast.engine.world import FLAG_DTYPE, World

_Kernel = Callable[[Plan, World, int, int, int, list[int]], int]
_lock: Final = threading.Lock()
_kernels: Final[list[_Kernel]] = []  # one, once it is known


def run_block(
    plan: Plan,
    world: World,
    seed: int,
    first: int,
    values: np.ndarray,
    hours: np.ndarray,
    status: np.ndarray,
    stop: np.ndarray,
) -> int:
    """Run replications from number ``first`` on, one for each row; return the lines of trace.

    ``values`` (replications, metrics), ``hours`` (replications, states), both float64, and
    ``status`` (replications), uint8, are contiguous and are written. Another thread may set
    ``stop[0]``, uint8: what was written then is worth nothing. See ``kernel.loop.run_block``.
    """
    tables = [
        *(table.reshape(-1).view(NUMBER_DTYPE) for table in (values, hours)),
        *(table.view(FLAG_DTYPE) for table in (status, stop)),
    ]
    addresses = [address_of(table) for table in tables]
    return kernel()(plan, world, seed, first, len(status), addresses)


def kernel() -> _Kernel:
    """Return the kernel, once and for all: from its image, which is made if need be, or numba."""
    with _lock:
        if not _kernels:
            native = image.load()
            if native is None and image.is_possible() and building.build():
                native = image.load()
            _kernels.append(_by_numba() if native is None else _by_address(native))
    return _kernels[0]


def _by_address(native: Native) -> _Kernel:
    def run_native(
        plan: Plan, world: World, seed: int, first: int, count: int, tables: list[int]
    ) -> int:
        records = _address_of_record(plan), _address_of_record(world.record)
        return native(*records, seed, first, count, *tables)

    return run_native


def _by_numba() -> _Kernel:
    from failcast.engine.kernel import run_block as compiled

    if image.is_possible():
        image.forget(compiled)

    def run_compiled(
        plan: Plan, world: World, seed: int, first: int, count: int, tables: list[int]
    ) -> int:
        fresh = not getattr(compiled, "signatures", True)
        addresses = [np.uint64(table) for table in tables]
        lines = compiled(plan, world.record, np.uint64(seed), first, count, *addresses)
        if fresh:
            image.save(compiled)
        return int(lines)

    return run_compiled


def _address_of_record(record: Any) -> int:
    """Return where a numpy record lies; it keeps its memory, and the caller keeps the record."""
    return int(np.frombuffer(record, dtype=np.uint8).ctypes.data)
