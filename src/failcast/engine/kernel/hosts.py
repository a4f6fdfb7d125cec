"""Host selection, shortages, preemption and loans: who works for the job, who stands by."""

from __future__ import annotations

import math

import numpy as np

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import change, enter, record, settle
from failcast.engine.kernel.calendar import insert, push_due, remove
from failcast.engine.kernel.order import sort
from failcast.engine.kernel.pools import (
    add_idle,
    append_to_pool,
    append_to_spares,
    drop_idle,
    is_entry,
    oldest_standby,
    pop_spare,
    pop_standby,
    push_standby,
)
from failcast.engine.kernel.repairs import score
from failcast.engine.kernel.reserves import find_failed, found_failed, is_fit, rest, rise
from failcast.engine.kernel.rows import (
    calendar_at,
    id_at,
    ledger_at,
    server_at,
    slot_at,
    state_at,
)
from failcast.engine.kernel.tally import tally, tally_defective
from failcast.engine.model import (
    ACTIVE,
    ARRIVING,
    EVENT_ARRIVAL,
    EVENT_PREEMPTION,
    EVENT_PROMOTION,
    EVENT_RETURN_TO_SPARES,
    HOST_SELECTIONS,
    IDLE,
    PREEMPTIONS,
    RANK_ARRIVAL,
    SELECTING,
    SERVER_STATES,
    SPARE,
    STALLED,
    STALLS,
    STANDBY,
    STANDBY_PROMOTIONS,
    TRIES_PER_HIT,
    WAITING,
)
from failcast.engine.plan import (
    POLICY_HIGHEST_SCORE,
    POLICY_POOL_ORDER,
    POLICY_RANDOM,
)
from failcast.engine.random import (
    PREEMPTION_WAIT,
    SELECTION_PICK,
    SELECTION_TIE,
    SELECTION_TIME,
    address,
    bits,
    sample,
    uniform,
)
from failcast.engine.tables import code
from failcast.engine.world import FAILING, FIRST

#: For a moment, of a reserve about which nothing is decided: a state that no server has.
_SET_ASIDE = code(len(SERVER_STATES))
_TIE_SHIFT = np.uint64(11)  # as in a uniform draw, which the reference compares


@inlined
def available(w):  # type: ignore[no-untyped-def]  # compiled
    """Return how many servers a selection can choose from: survivors, standbys, idle ones."""
    return w.active + w.standby_count + w.idle


@inlined
def wanted(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return how many a selection needs; once short, more than the bare job by default."""
    if w.short != 0 and plan.resume_with_job == 0:
        return min(plan.job_servers + plan.warm_standbys, w.not_retired)
    return plan.job_servers


@inlined
def join(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Make a server active; one that already is keeps its failure point unchanged."""
    server = server_at(w.servers, s)
    if state_at(w.states, s).is_ != ACTIVE:
        state_at(w.states, s).is_ = ACTIVE
        w.active += 1
        insert(w, calendar_at(w.calendars, FAILING), s, w.clock + server.life, FIRST)
        if plan.ledger != 0:
            ledger_at(w.ledger, s).joined = w.clock


@inlined
def leave(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take an active server off the job's clock, with what is left of its life."""
    server = server_at(w.servers, s)
    w.active -= 1
    if plan.phased == 0 or server.key < math.inf:  # else it was taken out when it failed
        remove(w, calendar_at(w.calendars, FAILING), s)
    server.life = max(0.0, server.key - w.clock)
    if plan.ledger != 0:
        line = ledger_at(w.ledger, s)
        line.operated += w.clock - line.joined


@inlined
def promote(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Fill every vacancy from the standbys, the oldest first."""
    while w.active < plan.job_servers and w.standby_count > 0:
        if plan.reserve_exposed != 0 and not _rises(plan, w, now):
            continue
        tally(w, now, STANDBY, w.standby_count)
        tally(w, now, ACTIVE, w.active)
        s = pop_standby(w)
        join(plan, w, s)
        w.counts[STANDBY_PROMOTIONS] += 1
        record(w, now, EVENT_PROMOTION, s, w.standby_count)


@bare
def _rises(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the oldest standby is fit for a slot; if not, that is found."""
    s = oldest_standby(w)
    if is_fit(plan, w, now, s):
        rise(plan, w, now, s)
        return True
    found_failed(plan, w, now, s)
    return False


@bare
def select_hosts(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Choose at once if there are enough servers; else preempt, wait or stall."""
    if available(w) >= wanted(plan, w):
        if plan.reserve_exposed != 0:
            find_failed(plan, w, now, STANDBY, IDLE)
        if available(w) >= wanted(plan, w):
            choose(plan, w, now)
            return
    w.short, w.wake = 1, 0
    if plan.reserve_exposed != 0:
        find_failed(plan, w, now, SPARE, SPARE)
    missing = wanted(plan, w) - available(w)
    if plan.preempt_together == 0:
        request = min(1, w.spares_left)
    else:
        request = min(missing - w.arriving, w.spares_left)
    if w.arriving + max(0, request) > 0:
        enter(plan, w, now, WAITING, missing)
        for _ in range(request):
            preempt(plan, w, now)
    elif w.phase != STALLED:
        stall(plan, w, now)


@bare
def recount(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Count the servers again, for a job that stands still while some left or a spare came back.

    One that waits for its one arrival counts when that is there.
    """
    if w.phase == WAITING or w.phase == STALLED:
        if (w.phase == WAITING and plan.preempt_together == 0) or available(w) >= wanted(plan, w):
            return
    elif w.phase != SELECTING:
        return
    select_hosts(plan, w, now)
    w.stale = 1


@bare
def stall(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Nothing to preempt: the job stands still until servers come back from repair."""
    enter(plan, w, now, STALLED, wanted(plan, w) - available(w))
    w.counts[STALLS] += 1


@bare
def preempt(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Take the first spare out of its pool; it arrives after the wait."""
    tally(w, now, SPARE, w.spares_left)
    tally(w, now, ARRIVING, w.arriving)
    s = pop_spare(w)
    if plan.reserve_exposed != 0:
        rise(plan, w, now, s)
    state_at(w.states, s).is_ = ARRIVING
    w.arriving += 1
    w.loans += 1
    w.counts[PREEMPTIONS] += 1
    record(w, now, EVENT_PREEMPTION, s, w.spares_left)
    server = server_at(w.servers, s)
    place = address(w.root, s, int(server.preemptions))
    server.preemptions += 1
    wait = sample(plan.wait_kind, plan.wait_a, plan.wait_b, place, PREEMPTION_WAIT)
    push_due(w, now + wait, RANK_ARRIVAL, s)


@bare
def arrive(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A preempted spare enters the working pool, idle; a job that waits for it counts again."""
    tally(w, now, ARRIVING, w.arriving)
    tally(w, now, IDLE, w.idle)
    w.arriving -= 1
    state_at(w.states, s).is_ = IDLE
    add_idle(w, s)
    rest(plan, w, now, s, IDLE)
    if server_at(w.servers, s).defective != 0:
        tally_defective(w, now)
        w.defective += 1
    append_to_pool(w, s)
    record(w, now, EVENT_ARRIVAL, s, w.arriving)
    w.stale = 1
    if w.phase == WAITING and plan.preempt_together == 0:
        select_hosts(plan, w, now)
        return
    look_for_end_of_shortage(plan, w, now)
    if w.phase == WAITING and w.arriving == 0 and w.wake == 0:
        stall(plan, w, now)
    return_loans(plan, w, now)


@inlined
def look_for_end_of_shortage(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Wake the job, after all else of this instant, once the servers it waits for exist."""
    waits = w.phase == STALLED or (w.phase == WAITING and plan.preempt_together != 0)
    if waits and w.wake == 0 and available(w) >= wanted(plan, w):
        w.wake, w.wake_time, w.stale = 1, now, 1
        w.rare_bound = now


@inlined
def return_loans(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Give idle servers back to the spare pool while some are on loan and nothing is missing."""
    if plan.return_when_healed != 0 and w.loans > 0:
        _return_loans(plan, w, now)


@bare
def _return_loans(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    if w.phase == WAITING or w.phase == STALLED:
        return
    if w.active < plan.job_servers or w.standby_count < plan.warm_standbys:
        return
    place = w.pool_end - 1
    while w.loans > 0 and w.idle > 0 and place >= 0:
        s = int(id_at(w.pool, place).server)
        if is_entry(w, place, s) and state_at(w.states, s).is_ == IDLE:
            _return_loan(plan, w, now, s)
        place -= 1


@bare
def _return_loan(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """Give an idle server back, unless it is found to have failed."""
    if plan.reserve_exposed != 0:
        if not is_fit(plan, w, now, s):
            found_failed(plan, w, now, s)
            return
        rise(plan, w, now, s)
    tally(w, now, IDLE, w.idle)
    tally(w, now, SPARE, w.spares_left)
    drop_idle(w, s)
    append_to_spares(w, s)
    state_at(w.states, s).is_ = SPARE
    rest(plan, w, now, s, SPARE)
    if server_at(w.servers, s).defective != 0:
        tally_defective(w, now)
        w.defective -= 1
    w.loans -= 1
    record(w, now, EVENT_RETURN_TO_SPARES, s, w.loans)


# --- The selection itself -------------------------------------------------------------------------


@bare
def choose(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Choose hosts and standbys afresh, by the scenario's policy.

    Hosts that stay hosts are not looked at: who changes is among the reserves and those that are
    put aside.
    """
    settle(plan, w, now)
    tally(w, now, ACTIVE, w.active)
    tally(w, now, STANDBY, w.standby_count)
    tally(w, now, IDLE, w.idle)
    total = available(w)
    standbys = min(total - plan.job_servers, plan.warm_standbys)
    idle = total - plan.job_servers - standbys
    reserves = _set_reserves_aside(plan, w, now)
    if plan.policy == POLICY_RANDOM:
        _draw(plan, w, now, idle, standbys)
    elif plan.policy == POLICY_POOL_ORDER:
        _leave_last_idle(plan, w, now, idle)
        _draw(plan, w, now, FIRST, standbys)
    else:
        _take_best(plan, w, now, standbys)
    for i in range(reserves):
        s = int(id_at(w.reserves, i).server)
        if state_at(w.states, s).is_ == _SET_ASIDE:
            join(plan, w, s)
    number = w.selections
    w.selections += 1
    w.counts[HOST_SELECTIONS] += 1
    w.short = w.wake = 0
    change(w, now, SELECTING, w.standby_count)
    place = address(w.root, number, FIRST)
    time = sample(plan.selection_kind, plan.selection_a, plan.selection_b, place, SELECTION_TIME)
    w.phase_end = now + time
    return_loans(plan, w, now)


@bare
def _set_reserves_aside(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """List all standbys and idle servers, mark them, and return how many there are."""
    n, idle = FIRST, w.idle
    while w.standby_count > 0:
        _set_aside(plan, w, now, n, pop_standby(w))
        n += 1
    for i in range(idle):
        _set_aside(plan, w, now, n + i, int(id_at(w.idles, i).server))
    w.idle = FIRST
    return n + idle


@inlined
def _set_aside(plan, w, now, n, s):  # type: ignore[no-untyped-def]  # compiled
    """Put a server at the ``n``-th place of the list."""
    id_at(w.reserves, n).server = s
    if plan.reserve_exposed != 0:
        rise(plan, w, now, s)
    state_at(w.states, s).is_ = _SET_ASIDE


@inlined
def _is_candidate(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Say whether a server can be chosen, and nothing is decided about it yet."""
    state = state_at(w.states, s).is_
    return state in (ACTIVE, _SET_ASIDE)


@bare
def _put(plan, w, now, s, state):  # type: ignore[no-untyped-def]  # compiled
    """Let a candidate stand by, or be idle."""
    if state_at(w.states, s).is_ == ACTIVE:
        leave(plan, w, s)
    state_at(w.states, s).is_ = state
    if state == STANDBY:
        push_standby(w, s)
    else:
        add_idle(w, s)
    rest(plan, w, now, s, state)


@bare
def _leave_last_idle(plan, w, now, idle):  # type: ignore[no-untyped-def]  # compiled
    """Leave those idle that entered the pool last."""
    place = w.pool_end
    while idle > 0:
        place -= 1
        s = int(id_at(w.pool, place).server)
        if is_entry(w, place, s) and _is_candidate(w, s):
            _put(plan, w, now, s, IDLE)
            idle -= 1


@bare
def _draw(plan, w, now, idle, standbys):  # type: ignore[no-untyped-def]  # compiled
    """Draw those left idle, then the standbys: by trial, but for a job that is few of many."""
    if TRIES_PER_HIT * plan.job_servers < plan.servers_total:
        _draw_from_list(plan, w, now, idle, standbys)
        return
    k = FIRST
    while idle + standbys > 0:
        u = uniform(address(w.root, w.selections, k), SELECTION_PICK)
        s = int(u * plan.servers_total)
        k += 1
        if _is_candidate(w, s):
            _put(plan, w, now, s, IDLE if idle > 0 else STANDBY)
            if idle > 0:
                idle -= 1
            else:
                standbys -= 1


@bare
def _draw_from_list(plan, w, now, idle, standbys):  # type: ignore[no-untyped-def]  # compiled
    """Draw from a list of the candidates, by number; the last one takes the place of one drawn."""
    m, chosen = _list_candidates(plan, w), w.chosen
    for k in range(idle + standbys):
        j = int(uniform(address(w.root, w.selections, k), SELECTION_PICK) * m)
        m -= 1
        s = int(id_at(chosen, j).server)
        id_at(chosen, j).server = id_at(chosen, m).server
        _put(plan, w, now, s, IDLE if k < idle else STANDBY)


@bare
def _list_candidates(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """List the candidates by number, and return how many there are."""
    n, chosen = FIRST, w.chosen
    for s in range(plan.servers_total):
        id_at(chosen, n).server = s  # the next one overwrites it, unless it is kept
        n += 1 if _is_candidate(w, s) else 0
    return n


@bare
def _take_best(plan, w, now, standbys):  # type: ignore[no-untyped-def]  # compiled
    """Let the best be hosts, the next best stand by; ties by an addressed draw, then by number."""
    m = _list_candidates(plan, w)
    for i in range(m):
        slot, s = slot_at(w.slots, i), int(id_at(w.chosen, i).server)
        slot.candidate = s
        slot.draw = bits(address(w.root, s, w.selections), SELECTION_TIE) >> _TIE_SHIFT
        if plan.policy == POLICY_HIGHEST_SCORE:
            slot.key = -score(plan, w, s)
        else:
            slot.key = ledger_at(w.ledger, s).blames
    sort(w, m)
    for i in range(plan.job_servers, m):
        state = STANDBY if i < plan.job_servers + standbys else IDLE
        _put(plan, w, now, slot_at(w.slots, i).candidate, state)
