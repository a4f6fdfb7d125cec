"""The mandatory work of a Table 1 run: its draws and its moves between queues, and nothing else.

Every simulator that keeps each server's identity, age and condition has to do this much. It uses
the kernel's own calendars, queues and draws, in the same memory, without phases, books, counters,
policies, limits and trace. Table 1 blames every failure rightly, so no diagnosis is drawn. The pool
is a queue, too: its order decides who is selected. Left out are the 43 host selections and the 12
preemptions of a run, so the floor is rather too low than too high.
"""

from __future__ import annotations

import numba
import numpy as np

from failcast.engine.compiled import OPTIONS
from failcast.engine.kernel.calendar import (
    insert,
    next_key,
    next_server,
    push_due,
    remove,
    take_next,
)
from failcast.engine.kernel.pools import append_to_pool, pop_standby, push_standby
from failcast.engine.kernel.rows import calendar_at, server_at
from failcast.engine.kernel.start import reset
from failcast.engine.lives import life_hours
from failcast.engine.model import RANK_AUTOMATED_END, RANK_MANUAL_END
from failcast.engine.random import (
    AUTOMATED_SILENT,
    AUTOMATED_TIME,
    ESCALATE,
    MANUAL_SILENT,
    MANUAL_TIME,
    SYSTEMATIC,
    address,
    sample,
    uniform,
)
from failcast.engine.world import DUE, FAILING, FIRST

#: As the kernel compiles, but for its cache: that would keep the floor of an older kernel.
_UNCACHED = {**OPTIONS, "cache": False}
_inlined = numba.njit(**_UNCACHED, forceinline=True)


@numba.njit(**_UNCACHED)
def mandatory(plan, w, seed, replication, failures):  # type: ignore[no-untyped-def]  # compiled
    """Do the draws and queue moves of so many failures; return a sum that needs them all."""
    reset(plan, w, seed, replication)
    failing, due = calendar_at(w.calendars, FAILING), calendar_at(w.calendars, DUE)
    failing.limit = _NEVER  # nobody is active here, as whom the calendar would find again
    for s in range(plan.job_servers):
        insert(w, failing, s, server_at(w.servers, s).life, FIRST)
    for s in range(plan.job_servers, plan.servers_total):
        push_standby(w, s)
    for s in range(plan.working_pool, plan.servers_total):
        append_to_pool(w, s)
    total, wall, clock = 0.0, 0.0, 0.0
    for _ in range(failures):
        point = next_key(w, failing)
        s = next_server(failing)
        wall += point - clock + plan.recovery_a
        clock = point
        remove(w, failing, s)
        place = address(w.root, s, int(server_at(w.servers, s).renewal))
        total += uniform(place, SYSTEMATIC) if server_at(w.servers, s).defective != 0 else 0.0
        _plan_repair(plan, w, wall, s, place)
        _repairs(plan, w, due, wall)
        s = pop_standby(w)
        insert(w, failing, s, clock + server_at(w.servers, s).life, FIRST)
    w.clock = clock
    return total


@_inlined
def _plan_repair(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    end, rank = now, RANK_AUTOMATED_END
    end += sample(plan.automated_kind, plan.automated_a, plan.automated_b, place, AUTOMATED_TIME)
    if uniform(place, ESCALATE) < plan.p_escalate:
        end += sample(plan.manual_kind, plan.manual_a, plan.manual_b, place, MANUAL_TIME)
        rank = RANK_MANUAL_END
    stream, p = AUTOMATED_SILENT, plan.p_automated_silent
    if rank == RANK_MANUAL_END:
        stream, p = MANUAL_SILENT, plan.p_manual_silent
    server_at(w.servers, s).silent = 1 if uniform(place, stream) < p else 0
    push_due(w, end, rank, s)


@_inlined
def _repairs(plan, w, due, wall):  # type: ignore[no-untyped-def]  # compiled
    now = next_key(w, due)
    while now <= wall:
        s = take_next(due)
        server = server_at(w.servers, s)
        server.defective &= server.silent
        server.renewal += 1
        server.life = life_hours(plan, w.root, s, int(server.renewal), server.defective)
        append_to_pool(w, s)
        push_standby(w, s)
        now = next_key(w, due)


#: More hours than anything is due after.
_NEVER = 1e300
SEED = np.uint64(1)
