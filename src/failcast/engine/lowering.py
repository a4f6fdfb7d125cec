"""What numba does not tell LLVM of our records, told where the kernel's image is made (`building`).

To LLVM every pointer may be any other: with each row that was written, all that had been read from
the world was read again, and no flag of a plan was known at its second test. Three facts help:

- Records of different sizes lie in different memory, and so do arrays inside records.
- A plan never changes, nor does what the world says of its tables. So whoever has tested a flag of
  the plan knows it: behind a first act that tests some, no code that asks again is left.
- The slot for what a call returns need only be cleared where the call is.

Each replaces a function of numba's own, in a process that makes an image and does nothing else.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

#: Of a pointer to a field: which kind of memory it is in, and whether that ever changes.
_KIND: Final = "_failcast_kind"
_FIXED: Final = "_failcast_fixed"
_NESTED: Final = "nested"


def tell(fixed: dict[np.dtype[Any], Iterable[str]]) -> None:
    """Have compiled code say so; ``fixed`` are the fields that do not change while it runs."""
    offsets = {kind.itemsize: _offsets(kind, names) for kind, names in fixed.items()}
    _mark_records(offsets)
    _mark_nested_arrays()
    _mark_loads_and_stores()
    _clear_slots_late()


def _offsets(kind: np.dtype[Any], names: Iterable[str]) -> frozenset[int]:
    fields: Any = kind.fields
    return frozenset(fields[name][1] for name in names)


def _mark_records(offsets: dict[int, frozenset[int]]) -> None:
    from numba.core import cgutils

    utilities: Any = cgutils
    member = utilities.get_record_member

    def get_record_member(builder: Any, record: Any, offset: int, kind: Any) -> Any:
        pointer, size = member(builder, record, offset, kind), record.type.pointee.count
        setattr(pointer, _KIND, str(size))
        setattr(pointer, _FIXED, offset in offsets.get(size, ()))
        return pointer

    utilities.get_record_member = get_record_member


def _mark_nested_arrays() -> None:
    from numba.core import types as numba_types
    from numba.np import arrayobj

    def marked(former: Callable[..., Any]) -> Callable[..., Any]:
        def access(context: Any, builder: Any, kind: Any, *value_and_pointer: Any) -> Any:
            if isinstance(kind, numba_types.NestedArray):
                setattr(value_and_pointer[-1], _KIND, _NESTED)
            return former(context, builder, kind, *value_and_pointer)

        return access

    arrays: Any = arrayobj
    arrays.load_item, arrays.store_item = marked(arrays.load_item), marked(arrays.store_item)


def _mark_loads_and_stores() -> None:
    """Say of a load or a store what was said of its pointer (LLVM's type-based alias analysis)."""
    from llvmlite import ir  # type: ignore[import-untyped]  # it ships no types

    load, store = ir.IRBuilder.load, ir.IRBuilder.store
    zero = ir.Constant(ir.IntType(64), 0)

    def marked(builder: Any, instruction: Any, pointer: Any) -> Any:
        kind = getattr(pointer, _KIND, None)
        if kind is not None:
            add = builder.module.add_metadata
            memory = add([kind, add(["failcast"]), zero])
            instruction.set_metadata("tbaa", add([memory, memory, zero]))
        return instruction

    def marked_load(builder: Any, ptr: Any, *args: Any, **options: Any) -> Any:
        instruction = marked(builder, load(builder, ptr, *args, **options), ptr)
        if getattr(ptr, _FIXED, False):
            instruction.set_metadata("invariant.load", builder.module.add_metadata([]))
        return instruction

    def marked_store(builder: Any, value: Any, ptr: Any, *args: Any, **options: Any) -> Any:
        return marked(builder, store(builder, value, ptr, *args, **options), ptr)

    ir.IRBuilder.load, ir.IRBuilder.store = marked_load, marked_store


def _clear_slots_late() -> None:
    """Numba clears a slot where its function begins, too: for calls that most often do not happen.

    Laid into a caller, that was one store in twenty of the kernel's instructions.
    """
    from numba.core import callconv, cgutils

    utilities: Any = cgutils

    def alloca_once(builder: Any, kind: Any, name: str = "", zfill: bool = False) -> Any:
        if zfill:
            return utilities.alloca_once(builder, kind, name=name, zfill=True)
        with builder.goto_entry_block():
            return builder.alloca(kind, name=name)

    convention: Any = callconv
    own = types.SimpleNamespace(**vars(cgutils))
    own.alloca_once = alloca_once
    convention.cgutils = own
