"""The kernel's image made by a process of its own, in a third of the time that numba takes.

Numba optimises and translates a compiled function together with all that it calls, and does so for
each of the kernel's two hundred functions, most of which only other compiled functions call. Here
they are handed on as they are, and what all of them make together is optimised once. Functions of
such a process cannot be called from Python, so it does nothing else, and ends. It rests on how
numba's libraries of code are put together, which is not documented; where that is otherwise no
image comes to be, and numba compiles in its own way.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Any, Final

from failcast.engine import lowering

#: The one function that others call.
_TOP: Final = "run_block"


def build() -> bool:
    """Have another process make the image; say whether it did."""
    program = f"import sys; from {__name__} import main; sys.exit(main())"
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0


def _everything_below(library: Any, found: dict[Any, None]) -> dict[Any, None]:
    """Return a library and all that it needs, directly or not; each stands behind what it needs."""
    for each in library._linking_libraries:
        if each not in found:
            _everything_below(each, found)
    found[library] = None
    return found


def _finalize(library: Any) -> None:
    """Take the place of a library's ``finalize``: only the last one is optimised and translated."""
    library._codegen._check_llvm_bugs()
    library._raise_if_finalized()
    if library.name != _TOP:
        library._finalized = True
        return
    library.enable_object_caching()  # or its machine code is not kept
    *below, _ = _everything_below(library, {})
    for each in reversed(below):  # a function that nobody has asked for yet is left out
        library._final_module.link_in(each._get_module_for_linking(), preserve=True)
    library._optimize_final_module()
    library._final_module.verify()
    library._finalize_final_module()


def _set_env(codegen: Any, name: str, env: Any) -> None:
    """Take the place of ``set_env``: a function that is not translated has no environment."""
    address = codegen._engine.get_global_value_address(name)
    if address:
        (ctypes.c_void_p * 1).from_address(address)[0] = ctypes.c_void_p(id(env))


def main() -> int:
    """Compile the kernel and write its image; return 0 if it is there."""
    import numba
    from numba.core import codegen, dispatcher

    functions: Any = dispatcher.Dispatcher
    libraries: Any = codegen.CPUCodeLibrary
    generators: Any = codegen.JITCPUCodegen
    functions.enable_caching = lambda self: None
    libraries.finalize = _finalize
    generators.set_env = _set_env
    from failcast.engine import image
    from failcast.engine.plan import PLAN_DTYPE
    from failcast.engine.world import WORLD_DTYPE, WORLD_FIXED

    lowering.tell({PLAN_DTYPE: PLAN_DTYPE.names or (), WORLD_DTYPE: WORLD_FIXED})
    from failcast.engine.kernel import run_block

    records = numba.from_dtype(PLAN_DTYPE), numba.from_dtype(WORLD_DTYPE)
    word, number = numba.uint64, numba.int64
    run_block.compile((*records, word, number, number, word, word, word, word))
    return 0 if image.save(run_block) else 1
