"""What a failure costs: work since a checkpoint that survives it, and the parts of a recovery.

A copy of a checkpoint is on its way to a tier until a known time, so nothing has to happen when it
arrives: who needs to know looks at the clock. In the same way the hours of a recovery's phases are
booked when it is over, cut short, or starts again.
"""

from __future__ import annotations

import math

import numpy as np

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import change, phase_of, record, settle
from failcast.engine.kernel.stretch import anchor, begin_write, end_wall, end_write
from failcast.engine.model import (
    CHECKPOINTING,
    CHECKPOINTS,
    COMPUTING,
    DIAGNOSIS_PARTS,
    EVENT_CHECKPOINT,
    LOAD_PART,
    LOST,
    PRODUCTIVE,
    RECOVERY_PARTS,
    SERVER_LOST,
    SERVERS_LOST,
    TIERS,
    UNDIVIDED_PART,
)
from failcast.engine.random import (
    CHECKPOINT_WRITE,
    RECOVERY_PHASE,
    RECOVERY_TIME,
    RESTORE,
    TIER_PERSIST,
    address,
    drawn,
)
from failcast.engine.world import FIRST, NONE

NO_COPY = -1.0


@bare
def clear_work(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Begin with nothing computed and nothing saved."""
    w.lost_servers = w.writes = w.number = w.diagnosing = w.failing_count = FIRST
    w.restore_tier = NONE
    w.first_part = w.last_part = FIRST
    for tier in range(TIERS):
        w.saved[tier] = w.unsafe[tier] = NO_COPY
        w.safe_at[tier] = math.inf
        w.saved_number[tier] = FIRST
    for phase in range(len(w.phase_hours)):
        w.phase_hours[phase] = 0.0


@bare
def lose_work(plan, w, now, severity):  # type: ignore[no-untyped-def]  # compiled
    """Go back to the newest checkpoint that survives: what was computed since then is lost.

    Tiers have numbers without a sign here: of others numba asks whether they count from behind.
    """
    best, found = 0.0, NONE
    for tier in range(np.uint64(plan.first_tier), np.uint64(plan.last_tier)):
        _arrive(w, now, tier)
        w.safe_at[tier] = math.inf
        if severity > plan.tier_survives[tier]:
            w.saved[tier], w.saved_number[tier] = NO_COPY, FIRST
        if w.saved[tier] > best:
            best, found = w.saved[tier], int(np.int64(tier))
    w.books[LOST] += w.progress - best
    w.books[PRODUCTIVE] = w.progress = best
    w.restore_tier = found
    w.number = w.saved_number[found] if found != NONE else FIRST


@inlined
def _arrive(w, now, tier):  # type: ignore[no-untyped-def]  # compiled
    """Let the copy that is on its way to a tier be there, if it is time."""
    if w.safe_at[tier] <= now:
        w.saved[tier], w.safe_at[tier] = w.unsafe[tier], math.inf
        w.saved_number[tier] = w.unsafe_number[tier]


@inlined
def lose_server(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """A server is taken out of the job, and what it kept is gone."""
    w.lost_servers += 1
    severity = SERVER_LOST if w.lost_servers == 1 else SERVERS_LOST
    if severity > plan.losses_survived:  # else the failure has cost all that there was to lose
        lose_work(plan, w, now, severity)


@bare
def begin_checkpoint(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """The job stands still for a checkpoint."""
    begin_write(plan, w, now, w.cycle + 1)
    change(w, now, CHECKPOINTING, w.standby_count)
    place = address(w.root, w.writes, FIRST)
    w.writes += 1
    if plan.steady != 0:
        w.phase_end = end_wall(plan, w, w.cycle + 1)
    else:
        time = drawn(plan.write_kind, plan.write_a, plan.write_b, place, CHECKPOINT_WRITE)
        w.phase_end = now + time


@bare
def end_checkpoint(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """The checkpoint is written, and on its way to the tiers whose turn it is."""
    place, taken = address(w.root, w.writes - 1, FIRST), FIRST
    w.number += 1
    if plan.steady != 0:
        w.cycle += 1
        end_write(plan, w, now, w.cycle)
    else:
        settle(plan, w, now)
        anchor(plan, w)
    for tier in range(np.uint64(plan.first_tier), np.uint64(plan.last_tier)):
        _arrive(w, now, tier)
        every = plan.tier_every[tier]
        due = every > 0 and w.number - w.saved_number[tier] >= every
        if due and math.isinf(w.safe_at[tier]):
            kind, a, b = plan.persist_kind[tier], plan.persist_a[tier], plan.persist_b[tier]
            w.unsafe[tier], w.unsafe_number[tier] = w.progress, w.number
            w.safe_at[tier] = now + drawn(kind, a, b, place, TIER_PERSIST + int(np.int64(tier)))
            taken += 1
    w.counts[CHECKPOINTS] += 1
    record(w, now, EVENT_CHECKPOINT, NONE, taken)
    change(w, now, COMPUTING, w.standby_count)


# --- The parts of a recovery ----------------------------------------------------------------------


@inlined
def plan_diagnosis(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Draw how long it takes to find out who failed."""
    place = address(w.root, w.recoveries - 1, FIRST)
    w.part_begin, w.first_part, w.last_part = now, FIRST, DIAGNOSIS_PARTS
    elapsed = 0.0
    for part in range(DIAGNOSIS_PARTS):
        elapsed += _phase(plan, place, part)
        w.part_ends[part] = now + elapsed
    w.phase_end = now + elapsed


@inlined
def plan_restart(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Draw how long it takes from the diagnosis until the job goes on."""
    place = address(w.root, w.recoveries - 1, FIRST)
    w.part_begin, w.first_part, w.last_part = now, DIAGNOSIS_PARTS, RECOVERY_PARTS
    elapsed = 0.0
    for part in range(DIAGNOSIS_PARTS, RECOVERY_PARTS):
        if part == UNDIVIDED_PART:
            kind, a, b = plan.recovery_kind, plan.recovery_a, plan.recovery_b
            time = drawn(kind, a, b, place, RECOVERY_TIME)
        else:
            time = _phase(plan, place, phase_of(part))
            if part == LOAD_PART and w.restore_tier != NONE:
                tier = w.restore_tier
                kind, a, b = plan.restore_kind[tier], plan.restore_a[tier], plan.restore_b[tier]
                time += drawn(kind, a, b, place, RESTORE)
        elapsed += time
        w.part_ends[part] = now + elapsed
    w.phase_end = now + elapsed


@inlined
def _phase(plan, place, phase):  # type: ignore[no-untyped-def]  # compiled
    kind, a, b = plan.phase_kind[phase], plan.phase_a[phase], plan.phase_b[phase]
    return drawn(kind, a, b, place, RECOVERY_PHASE + phase)
