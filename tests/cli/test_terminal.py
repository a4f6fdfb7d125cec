"""Progress of the real program: a bar that appears on a terminal and leaves nothing; else lines."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sys

#: The program, which shows its progress from the first block on instead of after a second.
IMPATIENT = (
    "import sys; from failcast.cli import main, progress; progress.PATIENCE_SECONDS = 0.0; "
    "sys.argv[:] = ['failcast', 'run', 'small', '--replications', '400', '--json']; main()"
)
COMMAND = (sys.executable, "-c", IMPATIENT)
_CONTROL = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")


def screen(text: str) -> list[str]:
    """The lines that a terminal shows in the end; knows the few controls that a bar needs."""
    lines, row = [""], 0
    while text:
        control = _CONTROL.match(text)
        if control:
            text = text[control.end() :]
            if control[2] == "A":
                row = max(0, row - int(control[1] or 1))
            elif control[2] == "K":
                lines[row] = ""
            else:
                assert control[2] in "mhl", control[0]
        elif text[0] == "\n":
            text, row = text[1:], row + 1
            lines += [""] * (row + 1 - len(lines))
        else:
            lines[row] += "" if text[0] == "\r" else text[0]
            text = text[1:]
    return [line for line in lines if line.strip()]


def test_a_bar_appears_on_a_terminal_and_vanishes() -> None:
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(
        COMMAND, env=environment, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error.
            for piece in iter(lambda: os.read(ours, 65536), b""):
                shown += piece
        assert process.stdout is not None
        assert process.stdout.read().startswith(b"{")
    os.close(ours)
    assert process.returncode == 0
    text = shown.decode("utf-8")
    assert "Simulating" in text
    assert "━" in text
    assert screen(text) == []


def test_the_screen_keeps_what_is_not_taken_away() -> None:
    assert screen("one\r\ntwo\r\x1b[1A\x1b[2Kthree") == ["three", "two"]


def test_a_pipe_gets_lines_without_controls() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert done.stdout.startswith("{")
    lines = done.stderr.splitlines()
    assert lines
    assert all(re.fullmatch(r"\d+ of 400 replications done", line) for line in lines)
    assert "\x1b" not in done.stderr
