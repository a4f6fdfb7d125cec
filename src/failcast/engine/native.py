"""Machine code that numba made, taken out of numba and run without it, by llvmlite and ctypes.

What this rests on is not documented by numba: where a compiled function keeps its object file, how
such a function is called, how names of numba's own begin. It is tested for the versions below; for
others no code is taken out.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from failcast.engine import elf
from failcast.engine.tables import JIT_IS_OFF

#: (plan, world, seed, first, count, values, hours, status, stop) -> lines of trace. The first two
#: and the last four are addresses; ``kernel.loop.run_block`` says of what.
Native = Callable[[int, int, int, int, int, int, int, int, int], int]

#: The first and the last version of numba that this was tested with.
NUMBAS_TESTED: Final = ((0, 61), (0, 68))
#: How numba calls a compiled function: where to put the result, where to put an error, arguments.
#: It returns zero if there was no error, and the kernel raises none.
_CONVENTION: Final = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_uint64,
    ctypes.c_uint64,
    ctypes.c_uint64,
    ctypes.c_uint64,
)
#: The arguments of the kernel as numba names their types, but for the two records.
_TYPES: Final = ("uint64", "int64", "int64", "uint64", "uint64", "uint64", "uint64")
#: What the kernel may need from outside. A vector library, say, is not at hand without numba.
_MATHEMATICS: Final = frozenset(("exp", "expm1", "log", "log1p", "pow"))
#: How functions of numba's begin, and how they are named in code taken out, where nobody calls
#: them: they belong to wrappers, by which Python would call the kernel. A process has one table of
#: names, and numba, if there, keeps its own.
_NUMBAS: Final = "numba_"
_NOBODYS: Final = "nobody"
_PYTHONS: Final = ("Py", "_Py")
_engines: Final[list[Any]] = []  # own the machine code, for as long as the process lives


@dataclass(frozen=True)
class Code:
    """An object file, the symbol of the kernel in it, and what it needs from outside."""

    machine_code: bytes
    symbol: str
    needs: tuple[str, ...]


def is_supported() -> bool:
    """Say whether code can be taken out and run here: on Linux on x86-64, where it is tested."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and not JIT_IS_OFF


def code_of(dispatcher: Any) -> Code | None:
    """Return the code of a function that numba compiled in this process, if it can be taken out.

    Numba gives an object file that comes from its own cache away at once; then there is none.
    """
    import numba

    version = tuple(int(part) for part in numba.__version__.split(".")[:2] if part.isdigit())
    if not NUMBAS_TESTED[0] <= version <= NUMBAS_TESTED[1] or not dispatcher.signatures:
        return None
    compiled = dispatcher.overloads[dispatcher.signatures[0]]
    types = tuple(map(str, compiled.signature.args[2:]))
    machine_code = getattr(compiled.library, "_compiled_object", None)
    if not machine_code or types != _TYPES or str(compiled.signature.return_type) != "int64":
        return None
    machine_code = elf.renamed(machine_code, _NUMBAS, _NOBODYS)
    needs = elf.undefined(machine_code)
    known = (*_PYTHONS, _NOBODYS)
    if not all(name in _MATHEMATICS or name.startswith(known) for name in needs):
        return None
    return Code(machine_code, compiled.fndesc.llvm_func_name, tuple(needs))


def linked(code: Code) -> Native | None:
    """Return the kernel of an object file, ready to be called; None if it is not in there.

    The mathematics it needs is that of this process, as numba takes it. LLVM links all or nothing,
    so what only the wrappers would call gets an address, too.
    """
    from llvmlite import binding as llvm  # type: ignore[import-untyped]  # it ships no types

    process = ctypes.CDLL(None)
    for name in code.needs:
        home: Any = ctypes.pythonapi if name.startswith(_PYTHONS) else process
        function = getattr(home, "abort" if name.startswith(_NOBODYS) else name)
        llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(jit=True, codemodel="jitdefault")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.machine_code))
    engine.finalize_object()
    address = engine.get_function_address(code.symbol)
    if not address:
        return None
    _engines.append(engine)
    function = _CONVENTION(address)

    def native(*arguments: int) -> int:
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        status = function(ctypes.byref(result), ctypes.byref(error), *arguments)
        if status != 0:
            raise RuntimeError("the compiled kernel failed; please report this with the scenario.")
        return result.value

    return native
