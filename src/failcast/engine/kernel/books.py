"""Hours, phases and the trace: every hour of a run goes into exactly one bucket."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from failcast.engine.compiled import bare, code
from failcast.engine.kernel.world import NO_PHASE, NONE
from failcast.engine.model import (
    BUCKET_OF_PHASE,
    COMPUTING,
    ENDED,
    EVENT_FINISHED,
    RANK_FAILURE,
    RANK_FINISH,
    RANK_PHASE_END,
    RECOVERING,
    SELECTING,
    Status,
)

_BUCKETS: Final = np.array(BUCKET_OF_PHASE)
_DEPLETED: Final = code(Status.DEPLETED)


@bare
def record(w, time, event, server, detail):  # type: ignore[no-untyped-def]  # compiled
    """Add a line to the trace, where there is one; ``trace_n`` counts also what had no room."""
    job = w.job
    if job.trace_n < len(w.trace):
        line = w.trace[job.trace_n]
        line.time, line.event, line.server, line.detail = time, event, server, detail
    job.trace_n += 1


@bare
def is_exposed(plan, job):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the job's clock runs in its present phase."""
    return job.phase == COMPUTING or (job.phase == RECOVERING and plan.exposed_recovering != 0)


@bare
def spend(w, now, elapsed):  # type: ignore[no-untyped-def]  # compiled
    """Put hours into the bucket of the present phase."""
    job = w.job
    if job.phase != NO_PHASE:
        w.job.books[_BUCKETS[job.phase]] += elapsed
        if job.phase == COMPUTING:
            job.progress += elapsed
    job.wall = now


@bare
def settle(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to ``now``; the clock runs where servers are exposed."""
    job = w.job
    elapsed = now - job.wall
    if is_exposed(plan, job):
        job.clock += elapsed
    spend(w, now, elapsed)


@bare
def settle_at(w, now, key):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to ``key`` on the job's clock, which then stands exactly there."""
    job = w.job
    elapsed = max(0.0, key - job.clock)
    job.clock = max(job.clock, key)
    spend(w, now, elapsed)


@bare
def enter(plan, w, now, phase, detail):  # type: ignore[no-untyped-def]  # compiled
    """Change the job's phase."""
    settle(plan, w, now)
    w.job.phase = phase
    record(w, now, phase, NONE, detail)


@bare
def end(plan, w, now, status):  # type: ignore[no-untyped-def]  # compiled
    """End the run; the hours up to now are booked."""
    settle(plan, w, now)
    job = w.job
    job.phase, job.status = ENDED, status
    record(w, now, EVENT_FINISHED + status, NONE, job.not_retired if status == _DEPLETED else 0)


@bare
def finish_key(plan, job):  # type: ignore[no-untyped-def]  # compiled
    """Return where on its clock the job will have done its work."""
    return job.clock + (plan.length - job.progress)


@bare
def schedule(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Find the job's own next event: finish, failure, or the end of its phase."""
    job = w.job
    job.next_time, job.next_rank, job.next_server = math.inf, RANK_PHASE_END, -1
    point, failing = math.inf, -1
    if is_exposed(plan, job) and job.failures_n > 0:
        failing, point = w.failing[0].code, w.failing[0].key
    failure_time = job.wall + max(0.0, point - job.clock)
    if job.phase == COMPUTING:
        key = finish_key(plan, job)
        if key <= point:
            job.next_time, job.next_rank = job.wall + max(0.0, key - job.clock), RANK_FINISH
            return
        job.next_time = failure_time
    elif job.phase == RECOVERING or job.phase == SELECTING:
        job.next_time = job.phase_end
        if failing < 0 or failure_time > job.phase_end:
            return
        job.next_time = failure_time
    else:
        return
    job.next_rank, job.next_server = RANK_FAILURE, failing
