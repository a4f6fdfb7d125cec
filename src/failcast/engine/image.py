"""The kernel's machine code on disk, run without numba.

Loading numba and its copy of the compiled kernel takes twice as long as 200 replications of Table
1. What numba compiled is an ordinary object file; llvmlite, the library below numba, loads it in a
few hundredths of a second. The image is that object file behind one line that says what it is. It
answers for one set of sources, one processor type and one numba: anything else is another name.

Made and used on Linux on x86-64, where it is tested; elsewhere numba loads its own cache.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from failcast.engine import elf
from failcast.engine.sources import fingerprint
from failcast.engine.tables import JIT_IS_OFF

#: (plan, world, seed, first, count, values, hours, status, stop) -> lines of trace. The first two
#: and the last four are addresses; ``kernel.loop.run_block`` says of what.
Native = Callable[[int, int, int, int, int, int, int, int, int], int]

_STEM: Final = "failcast-kernel"
_WORDS_OF_KEY: Final = 12
#: How numba calls a compiled function: where to put the result, where to put an error, arguments.
#: It returns zero if there was no error, and this function raises none.
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
#: What an image may need from outside. A vector library, say, is not at hand without numba.
_MATHEMATICS: Final = frozenset(("exp", "log", "log1p", "pow"))
#: How functions of numba's begin, and how they are named in an image, where nobody calls them: they
#: belong to wrappers, by which Python would call the kernel. Numba, if there, keeps its names.
_NUMBAS: Final = "numba_"
_NOBODYS: Final = "nobody"
_OF_WRAPPERS: Final = ("Py", "_Py", _NOBODYS)
_engines: Final[list[Any]] = []  # own the machine code, for as long as the process lives


def is_possible() -> bool:
    """Say whether an image can be made here, and would be found again."""
    return _is_supported() and any(_is_writable(folder) for folder in _folders())


def is_there() -> bool:
    """Say whether there is an image of the present sources for this machine."""
    return _is_supported() and _find() is not None


def load() -> Native | None:
    """Return the kernel from its image; None where there is none, or a damaged one."""
    path = _find() if _is_supported() else None
    if path is None:
        return None
    try:
        line, _, machine_code = path.read_bytes().partition(b"\n")
        head = json.loads(line)
        if head["sha256"] != hashlib.sha256(machine_code).hexdigest():
            return None
        return _linked(machine_code, str(head["symbol"]), [str(name) for name in head["needs"]])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError):
        return None  # numba makes another


def save(dispatcher: Any) -> bool:
    """Write the image of a function that numba compiled in this process; say whether it is there.

    A folder that cannot be written is no error: then numba's way is taken again next time.
    """
    if not _is_supported():
        return False
    compiled = [dispatcher.overloads[signature] for signature in dispatcher.signatures]
    machine_code = getattr(compiled[0].library, "_compiled_object", None) if compiled else None
    if not machine_code:
        return is_there()  # numba had it from its own cache, which gives it away once
    machine_code = elf.renamed(machine_code, _NUMBAS, _NOBODYS)
    needs = elf.undefined(machine_code)
    if not all(name in _MATHEMATICS or name.startswith(_OF_WRAPPERS) for name in needs):
        return False
    head = {
        "symbol": compiled[0].fndesc.llvm_func_name,
        "needs": needs,
        "sha256": hashlib.sha256(machine_code).hexdigest(),
    }
    content = json.dumps(head).encode() + b"\n" + machine_code
    return any(_write(folder, content) for folder in _folders())


def forget(dispatcher: Any) -> None:
    """Take a function out of numba's own cache, from which no image can be made.

    What it is made of stays there, so compiling it anew takes less than the first time.
    """
    stats = dispatcher.stats
    if not dispatcher.signatures and stats.cache_path:
        name = dispatcher.py_func.__module__.rpartition(".")[2]
        for old in Path(stats.cache_path).glob(f"{name}.{dispatcher.__name__}-*.nb?"):
            with contextlib.suppress(OSError):
                old.unlink()


def _is_supported() -> bool:
    return sys.platform == "linux" and platform.machine() == "x86_64" and not JIT_IS_OFF


def _linked(machine_code: bytes, symbol: str, needs: list[str]) -> Native | None:
    """Return the function behind ``symbol`` in an object file, ready to be called.

    The mathematics it needs is that of this process, as numba takes it. LLVM links all or nothing,
    so what only the wrappers would call gets an address, too.
    """
    from llvmlite import binding as llvm  # type: ignore[import-untyped]  # it ships no types

    process = ctypes.CDLL(None)
    for name in needs:
        function = getattr(process, "abort" if name.startswith(_NOBODYS) else name)
        llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(jit=True, codemodel="jitdefault")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
    engine.finalize_object()
    address = engine.get_function_address(symbol)
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


@functools.cache
def _name() -> str:
    """Return the name of the image of these sources for this processor, numba and its options."""
    import llvmlite
    from llvmlite import binding as llvm

    numba = importlib.util.find_spec("numba")
    parts = [llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()]
    if numba is not None and numba.origin is not None:
        with contextlib.suppress(OSError):
            parts.append(Path(numba.origin).with_name("_version.py").read_text())
    parts += [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith("NUMBA_")]
    machine = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{_STEM}-{fingerprint()[:_WORDS_OF_KEY]}-{machine[:_WORDS_OF_KEY]}.o"


def _folders() -> list[Path]:
    """Return where the image may lie: as numba's cache, with the sources if they can be written."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(given)]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [Path(__file__).parent / "kernel" / "__pycache__", home / "failcast"]


def _find() -> Path | None:
    try:
        return next((p for folder in _folders() if (p := folder / _name()).is_file()), None)
    except (OSError, RuntimeError):  # no home
        return None


def _is_writable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


def _write(folder: Path, content: bytes) -> bool:
    """Write the image whole or not at all, and drop those that other sources left there."""
    temporary = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{_STEM}", dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / _name())
        for old in folder.glob(f"{_STEM}-*.o"):
            if not old.name.startswith(f"{_STEM}-{fingerprint()[:_WORDS_OF_KEY]}-"):
                old.unlink(missing_ok=True)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return False
    return True
