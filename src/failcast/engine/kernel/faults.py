"""Faults that stay in a server: noted at a failure, and struck again at the end of a shorter life.

And what is left of a life when the server's condition changes, with such a fault or without.
"""

from __future__ import annotations

import math

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.ages import life_goes_on, life_turns
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
    _move_end(plan, w, s, time - life)
    return time


@inlined
def _move_end(plan, w, s, hours):  # type: ignore[no-untyped-def]  # compiled
    """Let a life end at another age, where ages are kept."""
    if plan.age_kept != 0:
        hours_at(w.ends, s).hours += hours


@bare
def turned(plan, w, s, left):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of the life of a server whose condition has just changed.

    A fault that is in it strikes when it would have.
    """
    server = server_at(w.servers, s)
    if plan.faults == 0 or server.relapsing == 0:
        return _left_when_turned(plan, w, s, left)
    excess = hours_at(w.excess, s)
    _move_end(plan, w, s, excess.hours)
    life = _left_when_turned(plan, w, s, left + excess.hours)
    if not left < life:
        server.relapsing = 0
        return life
    excess.hours = life - left
    _move_end(plan, w, s, left - life)
    return left


@inlined
def _left_when_turned(plan, w, s, left):  # type: ignore[no-untyped-def]  # compiled
    if plan.age_kept != 0:
        return life_turns(plan, w, s, left)
    return left / plan.hazard_ratio


@bare
def keep_age(plan, w, s, was_defective):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of a life behind a repair: an innocent server's is as long as before.

    But for one that was mended on the way: of its condition, or of a fault that would have struck.
    """
    server = server_at(w.servers, s)
    if not server.life > 0.0:
        life = life_goes_on(plan, w, s)
        return with_fault(plan, w, s, life) if plan.faults != 0 else life
    left = server.life
    if server.relapsing != 0 and server.faulty == 0:
        server.relapsing = 0
        left += hours_at(w.excess, s).hours
        _move_end(plan, w, s, hours_at(w.excess, s).hours)
    if server.defective == was_defective:
        return left
    return _left_when_turned(plan, w, s, left)
