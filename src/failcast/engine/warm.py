"""The kernel at hand before anybody waits for it: compiled once, announced beforehand."""

from __future__ import annotations

import fcntl
import functools
import os
import sys
import tempfile
from pathlib import Path

from failcast.engine import image
from failcast.engine.simulate import run
from failcast.engine.sources import fingerprint
from failcast.engine.tables import JIT_IS_OFF
from failcast.scenario import Scenario


def is_compiled() -> bool:
    """Say whether nothing is left to compile: it is in memory, on disk, or switched off."""
    if JIT_IS_OFF or image.is_there() or _is_in_memory():
        return True
    return not image.is_possible() and _is_in_numbas_cache()


def compile_notice() -> str | None:
    """Return a sentence to show before a run that compiles first, or None if none is due."""
    if is_compiled():
        return None
    return "Compiling the simulation kernel, once after installing; about a minute."


def compile_kernel() -> None:
    """Compile the kernel, or load it from the disk; the next run starts at once."""
    tiny = Scenario().with_(
        cluster__working_pool=2, cluster__spare_pool=0, job__servers=1, job__warm_standbys=0
    )
    run(tiny, replications=1, seed=1)


@functools.cache
def compile_once() -> None:
    """Compile the kernel, or wait for another process on this machine that is about it.

    For workers, of which many start at the same time.
    """
    if is_compiled():
        return
    lock = Path(tempfile.gettempdir()) / f"failcast-{os.getuid()}-{fingerprint()[:12]}.lock"
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:  # then each compiles for itself
        compile_kernel()
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not is_compiled():
            compile_kernel()
    finally:
        os.close(descriptor)


def _is_in_memory() -> bool:
    kernel = sys.modules.get("failcast.engine.kernel")
    compiled = getattr(kernel, "run_block", None)  # none of a kernel that is half imported
    return bool(getattr(compiled, "signatures", False))


def _is_in_numbas_cache() -> bool:
    from failcast.engine.kernel import run_block

    folder = run_block.stats.cache_path
    return bool(folder) and any(Path(folder).glob("loop.run_block-*.nbi"))
