"""Tables behind one pointer: the world is a single record that holds the addresses of its arrays.

Numba hands an array on as seven words, and a dozen arrays cost more than the work that a short
function does with them. So compiled functions get the world's record alone and reach a row of a
table by ``server_at(w.servers, s)``: an address and an index, nothing checked, nothing counted.
Python owns the arrays (``world.World``) for as long as compiled code runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it ships no types
from numba.core import config, types
from numba.extending import intrinsic

_JIT_IS_OFF: Final = bool(vars(config)["DISABLE_JIT"])
#: With numba switched off, addresses are looked up here.
_TABLES: Final[dict[int, np.ndarray]] = {}


def address_of(table: np.ndarray) -> int:
    """Return the address of a table; the caller keeps the table for as long as it is used."""
    address = int(table.ctypes.data)
    if _JIT_IS_OFF:
        _TABLES[address] = table
    return address


def row_of(dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return ``at(address, index)``: the record in row ``index`` of a table of ``dtype``."""
    if _JIT_IS_OFF:
        return lambda address, index: _TABLES[int(address)][index]
    record, size = numba.from_dtype(dtype), dtype.itemsize

    @intrinsic
    def at(typingctx, address, index):  # type: ignore[no-untyped-def]  # compiled
        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            row = context.cast(builder, arguments[1], signature.args[1], types.int64)
            offset = builder.mul(row, ir.Constant(ir.IntType(64), size))
            place = builder.add(arguments[0], offset)
            return builder.inttoptr(place, context.get_value_type(record))

        return record(types.uint64, index), codegen

    return cast(Callable[[Any, Any], Any], at)
