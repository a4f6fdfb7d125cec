"""Who does the tasks of a study: threads, a Ray cluster, or an object that the caller made.

On the map: results, for the studies and the command line.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from failcast.engine.executors import Executor, Threads
from failcast.results.errors import RequestError
from failcast.results.request import threads_of

#: What an executor may be called, with what that is; an address `ray://host:port` beside it.
EXECUTORS: Final = {
    "threads": "threads of this process",
    "ray": "a Ray of its own on this machine, for as long as the work takes",
    "auto": "the Ray cluster that runs on this machine, or that RAY_ADDRESS names",
}
_ADDRESS: Final = re.compile(r"ray://[^\s/:]+:\d+")


@contextmanager
def workers(executor: Executor | str | None, threads: int | None) -> Iterator[Executor]:
    """Give what does the tasks, until the block ends: None is threads, an object is left as it is.

    `threads` (default: one) is the number of threads, or of CPUs of a Ray of its own. Raises
    RequestError for an unknown name, a wrong number, or where Ray is not installed.
    """
    count = threads_of(1 if threads is None else threads)
    check_executor(executor)
    if executor is None or executor == "threads":
        yield Threads(count)
    elif not isinstance(executor, str):
        yield executor
    else:
        from failcast.engine.ray_executor import Ray

        with Ray(None if executor == "ray" else executor, count) as ray:
            yield ray


def check_executor(executor: object) -> None:
    """Raise RequestError unless there is such an executor and what it needs is installed."""
    if executor is None or hasattr(executor, "run") or executor == "threads":
        return
    if not isinstance(executor, str) or not (executor in EXECUTORS or _ADDRESS.fullmatch(executor)):
        raise RequestError(
            f"executor is {executor!r:.80}, but it must be one of {', '.join(EXECUTORS)}, or the "
            "address of a Ray cluster, such as ray://head.example:10001."
        )
    if importlib.util.find_spec("ray") is None:
        raise RequestError(
            f"the executor {executor} needs Ray, which is not installed: pip install "
            "'failcast[ray]'."
        )
