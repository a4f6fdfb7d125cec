"""Replayed failures in the kernel: whom the next one strikes. Nothing here runs without a file."""

from __future__ import annotations

from failcast.engine.compiled import bare
from failcast.engine.kernel.books import settle
from failcast.engine.kernel.reserves import is_fit
from failcast.engine.kernel.rows import server_at, state_at
from failcast.engine.kernel.stretch import catch_up, skips
from failcast.engine.model import ACTIVE, NOT_FAILED, REPLAY_IGNORED, SPARE, STANDBY
from failcast.engine.replay import replay_hours, replay_server
from failcast.engine.world import NONE


@bare
def strike(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Return the active server that a replayed failure strikes, the hours booked; else none."""
    s = replay_server(plan, w.replays)
    w.replays += 1
    w.replay_next = replay_hours(plan, w.replays)
    server, state = server_at(w.servers, s), int(state_at(w.states, s).is_)
    if state == ACTIVE and server.failed == NOT_FAILED:
        if skips(plan, w):
            catch_up(plan, w, now, 0, 1)  # a checkpoint comes before a failure, its end after
        settle(plan, w, now)
        return s
    if STANDBY <= state <= SPARE and plan.reserve_factor[state] > 0.0 and is_fit(plan, w, now, s):
        server.life, server.since = 0.0, now
        w.death_bound = min(w.death_bound, now)
    else:
        w.counts[REPLAY_IGNORED] += 1
    return NONE
