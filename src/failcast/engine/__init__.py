"""How time passes: two engines, one truth. Imports ``scenario`` and nothing else of ours."""

from __future__ import annotations

from failcast.engine.model import EVENT_NAMES, METRICS, Status
from failcast.engine.policies import Policies, PolicyError, ServerView
from failcast.engine.random import draw
from failcast.engine.simulate import ENGINES, Engine, RunInterrupted, Runs, Trace, run, trace
from failcast.engine.warm import compile_notice

__all__ = [
    "ENGINES",
    "EVENT_NAMES",
    "METRICS",
    "Engine",
    "Policies",
    "PolicyError",
    "RunInterrupted",
    "Runs",
    "ServerView",
    "Status",
    "Trace",
    "compile_notice",
    "draw",
    "run",
    "trace",
]
