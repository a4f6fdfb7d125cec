"""The report of the real program on a terminal of some width, and in a pipe, where none counts."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys

import pytest

COMMAND = (
    *(sys.executable, "-m", "failcast", "run", "small", "-s", "run.horizon=62.7 d"),
    *("--replications", "400", "--by", "62.6d", "--server-hours", "--quiet"),
)


def on_a_terminal(columns: int, command: tuple[str, ...] = COMMAND) -> list[str]:
    """The lines that the program writes on a terminal as wide as this."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": str(columns), "NO_COLOR": "1"}
    with subprocess.Popen(
        command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error.
            for piece in iter(lambda: os.read(ours, 65536), b""):
                shown += piece
    os.close(ours)
    assert process.returncode == 0
    return plain(shown.decode("utf-8")).splitlines()


def plain(text: str) -> str:
    """Text without the controls for bold type, which NO_COLOR leaves."""
    return text.replace("\x1b[1m", "").replace("\x1b[0m", "")


def in_a_pipe(columns: int) -> list[str]:
    """The lines that the program writes into a pipe."""
    environment = os.environ | {"COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(COMMAND, env=environment, capture_output=True, timeout=300, check=True)
    return done.stdout.decode("utf-8").splitlines()


@pytest.mark.parametrize("columns", [60, 80])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    lines = on_a_terminal(columns)
    assert max(map(len, lines)) <= columns
    assert any(line.startswith(f"not shown in {columns} columns: ") for line in lines)


def test_a_pipe_gets_all_columns_whatever_the_terminal() -> None:
    narrow, wide = in_a_pipe(60), in_a_pipe(200)
    assert narrow[:-1] == wide[:-1]  # the last line tells how long it took
    assert max(map(len, narrow[:-1])) > 80
    assert not any("not shown" in line for line in narrow)
