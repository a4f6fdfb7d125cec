"""Write the event trace of one replication as a CSV file, whole or not at all.

On the map: results. The file appears under its name only when it is complete and on disk: it is
written under a temporary name in the same directory, fsynced and renamed. Times are written so
that reading them back gives the same float.
"""

from __future__ import annotations

import contextlib
import csv
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from failcast.results.errors import RequestError

COLUMNS = ("time_hours", "event", "server", "detail")


#: Hours, event name, server (-1: none), detail.
Event = tuple[float, str, int, int]


def check_trace_path(path: str | os.PathLike[str]) -> Path:
    """Make sure that a trace can be written to `path`, before hours are spent on a simulation.

    Creates and removes a temporary file beside it. Returns the place itself, symbolic links
    followed. Raises RequestError in a sentence.
    """
    target, temporary = _places(path)
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            raise RequestError(f"cannot write the trace to {path}: it is not a regular file.")
        if target.exists() and not os.access(target, os.W_OK):
            raise RequestError(f"cannot write the trace to {path}: the file is write-protected.")
        try:
            with temporary.open("x"):
                pass
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    return target


def write_trace(trace: Iterable[Event], path: str | os.PathLike[str]) -> Path:
    """Write `trace` as CSV with the columns time_hours, event, server (-1: none), detail.

    `trace` is a Trace, or any events in order of occurrence with these four members. They are
    written as they come, so that a long trace needs no room for all its lines at once. An earlier
    file is replaced in one step; whatever goes wrong, it stays as it was and nothing else is left.
    Raises RequestError if the place cannot be written to. Returns the path written.
    """
    target = check_trace_path(path)
    temporary = _places(target)[1]
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for time_hours, event, server, detail in trace:
                writer.writerow((repr(float(time_hours)), event, int(server), int(detail)))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    _sync_directory(target.parent)
    return target


def _places(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The file behind `path` and a temporary name beside it that no other writer uses."""
    target = Path(os.path.realpath(path))
    return target, target.parent / f".failcast-{secrets.token_hex(8)}.tmp"


def _unwritable(path: str | os.PathLike[str], error: OSError) -> RequestError:
    reason = (error.strerror or str(error)).lower()
    return RequestError(
        f"cannot write the trace to {os.fspath(path)}: {reason}. "
        "Name a file in an existing directory that you may write to."
    )


def _sync_directory(directory: Path) -> None:
    """Make the rename itself last: it is an entry of the directory.

    Where the directory may not be read or cannot be synced, the trace is whole all the same.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
