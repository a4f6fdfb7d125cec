"""Failure, blame, repair, retirement and regeneration: what happens to a server."""

from __future__ import annotations

from typing import Final

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import change, end, record, settle
from failcast.engine.kernel.calendar import insert, push_due, remove
from failcast.engine.kernel.hosts import (
    leave,
    look_for_end_of_shortage,
    return_loans,
    score,
)
from failcast.engine.kernel.pools import add_idle, append_to_pool, push_standby
from failcast.engine.kernel.rows import (
    calendar_at,
    hours_at,
    ledger_at,
    server_at,
    slot_at,
    state_at,
)
from failcast.engine.kernel.start import keep_smallest_draws
from failcast.engine.kernel.tally import count_repair, tally, tally_defective, tally_down
from failcast.engine.lives import life_hours
from failcast.engine.model import (
    ACTIVE,
    ARRIVING,
    AUTOMATED_REPAIR,
    BLAMED_RIGHT,
    BLAMED_WRONG,
    EVENT_AUTOMATED_REPAIR_END,
    EVENT_BLAME,
    EVENT_FAILURE,
    EVENT_MANUAL_REPAIR_END,
    EVENT_REGENERATION,
    EVENT_RETIREMENT,
    FAILURES_RANDOM,
    FAILURES_SYSTEMATIC,
    IDLE,
    INNOCENT_TRIES,
    RANK_AUTOMATED_END,
    RANK_MANUAL_END,
    RECOVERING,
    REPAIR_ESCALATED,
    REPAIR_SILENT,
    REPAIR_SUCCESS,
    REPAIRS_AUTOMATED,
    REPAIRS_MANUAL,
    REPAIRS_SILENT,
    REPAIRS_SUCCESSFUL,
    RETIRED,
    SERVERS_RETIRED,
    STALLED,
    STANDBY,
    UNDIAGNOSED,
    WAITING,
    Status,
)
from failcast.engine.plan import RETIRE_SCORE, RETIRE_THRESHOLD
from failcast.engine.random import (
    AUTOMATED_SILENT,
    AUTOMATED_TIME,
    DIAGNOSED,
    ESCALATE,
    INNOCENT,
    MANUAL_SILENT,
    MANUAL_TIME,
    RECOVERY_TIME,
    REGENERATION,
    SYSTEMATIC,
    WRONG_SERVER,
    address,
    bits,
    further,
    round_half_up,
    sample,
    uniform,
)
from failcast.engine.tables import code
from failcast.engine.world import FAILING, FIRST, NONE

_DEPLETED: Final = code(Status.DEPLETED)


@inlined
def fail(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A failure stops the job; somebody, or nobody, is blamed; recovery starts (again).

    The hours up to now are booked.
    """
    server = server_at(w.servers, s)
    place = address(w.root, s, int(server.renewal))
    systematic = server.defective != 0 and uniform(place, SYSTEMATIC) < plan.p_systematic
    w.counts[FAILURES_SYSTEMATIC if systematic else FAILURES_RANDOM] += 1
    record(w, now, EVENT_FAILURE, s, 1 if systematic else 0)
    blamed = _diagnose(plan, w, s, place)
    if blamed != s:
        server.renewal += 1  # it keeps its slot, with a new life
        life = life_hours(plan, w.root, s, int(server.renewal), server.defective)
        _move_point(w, s, w.clock + life)
    if blamed != NONE:
        if blamed != s:
            place = address(w.root, blamed, int(server_at(w.servers, blamed).renewal))
        _blame(plan, w, now, blamed, blamed == s, place)
    change(w, now, RECOVERING, w.standby_count)
    place = address(w.root, w.recoveries, FIRST)
    w.recoveries += 1
    time = sample(plan.recovery_kind, plan.recovery_a, plan.recovery_b, place, RECOVERY_TIME)
    w.phase_end = now + time


@bare
def _move_point(w, s, point):  # type: ignore[no-untyped-def]  # compiled
    """Give an active server another failure point."""
    calendar = calendar_at(w.calendars, FAILING)
    remove(w, calendar, s)
    insert(w, calendar, s, point, FIRST)


@inlined
def _diagnose(plan, w, failed, place):  # type: ignore[no-untyped-def]  # compiled
    """Return the server that is blamed: the failed one, an innocent one, or none.

    Where a probability is 1 or 0, nothing is drawn; a draw has an address, so that moves no other.
    """
    if plan.p_diagnosed < 1.0 and not uniform(place, DIAGNOSED) < plan.p_diagnosed:
        w.counts[UNDIAGNOSED] += 1
        return NONE
    if plan.p_wrong_server == 0.0 or w.active == 1:
        return failed
    if not uniform(place, WRONG_SERVER) < plan.p_wrong_server:
        return failed
    return _innocent(plan, w, failed, bits(place, INNOCENT))


@bare
def _innocent(plan, w, failed, word):  # type: ignore[no-untyped-def]  # compiled
    """Uniform among the other active servers, whatever order anybody keeps them in."""
    for k in range(INNOCENT_TRIES):
        s = int(further(word, k) * plan.servers_total)
        if s != failed and state_at(w.states, s).is_ == ACTIVE:
            return s
    # Few of many servers are active: count them out, by number.
    left = int(further(word, INNOCENT_TRIES) * (w.active - 1))
    s = FIRST
    while left >= 0:
        if s != failed and state_at(w.states, s).is_ == ACTIVE:
            left -= 1
        s += 1
    return s - 1


@inlined
def _blame(plan, w, now, s, right, place):  # type: ignore[no-untyped-def]  # compiled
    """A blamed server leaves the job and the pool, and its repair starts at once."""
    tally(w, now, ACTIVE, w.active)
    server = server_at(w.servers, s)
    w.counts[BLAMED_RIGHT if right else BLAMED_WRONG] += 1
    record(w, now, EVENT_BLAME, s, 1 if right else 0)
    if plan.ledger != 0:
        server.condemned = 1 if _note_blame(plan, w, now, s) else 0
    leave(plan, w, s)
    state_at(w.states, s).is_ = AUTOMATED_REPAIR
    tally_down(w, now)
    w.down += 1
    w.most_down = max(w.most_down, w.down)
    if server.defective != 0:
        tally_defective(w, now)
        w.defective -= 1
    _plan_repair(plan, w, now, s, place)


@inlined
def _plan_repair(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """Draw how a repair goes. That it is handed over only a trace can tell."""
    server = server_at(w.servers, s)
    time = sample(plan.automated_kind, plan.automated_a, plan.automated_b, place, AUTOMATED_TIME)
    end, rank = now + time, RANK_AUTOMATED_END
    stream, p = AUTOMATED_SILENT, plan.p_automated_silent
    server.repair_begin, server.escalated = now, 0
    if uniform(place, ESCALATE) < plan.p_escalate:
        server.escalated, server.automated_end = 1, end
        stream, p = MANUAL_SILENT, plan.p_manual_silent
        time = sample(plan.manual_kind, plan.manual_a, plan.manual_b, place, MANUAL_TIME)
        server.manual_end = end + time
        if w.trace_room == 0:
            end, rank = end + time, RANK_MANUAL_END
    server.silent = 1 if uniform(place, stream) < p else 0
    push_due(w, end, rank, s)


@bare
def _note_blame(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """Enter a blame into the ledger, and say whether the server is to be retired for it."""
    line = ledger_at(w.ledger, s)
    line.score = score(plan, w, s) - plan.score_penalty
    line.operated, line.joined = 0.0, w.clock
    line.blames += 1
    if plan.retirement == RETIRE_THRESHOLD:
        needed = plan.retire_failures
        hours_at(w.blame_hours, s * needed + (line.blames - 1) % needed).hours = now
        oldest = hours_at(w.blame_hours, s * needed + line.blames % needed).hours
        return line.blames >= needed and now - oldest <= plan.retire_window
    return plan.retirement == RETIRE_SCORE and line.score <= plan.retire_floor


@bare
def hand_over(w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """Automated repair hands over to manual repair, in a run that is traced."""
    record(w, now, EVENT_AUTOMATED_REPAIR_END, s, REPAIR_ESCALATED)
    push_due(w, server_at(w.servers, s).manual_end, RANK_MANUAL_END, s)


@inlined
def repair_end(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """The last stage of a repair ends: the server is retired, or comes back renewed."""
    server = server_at(w.servers, s)
    count_repair(w, now, s)
    tally_down(w, now)
    w.down -= 1
    w.counts[REPAIRS_AUTOMATED] += 1
    w.counts[REPAIRS_MANUAL] += server.escalated
    w.counts[REPAIRS_SILENT] += server.silent
    w.counts[REPAIRS_SUCCESSFUL] += 1 - server.silent
    event = EVENT_MANUAL_REPAIR_END if server.escalated != 0 else EVENT_AUTOMATED_REPAIR_END
    record(w, now, event, s, REPAIR_SILENT if server.silent != 0 else REPAIR_SUCCESS)
    server.defective &= server.silent
    if server.condemned != 0:
        _retire(plan, w, now, s)
        return
    server.renewal += 1
    server.life = life_hours(plan, w.root, s, int(server.renewal), server.defective)
    if server.defective != 0:
        tally_defective(w, now)
        w.defective += 1
    append_to_pool(w, s)
    short = w.phase == WAITING or w.phase == STALLED
    if not short and w.standby_count < plan.warm_standbys:
        tally(w, now, STANDBY, w.standby_count)
        state_at(w.states, s).is_ = STANDBY
        push_standby(w, s)
    else:
        tally(w, now, IDLE, w.idle)
        state_at(w.states, s).is_ = IDLE
        add_idle(w, s)
    look_for_end_of_shortage(plan, w, now)
    return_loans(plan, w, now)


@bare
def _retire(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A retired server never comes back; the job is depleted once too few are left."""
    tally(w, now, RETIRED, w.servers_total - w.not_retired)
    state_at(w.states, s).is_ = RETIRED
    w.not_retired -= 1
    w.counts[SERVERS_RETIRED] += 1
    record(w, now, EVENT_RETIREMENT, s, w.not_retired)
    if w.not_retired < plan.job_servers:
        end(plan, w, now, _DEPLETED)
    else:
        look_for_end_of_shortage(plan, w, now)


@bare
def regenerate(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Turn some good servers defective: what is left of their lives shrinks."""
    settle(plan, w, now)
    tally_defective(w, now)
    good = 0
    for s in range(plan.servers_total):
        if server_at(w.servers, s).defective == 0 and state_at(w.states, s).is_ != RETIRED:
            slot_at(w.slots, good).candidate = s
            good += 1
    count = min(good, max(1, round_half_up(plan.regeneration_share * good)))
    keep_smallest_draws(w, REGENERATION, w.regenerations, good, count)
    for i in range(count):
        s = slot_at(w.slots, i).candidate
        server = server_at(w.servers, s)
        server.defective = 1
        w.defective += 1 if state_at(w.states, s).is_ <= IDLE else 0
        if state_at(w.states, s).is_ == ACTIVE:
            left = max(0.0, server.key - w.clock)
            _move_point(w, s, w.clock + left / plan.hazard_ratio)
        elif state_at(w.states, s).is_ <= ARRIVING:
            server.life /= plan.hazard_ratio  # one in repair gets another life
    record(w, now, EVENT_REGENERATION, NONE, count)
    w.regenerations += 1
    w.regeneration_next += plan.regeneration_interval
