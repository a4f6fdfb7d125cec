"""The event loop, and a block of replications: the only function that others call."""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, code
from failcast.engine.kernel.books import end, enter, finish_key, schedule, settle, settle_at
from failcast.engine.kernel.failures import (
    automated_repair_end,
    fail,
    manual_repair_end,
    regenerate,
)
from failcast.engine.kernel.hosts import arrive, choose, promote, select_hosts
from failcast.engine.kernel.queues import due_code, pop_due
from failcast.engine.kernel.world import FIRST, NO_STATUS, reset
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
    job = w.job
    select_hosts(plan, w, 0.0)
    schedule(plan, w)
    while job.status == NO_STATUS and stop[0] == 0:
        time, rank, server = _next_event(plan, w)
        job.events += 1
        if job.events > plan.max_events:
            end(plan, w, time, _OUT_OF_EVENTS)
        elif rank <= RANK_ARRIVAL:
            _pool_event(plan, w, time)
        elif rank == RANK_HORIZON:
            end(plan, w, time, _OUT_OF_TIME)
        else:
            _job_event(plan, w, time, rank, server)
            schedule(plan, w)


@bare
def _next_event(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return (time, rank, server) of the earliest event; ties go to the smaller rank."""
    job = w.job
    time, rank, server = job.next_time, job.next_rank, job.next_server
    if job.wake != 0 and (
        job.wake_time < time or (job.wake_time == time and rank > RANK_STALL_WAKE)
    ):
        time, rank, server = job.wake_time, RANK_STALL_WAKE, -1
    regeneration = job.regeneration_next
    if regeneration < time or (regeneration == time and rank > RANK_REGENERATION):
        time, rank, server = regeneration, RANK_REGENERATION, -1
    if job.due_n > 0:
        due = w.due[0].key
        # The codes of repairs and arrivals are below those of every other rank.
        if due < time or (due == time and w.due[0].code < due_code(rank, FIRST)):
            time, rank, server = due, RANK_AUTOMATED_END, -1
    if plan.horizon < time:
        time, rank, server = plan.horizon, RANK_HORIZON, -1
    return time, rank, server


@bare
def _pool_event(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """A stage of repair ends, or a preempted spare arrives."""
    rank, s = pop_due(w)
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
    job = w.job
    if rank == RANK_FAILURE:
        settle_at(w, now, w.servers[server].point)
        fail(plan, w, now, server)
    elif rank == RANK_FINISH:
        settle_at(w, now, finish_key(plan, job))
        end(plan, w, now, _FINISHED)
    elif rank == RANK_REGENERATION:
        regenerate(plan, w, now)
    elif rank == RANK_STALL_WAKE:
        choose(plan, w, now)
    elif job.phase == RECOVERING:
        settle(plan, w, now)
        promote(plan, w, now)
        if job.failures_n < plan.job_servers:
            select_hosts(plan, w, now)
        else:
            enter(plan, w, now, COMPUTING, job.standby_count)
    else:
        enter(plan, w, now, COMPUTING, job.standby_count)


@bare
def _write_row(w, row):  # type: ignore[no-untyped-def]  # compiled
    """Write the metrics of a run that ended, in the order of ``model.METRICS``."""
    productive, wall = w.job.books[PRODUCTIVE], w.job.wall
    failures = w.job.counts[FAILURES_RANDOM] + w.job.counts[FAILURES_SYSTEMATIC]
    row[0] = wall
    row[1] = productive / wall if wall > 0.0 else math.nan
    for i in range(len(BUCKETS)):
        row[_FIRST_BUCKET + i] = w.job.books[i]
    row[_FAILURES] = failures
    for i in range(len(COUNTERS)):
        row[_FIRST_COUNTER + i] = w.job.counts[i]
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
        status[i] = w.job.status
    return w.job.trace_n
