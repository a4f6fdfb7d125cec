"""What a user sees when something goes wrong: a sentence on stderr and an exit code.

On the map: cli, around every verb. Wrong input is told as it is worded by its error. A bug gets one
sentence too; its traceback is shown when FAILCAST_TRACEBACK is set.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli.output import StdoutError, notice
from failcast.interrupts import INTERRUPTED

FAILED = 1
INVALID_INPUT = 2
GOAL_FAILED = 10
READER_GONE = 141


TOO_LARGE = (
    "the memory of this machine is too small for this scenario. Lower the numbers "
    "of servers (cluster.working_pool, cluster.spare_pool, job.servers), --replications or "
    "--threads; for a trace, which holds every event of a run, shorten job.length."
)


@contextmanager
def guarded() -> Iterator[None]:
    """Turn the errors a user can cause into a sentence and an exit code."""
    interrupts.end(interrupts.NO_RESULT)
    try:
        yield
        sys.stdout.flush()
        interrupts.end(interrupts.COMPLETE)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or interrupts.unanswered():
            interrupts.end(interrupts.sentence())
            notice(interrupts.sentence())
            raise typer.Exit(INTERRUPTED) from error
        code = _told(error)
        if code is None:
            raise
        raise typer.Exit(code) from error


def unusable() -> tuple[type[Exception], ...]:
    """What a user can cause and mend. A function, since the first two load half the package."""
    return (fc.ScenarioError, fc.RequestError, MemoryError)


def _told(error: BaseException) -> int | None:
    """Tell of an error in its own words and return the exit code; None for one that is a bug."""
    if isinstance(error, unusable()):
        tell(error)
        return INVALID_INPUT
    if isinstance(error, fc.ExecutorError):
        if os.environ.get("FAILCAST_TRACEBACK"):
            traceback.print_exception(error)
        tell(error)
        return FAILED
    if isinstance(error, StdoutError):
        return stdout_refused(error)
    if isinstance(error, BrokenPipeError):
        _silence_stdout()
        return READER_GONE
    return None


def tell(error: BaseException) -> None:
    """Tell of one of the `unusable` errors, a line for each sentence."""
    text = TOO_LARGE if isinstance(error, MemoryError) else str(error)
    for sentence in text.splitlines():
        notice(f"Error: {sentence}")


def internal_error(error: Exception) -> int:
    """Tell of a bug in a sentence, with the traceback if it is wanted; return the exit code."""
    if os.environ.get("FAILCAST_TRACEBACK"):
        traceback.print_exception(error)
    notice(
        f"Internal error: {type(error).__name__}: {error}. This is a bug in failcast; "
        "set FAILCAST_TRACEBACK=1 to see where it happened, and please report it."
    )
    return FAILED


def stdout_closed() -> int:
    """Tell that there is no stdout at all; return the exit code."""
    notice(
        "Error: stdout is closed, so the result has nowhere to go. Send it to a file or a pipe, "
        "or to /dev/null if you do not want it."
    )
    return FAILED


def stdout_refused(error: StdoutError) -> int:
    """Tell why stdout did not take what was written to it; return the exit code."""
    reason = (error.strerror or str(error)).lower()
    notice(f"Error: cannot write the result to stdout: {reason}.")
    _silence_stdout()
    return FAILED


def _silence_stdout() -> None:
    """Point stdout at nothing: what is still buffered has no reader, and exit would flush it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
