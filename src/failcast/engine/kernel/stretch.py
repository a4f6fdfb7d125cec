"""A stretch of computing between two stops: its cycles of computing and writing a checkpoint.

Where every cycle is like the other (writes and copies take a constant time), what happens in a
stretch is known when it begins, up to the failure that ends it. Its times are sums from its
beginning, never from one cycle to the next, so that an untraced run can go on from here to the
cycle of that failure at once and lands on the same bits as one that goes cycle by cycle.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.calendar import next_key_until
from failcast.engine.kernel.rows import calendar_at
from failcast.engine.lives import along, cycles_before_end
from failcast.engine.model import (
    CHECKPOINT,
    CHECKPOINTING,
    CHECKPOINTS,
    COMPUTING,
    PRODUCTIVE,
    RANK_FAILURE,
    RANK_FINISH,
)
from failcast.engine.tables import code
from failcast.engine.world import FAILING, FIRST

#: More cycles than a run has events: how many there are is counted once it may matter.
_NOT_COUNTED: Final = code(1 << 62)
#: Intervals before the end of the job, from which on its finish may come before a failure.
_ENDING: Final = 2.0


@bare
def anchor(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """A stretch begins here; the hours up to now are booked."""
    w.from_wall, w.from_clock, w.from_progress = w.wall, w.clock, w.progress
    w.from_kept, w.from_number = w.books[CHECKPOINT], w.number
    w.cycle, w.cycles = FIRST, _NOT_COUNTED
    if w.skips == 0:
        _count_cycles(plan, w)


@bare
def _count_cycles(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Say how many cycles there are before the end of the job."""
    w.cycles = cycles_before_end(plan.length, w.from_progress, plan.checkpoint_interval)


@inlined
def end_wall(plan, w, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Return when the write of a cycle is over; cycles count from 1, and 0 is the beginning."""
    return along(w.from_wall, cycle, plan.checkpoint_interval, cycle, plan.write_a)


@inlined
def end_clock(plan, w, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Return where the job's clock stands then."""
    return along(w.from_clock, cycle, plan.checkpoint_interval, cycle, plan.write_exposed)


@inlined
def begin_wall(plan, w, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Return when the write of a cycle begins."""
    return along(w.from_wall, cycle, plan.checkpoint_interval, cycle - 1, plan.write_a)


@inlined
def begin_clock(plan, w, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Return where the job's clock stands then."""
    return along(w.from_clock, cycle, plan.checkpoint_interval, cycle - 1, plan.write_exposed)


@inlined
def progress_at(plan, w, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Return what is computed when the write of a cycle begins."""
    return along(w.from_progress, cycle, plan.checkpoint_interval, FIRST, 0.0)


@inlined
def begin_write(plan, w, now, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to the beginning of a write."""
    w.wall, w.clock = now, begin_clock(plan, w, cycle)
    w.books[PRODUCTIVE] = w.progress = progress_at(plan, w, cycle)


@inlined
def end_write(plan, w, now, cycle):  # type: ignore[no-untyped-def]  # compiled
    """Book the hours up to the end of a write, in a stretch whose cycles are all alike."""
    w.wall, w.clock = now, end_clock(plan, w, cycle)
    w.books[CHECKPOINT] = along(w.from_kept, cycle, plan.write_a, FIRST, 0.0)


# --- Over many cycles at once ---------------------------------------------------------------------


@inlined
def skips(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the job is in a stretch of which nobody looks at each cycle."""
    if plan.steady == 0:
        return False
    return w.skips != 0 and (w.phase == COMPUTING or w.phase == CHECKPOINTING)


@inlined
def next_in_stretch(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return (time, rank) of the finish or failure that ends the stretch, and note its cycle."""
    calendar = calendar_at(w.calendars, FAILING)
    # However little the clock counts of the writes, the job is not done before.
    undone = (plan.length - w.from_progress) - _ENDING * plan.checkpoint_interval
    point = next_key_until(w, calendar, w.from_clock + undone)
    if not point < w.from_clock + undone:
        time = _finish(plan, w, calendar)
        if time < math.inf:
            return time, RANK_FINISH
        point = next_key_until(w, calendar, math.inf)
    last = w.cycles
    length = plan.checkpoint_interval + plan.write_exposed
    cycle = int((point - w.from_clock) / length) if last > 0 else FIRST
    cycle = min(max(cycle, w.cycle), last)
    while cycle < last and _is_written_before(plan, w, cycle + 1, point):
        cycle += 1
    while cycle > w.cycle and not _is_written_before(plan, w, cycle, point):
        cycle -= 1
    w.next_writing = 0
    w.next_cycle = cycle
    begun = w.phase == CHECKPOINTING and cycle == w.cycle
    if begun or (cycle < last and begin_clock(plan, w, cycle + 1) <= point):
        w.next_writing = 1
        return _time_in_write(plan, w, cycle + 1, point), RANK_FAILURE
    wall, clock = end_wall(plan, w, cycle), end_clock(plan, w, cycle)
    if cycle == w.cycle:
        wall, clock = w.wall, w.clock
    return wall + max(0.0, point - clock), RANK_FAILURE


@bare
def _finish(plan, w, calendar):  # type: ignore[no-untyped-def]  # compiled
    """Return when the job finishes, and note the cycle; infinity, if a failure comes before."""
    if w.cycles == _NOT_COUNTED:
        _count_cycles(plan, w)
    last = w.cycles
    wall, clock = end_wall(plan, w, last), end_clock(plan, w, last)
    progress = progress_at(plan, w, last)
    if w.cycle == last and w.phase == COMPUTING:
        wall, clock, progress = w.wall, w.clock, w.progress
    key = clock + (plan.length - progress)
    if key > next_key_until(w, calendar, key):
        return math.inf
    w.next_cycle, w.next_writing = last, 0
    return wall + max(0.0, key - clock)


@inlined
def _time_in_write(plan, w, cycle, point):  # type: ignore[no-untyped-def]  # compiled
    """Return when a failure point is reached, if it is in the write of a cycle."""
    wall, clock = begin_wall(plan, w, cycle), begin_clock(plan, w, cycle)
    if w.phase == CHECKPOINTING and cycle == w.cycle + 1:
        wall, clock = w.wall, w.clock
    return wall + max(0.0, point - clock)


@inlined
def _is_written_before(plan, w, cycle, point):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the write of a cycle is over before a failure point is reached."""
    if begin_clock(plan, w, cycle) > point:
        return False
    if plan.write_is_exposed == 0:
        return True
    return _time_in_write(plan, w, cycle, point) > end_wall(plan, w, cycle)


@inlined
def go_along(plan, w, cycle, writing):  # type: ignore[no-untyped-def]  # compiled
    """Let all cycles up to ``cycle`` be over, and perhaps the write of the next one have begun."""
    if cycle > w.cycle:
        done = cycle - w.cycle
        w.events_left -= 2 * done - (1 if w.phase == CHECKPOINTING else 0)
        w.counts[CHECKPOINTS] += done
        w.phase = COMPUTING
        w.books[PRODUCTIVE] = w.progress = progress_at(plan, w, cycle)
        end_write(plan, w, end_wall(plan, w, cycle), cycle)
        _keep(plan, w, w.from_number + cycle)
        w.cycle = cycle
    if writing != 0 and w.phase != CHECKPOINTING:
        w.events_left -= 1
        begin_write(plan, w, begin_wall(plan, w, cycle + 1), cycle + 1)
        w.phase = CHECKPOINTING
        w.phase_end = end_wall(plan, w, cycle + 1)


@inlined
def _keep(plan, w, number):  # type: ignore[no-untyped-def]  # compiled
    """Let the tiers have what they took of the checkpoints up to ``number``."""
    for tier in range(np.uint64(plan.first_tier), np.uint64(plan.last_tier)):
        every = plan.tier_every[tier]
        is_under_way = not math.isinf(w.safe_at[tier])
        taken = w.unsafe_number[tier] if is_under_way else w.saved_number[tier]
        first = max(taken + every, w.number + 1)
        if every > 0 and first <= number:
            last = number if every == 1 else first + every * ((number - first) // every)
            if last > first:
                w.saved_number[tier] = last - every
                w.saved[tier] = progress_at(plan, w, last - every - w.from_number)
            elif is_under_way:
                w.saved_number[tier], w.saved[tier] = taken, w.unsafe[tier]
            w.unsafe_number[tier] = last
            w.unsafe[tier] = progress_at(plan, w, last - w.from_number)
            w.safe_at[tier] = end_wall(plan, w, last - w.from_number) + plan.persist_a[tier]
    w.number = number


@bare
def catch_up(plan, w, now, ends_now, begins_now):  # type: ignore[no-untyped-def]  # compiled
    """Go along to the cycle of ``now``.

    A write that ends, or one that begins, just then does so too, or not yet.
    """
    cycle = int((now - w.from_wall) / (plan.checkpoint_interval + plan.write_a))
    cycle = min(max(cycle, w.cycle), w.cycles)
    while cycle < w.cycles and _is_due(end_wall(plan, w, cycle + 1), now, ends_now):
        cycle += 1
    while cycle > w.cycle and not _is_due(end_wall(plan, w, cycle), now, ends_now):
        cycle -= 1
    writing = cycle < w.cycles and _is_due(begin_wall(plan, w, cycle + 1), now, begins_now)
    go_along(plan, w, cycle, 1 if writing else 0)


@inlined
def _is_due(time, now, with_this_instant):  # type: ignore[no-untyped-def]  # compiled
    return time < now or (with_this_instant != 0 and time == now)
