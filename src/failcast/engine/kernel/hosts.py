"""Host selection, shortages, preemption and loans: who works for the job, who stands by."""

from __future__ import annotations

import math

import numpy as np

from failcast.engine.compiled import bare
from failcast.engine.kernel.books import enter, record, settle
from failcast.engine.kernel.order import sort
from failcast.engine.kernel.queues import (
    pop_standby,
    push_due,
    push_failure,
    push_standby,
    remove_failure,
)
from failcast.engine.kernel.world import (
    FIRST,
    NONE,
    append_to_pool,
    append_to_spares,
    pop_spare,
    remove_from_pool,
)
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
    SPARE,
    STALLED,
    STALLS,
    STANDBY,
    STANDBY_PROMOTIONS,
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

_TIE_SHIFT = np.uint64(11)  # as in a uniform draw, which the reference compares


@bare
def available(w):  # type: ignore[no-untyped-def]  # compiled
    """Return how many servers a selection can choose from: survivors, standbys, idle ones."""
    job = w.job
    return job.failures_n + job.standby_count + job.idle


@bare
def wanted(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return how many a selection needs; once short, more than the bare job by default."""
    job = w.job
    if job.short != 0 and plan.resume_with_job == 0:
        return min(plan.job_servers + plan.warm_standbys, job.not_retired)
    return plan.job_servers


@bare
def operated(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Return a server's hours on the job's clock since it was last blamed."""
    server = w.servers[s]
    present = w.job.clock - server.joined if server.state == ACTIVE else 0.0
    return server.operated + present


@bare
def score(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Return the score: credit for each completed period of operation since the last blame."""
    periods = math.floor(operated(w, s) / plan.score_period)
    return w.servers[s].score + plan.score_credit * periods


@bare
def join(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Make a server active; one that already is keeps its failure point unchanged."""
    server = w.servers[s]
    if server.state != ACTIVE:
        server.state = ACTIVE
        server.joined = w.job.clock
        server.point += w.job.clock
        push_failure(w, s)


@bare
def leave(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take an active server off the job's clock, with what is left of its life."""
    server, clock = w.servers[s], w.job.clock
    remove_failure(w, s)
    server.point = max(0.0, server.point - clock)
    server.operated += clock - server.joined


@bare
def promote(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Fill every vacancy from the standbys, the oldest first."""
    job = w.job
    while job.failures_n < plan.job_servers and job.standby_count > 0:
        s = pop_standby(w)
        join(w, s)
        w.job.counts[STANDBY_PROMOTIONS] += 1
        record(w, now, EVENT_PROMOTION, s, job.standby_count)


@bare
def select_hosts(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Choose at once if there are enough servers; else preempt, wait or stall."""
    job = w.job
    if available(w) >= wanted(plan, w):
        choose(plan, w, now)
        return
    job.short = 1
    missing = wanted(plan, w) - available(w)
    if plan.preempt_together == 0:
        request = min(1, job.spares)
    else:
        request = min(missing - job.arriving, job.spares)
    if job.arriving + max(0, request) > 0:
        enter(plan, w, now, WAITING, missing)
        for _ in range(request):
            preempt(plan, w, now)
    else:
        stall(plan, w, now)


@bare
def stall(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Nothing to preempt: the job stands still until servers come back from repair."""
    enter(plan, w, now, STALLED, wanted(plan, w) - available(w))
    w.job.counts[STALLS] += 1


@bare
def preempt(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Take the first spare out of its pool; it arrives after the wait."""
    job = w.job
    s = pop_spare(w)
    server = w.servers[s]
    server.state = ARRIVING
    job.spares -= 1
    job.arriving += 1
    job.loans += 1
    w.job.counts[PREEMPTIONS] += 1
    record(w, now, EVENT_PREEMPTION, s, job.spares)
    place = address(job.root, s, int(server.preemptions))
    server.preemptions += 1
    wait = sample(plan.wait_kind, plan.wait_a, plan.wait_b, place, PREEMPTION_WAIT)
    push_due(w, now + wait, RANK_ARRIVAL, s)


@bare
def arrive(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """A preempted spare enters the working pool, idle; a job that waits for it counts again."""
    job = w.job
    job.arriving -= 1
    w.servers[s].state = IDLE
    job.idle += 1
    append_to_pool(w, s)
    record(w, now, EVENT_ARRIVAL, s, job.arriving)
    if job.phase == WAITING and plan.preempt_together == 0:
        select_hosts(plan, w, now)
        return
    look_for_end_of_shortage(plan, w, now)
    if job.phase == WAITING and job.arriving == 0 and job.wake == 0:
        stall(plan, w, now)
    return_loans(plan, w, now)


@bare
def look_for_end_of_shortage(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Wake the job, after all else of this instant, once the servers it waits for exist."""
    job = w.job
    waits = job.phase == STALLED or (job.phase == WAITING and plan.preempt_together != 0)
    if waits and job.wake == 0 and available(w) >= wanted(plan, w):
        job.wake, job.wake_time = 1, now


@bare
def return_loans(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Give idle servers back to the spare pool while some are on loan and nothing is missing."""
    job = w.job
    if plan.return_when_healed == 0 or job.phase == WAITING or job.phase == STALLED:
        return
    if job.failures_n < plan.job_servers or job.standby_count < plan.warm_standbys:
        return
    s = int(job.pool_tail)
    while job.loans > 0 and s != NONE:
        previous = int(w.servers[s].previous)
        if w.servers[s].state == IDLE:
            remove_from_pool(w, s)
            append_to_spares(w, s)
            w.servers[s].state = SPARE
            job.idle -= 1
            job.spares += 1
            job.loans -= 1
            record(w, now, EVENT_RETURN_TO_SPARES, s, job.loans)
        s = previous


# --- The selection itself -------------------------------------------------------------------------


@bare
def choose(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Choose hosts and standbys afresh, by the scenario's policy."""
    settle(plan, w, now)
    job = w.job
    total = available(w)
    standbys = min(total - plan.job_servers, plan.warm_standbys)
    hosts = plan.job_servers
    if plan.policy == POLICY_RANDOM:
        _list_by_number(plan, w)
        _draw(w, total, total - hosts - standbys, standbys)
    elif plan.policy == POLICY_POOL_ORDER:
        _list_by_entry(w, hosts + standbys)
        _draw(w, hosts + standbys, FIRST, standbys)
    else:
        _list_by_number(plan, w)
        _rank(plan, w, total)
    for i in range(hosts + standbys):
        w.servers[w.slots[i].candidate].chosen = 1 if i < hosts else 2
    _assign(w, hosts, standbys)
    job.idle = total - hosts - standbys
    number = job.selections
    job.selections += 1
    w.job.counts[HOST_SELECTIONS] += 1
    job.short = job.wake = 0
    enter(plan, w, now, SELECTING, job.standby_count)
    place = address(job.root, number, FIRST)
    time = sample(plan.selection_kind, plan.selection_a, plan.selection_b, place, SELECTION_TIME)
    job.phase_end = now + time
    return_loans(plan, w, now)


@bare
def _assign(w, hosts, standbys):  # type: ignore[no-untyped-def]  # compiled
    """Bring every server of the working pool into the state it was chosen for."""
    job = w.job
    s = job.pool_head
    while s != NONE:
        server = w.servers[s]
        if server.state == ACTIVE and server.chosen != 1:
            leave(w, s)
        if server.state <= IDLE and server.chosen != 1:
            server.state = IDLE
        if server.chosen == 1:
            join(w, s)
        server.chosen = 0
        s = int(server.next)
    job.standby_head = job.standby_count = 0
    for i in range(hosts, hosts + standbys):
        push_standby(w, w.slots[i].candidate)
        w.servers[w.slots[i].candidate].state = STANDBY


@bare
def _list_by_number(plan, w):  # type: ignore[no-untyped-def]  # compiled
    n = 0
    for s in range(plan.servers_total):
        if w.servers[s].state <= IDLE:
            w.slots[n].candidate = s
            n += 1


@bare
def _list_by_entry(w, count):  # type: ignore[no-untyped-def]  # compiled
    n, s = 0, w.job.pool_head
    while n < count:
        if w.servers[s].state <= IDLE:
            w.slots[n].candidate = s
            n += 1
        s = int(w.servers[s].next)


@bare
def _draw(w, m, idle, standbys):  # type: ignore[no-untyped-def]  # compiled
    """Partial Fisher-Yates over the first ``m`` candidates: those left idle, then the standbys.

    Leaves the hosts in front and the standbys, in the order drawn, right behind them.
    """
    job = w.job
    root, number, hosts = job.root, job.selections, m - idle - standbys
    for k in range(idle + standbys):
        j = int(uniform(address(root, number, k), SELECTION_PICK) * m)
        m -= 1
        drawn = w.slots[j].candidate
        w.slots[j].candidate = w.slots[m].candidate
        w.slots[m].candidate = drawn
    for i in range(standbys // 2):  # the last one drawn lies in front
        a, b = hosts + i, hosts + standbys - 1 - i
        w.slots[a].candidate, w.slots[b].candidate = w.slots[b].candidate, w.slots[a].candidate


@bare
def _rank(plan, w, m):  # type: ignore[no-untyped-def]  # compiled
    """Sort the first ``m`` candidates, best first; ties by an addressed draw, then by number."""
    job = w.job
    for i in range(m):
        slot = w.slots[i]
        s = slot.candidate
        slot.draw = bits(address(job.root, s, job.selections), SELECTION_TIE) >> _TIE_SHIFT
        if plan.policy == POLICY_HIGHEST_SCORE:
            slot.key = -score(plan, w, s)
        else:
            slot.key = w.servers[s].blames
    sort(w, m)
