"""How time passes: two engines, one truth. Imports ``scenario`` and nothing else of ours.

``draw`` brings numba with it, so it is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from failcast.engine.executors import ExecutorError, TaskError
from failcast.engine.model import EVENT_NAMES, METRICS, SERIES_STATES, SERVER_STATES, Status
from failcast.engine.policies import Policies, PolicyError, ServerView
from failcast.engine.simulate import ENGINES, Engine, Grid, RunInterrupted, Runs, Trace, run, trace
from failcast.engine.warm import compile_notice

if TYPE_CHECKING:
    from failcast.engine.random import draw

__all__ = [
    "ENGINES",
    "EVENT_NAMES",
    "METRICS",
    "SERIES_STATES",
    "SERVER_STATES",
    "Engine",
    "ExecutorError",
    "Grid",
    "Policies",
    "PolicyError",
    "RunInterrupted",
    "Runs",
    "ServerView",
    "Status",
    "TaskError",
    "Trace",
    "compile_notice",
    "draw",
    "run",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name == "draw":
        from failcast.engine.random import draw

        return draw
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
