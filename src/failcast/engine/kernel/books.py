"""Hours, phases and the trace: every hour of a run goes into exactly one bucket."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from failcast.engine.compiled import bare, code
from failcast.engine.kernel.calendar import earliest
from failcast.engine.kernel.world import (
    FAILING,
    NO_PHASE,
    NONE,
    calendar_at,
    line_at,
    server_at,
)
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
    if w.trace_n < w.trace_room:
        line = line_at(w.lines, w.trace_n)
        line.time, line.event, line.server, line.detail = time, event, server, detail
    w.trace_n += 1


@bare
def is_exposed(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the job's clock runs in its present phase."""
    return w.phase == COMPUTING or (w.phase == RECOVERING and plan.exposed_recovering != 0)


@bare
def spend(w, now, elapsed):  # type: ignore[no-untyped-def]  # compiled
    """Put hours into the bucket of the present phase."""
    if w.phase != NO_PHASE:
        w.books[_BUCKETS[w.phase]] += elapsed
        if w.phase == COMPUTING:
            w.progress += elapsed
    w.wall = now


@bare
def settle(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to ``now``; the clock runs where servers are exposed."""
    elapsed = now - w.wall
    if is_exposed(plan, w):
        w.clock += elapsed
    spend(w, now, elapsed)


@bare
def settle_at(w, now, key):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to ``key`` on the job's clock, which then stands exactly there."""
    elapsed = max(0.0, key - w.clock)
    w.clock = max(w.clock, key)
    spend(w, now, elapsed)


@bare
def enter(plan, w, now, phase, detail):  # type: ignore[no-untyped-def]  # compiled
    """Change the job's phase."""
    settle(plan, w, now)
    w.phase = phase
    record(w, now, phase, NONE, detail)


@bare
def end(plan, w, now, status):  # type: ignore[no-untyped-def]  # compiled
    """End the run; the hours up to now are booked."""
    settle(plan, w, now)
    w.phase, w.status = ENDED, status
    record(
        w,
        now,
        EVENT_FINISHED + status,
        NONE,
        w.not_retired if status == _DEPLETED else 0,
    )


@bare
def finish_key(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return where on its clock the job will have done its work."""
    return w.clock + (plan.length - w.progress)


@bare
def schedule(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Find the job's own next event: finish, failure, or the end of its phase."""
    w.next_time, w.next_rank, w.next_server = math.inf, RANK_PHASE_END, NONE
    point, failing = math.inf, NONE
    if is_exposed(plan, w):
        calendar = calendar_at(w.calendars, FAILING)
        failing = earliest(w, calendar)
        if failing != NONE:
            point = server_at(w.servers, failing).key
    failure_time = w.wall + max(0.0, point - w.clock)
    if w.phase == COMPUTING:
        key = finish_key(plan, w)
        if key <= point:
            w.next_time, w.next_rank = w.wall + max(0.0, key - w.clock), RANK_FINISH
            return
        w.next_time = failure_time
    elif w.phase == RECOVERING or w.phase == SELECTING:
        w.next_time = w.phase_end
        if failing == NONE or failure_time > w.phase_end:
            return
        w.next_time = failure_time
    else:
        return
    w.next_rank, w.next_server = RANK_FAILURE, failing
