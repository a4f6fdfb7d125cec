"""Standby, idle and spare servers that age: who has failed there, and when that is found.

Nothing happens when one fails. It is found when a slot, a selection or a preemption needs it, or by
a health check, and then goes to repair.
"""

from __future__ import annotations

import math

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import record
from failcast.engine.kernel.pools import drop_idle, drop_spare, drop_standby
from failcast.engine.kernel.repairs import note_blame, send_to_repair
from failcast.engine.kernel.rows import server_at, state_at
from failcast.engine.kernel.tally import tally, tally_defective
from failcast.engine.lives import death_hours
from failcast.engine.model import (
    EVENT_FOUND_FAILED,
    FAILED_SPARE,
    FAILURES_RESERVE,
    IDLE,
    SPARE,
    STANDBY,
)
from failcast.engine.random import address


@inlined
def rest(plan, w, now, s, state):  # type: ignore[no-untyped-def]  # compiled
    """A server enters a reserve, where it ages if it is exposed there."""
    if plan.reserve_exposed != 0:
        server_at(w.servers, s).since = now
        w.death_bound = min(w.death_bound, _death(plan, w, s, state))


@inlined
def _death(plan, w, s, state):  # type: ignore[no-untyped-def]  # compiled
    server = server_at(w.servers, s)
    return death_hours(server.life, plan.reserve_factor[state], server.since)


@bare
def is_fit(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """Say whether a server in reserve has not failed; ``death_bound`` is before any who has."""
    return w.death_bound > now or _death(plan, w, s, state_at(w.states, s).is_) > now


@bare
def rise(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A fit server leaves its reserve, with what is left of its life."""
    server, state = server_at(w.servers, s), state_at(w.states, s).is_
    aged = plan.reserve_factor[state] * (now - server.since)
    server.life = max(0.0, server.life - aged)


@bare
def find_failed(plan, w, now, first, last):  # type: ignore[no-untyped-def]  # compiled
    """Look at the servers in the states from ``first`` to ``last``; who has failed is found."""
    if w.death_bound > now:
        return
    w.death_bound = math.inf
    for s in range(w.servers_total):
        state = state_at(w.states, s).is_
        if STANDBY <= state <= SPARE:
            death = _death(plan, w, s, state)
            if death <= now and first <= state <= last:
                found_failed(plan, w, now, s)
            else:
                w.death_bound = min(w.death_bound, death)


@bare
def found_failed(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A server of a reserve has failed, which is now found: it goes to repair."""
    server, state = server_at(w.servers, s), int(state_at(w.states, s).is_)
    if state == STANDBY:
        tally(w, now, STANDBY, w.standby_count)
        drop_standby(w, s)
    elif state == IDLE:
        tally(w, now, IDLE, w.idle)
        drop_idle(w, s)
    else:
        tally(w, now, SPARE, w.spares_left)
        drop_spare(w, s)
        server.failed = FAILED_SPARE
    if state != SPARE and server.defective != 0:
        tally_defective(w, now)
        w.defective -= 1
    server.faulty = 1
    server.life = 0.0
    w.counts[FAILURES_RESERVE] += 1
    record(w, now, EVENT_FOUND_FAILED, s, state)
    if plan.ledger != 0:
        server.condemned = 1 if note_blame(plan, w, now, s) else 0
    send_to_repair(plan, w, now, s, address(w.root, s, int(server.renewal)))
    w.stale = 1
