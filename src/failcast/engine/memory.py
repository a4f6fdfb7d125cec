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

from failcast.engine.tables import JIT_IS_OFF, LANES, NUMBER_DTYPE, TABLES

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


def _count_below_in_python(address: Any, row: Any, value: Any) -> int:
    numbers = TABLES[int(address)]["is_"][row : row + LANES]
    return int(np.count_nonzero(numbers < value))


def _count_below() -> Callable[[Any, Any, Any], Any]:
    if JIT_IS_OFF:
        return _count_below_in_python
    wide = ir.VectorType(ir.DoubleType(), LANES)

    @intrinsic
    def count(typingctx, address, row, value):  # type: ignore[no-untyped-def]  # compiled
        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            place = context.cast(builder, arguments[1], signature.args[1], types.int64)
            offset = builder.mul(place, ir.Constant(ir.IntType(64), NUMBER_DTYPE.itemsize))
            pointer = builder.inttoptr(builder.add(arguments[0], offset), wide.as_pointer())
            numbers = builder.load(pointer, align=NUMBER_DTYPE.itemsize)
            first = ir.Constant(ir.IntType(32), 0)
            one = builder.insert_element(ir.Constant(wide, ir.Undefined), arguments[2], first)
            same = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            bound = builder.shuffle_vector(one, ir.Constant(wide, ir.Undefined), same)
            below = builder.bitcast(builder.fcmp_ordered("<", numbers, bound), ir.IntType(LANES))
            return builder.zext(builder.ctpop(below), ir.IntType(64))

        return types.int64(types.uint64, row, types.float64), codegen

    return cast(Callable[[Any, Any, Any], Any], count)


#: ``count_below(address, row, value)``: how many of LANES numbers from ``row`` on are smaller. One
#: comparison of a processor's widest registers, which no loop that numba compiles comes down to.
count_below: Final = _count_below()


def _are_alike_in_python(address: Any, row: Any, value: Any) -> bool:
    return bool(np.all(TABLES[int(address)]["is_"][row : row + LANES] == value))


def _are_alike() -> Callable[[Any, Any, Any], Any]:
    if JIT_IS_OFF:
        return _are_alike_in_python

    @intrinsic
    def alike(typingctx, address, row, value):  # type: ignore[no-untyped-def]  # compiled
        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word = ir.IntType(8 * LANES)
            place = context.cast(builder, arguments[1], signature.args[1], types.int64)
            pointer = builder.inttoptr(builder.add(arguments[0], place), word.as_pointer())
            byte = context.cast(builder, arguments[2], signature.args[2], types.uint8)
            ones = ir.Constant(word, int.from_bytes(b"\1" * LANES, "little"))
            all_alike = builder.mul(builder.zext(byte, word), ones)
            return builder.icmp_unsigned("==", builder.load(pointer, align=1), all_alike)

        return types.boolean(types.uint64, row, value), codegen

    return cast(Callable[[Any, Any, Any], Any], alike)


#: ``are_alike(address, row, value)``: whether LANES states from ``row`` on all have one value.
are_alike: Final = _are_alike()
