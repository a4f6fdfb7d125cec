"""Write a text file whole or not at all.

On the map: results, below every writer of files. The file appears under its name only when it is
complete and on disk: it is written under a temporary name in the same directory, fsynced and
renamed. Whatever goes wrong, an earlier file stays as it was and nothing else is left.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from failcast.results.errors import RequestError

#: What every name of a file in the making matches; one that is left over comes from a killed run.
TEMPORARY: Final = ".failcast-*.tmp"


def check_place(path: str | os.PathLike[str], what: str) -> Path:
    """Make sure that `what`, such as "the trace", can be written to `path`.

    Creates and removes a temporary file beside it. Returns the place itself, symbolic links
    followed. Raises RequestError in a sentence.
    """
    if not os.fspath(path):
        raise RequestError(f"cannot write {what} to '': the name of the file is empty.")
    target, temporary = _places(path)
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            raise RequestError(f"cannot write {what} to {path}: it is not a regular file.")
        if target.exists() and not os.access(target, os.W_OK):
            raise RequestError(f"cannot write {what} to {path}: the file is write-protected.")
        try:
            with temporary.open("x"):
                pass
        finally:
            remove(lambda: [temporary])
    except OSError as error:
        raise _unwritable(path, what, error) from error
    return target


@contextmanager
def whole_file(path: str | os.PathLike[str], what: str) -> Iterator[IO[str]]:
    """Give a UTF-8 file to write to; it takes the place of `path` when the block ends well.

    `what` names the content in messages. Raises RequestError if the place cannot be written to.
    """
    target = check_place(path, what)
    temporary = _places(target)[1]
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise _unwritable(path, what, error) from error
    finally:
        remove(lambda: [temporary])
    sync_directory(target.parent)


def write_new_text(path: str | os.PathLike[str], text: str, what: str, *, force: bool) -> None:
    """Write `text` to `path` as a whole; an existing file is replaced only with `force`.

    Raises RequestError if the file exists or cannot be written.
    """
    if not force and os.path.lexists(path):
        raise RequestError(
            f"{os.fspath(path)} exists: name another file, or replace it with --force."
        )
    with whole_file(path, what) as file:
        file.write(text)


def remove(leftovers: Callable[[], Iterable[Path]]) -> None:
    """Remove temporary files, those that are there, even where Ctrl-C comes in between.

    One Ctrl-C can be raised twice, by polars and by Python, and the second time is just here. It is
    raised again when the files are gone.
    """
    interruption: KeyboardInterrupt | None = None
    for _ in range(3):
        try:
            for path in leftovers():
                path.unlink(missing_ok=True)
            break
        except KeyboardInterrupt as error:
            interruption = error
    if interruption is not None:
        raise interruption


def _places(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The file behind `path` and a temporary name beside it that no other writer uses."""
    target = Path(os.path.realpath(path))
    return target, target.parent / f".failcast-{secrets.token_hex(8)}.tmp"


def _unwritable(path: str | os.PathLike[str], what: str, error: OSError) -> RequestError:
    reason = (error.strerror or str(error)).lower()
    return RequestError(
        f"cannot write {what} to {os.fspath(path)}: {reason}. "
        "Name a file in an existing directory that you may write to."
    )


def sync_directory(directory: Path) -> None:
    """Make the rename itself last: it is an entry of the directory.

    Where the directory may not be read or cannot be synced, the file is whole all the same.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
