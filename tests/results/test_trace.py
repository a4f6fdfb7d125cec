"""A trace file is whole or absent, and its times read back as the same floats."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from failcast.results import RequestError, check_trace_path, write_trace

ROWS = [(0.1 + 0.2, "failure", 17, 1), (1e-17, "selecting", -1, 0), (6144.0, "finish", -1, 3)]


class Events:
    """A trace with given rows; `broken` makes it fail half-way, as a full disk would."""

    def __init__(self, rows: list[tuple[float, str, int, int]], *, broken: bool = False) -> None:
        self._rows = rows
        self._broken = broken

    def rows(self) -> Iterator[tuple[float, str, int, int]]:
        """The rows, then the failure if there is to be one."""
        yield from self._rows
        if self._broken:
            raise OSError(28, "No space left on device")


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
        write_trace(Events(ROWS, broken=True), path)
    assert path.read_text(encoding="utf-8") == "earlier\n"
    assert list(tmp_path.iterdir()) == [path]


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
