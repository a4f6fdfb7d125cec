"""What is done before something is simulated: the kernel is compiled, threads are counted.

On the map: cli, for the verbs that simulate.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime
from typing import Any

import failcast as fc
from failcast.cli import output, start


def compile_kernel(quiet: bool) -> None:
    """Get the kernel ready outside the time that is reported; tell how long a compilation took."""
    said: list[str] = []

    def announce(sentence: str) -> None:
        said.append(sentence)
        if not quiet:
            output.notice(sentence)

    begin = time.perf_counter()
    with start.without_blas():
        fc.compile_kernel(announce)
    if said and not quiet:
        output.notice(f"Compiled in {time.perf_counter() - begin:.0f} s.")


def default_threads() -> int:
    """One thread per core this process may use, as far as the API takes so many."""
    from failcast.results.request import THREADS_MAX

    return min(len(os.sched_getaffinity(0)), THREADS_MAX)


def hours_of(times: list[str] | None) -> list[float]:
    """The times of `--by` in hours. Raises RequestError."""
    if not times:
        return []
    from failcast.results.request import hours_from

    return [hours_from("--by", text) for text in times]


def command_line() -> dict[str, Any]:
    """What only the command line knows of a result: the time of day (UTC), and how it was asked."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return {"argv": ["failcast", *sys.argv[1:]], "created": created}
