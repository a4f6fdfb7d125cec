"""The two streams of the command line: results on stdout, everything else on stderr.

On the map: cli. The consoles cut and fold nothing; report.py asks how many columns there are.
Colour and bold type appear on a terminal only, and not at all when NO_COLOR is set.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import textwrap
from typing import IO, Any

import typer
from rich.console import Console

#: Fewer columns than these are taken for as many, and prose fills no more than the others.
COLUMNS_MIN, PROSE_MAX = 60, 100
_NO_BREAK = "\N{NO-BREAK SPACE}"


class PlainConsole(Console):
    """rich's console, with text taken as it is, lines as long as they are, and errors raised."""

    def __init__(self, file: IO[str]) -> None:
        super().__init__(
            file=file,
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=True,
        )

    def on_broken_pipe(self) -> None:
        """Let guard.py decide what a reader that has left means; rich would exit with 1."""
        raise BrokenPipeError


def results() -> Console:
    """The console of stdout, made when asked so that it follows a redirected stream."""
    return PlainConsole(sys.stdout)


def notices() -> Console:
    """The console of stderr."""
    return PlainConsole(sys.stderr)


def notice(text: str) -> None:
    """Say something by the way, on stderr; where stderr is full or closed, nobody hears it."""
    with contextlib.suppress(OSError):
        typer.echo(text, err=True)


def print_json(document: dict[str, Any]) -> None:
    """Print one strict JSON document to stdout: a NaN or an infinity in it is a bug and raises."""
    typer.echo(json.dumps(document, indent=2, allow_nan=False))


def speaks_unicode() -> bool:
    """Whether stdout can carry the block characters of a bar."""
    return (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "") == "utf8"


def columns() -> int | None:
    """How wide the terminal is that stdout is, COLUMNS first; None where it is no terminal."""
    if not sys.stdout.isatty():
        return None
    return max(COLUMNS_MIN, shutil.get_terminal_size((PROSE_MAX, 24)).columns)


def folded(text: str, columns: int | None, indent: str = "") -> list[str]:
    """Lines of prose that fit into `columns`, as `columns()` has them, and are easy to read."""
    width = PROSE_MAX if columns is None else min(PROSE_MAX, columns)
    if columns is not None:
        text = text.replace(" %", _NO_BREAK + "%")  # no line begins with a sign of percent
    lines = textwrap.wrap(text, width, subsequent_indent=indent)
    return [line.replace(_NO_BREAK, " ") for line in lines]


class StdoutError(OSError):
    """stdout did not take what was written to it, for another reason than a reader that left."""


class _Stdout(io.FileIO):
    """The file behind stdout, whose errors can be told from those of any other file."""

    def write(self, data: Any, /) -> int:
        """Write bytes. Raises StdoutError."""
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StdoutError(error.errno, error.strerror) from error


def prepare_stdout() -> None:
    """Have stdout raise StdoutError when it is full, and print `?` for a sign it cannot encode."""
    plain = sys.stdout
    if isinstance(plain, io.TextIOWrapper):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Stdout(plain.fileno(), "w", closefd=False)),
            encoding=plain.encoding,
            errors="replace",
            line_buffering=plain.line_buffering,
        )


def let_go_of_stderr() -> None:
    """Drop what a full stderr did not take: writing it again at exit would change the exit code."""
    if sys.stderr is not None:
        try:
            sys.stderr.flush()
        except (OSError, ValueError):
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # stays open until the end
