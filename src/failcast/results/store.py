"""A store: a folder that runs are added to block by block, and that a killed process leaves whole.

On the map: results, below study's sweeps. A block is one Parquet file whose name holds its number
and the beginning of a SHA-256. It is written under a temporary name, synced and renamed, so it is
there and right, or not there. The hash is over what the store is of, too, so that no block of
another store is taken for one of this. That stands in its manifest, which never changes; so a store
that was continued has the same bytes as one that was made at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, Self

from failcast.results.errors import RequestError
from failcast.results.folder import (
    MANIFEST,
    check_folder,
    json_bytes,
    read_manifest,
    unwritable,
    write_synced,
)
from failcast.results.whole_file import TEMPORARY, remove, sync_directory
from failcast.scenario.errors import shown

if TYPE_CHECKING:
    import polars

BLOCKS: Final = "blocks"
#: Hexadecimal digits of a block's hash in its name.
_DIGITS: Final = 32
_NAME: Final = re.compile(rf"(\d{{6}})-([0-9a-f]{{{_DIGITS}}})\.parquet")


class Store:
    """An open store; use as a context manager, which keeps other processes out of it.

    `identity` says what it is of, ready for JSON: its `schema` and what a result depends on.
    Raises RequestError for a folder of anything else, before anything in it is changed.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        self.shown = os.fspath(path)
        self.path = check_folder(path, identity["schema"])
        self._identity = json.loads(json_bytes(dict(identity)))
        self._mark = hashlib.sha256(json_bytes(self._identity)).digest()
        self._lock = -1
        self._files: dict[int, Path] = {}

    def __enter__(self) -> Self:
        try:
            self._refuse_another()
            self.path.mkdir(exist_ok=True)
            self._lock = os.open(self.path, os.O_RDONLY)
            self._keep_others_out(self._lock)
            self._refuse_another()
            if read_manifest(self.path) is None:
                self.write(MANIFEST, lambda file: file.write(json_bytes(self._identity)))
            (self.path / BLOCKS).mkdir(exist_ok=True)
            remove(lambda: [*self.path.glob(TEMPORARY), *(self.path / BLOCKS).glob(TEMPORARY)])
            self._files = self._found()
        except OSError as error:
            self._let_go()
            raise unwritable(self.shown, error) from error
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._let_go()

    @property
    def blocks(self) -> tuple[int, ...]:
        """The numbers of the blocks that are there."""
        return tuple(sorted(self._files))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Within, blocks can be read also after the store was closed: no other process writes.

        Others may read at the same time. Raises RequestError where one writes, or where the folder
        is away or has become something else.
        """
        if self._lock >= 0:
            yield
            return
        try:
            lock = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise RequestError(f"cannot read {self.shown}: {reason}.") from error
        try:
            self._keep_others_out(lock, fcntl.LOCK_SH)
            self._refuse_another()
            yield
        finally:
            os.close(lock)

    def read(self, number: int) -> polars.DataFrame:
        """The table of a block. Raises RequestError if the file is not what was written."""
        import polars

        content = self._content(self._files[number])
        return polars.read_parquet(io.BytesIO(content))

    def _content(self, file: Path) -> bytes:
        """What is in a file, if that is what was written. Raises RequestError."""
        try:
            content = file.read_bytes()
        except OSError as error:
            raise self._damaged(file, (error.strerror or str(error)).lower()) from error
        if not file.stem.endswith(self._hash(content)):
            why = "its content does not have the hash in its name, or it is of another store"
            raise self._damaged(file, why)
        return content

    def _hash(self, content: bytes) -> str:
        return hashlib.sha256(self._mark + content).hexdigest()[:_DIGITS]

    def add(self, number: int, frame: polars.DataFrame) -> None:
        """Add a block; it is on disk when this returns. Raises RequestError."""
        content = io.BytesIO()
        frame.write_parquet(content)
        name = f"{number:06d}-{self._hash(content.getvalue())}.parquet"
        self.write(f"{BLOCKS}/{name}", lambda file: file.write(content.getvalue()))
        self._files[number] = self.path / BLOCKS / name

    def write(self, name: str, write: Callable[[IO[bytes]], Any]) -> None:
        """Write a file of the store whole, in the place of an earlier one. Raises RequestError."""
        target = self.path / name
        temporary = target.parent / f".failcast-{secrets.token_hex(8)}.tmp"
        try:
            write_synced(temporary, write)
            temporary.replace(target)
        except OSError as error:
            raise unwritable(self.shown, error) from error
        finally:
            remove(lambda: [temporary])
        sync_directory(target.parent)

    def _found(self) -> dict[int, Path]:
        """The files of blocks by number; a file that has no name of a block is somebody else's."""
        found: dict[int, Path] = {}
        for file in sorted((self.path / BLOCKS).iterdir()):
            match = _NAME.fullmatch(file.name)
            if match is None:
                continue
            number = int(match[1])
            if number in found:
                for each in (found[number], file):
                    self._content(each)  # the one that is wrong is named
            if number in found or number >= self._identity["blocks"]:
                raise self._damaged(file, "the store has no place for another block of its number")
            found[number] = file
        return found

    def _damaged(self, file: Path, why: str) -> RequestError:
        return RequestError(
            f"{self.shown}/{BLOCKS}/{file.name} is damaged: {why}. Delete this file; what is "
            "missing is then simulated again. Nothing was changed."
        )

    def _refuse_another(self) -> None:
        """Refuse a store of something else, with what differs."""
        found = read_manifest(self.path) if self.path.is_dir() else None
        if found is None or found == self._identity:
            return
        name, has, wanted = _difference(found, self._identity)
        raise RequestError(
            f"{self.shown} is a store of something else: its {name} is {_short(has)}, not "
            f"{_short(wanted)}. Name another folder, or ask for what it holds. Nothing was changed."
        )

    def _keep_others_out(self, lock: int, kind: int = fcntl.LOCK_EX) -> None:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            does, advice = "is at work in", "wait for it, or name another folder"
            if kind == fcntl.LOCK_SH:
                does, advice = "is writing into", "wait for it, then ask again"
            raise RequestError(f"another process {does} {self.shown}: {advice}.") from None

    def _let_go(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _difference(found: Any, wanted: Any, name: str = "") -> tuple[str, Any, Any]:
    """The dotted name of the first entry in which two documents differ, and both values."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in (*wanted, *found):
            if found.get(key) != wanted.get(key):
                inner = f"{name}.{key}" if name else key
                return _difference(found.get(key), wanted.get(key), inner)
    return name.replace("_", " "), found, wanted


def _short(value: Any) -> str:
    text = "not there" if value is None else shown(value)
    if isinstance(value, list):
        text = ", ".join(map(str, value))
    return text if len(text) <= 60 else f"{text[:59]}…"
