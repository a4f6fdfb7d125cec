"""Progress of a long simulation: a bar on a terminal, one line per tenth elsewhere; on stderr.

On the map: cli. A run that is over within a second shows nothing. Where a precision decides how
many replications there are, their number is an estimate that changes with each look.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from failcast.cli import output

PATIENCE_SECONDS = 1.0


class Progress:
    """Shows how many of `total` replications are done; use as a context manager.

    `about`, such as "at most ", stands before the total.
    """

    def __init__(self, total: int, *, quiet: bool, about: str = "") -> None:
        self._total = total
        self._about = about
        self._quiet = quiet
        self._begin = time.monotonic()
        self._done = 0
        self._tenths = 0
        self._lock = threading.Lock()
        self._bar: Bar | None = None
        self._console = output.notices()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, more: int) -> int:
        """Take note that `more` replications are done and return how many now are.

        Any thread may say so.
        """
        with self._lock:
            self._done += more
            if self._quiet or time.monotonic() - self._begin < PATIENCE_SECONDS:
                return self._done
            if self._console.is_terminal:
                self._move_bar()
            else:
                self._say_tenths()
            return self._done

    def expect(self, total: int) -> None:
        """Take note that there will be about `total` replications, for all that is known by now."""
        with self._lock:
            self._total, self._about = total, "about "
            self._tenths = 10 * self._done // total

    def _move_bar(self) -> None:
        if self._bar is None:
            columns = (TextColumn("Simulating"), BarColumn(), TextColumn("{task.description}"))
            left = (TimeRemainingColumn(), TextColumn("left"))
            self._bar = Bar(*columns, *left, console=self._console, transient=True)
            self._bar.add_task("", total=self._total)
            self._bar.start()
        self._bar.update(
            self._bar.task_ids[0],
            total=self._total,
            completed=self._done,
            description=f"{self._done:,} of {self._about}{self._total:,}",
        )

    def _say_tenths(self) -> None:
        tenths = 10 * self._done // self._total
        if tenths > self._tenths:
            self._tenths = tenths
            output.notice(f"{self._done:,} of {self._about}{self._total:,} replications done")
