"""Ages in the reference engine: first lives, lives that go on at the age they had, turned lives.

On the map: engine, beside reference.py. ``server.age_at_end`` is the age at which the present life
ends; what is left of that life says how old the server is. Ages are in hours of exposure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from failcast.engine.ages import in_other_condition, initial_end, initial_life, life_from

if TYPE_CHECKING:
    from failcast.engine.reference_state import Server, State


def begin(run: State, server: Server) -> None:
    """Let a server be, at time zero, as old as the scenario says."""
    at = (run.plan.compiled, run.chance.root, server.number, server.defective)
    server.remaining_hours = float(initial_life(*at))
    server.age_at_end = float(initial_end(*at, server.remaining_hours))


def go_on(run: State, server: Server) -> None:
    """Give a server its next life from the age on at which the last one ended."""
    age = server.age_at_end
    server.remaining_hours = float(
        life_from(
            run.plan.compiled, run.chance.root, server.number, server.renewal, server.defective, age
        )
    )
    server.age_at_end = age + server.remaining_hours


def keep(run: State, server: Server, mended: bool) -> None:
    """End a repair that keeps the age: an innocent server also keeps what is left of its life.

    ``mended`` says that it was defective before. A fault that was mended does not strike.
    """
    if not server.remaining_hours > 0.0:
        run.renew(server, server.renewal + 1)
        return
    server.renewal += 1
    if server.relapsing and not server.faulty:
        server.relapsing = False
        server.remaining_hours += server.excess_hours
        server.age_at_end += server.excess_hours
    if mended:
        server.remaining_hours = turned(run, server, server.remaining_hours)


def turned(run: State, server: Server, left: float) -> float:
    """Return what is left of the life of a server, without a fault, that has just turned.

    It has turned defective, or good.
    """
    if not run.plan.age_kept:
        return left / float(run.plan.hazard_ratio)
    if math.isinf(left):
        return left
    age = max(0.0, server.age_at_end - left)
    left = float(in_other_condition(run.plan.compiled, left, age, server.defective))
    server.age_at_end = age + left
    return left
