"""Failure, blame, repair, retirement and regeneration: what happens to a server."""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.ages import life_goes_on
from failcast.engine.kernel.books import book_parts, change, end, record, settle
from failcast.engine.kernel.calendar import insert, push_due, remove
from failcast.engine.kernel.faults import keep_age, note_fault, turned, with_fault
from failcast.engine.kernel.hosts import (
    leave,
    look_for_end_of_shortage,
    recount,
    return_loans,
)
from failcast.engine.kernel.pools import (
    add_idle,
    append_to_pool,
    append_to_spares,
    push_standby,
)
from failcast.engine.kernel.repairs import note_blame, send_to_repair
from failcast.engine.kernel.reserves import find_failed, is_fit, rest, rise
from failcast.engine.kernel.rows import (
    calendar_at,
    id_at,
    server_at,
    slot_at,
    state_at,
)
from failcast.engine.kernel.start import keep_smallest_draws
from failcast.engine.kernel.tally import count_repair, tally, tally_defective, tally_down
from failcast.engine.kernel.work import lose_server, lose_work, plan_diagnosis, plan_restart
from failcast.engine.lives import life_hours
from failcast.engine.model import (
    ACTIVE,
    ARRIVING,
    BLAMED_RIGHT,
    BLAMED_WRONG,
    CAUSE_RANDOM,
    CAUSE_SYSTEMATIC,
    CRASHED,
    EVENT_AUTOMATED_REPAIR_END,
    EVENT_BLAME,
    EVENT_FAILURE,
    EVENT_MANUAL_REPAIR_END,
    EVENT_REGENERATION,
    EVENT_RETIREMENT,
    FAILED_ACTIVE,
    FAILURES_RANDOM,
    IDLE,
    INNOCENT_TRIES,
    NOT_FAILED,
    RANK_MANUAL_END,
    REBOOTED,
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
    SPARE,
    STALLED,
    STANDBY,
    UNDIAGNOSED,
    WAITING,
    Status,
)
from failcast.engine.random import (
    DIAGNOSED,
    INNOCENT,
    REBOOT,
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
    _count_failure(plan, w, now, s, place)
    if plan.loses_work != 0:
        severity = CRASHED
        if plan.losses_survived < REBOOTED and uniform(place, REBOOT) < plan.p_reboot:
            severity = REBOOTED  # which no tier is asked about where all survive that
        lose_work(plan, w, now, severity)
    if plan.phased != 0:
        _fail_in_phases(plan, w, now, s)
        return
    _find_culprit(plan, w, now, s, place, w.active - 1)
    change(w, now, RECOVERING, w.standby_count)
    place = address(w.root, w.recoveries, FIRST)
    w.recoveries += 1
    time = sample(plan.recovery_kind, plan.recovery_a, plan.recovery_b, place, RECOVERY_TIME)
    w.phase_end = now + time


@inlined
def _count_failure(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """Say what kind of a failure it is."""
    defective = server_at(w.servers, s).defective != 0
    systematic = defective and uniform(place, SYSTEMATIC) < plan.p_systematic
    cause = CAUSE_SYSTEMATIC if systematic else CAUSE_RANDOM
    if plan.faults != 0:
        cause = note_fault(w, s, cause)
    w.counts[FAILURES_RANDOM + cause] += 1
    record(w, now, EVENT_FAILURE, s, cause)


@inlined
def _find_culprit(plan, w, now, s, place, others):  # type: ignore[no-untyped-def]  # compiled
    """Somebody, or nobody, is blamed for the failure of server ``s``; one who stays lives on."""
    blamed = _diagnose(plan, w, s, place, others)
    if blamed != s:
        _stay(plan, w, s)
    if blamed != NONE:
        if blamed != s:
            place = address(w.root, blamed, int(server_at(w.servers, blamed).renewal))
        _blame(plan, w, now, blamed, blamed == s, place)


@inlined
def _fail_in_phases(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A recovery in phases begins, perhaps in the midst of another; it finds out who failed."""
    if w.phase == RECOVERING:
        book_parts(w, now)
    id_at(w.failing, w.failing_count).server = s
    w.failing_count += 1
    server = server_at(w.servers, s)
    server.failed = FAILED_ACTIVE
    remove(w, calendar_at(w.calendars, FAILING), s)
    server.key = math.inf  # where a calendar has nobody
    w.recoveries += 1
    if plan.diagnosed_late != 0:
        change(w, now, RECOVERING, w.standby_count)
        w.diagnosing = 1
        plan_diagnosis(plan, w, now)
    else:
        _diagnose_at_once(plan, w, now)


@bare
def _diagnose_at_once(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    _diagnose_all(plan, w, now)
    change(w, now, RECOVERING, w.standby_count)
    plan_restart(plan, w, now)


@inlined
def _diagnose_all(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Find a culprit for each failure since the job last computed, in their order."""
    for i in range(w.failing_count):
        s = int(id_at(w.failing, i).server)
        server = server_at(w.servers, s)
        server.failed = NOT_FAILED
        place = address(w.root, s, int(server.renewal))
        _find_culprit(plan, w, now, s, place, w.active - (w.failing_count - i))
    w.failing_count = FIRST


@bare
def _blame_late(plan, w, now, s, right, place):  # type: ignore[no-untyped-def]  # compiled
    _blame(plan, w, now, s, right, place)


@inlined
def end_diagnosis(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """It is known who failed; now the job can be restarted. The hours up to now are booked."""
    book_parts(w, now)
    w.diagnosing = FIRST
    _diagnose_all(plan, w, now)
    plan_restart(plan, w, now)


@bare
def fail_standing(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A server fails while its job stands still: it goes to repair, and servers are counted again.

    The hours up to now are booked.
    """
    place = address(w.root, s, int(server_at(w.servers, s).renewal))
    _count_failure(plan, w, now, s, place)
    _blame_late(plan, w, now, s, True, place)
    recount(plan, w, now)


@bare
def _stay(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """A server that failed keeps its slot, with a new life."""
    server = server_at(w.servers, s)
    server.renewal += 1
    if plan.age_kept != 0:
        life = life_goes_on(plan, w, s)
    else:
        life = life_hours(plan, w.root, s, int(server.renewal), server.defective)
    if plan.faults != 0:
        life = with_fault(plan, w, s, life)
    _move_point(w, s, w.clock + life)


@bare
def _move_point(w, s, point):  # type: ignore[no-untyped-def]  # compiled
    """Give an active server another failure point."""
    calendar = calendar_at(w.calendars, FAILING)
    remove(w, calendar, s)
    insert(w, calendar, s, point, FIRST)


@inlined
def _diagnose(plan, w, failed, place, others):  # type: ignore[no-untyped-def]  # compiled
    """Return the server that is blamed: the failed one, an innocent one, or none.

    ``others`` of the job have not failed. Where a probability is 1 or 0, nothing is drawn; a draw
    has an address, so that moves no other.
    """
    if plan.p_diagnosed < 1.0 and not uniform(place, DIAGNOSED) < plan.p_diagnosed:
        w.counts[UNDIAGNOSED] += 1
        return NONE
    if plan.p_wrong_server == 0.0 or others == 0:
        return failed
    if not uniform(place, WRONG_SERVER) < plan.p_wrong_server:
        return failed
    return _innocent(plan, w, failed, bits(place, INNOCENT), others)


@inlined
def _is_innocent(w, s, failed):  # type: ignore[no-untyped-def]  # compiled
    if s == failed or state_at(w.states, s).is_ != ACTIVE:
        return False
    return server_at(w.servers, s).failed == NOT_FAILED


@bare
def _innocent(plan, w, failed, word, others):  # type: ignore[no-untyped-def]  # compiled
    """Uniform among the other active servers, whatever order anybody keeps them in."""
    for k in range(INNOCENT_TRIES):
        s = int(further(word, k) * plan.servers_total)
        if _is_innocent(w, s, failed):
            return s
    # Few of many servers are active: count them out, by number.
    left = int(further(word, INNOCENT_TRIES) * others)
    s = FIRST
    while left >= 0:
        if _is_innocent(w, s, failed):
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
        server.condemned = 1 if note_blame(plan, w, now, s) else 0
    leave(plan, w, s)
    if right:
        server.life = 0.0  # it is used up, whenever that is found out
    if plan.loses_work != 0:
        lose_server(plan, w, now)
    if server.defective != 0:
        tally_defective(w, now)
        w.defective -= 1
    send_to_repair(plan, w, now, s, place)


@bare
def hand_over(w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """Automated repair hands over to manual repair, where anybody looks at that."""
    record(w, now, EVENT_AUTOMATED_REPAIR_END, s, REPAIR_ESCALATED)
    push_due(w, server_at(w.servers, s).manual_end, RANK_MANUAL_END, s)


@inlined
def repair_end(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """The last stage of a repair ends, in a shop without limits."""
    server = server_at(w.servers, s)
    count_repair(w, now, s)
    w.counts[REPAIRS_AUTOMATED] += 1
    w.counts[REPAIRS_MANUAL] += server.escalated
    event = EVENT_MANUAL_REPAIR_END if server.escalated != 0 else EVENT_AUTOMATED_REPAIR_END
    record(w, now, event, s, REPAIR_SILENT if server.silent != 0 else REPAIR_SUCCESS)
    come_back(plan, w, now, s)


@inlined
def come_back(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A repair is over: the server is retired, or comes back renewed."""
    server = server_at(w.servers, s)
    tally_down(w, now)
    w.down -= 1
    w.counts[REPAIRS_SILENT] += server.silent
    w.counts[REPAIRS_SUCCESSFUL] += 1 - server.silent
    was_defective = server.defective
    server.defective &= server.silent
    if plan.faults != 0:
        server.faulty &= server.silent
    if plan.ledger != 0 and server.condemned != 0:
        _retire(plan, w, now, s)
        return
    server.renewal += 1
    if plan.age_kept != 0:
        server.life = keep_age(plan, w, s, was_defective)
    else:
        server.life = life_hours(plan, w.root, s, int(server.renewal), server.defective)
        if plan.faults != 0:
            server.life = with_fault(plan, w, s, server.life)
    if plan.reserve_exposed != 0 and server.failed != NOT_FAILED:
        _return_spare(plan, w, now, s)
        return
    if server.defective != 0:
        tally_defective(w, now)
        w.defective += 1
    append_to_pool(w, s)
    short = w.phase == WAITING or w.phase == STALLED
    if not short and w.standby_count < plan.warm_standbys:
        tally(w, now, STANDBY, w.standby_count)
        state_at(w.states, s).is_ = STANDBY
        push_standby(w, s)
        rest(plan, w, now, s, STANDBY)
    else:
        tally(w, now, IDLE, w.idle)
        state_at(w.states, s).is_ = IDLE
        add_idle(w, s)
        rest(plan, w, now, s, IDLE)
    look_for_end_of_shortage(plan, w, now)
    return_loans(plan, w, now)


@bare
def _return_spare(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A repaired server that failed as a spare goes back to the spare pool."""
    tally(w, now, SPARE, w.spares_left)
    server_at(w.servers, s).failed = NOT_FAILED
    state_at(w.states, s).is_ = SPARE
    append_to_spares(w, s)
    rest(plan, w, now, s, SPARE)
    if w.phase == STALLED or w.phase == WAITING:
        recount(plan, w, now)


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
def _shorten(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """What is left of the life of a server in reserve, or on its way, shrinks."""
    server, state = server_at(w.servers, s), int(state_at(w.states, s).is_)
    ages = plan.reserve_exposed != 0 and STANDBY <= state <= SPARE
    if ages and not is_fit(plan, w, now, s):
        return
    if ages:
        rise(plan, w, now, s)
    server.life = turned(plan, w, s, server.life)
    if ages:
        rest(plan, w, now, s, state)


@bare
def check_health(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Look at all servers in reserve."""
    w.check_next += plan.health_check_period
    find_failed(plan, w, now, STANDBY, SPARE)
    if w.phase == STALLED or w.phase == WAITING:
        recount(plan, w, now)


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
            _move_point(w, s, w.clock + turned(plan, w, s, left))
        elif state_at(w.states, s).is_ <= ARRIVING or plan.age_kept != 0:
            _shorten(plan, w, now, s)  # one in repair gets another life, unless its age is kept
    record(w, now, EVENT_REGENERATION, NONE, count)
    w.regenerations += 1
    w.regeneration_next += plan.regeneration_interval
