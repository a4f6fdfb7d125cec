"""Server-hours by state, servers in repair at once, defective ones: what the fleet did all along.

Whoever changes how many servers are in a state counts its hours up to then first; within one
instant that adds nothing, so the order of its events leaves no mark. The two stages of a repair are
counted when the repair ends, or when the run does.
"""

from __future__ import annotations

import math

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import hours_at, server_at, state_at
from failcast.engine.memory import are_alike
from failcast.engine.model import (
    ACTIVE,
    ARRIVING,
    AUTOMATED_REPAIR,
    AWAITING_REPAIR,
    DOWN_SHARE,
    IDLE,
    MANUAL_REPAIR,
    RANK_AUTOMATED_END,
    RANK_MANUAL_END,
    REPAIRS_AUTOMATED,
    RETIRED,
    SERVER_STATES,
    SPARE,
    STANDBY,
)
from failcast.engine.tables import LANES
from failcast.engine.world import FIRST


@bare
def clear_tally(w):  # type: ignore[no-untyped-def]  # compiled
    """Begin at time zero with nothing counted."""
    w.defective_hours = w.defective_since = w.down_since = 0.0
    for state in range(len(SERVER_STATES)):
        w.server_hours[state] = w.since[state] = 0.0
    for n in range(w.most_down + 1):
        hours_at(w.down_hours, n).hours = 0.0
    w.down = w.most_down = w.defective = FIRST


@inlined
def tally(w, now, state, servers):  # type: ignore[no-untyped-def]  # compiled
    """Count the hours up to now of the ``servers`` in a state, before their number changes."""
    w.server_hours[state] += (now - w.since[state]) * servers
    w.since[state] = now


@inlined
def tally_down(w, now):  # type: ignore[no-untyped-def]  # compiled
    """Count the time up to now for which so many servers were in repair, before that changes."""
    hours_at(w.down_hours, w.down).hours += now - w.down_since
    w.down_since = now


@inlined
def tally_defective(w, now):  # type: ignore[no-untyped-def]  # compiled
    """Count the hours up to now of defective servers in service, before their number changes."""
    w.defective_hours += (now - w.defective_since) * w.defective
    w.defective_since = now


@bare
def tally_all(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Count all hours up to the run's end."""
    now = w.wall
    tally(w, now, ACTIVE, w.active)
    tally(w, now, STANDBY, w.standby_count)
    tally(w, now, IDLE, w.idle)
    tally(w, now, SPARE, w.spares_left)
    tally(w, now, ARRIVING, w.arriving)
    tally(w, now, RETIRED, w.servers_total - w.not_retired)
    tally_down(w, now)
    tally_defective(w, now)
    _count_open(plan, w)


@inlined
def count_repair(w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """Count the hours of a repair that ends."""
    server, automated_end = server_at(w.servers, s), now
    if server.escalated != 0:
        automated_end = server.automated_end
        w.server_hours[MANUAL_REPAIR] += now - automated_end
    w.server_hours[AUTOMATED_REPAIR] += automated_end - server.since


@bare
def _count_open(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Count the hours, and the finished stages, of the repairs that the run's end leaves open."""
    total = w.servers_total
    for first in range(FIRST, total, LANES):
        if not are_alike(w.states, first, ACTIVE):  # as most are
            for s in range(first, min(first + LANES, total)):
                if plan.shop != 0:
                    _count_open_stage(w, s)
                else:
                    _count_open_repair(w, s)


@inlined
def _count_open_repair(w, s):  # type: ignore[no-untyped-def]  # compiled
    state = state_at(w.states, s).is_
    if state in (AUTOMATED_REPAIR, MANUAL_REPAIR):
        server = server_at(w.servers, s)
        begin, end = server.since, server.automated_end
        if server.escalated != 0 and _has_ended(w, end, s):
            w.counts[REPAIRS_AUTOMATED] += 1
            w.server_hours[AUTOMATED_REPAIR] += end - begin
            w.server_hours[MANUAL_REPAIR] += w.wall - end
        else:
            w.server_hours[AUTOMATED_REPAIR] += w.wall - begin


@inlined
def _count_open_stage(w, s):  # type: ignore[no-untyped-def]  # compiled
    state = state_at(w.states, s).is_
    if AWAITING_REPAIR <= state < RETIRED:
        w.server_hours[state] += w.wall - server_at(w.servers, s).since


@inlined
def _has_ended(w, automated_end, s):  # type: ignore[no-untyped-def]  # compiled
    """Say whether an automated stage came before the event that ended the run.

    One of no time was handed over if it did. Else, where that event ended another automated repair
    at the same instant, the smaller number came first, unless that repair also began at this
    instant: it then began after all ends due by then.
    """
    server = server_at(w.servers, s)
    if automated_end == server.since:
        return server.rank == RANK_MANUAL_END
    if automated_end != w.wall or w.last_rank != RANK_AUTOMATED_END:
        return automated_end <= w.wall
    return s < w.last_server or server_at(w.servers, w.last_server).since == w.wall


@bare
def down_p99(w):  # type: ignore[no-untyped-def]  # compiled
    """Return the least number of servers that more than which were down in 1 % of the time."""
    total = 0.0
    for n in range(w.most_down + 1):
        total += hours_at(w.down_hours, n).hours
    n, below = FIRST, hours_at(w.down_hours, 0).hours
    while below < DOWN_SHARE * total and n < w.most_down:
        n += 1
        below += hours_at(w.down_hours, n).hours
    return n


@bare
def defective_mean(w):  # type: ignore[no-untyped-def]  # compiled
    """Return the share of defective server-hours among those of servers in service."""
    hours = w.server_hours[ACTIVE] + w.server_hours[STANDBY] + w.server_hours[IDLE]
    return w.defective_hours / hours if hours > 0.0 else math.nan
