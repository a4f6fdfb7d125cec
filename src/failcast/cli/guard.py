"""What a user sees when something goes wrong: a sentence on stderr and an exit code.

On the map: cli, around every verb. Wrong input is told as it is worded by its error. A bug gets one
sentence too; its traceback is shown when FAILCAST_TRACEBACK is set.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

import failcast as fc
from failcast.cli.output import StdoutError, notice

FAILED = 1
INVALID_INPUT = 2
GOAL_FAILED = 10
INTERRUPTED = 130
READER_GONE = 141


@contextmanager
def guarded() -> Iterator[None]:
    """Turn the errors a user can cause into a sentence and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except (fc.ScenarioError, fc.RequestError) as error:
        for sentence in str(error).splitlines():
            notice(f"Error: {sentence}")
        raise typer.Exit(INVALID_INPUT) from error
    except MemoryError as error:
        notice(
            "Error: the memory of this machine is too small for this scenario. Lower the numbers "
            "of servers (cluster.working_pool, cluster.spare_pool, job.servers), --replications or "
            "--threads; for a trace, which holds every event of a run, shorten job.length."
        )
        raise typer.Exit(INVALID_INPUT) from error
    except KeyboardInterrupt as error:
        notice("Interrupted; there is no result.")
        raise typer.Exit(INTERRUPTED) from error
    except StdoutError as error:
        raise typer.Exit(stdout_refused(error)) from error
    except BrokenPipeError as error:
        _silence_stdout()
        raise typer.Exit(READER_GONE) from error


def internal_error(error: Exception) -> int:
    """Tell of a bug in a sentence, with the traceback if it is wanted; return the exit code."""
    if os.environ.get("FAILCAST_TRACEBACK"):
        traceback.print_exception(error)
    notice(
        f"Internal error: {type(error).__name__}: {error}. This is a bug in failcast; "
        "set FAILCAST_TRACEBACK=1 to see where it happened, and please report it."
    )
    return FAILED


def leave_at_once() -> NoReturn:
    """End the process after an interruption, whatever its threads are still doing.

    A thread that compiles the kernel hears nothing for up to a minute, and a normal exit would
    wait for it.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)


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
