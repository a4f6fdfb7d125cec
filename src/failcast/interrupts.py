"""What Ctrl-C does to the process of the command line, at every stage of it.

On the map: beside `__main__.py`, below cli; it imports next to nothing, so that it is in force
before the libraries are loaded. An exception out of a signal can come up anywhere and as anything:
in the midst of an import as a half-made module, in a lock as a RuntimeError. So Ctrl-C ends the
process on the spot, unless there is something to tidy up or to keep.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from types import FrameType
from typing import Final, NoReturn

INTERRUPTED: Final = 130
NO_RESULT: Final = "Interrupted; there is no result."
COMPLETE: Final = "Interrupted; the result is complete."
NOTED: Final = (
    "Interrupted after the last replication; the result is still given. Press Ctrl-C again to end "
    "without it."
)


class Stage(Enum):
    """What a Ctrl-C does at present."""

    END = "the process ends at once"
    RAISE = "KeyboardInterrupt is raised, since something has to be tidied up or kept"
    NOTE = "the first one is noted only, since the result is on its way; the second one is raised"


class _Interrupts:
    """How often Ctrl-C was pressed, and what it does next."""

    def __init__(self) -> None:
        self.stage = Stage.END
        self.sentence = NO_RESULT
        self.presses = 0
        self.raised = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.presses += 1
        if self.stage is Stage.NOTE and self.presses == 1:
            _say(NOTED)
        elif self.stage is Stage.END or (self.stage is Stage.NOTE and self.raised):
            _say(self.sentence)
            leave()
        else:
            self.raised += 1
            raise KeyboardInterrupt


_state = _Interrupts()


def heed() -> None:
    """Take over Ctrl-C, unless the process was started to ignore it, as with `nohup … &`."""
    global _state  # a signal has one handler in a process
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, _state):
        return
    _state = _Interrupts()
    with contextlib.suppress(ValueError):  # in another thread than the main one
        signal.signal(signal.SIGINT, _state)


@contextmanager
def raised() -> Iterator[None]:
    """Within, Ctrl-C raises KeyboardInterrupt; after it what it did before."""
    before, _state.stage = _state.stage, Stage.RAISE
    try:
        yield
    finally:
        if _state.stage is Stage.RAISE:
            _state.stage = before


def note() -> None:
    """From now on there is a result to be given: a first Ctrl-C does not keep it back."""
    _state.stage = Stage.NOTE


def answer() -> None:
    """What Ctrl-C raised has been dealt with: exceptions that follow have their own reasons."""
    _state.raised = 0


def unanswered() -> bool:
    """Whether Ctrl-C raised something that may have become any exception on its way."""
    return _state.raised > 0


def pressed() -> bool:
    """Whether Ctrl-C was pressed at all."""
    return _state.presses > 0


def tell(sentence: str) -> None:
    """Set what is said when Ctrl-C ends the process from now on."""
    _state.sentence = sentence


def sentence() -> str:
    """What is said when Ctrl-C ends the process."""
    return _state.sentence


def end(sentence: str) -> None:
    """From now on, Ctrl-C ends the process at once, with this sentence."""
    _state.stage, _state.sentence = Stage.END, sentence


def leave() -> NoReturn:
    """End the process, whatever its threads are still doing.

    A thread that compiles the kernel hears nothing for up to a minute, and a normal exit would
    wait for it.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, RuntimeError, AttributeError):
            stream.flush()
    os._exit(INTERRUPTED)


def _say(text: str) -> None:
    """Say it from within a signal handler: past the buffers, which may be in use just now."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.write(sys.stderr.fileno(), f"{text}\n".encode())
