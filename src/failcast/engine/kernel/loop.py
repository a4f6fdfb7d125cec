"""The event loop, and a block of replications: the only function that others call."""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, code
from failcast.engine.kernel.books import (
    end,
    enter,
    finish_key,
    schedule,
    settle,
    settle_at,
)
from failcast.engine.kernel.calendar import earliest, remove
from failcast.engine.kernel.failures import (
    automated_repair_end,
    fail,
    manual_repair_end,
    regenerate,
)
from failcast.engine.kernel.hosts import arrive, choose, promote, select_hosts
from failcast.engine.kernel.start import reset
from failcast.engine.kernel.world import (
    DUE,
    NO_STATUS,
    NONE,
    calendar_at,
    server_at,
)
from failcast.engine.model import (
    BUCKETS,
    COMPUTING,
    COUNTERS,
    FAILURES_RANDOM,
    FAILURES_SYSTEMATIC,
    PRODUCTIVE,
    RANK_ARRIVAL,
    RANK_AUTOMATED_END,
    RANK_FAILURE,
    RANK_FINISH,
    RANK_HORIZON,
    RANK_MANUAL_END,
    RANK_REGENERATION,
    RANK_STALL_WAKE,
    RECOVERING,
    Status,
)

_FINISHED: Final = code(Status.FINISHED)
_OUT_OF_TIME: Final = code(Status.OUT_OF_TIME)
_OUT_OF_EVENTS: Final = code(Status.OUT_OF_EVENTS)
_FIRST_BUCKET: Final = 2
_FAILURES: Final = _FIRST_BUCKET + len(BUCKETS)
_FIRST_COUNTER: Final = _FAILURES + 1
_MEAN_RUN: Final = _FIRST_COUNTER + len(COUNTERS)


@bare
def run_one(plan, w, seed, replication, stop):  # type: ignore[no-untyped-def]  # compiled
    """Run one replication to its end, or until ``stop[0]`` is set; the results stay in ``w``."""
    reset(plan, w, seed, replication)
    select_hosts(plan, w, 0.0)
    schedule(plan, w)
    while w.status == NO_STATUS and stop[0] == 0:
        time, rank, server = _next_event(plan, w)
        w.events += 1
        if w.events > plan.max_events:
            end(plan, w, time, _OUT_OF_EVENTS)
        elif rank <= RANK_ARRIVAL:
            _pool_event(plan, w, time, rank, server)
        elif rank == RANK_HORIZON:
            end(plan, w, time, _OUT_OF_TIME)
        else:
            _job_event(plan, w, time, rank, server)
            schedule(plan, w)


@bare
def _next_event(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return (time, rank, server) of the earliest event; ties go to the smaller rank."""
    time, rank, server = w.next_time, w.next_rank, w.next_server
    if w.wake != 0 and (w.wake_time < time or (w.wake_time == time and rank > RANK_STALL_WAKE)):
        time, rank, server = w.wake_time, RANK_STALL_WAKE, NONE
    regeneration = w.regeneration_next
    if regeneration < time or (regeneration == time and rank > RANK_REGENERATION):
        time, rank, server = regeneration, RANK_REGENERATION, NONE
    due = earliest(w, calendar_at(w.calendars, DUE))
    if due != NONE:
        # Repairs and arrivals come before everything else of their instant.
        key = server_at(w.servers, due).key
        if key <= time:
            time, rank, server = key, int(server_at(w.servers, due).rank), due
    if plan.horizon < time:
        time, rank, server = plan.horizon, RANK_HORIZON, NONE
    return time, rank, server


@bare
def _pool_event(plan, w, now, rank, s):  # type: ignore[no-untyped-def]  # compiled
    """A stage of repair ends, or a preempted spare arrives."""
    remove(w, calendar_at(w.calendars, DUE), s)
    if rank == RANK_AUTOMATED_END:
        automated_repair_end(plan, w, now, s)
    elif rank == RANK_MANUAL_END:
        manual_repair_end(plan, w, now, s)
    else:
        arrive(plan, w, now, s)
        schedule(plan, w)  # a job that waited for this arrival may be selecting now


@bare
def _job_event(plan, w, now, rank, server):  # type: ignore[no-untyped-def]  # compiled
    """What happens to the job itself: failure, finish, end of a phase, wake, regeneration."""
    if rank == RANK_FAILURE:
        settle_at(w, now, server_at(w.servers, server).key)
        fail(plan, w, now, server)
    elif rank == RANK_FINISH:
        settle_at(w, now, finish_key(plan, w))
        end(plan, w, now, _FINISHED)
    elif rank == RANK_REGENERATION:
        regenerate(plan, w, now)
    elif rank == RANK_STALL_WAKE:
        choose(plan, w, now)
    elif w.phase == RECOVERING:
        settle(plan, w, now)
        promote(plan, w, now)
        if w.active < plan.job_servers:
            select_hosts(plan, w, now)
        else:
            enter(plan, w, now, COMPUTING, w.standby_count)
    else:
        enter(plan, w, now, COMPUTING, w.standby_count)


@bare
def _write_row(w, row):  # type: ignore[no-untyped-def]  # compiled
    """Write the metrics of a run that ended, in the order of ``model.METRICS``."""
    productive, wall = w.books[PRODUCTIVE], w.wall
    failures = w.counts[FAILURES_RANDOM] + w.counts[FAILURES_SYSTEMATIC]
    row[0] = wall
    row[1] = productive / wall if wall > 0.0 else math.nan
    for i in range(len(BUCKETS)):
        row[_FIRST_BUCKET + i] = w.books[i]
    row[_FAILURES] = failures
    for i in range(len(COUNTERS)):
        row[_FIRST_COUNTER + i] = w.counts[i]
    row[_MEAN_RUN] = productive / (failures + 1)


@bare
def run_block(plan, w, seed, first, values, status, stop):  # type: ignore[no-untyped-def]  # compiled
    """Run ``len(status)`` replications from number ``first`` on; return the lines of trace.

    ``values`` (replications x metrics) and ``status`` are written. If the world has room for a
    trace, that of the last replication is left there; the number of lines it would have written
    comes back, also if there was less room. Another thread may set ``stop[0]``: what was written
    then is worth nothing.
    """
    for i in range(len(status)):
        run_one(plan, w, seed, first + i, stop)
        _write_row(w, values[i])
        status[i] = w.status
    return w.trace_n
