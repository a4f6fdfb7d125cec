"""Faults that stay in a server: noted at a failure, and struck again at the end of a shorter life.

Called only where the plan says that somebody asks for them (``plan.faults``).
"""

from __future__ import annotations

import math

from failcast.engine.compiled import bare
from failcast.engine.kernel.rows import hours_at, server_at
from failcast.engine.lives import relapse_hours
from failcast.engine.model import CAUSE_RELAPSE


@bare
def note_fault(w, s, cause):  # type: ignore[no-untyped-def]  # compiled
    """Note that a server has a fault; return the cause of its failure, which may be an old one."""
    server = server_at(w.servers, s)
    server.faulty = 1
    return CAUSE_RELAPSE if server.relapsing != 0 else cause


@bare
def with_fault(plan, w, s, life):  # type: ignore[no-untyped-def]  # compiled
    """Return the life of a server in which a fault may have been left: it may end earlier."""
    server = server_at(w.servers, s)
    server.relapsing = 0
    if server.faulty == 0:
        return life
    time = relapse_hours(plan, w.root, s, int(server.renewal))
    if math.isinf(time):
        server.faulty = 0
    if not time < life:
        return life
    server.relapsing = 1
    hours_at(w.excess, s).hours = life - time
    return time


@bare
def shortened(plan, w, s, left):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of the life of a server that turns defective; no fault comes earlier."""
    server = server_at(w.servers, s)
    if plan.faults == 0 or server.relapsing == 0:
        return left / plan.hazard_ratio
    excess = hours_at(w.excess, s)
    life = (left + excess.hours) / plan.hazard_ratio
    if not left < life:
        server.relapsing = 0
        return life
    excess.hours = life - left
    return left
