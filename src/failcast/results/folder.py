"""A folder of results: the document, every replication as Parquet and CSV, and a manifest.

On the map: results, above sample.py. A folder is ours when its `manifest.json` says so; another one
is written into only if it is empty. All files are complete and on disk before the first of them
takes its name; the manifest comes last and holds the hash of the others.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from failcast.results.errors import RequestError
from failcast.results.sample import Sample
from failcast.results.whole_file import TEMPORARY, remove, sync_directory

SCHEMA: Final = "failcast.folder/1"
MANIFEST: Final = "manifest.json"
Writer = Callable[[IO[bytes]], Any]
#: Largest manifest that is read to see whose a folder is.
_MOST_BYTES: Final = 10_000_000


def check_folder(path: str | os.PathLike[str], schema: str = SCHEMA) -> Path:
    """Make sure that results can be written into the folder `path`, before hours are spent.

    The folder is new, empty or one of ours, of the same `schema`; what a killed run left unfinished
    in it does not count. Returns the place itself, symbolic links followed.
    Raises RequestError in a sentence. Changes nothing.
    """
    if not os.fspath(path):
        raise RequestError("cannot write results into '': the name of the folder is empty.")
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_dir():
            raise RequestError(f"cannot write results into {path}: it is not a folder.")
        if target.is_dir() and _holds_files(target):
            _check_ours(path, target, schema)
        existing = target if target.exists() else target.parent
        if not existing.is_dir():
            raise RequestError(f"cannot write results into {path}: {existing} does not exist.")
        if not os.access(existing, os.W_OK | os.X_OK):
            raise RequestError(f"cannot write results into {path}: {existing} is write-protected.")
    except (OSError, ValueError) as error:
        if isinstance(error, RequestError):
            raise
        raise unwritable(path, error) from error
    return target


def write_folder(
    sample: Sample, path: str | os.PathLike[str], document: dict[str, Any] | None = None
) -> Path:
    """Write result.json, replications.parquet, replications.csv and manifest.json into `path`.

    `document` is what `sample.to_dict` returned, where it was called with a command line, inputs or
    goals. Earlier results are replaced; whatever goes wrong while writing, they stay as they were
    and nothing else is left. Raises RequestError. Returns the folder.
    """
    document = sample.to_dict() if document is None else document
    frame = sample.frame()
    writers: dict[str, Writer] = {
        "result.json": lambda file: file.write(json_bytes(document)),
        "replications.parquet": frame.write_parquet,
        "replications.csv": frame.write_csv,
    }
    return write_files(path, SCHEMA, writers, document["manifest"])


def write_files(
    path: str | os.PathLike[str],
    schema: str,
    writers: Mapping[str, Writer],
    about: Mapping[str, Any],
) -> Path:
    """Write files by name, then the manifest: `schema`, what it is `about`, and their hashes.

    As `write_folder`, which writes those of a sample. Raises RequestError. Returns the folder.
    """
    target = check_folder(path, schema)
    with _room(path, target) as temporary:
        hashes = {name: write_synced(temporary(name), write) for name, write in writers.items()}
        manifest = {"schema": schema, **about, "files": hashes}
        write_synced(temporary(MANIFEST), lambda file: file.write(json_bytes(manifest)))
        for name in (*writers, MANIFEST):
            temporary(name).replace(target / name)
        sync_directory(target)
    return target


@contextmanager
def _room(path: str | os.PathLike[str], target: Path) -> Iterator[Callable[[str], Path]]:
    """Make the folder if it is new and give temporary names in it; after an error undo it all."""
    mark = secrets.token_hex(8)
    new = not target.exists()
    try:
        target.mkdir(exist_ok=True)
        yield lambda name: target / f".failcast-{mark}-{name}.tmp"
        new = False
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        try:
            remove(lambda: target.glob(f".failcast-{mark}-*.tmp"))
        finally:
            if new:
                with contextlib.suppress(OSError):
                    target.rmdir()


def write_synced(path: Path, write: Callable[[IO[bytes]], Any]) -> str:
    """Write one file to the disk and return its SHA-256 (hex). Raises OSError."""
    from polars.exceptions import ComputeError

    with path.open("x+b") as file:
        try:
            write(file)
        except ComputeError as error:
            # What the system said to the writer of Parquet comes as text inside this.
            said = re.search(r"([^:]*) \(os error (\d+)\)", str(error))
            if said is None:
                raise
            raise OSError(int(said[2]), said[1].strip()) from error
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()


def json_bytes(document: dict[str, Any]) -> bytes:
    """A document as strict JSON, for people to read."""
    return (json.dumps(document, indent=2, allow_nan=False) + "\n").encode()


def _holds_files(folder: Path) -> bool:
    """Whether anything is in a folder but files that were never finished."""
    return any(not entry.match(TEMPORARY) for entry in folder.iterdir())


def _check_ours(path: str | os.PathLike[str], target: Path, schema: str) -> None:
    """Refuse a folder of files unless its manifest is one of ours, of the same kind."""
    found = str((read_manifest(target) or {}).get("schema", ""))
    if found == schema:
        return
    if found.startswith("failcast."):
        kind = found.removeprefix("failcast.").partition("/")[0]
        raise RequestError(
            f"cannot write results into {path}: it holds results of another kind ({kind}). Name a "
            "new or an empty folder."
        )
    raise RequestError(
        f"cannot write results into {path}: it is not empty, and no {MANIFEST} of failcast is in "
        "it. Name a new or an empty folder."
    )


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest in a folder; None where there is none that can be read as one."""
    manifest = folder / MANIFEST
    if not manifest.is_file() or manifest.stat().st_size > _MOST_BYTES:
        return None
    try:
        document = json.loads(manifest.read_bytes())
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def unwritable(path: str | os.PathLike[str], error: Exception) -> RequestError:
    """The refusal of a folder into which the system lets nobody write, with its reason."""
    reason = (getattr(error, "strerror", None) or str(error)).lower().partition(" (os error")[0]
    return RequestError(
        f"cannot write results into {os.fspath(path)}: {reason}. "
        "Name a folder that you may write to, with room on its disk."
    )
