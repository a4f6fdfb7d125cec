"""The compile cache: kept fresh, and filled once before anybody waits for it.

Numba keeps compiled code on disk and recompiles a function when its own file changes, but not
when a file it calls into changes: after an update old code could answer. So the cache carries a
fingerprint of all the sources that compiled code comes from, and is emptied when they differ.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

from failcast.engine import lives, random
from failcast.engine.kernel import run_block
from failcast.engine.simulate import run
from failcast.scenario import Scenario

_HERE: Final = Path(__file__).parent
_STAMP: Final = "failcast-kernel-sources"
_SOURCES: Final = (
    *sorted((_HERE / "kernel").glob("*.py")),
    _HERE / "compiled.py",
    _HERE / "lives.py",
    _HERE / "memory.py",
    _HERE / "model.py",
    _HERE / "plan.py",
    _HERE / "random.py",
    _HERE.parent / "scenario" / "drawn.py",
)
_ENTRIES: Final[tuple[Any, ...]] = (run_block, lives.life_hours, random.mix)


def fingerprint() -> str:
    """Return a hash of every source file that compiled code depends on."""
    digest = hashlib.sha256()
    for path in _SOURCES:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_folders() -> list[Path]:
    """Return the folders in which numba keeps our compiled code; none if it is switched off."""
    stats = [getattr(entry, "stats", None) for entry in _ENTRIES]
    return sorted({Path(each.cache_path) for each in stats if each and each.cache_path})


def drop_stale_cache() -> None:
    """Remove compiled code that was made from other sources than the present ones."""
    now = fingerprint()
    for folder in cache_folders():
        stamp = folder / _STAMP
        try:
            if stamp.is_file() and stamp.read_text() == now:
                continue
            for compiled in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
                compiled.unlink(missing_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
            stamp.write_text(now)
        except OSError:
            continue  # a folder that cannot be written holds no cache of ours either


def is_compiled() -> bool:
    """Say whether nothing is left to compile: it is in memory, on disk, or switched off."""
    if getattr(run_block, "signatures", True):
        return True
    folder = run_block.stats.cache_path
    return bool(folder) and any(Path(folder).glob("loop.run_block-*.nbi"))


def compile_notice() -> str | None:
    """Return a sentence to show before a run that compiles first, or None if none is due."""
    if is_compiled():
        return None
    return "Compiling the simulation kernel, once after installing; about a minute."


def compile_kernel() -> None:
    """Compile the kernel, or load it from the cache; the next run starts at once."""
    tiny = Scenario().with_(
        cluster__working_pool=2, cluster__spare_pool=0, job__servers=1, job__warm_standbys=0
    )
    run(tiny, replications=1, seed=1)


drop_stale_cache()
