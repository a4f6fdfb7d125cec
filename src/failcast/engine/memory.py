"""Tables behind one pointer: the world is a single record that holds the addresses of its arrays.

Numba hands an array on as seven words, and a dozen arrays cost more than the work that a short
function does with them. So compiled functions get the world's record alone and reach a row of a
table by ``server_at(w.servers, s)``: an address and an index, nothing checked, nothing counted.
Python owns the arrays (``world.World``) for as long as compiled code runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it ships no types
from numba.core import config, types
from numba.extending import intrinsic

from failcast.engine.tables import JIT_IS_OFF, TABLES

if vars(config)["DISABLE_JIT"] and not JIT_IS_OFF:
    raise ImportError(
        "numba's compiler is switched off in a file; failcast runs without it only where the "
        "environment says so: remove the setting, or set NUMBA_DISABLE_JIT=1."
    )


def row_of(dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return ``at(address, index)``: the record in row ``index`` of a table of ``dtype``."""
    if JIT_IS_OFF:
        return lambda address, index: TABLES[int(address)][index]
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
