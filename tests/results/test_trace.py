"""A trace file is whole or absent, and its times read back as the same floats."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from failcast.results import RequestError, check_trace_path, write_trace

ROWS = [(0.1 + 0.2, "failure", 17, 1), (1e-17, "selecting", -1, 0), (6144.0, "finish", -1, 3)]


class Events:
    """A trace with given rows; with an `error` it fails half-way, as on a full disk."""

    def __init__(
        self, rows: list[tuple[float, str, int, int]], *, error: BaseException | None = None
    ) -> None:
        self._rows = rows
        self._error = error

    def __iter__(self) -> Iterator[tuple[float, str, int, int]]:
        """The rows, then the failure if there is to be one."""
        yield from self._rows
        if self._error is not None:
            raise self._error


def test_columns_and_times_round_trip(tmp_path: Path) -> None:
    path = write_trace(Events(ROWS), tmp_path / "trace.csv")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header == ["time_hours", "event", "server", "detail"]
    read = [(float(time), event, int(server), int(detail)) for time, event, server, detail in rows]
    assert read == ROWS


def test_a_failure_half_way_leaves_the_earlier_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("earlier\n", encoding="utf-8")
    with pytest.raises(RequestError, match=r"cannot write the trace to .*no space left"):
        write_trace(Events(ROWS, error=OSError(28, "No space left on device")), path)
    assert path.read_text(encoding="utf-8") == "earlier\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt(), ValueError("mine")])
def test_whatever_goes_wrong_nothing_is_left_behind(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        write_trace(Events(ROWS, error=error), tmp_path / "trace.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_check_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    def interrupted(self: Path, *arguments: str) -> None:
        real(self, *arguments).close()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        check_trace_path(tmp_path / "trace.csv")
    assert list(tmp_path.iterdir()) == []


class Long:
    """A trace of 10,000 rows that looks at the size of the file after it gave the last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.written = 0

    def __iter__(self) -> Iterator[tuple[float, str, int, int]]:
        """The rows."""
        for number in range(10_000):
            yield (float(number), "failure", number, 0)
        (file,) = self._folder.iterdir()
        self.written = file.stat().st_size


def test_lines_are_written_as_they_come(tmp_path: Path) -> None:
    trace = Long(tmp_path)
    path = write_trace(trace, tmp_path / "trace.csv")
    assert trace.written > 0.8 * path.stat().st_size


def test_a_directory_that_cannot_be_synced_holds_the_trace_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def unreadable(path: Path, flags: int, *mode: int, **rest: int) -> int:
        if Path(path) == tmp_path:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *mode, **rest)

    monkeypatch.setattr(os, "open", unreadable)
    path = tmp_path / "trace.csv"
    assert write_trace(Events(ROWS), path) == path
    assert path.read_text(encoding="utf-8").count("\n") == 1 + len(ROWS)


def test_a_new_trace_replaces_the_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("earlier\n" * 100, encoding="utf-8")
    write_trace(Events(ROWS[:1]), path)
    assert path.read_text(encoding="utf-8").splitlines()[1:] == ["0.30000000000000004,failure,17,1"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("earlier\n", encoding="utf-8")
    link.symlink_to(target)
    write_trace(Events(ROWS), link)
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("time_hours,")


def test_places_that_cannot_hold_a_trace_are_refused_beforehand(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in (tmp_path, tmp_path / "absent" / "t.csv", file / "t.csv", Path("/dev/null")):
        with pytest.raises(RequestError, match=r"cannot write the trace to"):
            check_trace_path(path)
    assert list(tmp_path.iterdir()) == [file]


def test_the_check_leaves_nothing_behind(tmp_path: Path) -> None:
    assert check_trace_path(tmp_path / "t.csv") == tmp_path / "t.csv"
    assert list(tmp_path.iterdir()) == []
