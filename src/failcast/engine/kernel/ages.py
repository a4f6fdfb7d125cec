"""Ages in the kernel: first lives that are not new, and lives that go on at the age they had.

Nothing here runs unless a scenario asks for it. ``w.ends`` holds, of each server, the age at which
its present life ends; what is left of that life is where it always is, so the difference is the age
whatever made the server older.
"""

from __future__ import annotations

import math

from failcast.engine.ages import in_other_condition, initial_end, initial_life, life_from
from failcast.engine.compiled import bare
from failcast.engine.kernel.rows import hours_at, server_at


@bare
def begin_life(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of a server's life at time zero."""
    server = server_at(w.servers, s)
    life = initial_life(plan, w.root, s, server.defective)
    if plan.age_kept != 0:
        hours_at(w.ends, s).hours = initial_end(plan, w.root, s, server.defective, life)
    return life


@bare
def life_goes_on(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Return a server's next life, in hours, which begins at the age where the last one ended."""
    server, end = server_at(w.servers, s), hours_at(w.ends, s)
    life = life_from(plan, w.root, s, int(server.renewal), server.defective, end.hours)
    end.hours += life
    return life


@bare
def life_turns(plan, w, s, left):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of the life of a server whose condition has just changed."""
    server, end = server_at(w.servers, s), hours_at(w.ends, s)
    if math.isinf(left):
        return left
    age = max(0.0, end.hours - left)
    left = in_other_condition(plan, left, age, server.defective)
    end.hours = age + left
    return left
