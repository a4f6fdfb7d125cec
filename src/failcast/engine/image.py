"""The kernel's machine code on disk: found, read, written.

Loading numba and its copy of the compiled kernel takes twice as long as 200 replications of Table
1. What numba compiled is an ordinary object file, which ``native`` runs without numba. The image is
that file behind one line that says what it is. It answers for one set of sources, one type of
processor and one numba with its options; anything else has another name.

Where no image comes to be (a full disk, code that needs what numba alone has) a mark is left, so
that numba's own copy is used, and not compiled anew each time in the hope of an image.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import secrets
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from failcast.engine import native
from failcast.engine.native import Code, Native
from failcast.engine.sources import fingerprint

_STEM: Final = "failcast-kernel"
_FORMAT: Final = "1"
_DIGITS: Final = 12
_BESIDE_THE_SOURCES: Final = Path(__file__).parent / "kernel" / "__pycache__"
#: A mark, or what a killed process left, counts for so long.
_DAY_SECONDS: Final = 86_400.0
#: Options of numba that change no code.
_NO_CODE: Final = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")


def is_there() -> bool:
    """Say whether there is an image of the present sources for this machine, whole and readable."""
    return next(_images(), None) is not None


def is_possible() -> bool:
    """Say whether an image can be made here, and would be found again."""
    if not native.is_supported():
        return False
    folders = _folders()
    return any(map(_is_writable, folders)) and not any(map(_has_mark, folders))


def load() -> Native | None:
    """Return the kernel from its image; None where there is none that is whole."""
    for code in _images():
        with contextlib.suppress(AttributeError, RuntimeError):  # a name or LLVM is not as it was
            if (found := native.linked(code)) is not None:
                return found
    return None


def save(dispatcher: Any) -> bool:
    """Write the image of a function that numba compiled in this process; say whether it is there.

    That it cannot be made or written is no error: numba's own copy does the same, more slowly.
    """
    if not native.is_supported():
        return False
    try:
        code = native.code_of(dispatcher)
    except (ValueError, LookupError, AttributeError, TypeError, struct.error):
        code = None  # numba is not as it was
    if code is not None and any(_write(folder, _name(), _packed(code)) for folder in _folders()):
        return True
    if code is not None or not is_there():
        any(_write(folder, _mark(), b"") for folder in _folders())
    return is_there()


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


def _images() -> Iterator[Code]:
    """Go through the images that are whole, the one beside the sources first."""
    for folder in _folders() if native.is_supported() else []:
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            yield _unpacked((folder / _name()).read_bytes())


def _packed(code: Code) -> bytes:
    head = {
        "symbol": code.symbol,
        "needs": code.needs,
        "sha256": hashlib.sha256(code.machine_code).hexdigest(),
    }
    return json.dumps(head).encode() + b"\n" + code.machine_code


def _unpacked(content: bytes) -> Code:
    """Read an image; raises ValueError, LookupError or TypeError for one that is damaged."""
    line, _, machine_code = content.partition(b"\n")
    head = json.loads(line)
    if head["sha256"] != hashlib.sha256(machine_code).hexdigest():
        raise ValueError("the image is damaged")
    return Code(machine_code, str(head["symbol"]), tuple(str(name) for name in head["needs"]))


@functools.cache
def _name() -> str:
    """Return the name of the image of these sources for this processor, numba and its options."""
    import llvmlite  # type: ignore[import-untyped]  # it ships no types
    from llvmlite import binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    parts = [_FORMAT, llvmlite.__version__, llvm.get_host_cpu_name(), features]
    numba = importlib.util.find_spec("numba")
    if numba is not None and numba.origin is not None:
        with contextlib.suppress(OSError):
            parts.append(Path(numba.origin).with_name("_version.py").read_text())
    options = sorted(os.environ.items())
    parts += [f"{k}={v}" for k, v in options if k.startswith("NUMBA_") and k not in _NO_CODE]
    machine = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{_STEM}-{fingerprint()[:_DIGITS]}-{machine[:_DIGITS]}.o"


def _mark() -> str:
    return _name() + ".none"


def _has_mark(folder: Path) -> bool:
    try:
        return time.time() - (folder / _mark()).stat().st_mtime < _DAY_SECONDS
    except OSError:
        return False


def _folders() -> list[Path]:
    """Return where an image may lie: where the user says, beside the sources, or in the home."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(given)]
    folders = [_BESIDE_THE_SOURCES]
    with contextlib.suppress(RuntimeError):  # no home
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folders.append(Path(cache) / "failcast")
    return folders


def _is_writable(folder: Path) -> bool:
    try:
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def _write(folder: Path, name: str, content: bytes) -> bool:
    """Write a file whole or not at all, for all to read as the umask has it; say whether it is."""
    temporary = folder / f".{_STEM}-{secrets.token_hex(8)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / name)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        return False
    _tidy(folder)
    return True


def _tidy(folder: Path) -> None:
    """Remove what killed processes left; beside the sources, also images of older sources."""
    left = [path for path in folder.glob(f".{_STEM}-*") if _is_old(path)]
    if folder == _BESIDE_THE_SOURCES:
        present = f"{_STEM}-{fingerprint()[:_DIGITS]}-"
        left += [p for p in folder.glob(f"{_STEM}-*.o*") if not p.name.startswith(present)]
    for path in left:
        with contextlib.suppress(OSError):
            path.unlink()


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _DAY_SECONDS
    except OSError:
        return False
