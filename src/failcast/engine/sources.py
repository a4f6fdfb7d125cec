"""What compiled code is made from: its sources, by a hash.

Numba keeps compiled code on disk and recompiles a function when its own file changes, but not when
a file it calls into changes: after an update old code could answer. So what lies on disk carries
this hash of all the sources, and is dropped when they differ.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_SOURCES: Final = (
    *sorted((_HERE / "kernel").glob("*.py")),
    _HERE / "ages.py",
    _HERE / "building.py",
    _HERE / "compiled.py",
    _HERE / "lives.py",
    _HERE / "lowering.py",
    _HERE / "memory.py",
    _HERE / "model.py",
    _HERE / "plan.py",
    _HERE / "random.py",
    _HERE / "replay.py",
    _HERE / "tables.py",
    _HERE / "world.py",
    _HERE.parent / "scenario" / "drawn.py",
)


@functools.cache
def fingerprint() -> str:
    """Return a hash of every source file that compiled code depends on."""
    digest = hashlib.sha256()
    for path in _SOURCES:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
