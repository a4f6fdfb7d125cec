"""Hours, phases and the trace: every hour of a run goes into exactly one bucket."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.calendar import next_key, next_key_until
from failcast.engine.kernel.orders import next_part
from failcast.engine.kernel.rows import calendar_at, line_at
from failcast.engine.kernel.stretch import begin_clock, begin_wall, next_in_stretch, skips
from failcast.engine.model import (
    BUCKET_OF_PHASE,
    COMPUTING,
    DIAGNOSIS_PARTS,
    ENDED,
    EVENT_FINISHED,
    RANK_CHECKPOINT,
    RANK_FAILURE,
    RANK_FINISH,
    RANK_HEALTH_CHECK,
    RANK_HORIZON,
    RANK_PART_ARRIVAL,
    RANK_PHASE_END,
    RANK_REGENERATION,
    RANK_REPLAY,
    RANK_STALL_WAKE,
    RECOVERING,
    RECOVERY_PARTS,
    STALLED,
    UNDIVIDED_PART,
    Status,
)
from failcast.engine.tables import code
from failcast.engine.world import FAILING, NO_PHASE, NONE

_BUCKETS: Final = np.array(BUCKET_OF_PHASE)
_DEPLETED: Final = code(Status.DEPLETED)


@inlined
def record(w, time, event, server, detail):  # type: ignore[no-untyped-def]  # compiled
    """Add a line to the trace, where there is one; ``trace_n`` counts also what had no room."""
    if w.trace_room > 0:
        if w.trace_n < w.trace_room:
            line = line_at(w.lines, w.trace_n)
            line.time, line.event, line.server, line.detail = time, event, server, detail
        w.trace_n += 1


@inlined
def is_exposed(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the job's clock runs in its present phase."""
    return (plan.exposed >> (w.phase + 1)) & 1 != 0


@inlined
def spend(w, now, elapsed):  # type: ignore[no-untyped-def]  # compiled
    """Put hours into the bucket of the present phase."""
    if w.phase != NO_PHASE:
        w.books[_BUCKETS[w.phase]] += elapsed
        if w.phase == COMPUTING:
            w.progress += elapsed
    w.wall = now


@inlined
def settle(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to ``now``; the clock runs where servers are exposed."""
    elapsed = now - w.wall
    if is_exposed(plan, w):
        w.clock += elapsed
    spend(w, now, elapsed)


@inlined
def settle_at(w, now, key):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to ``key`` on the job's clock, which then stands exactly there."""
    elapsed = max(0.0, key - w.clock)
    w.clock = max(w.clock, key)
    spend(w, now, elapsed)


@inlined
def enter(plan, w, now, phase, detail):  # type: ignore[no-untyped-def]  # compiled
    """Change the job's phase."""
    settle(plan, w, now)
    change(w, now, phase, detail)


@inlined
def change(w, now, phase, detail):  # type: ignore[no-untyped-def]  # compiled
    """Change the job's phase, where the hours up to now are booked already."""
    w.phase = phase
    record(w, now, phase, NONE, detail)


@inlined
def phase_of(part):  # type: ignore[no-untyped-def]  # compiled
    """Return the number of the named phase that a part is."""
    return part - 1 if part > UNDIVIDED_PART else part


@bare
def book_parts(w, now):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours of the present recovery by phase, as far as it came."""
    begin = w.part_begin
    if w.first_part < min(w.last_part, DIAGNOSIS_PARTS):
        for part in range(DIAGNOSIS_PARTS):
            begin = _book_part(w, now, part, begin)
    elif w.first_part < w.last_part:
        for part in range(DIAGNOSIS_PARTS, RECOVERY_PARTS):
            begin = _book_part(w, now, part, begin)
    w.first_part = w.last_part


@inlined
def _book_part(w, now, part, begin):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours of one part, and return when they end."""
    end = min(w.part_ends[part], now)
    if part != UNDIVIDED_PART:
        w.phase_hours[phase_of(part)] += end - begin
    return end


@bare
def end(plan, w, now, status):  # type: ignore[no-untyped-def]  # compiled
    """End the run; the hours up to now are booked."""
    settle(plan, w, now)
    if plan.phased != 0 and w.phase == RECOVERING:
        book_parts(w, now)
    w.phase, w.status = ENDED, status
    record(
        w,
        now,
        EVENT_FINISHED + status,
        NONE,
        w.not_retired if status == _DEPLETED else 0,
    )


@inlined
def finish_key(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return where on its clock the job will have done its work."""
    return w.clock + (plan.length - w.progress)


@inlined
def schedule(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Find what is next, but for the ends of repairs and arrivals; ties go to the smaller rank."""
    time, rank = _next_of_job(plan, w)
    if w.rare_bound <= time:
        time, rank = _rare_or(plan, w, time, rank)
    w.next_time, w.next_rank, w.stale = time, rank, 0


@bare
def _rare_or(plan, w, time, rank):  # type: ignore[no-untyped-def]  # compiled
    """Return (time, rank) of what comes first: what seldom happens, or the job's own next event.

    None of the former comes before ``rare_bound``; who brings one about lowers it.
    """
    wake = w.wake_time if w.wake != 0 else math.inf
    part = next_part(w) if plan.parts != 0 else math.inf
    w.rare_bound = min(wake, part, w.replay_next, w.regeneration_next, w.check_next, plan.horizon)
    if wake < time or (wake == time and rank > RANK_STALL_WAKE):
        time, rank = wake, RANK_STALL_WAKE
    if w.replay_next < time or (w.replay_next == time and rank > RANK_FAILURE):
        time, rank = w.replay_next, RANK_REPLAY
    regeneration = w.regeneration_next
    if regeneration < time or (regeneration == time and rank > RANK_REGENERATION):
        time, rank = regeneration, RANK_REGENERATION
    if w.check_next <= time:
        time, rank = w.check_next, RANK_HEALTH_CHECK
    if part <= time:  # it comes before all of these
        time, rank = part, RANK_PART_ARRIVAL
    if plan.horizon < time:
        time, rank = plan.horizon, RANK_HORIZON
    return time, rank


@inlined
def _next_of_job(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return (time, rank) of the job's own next event: finish, failure, or the end of its phase."""
    if skips(plan, w):
        return next_in_stretch(plan, w)
    if w.phase == COMPUTING:
        key = finish_key(plan, w)
        point = next_key_until(w, calendar_at(w.calendars, FAILING), key)
        if plan.checkpointed != 0 and w.cycle < w.cycles:
            if begin_clock(plan, w, w.cycle + 1) <= point:
                return begin_wall(plan, w, w.cycle + 1), RANK_CHECKPOINT
        elif key <= point:
            return w.wall + max(0.0, key - w.clock), RANK_FINISH
        return w.wall + max(0.0, point - w.clock), RANK_FAILURE
    end = math.inf if w.phase <= STALLED or w.phase == ENDED else w.phase_end
    if is_exposed(plan, w):
        point = next_key(w, calendar_at(w.calendars, FAILING))
        time = w.wall + max(0.0, point - w.clock)
        if time <= end and point < math.inf:
            return time, RANK_FAILURE
    return end, RANK_PHASE_END
