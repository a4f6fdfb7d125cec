"""The event loop, and a block of replications: the only function that others call."""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import (
    book_parts,
    change,
    end,
    enter,
    finish_key,
    schedule,
    settle,
    settle_at,
)
from failcast.engine.kernel.calendar import next_key, next_server, take_next
from failcast.engine.kernel.failures import (
    check_health,
    end_diagnosis,
    fail,
    fail_standing,
    hand_over,
    regenerate,
    repair_end,
)
from failcast.engine.kernel.hosts import arrive, promote, select_hosts
from failcast.engine.kernel.replay import strike
from failcast.engine.kernel.rows import calendar_at, flag_at, server_at
from failcast.engine.kernel.series import count_servers
from failcast.engine.kernel.shop import part_arrival
from failcast.engine.kernel.stages import stage_end
from failcast.engine.kernel.start import put_to_work, reset
from failcast.engine.kernel.stretch import anchor, catch_up, go_along, skips
from failcast.engine.kernel.tally import defective_mean, down_p99, tally_all
from failcast.engine.kernel.work import begin_checkpoint, end_checkpoint
from failcast.engine.model import (
    BUCKETS,
    CHECKPOINT,
    CHECKPOINTING,
    COMPUTING,
    COUNTERS,
    FAILURES_RANDOM,
    FAILURES_SYSTEMATIC,
    LOST,
    METRICS,
    PHASE_HOURS,
    PRODUCTIVE,
    RANK_ARRIVAL,
    RANK_AUTOMATED_END,
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
    RELAPSES,
    SELECTING,
    SERVER_STATES,
    Status,
)
from failcast.engine.random import number_at
from failcast.engine.tables import code
from failcast.engine.world import DUE, FAILING, FIRST, NO_STATUS, NONE

_FINISHED: Final = code(Status.FINISHED)
_OUT_OF_TIME: Final = code(Status.OUT_OF_TIME)
_OUT_OF_EVENTS: Final = code(Status.OUT_OF_EVENTS)
_FIRST_BUCKET: Final = 2
_FIRST_PHASE: Final = _FIRST_BUCKET + len(BUCKETS)
_FAILURES: Final = _FIRST_PHASE + len(PHASE_HOURS)
_FIRST_COUNTER: Final = _FAILURES + 1
_DOWN_P99: Final = _FIRST_COUNTER + len(COUNTERS)


@bare
def run_one(plan, w, seed, replication, stop):  # type: ignore[no-untyped-def]  # compiled
    """Run one replication to its end, or until told to stop; the results stay in ``w``."""
    w.skips = 1 if plan.steady != 0 and w.trace_room == 0 else 0
    if not _run_plain(plan, w, seed, replication, stop):
        _run_any(plan, w, seed, replication, stop)
    if w.skips != 0 and w.events_left < 0:
        w.skips = FIRST  # to find the very event at which the run is cut short
        _run_any(plan, w, seed, replication, stop)
    tally_all(plan, w)


@bare
def _run_plain(plan, w, seed, replication, stop):  # type: ignore[no-untyped-def]  # compiled
    """Run a replication without checkpoints, phases, a shop and so on, or return False at once.

    What follows is the same as ever. But since a plan does not change, the compiler knows here that
    nothing asks for these, and leaves out of the loop what looks for them (see ``lowering``).
    """
    if w.trace_room != 0 or w.count_step != 0.0 or plan.ledger != 0 or plan.reserve_exposed != 0:
        return False
    if plan.loses_work != 0 or plan.checkpointed != 0 or plan.steady != 0 or plan.phased != 0:
        return False
    if plan.shop != 0 or plan.parts != 0 or plan.faults != 0 or plan.age_kept != 0:
        return False
    _run(plan, w, seed, replication, stop)
    return True


@bare
def _run_any(plan, w, seed, replication, stop):  # type: ignore[no-untyped-def]  # compiled
    """Run a replication with all that there is."""
    _run(plan, w, seed, replication, stop)


@inlined
def _run(plan, w, seed, replication, stop):  # type: ignore[no-untyped-def]  # compiled
    reset(plan, w, seed, replication)
    put_to_work(plan, w)
    select_hosts(plan, w, 0.0)
    schedule(plan, w)
    due = calendar_at(w.calendars, DUE)
    while w.status == NO_STATUS and flag_at(stop, 0).is_ == 0:
        time = next_key(w, due)
        if time <= w.next_time:  # repairs and arrivals come before all else of their instant
            if w.count_step > 0.0 and w.next_count < time:
                count_servers(plan, w, time)
            _pool_event(plan, w, due, time)
        else:
            if w.count_step > 0.0 and w.next_count < w.next_time:
                count_servers(plan, w, w.next_time)
            if _count_event(plan, w, w.next_time):
                _job_event(plan, w, w.next_time, w.next_rank)
            schedule(plan, w)


@inlined
def _count_event(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Count an event that is about to happen; end the run, and say so, if it is one too many."""
    w.events_left -= 1
    if w.events_left < 0:
        end(plan, w, now, _OUT_OF_EVENTS)
        return False
    return True


@inlined
def _pool_event(plan, w, due, now):  # type: ignore[no-untyped-def]  # compiled
    """A repair ends, or a preempted spare arrives."""
    s = next_server(due)
    server = server_at(w.servers, s)
    rank = int(server.rank)
    if rank == RANK_AUTOMATED_END and server.escalated != 0:
        take_next(due)
        hand_over(w, now, s)
        return
    if _count_event(plan, w, now):
        take_next(due)
        if rank == RANK_ARRIVAL:
            arrive(plan, w, now, s)
        elif plan.shop != 0:
            stage_end(plan, w, now, s, rank)
        else:
            repair_end(plan, w, now, s)
        if w.stale != 0:
            schedule(plan, w)
    if w.status != NO_STATUS:
        w.last_rank, w.last_server = rank, s


@inlined
def _job_event(plan, w, now, rank):  # type: ignore[no-untyped-def]  # compiled
    """What happens to the job itself: failure, finish, end of a phase, wake, regeneration."""
    if skips(plan, w):
        if rank in (RANK_FAILURE, RANK_FINISH):
            go_along(plan, w, w.next_cycle, w.next_writing)
        elif rank in (RANK_REGENERATION, RANK_HORIZON):
            at_its_end = 1 if rank == RANK_HORIZON else 0
            catch_up(plan, w, now, at_its_end, at_its_end)
    if rank == RANK_FAILURE:
        server = next_server(calendar_at(w.calendars, FAILING))
        settle_at(w, now, server_at(w.servers, server).key)
        if w.phase <= SELECTING:
            fail_standing(plan, w, now, server)
        else:
            fail(plan, w, now, server)
    elif rank != RANK_PHASE_END:
        _other_event(plan, w, now, rank)
    elif w.phase == RECOVERING:
        settle(plan, w, now)
        if w.diagnosing != 0:
            end_diagnosis(plan, w, now)
        else:
            _end_recovery(plan, w, now)
    elif w.phase == CHECKPOINTING:
        end_checkpoint(plan, w, now)
    else:
        enter(plan, w, now, COMPUTING, w.standby_count)
        _begin_stretch(plan, w)


@bare
def _other_event(plan, w, now, rank):  # type: ignore[no-untyped-def]  # compiled
    """What is neither a failure nor the end of a phase."""
    if rank == RANK_REPLAY:
        server = strike(plan, w, now)
        if server != NONE and w.phase <= SELECTING:
            fail_standing(plan, w, now, server)
        elif server != NONE:
            fail(plan, w, now, server)
    elif rank == RANK_FINISH:
        settle_at(w, now, finish_key(plan, w))
        end(plan, w, now, _FINISHED)
    elif rank == RANK_CHECKPOINT:
        begin_checkpoint(plan, w, now)
    elif rank == RANK_PART_ARRIVAL:
        part_arrival(plan, w, now)
    elif rank == RANK_REGENERATION:
        regenerate(plan, w, now)
    elif rank == RANK_HEALTH_CHECK:
        check_health(plan, w, now)
    elif rank == RANK_STALL_WAKE:
        select_hosts(plan, w, now)
    else:
        end(plan, w, now, _OUT_OF_TIME)


@inlined
def _end_recovery(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Fill the vacancies; compute, or look for more servers. The hours up to now are booked."""
    if plan.phased != 0:
        book_parts(w, now)
    promote(plan, w, now)
    if w.active < plan.job_servers:
        select_hosts(plan, w, now)
    else:
        change(w, now, COMPUTING, w.standby_count)
        _begin_stretch(plan, w)


@inlined
def _begin_stretch(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """The job computes again: what was lost on the way is made good."""
    w.lost_servers = FIRST
    if plan.checkpointed != 0:
        anchor(plan, w)


@bare
def _write_metrics(w, values, first):  # type: ignore[no-untyped-def]  # compiled
    """Write the metrics of a run that ended, in the order of ``model``, from row ``first`` on."""
    productive, wall = w.books[PRODUCTIVE], w.wall
    failures = w.counts[FAILURES_RANDOM] + w.counts[FAILURES_SYSTEMATIC] + w.counts[RELAPSES]
    number_at(values, first).is_ = wall
    number_at(values, first + 1).is_ = productive / wall if wall > 0.0 else math.nan
    for i in range(len(BUCKETS)):
        number_at(values, first + _FIRST_BUCKET + i).is_ = w.books[i]
    number_at(values, first + _FAILURES).is_ = failures
    for i in range(len(PHASE_HOURS)):
        number_at(values, first + _FIRST_PHASE + i).is_ = w.phase_hours[i]
    for i in range(len(COUNTERS)):
        number_at(values, first + _FIRST_COUNTER + i).is_ = w.counts[i]
    number_at(values, first + _DOWN_P99).is_ = down_p99(w)
    number_at(values, first + _DOWN_P99 + 1).is_ = defective_mean(w)
    operating = productive + w.books[LOST] + w.books[CHECKPOINT]
    number_at(values, first + _DOWN_P99 + 2).is_ = operating / (failures + 1)
    number_at(values, first + _DOWN_P99 + 3).is_ = 0.0  # the cost; prices are not known here


@bare
def run_block(  # type: ignore[no-untyped-def]  # compiled
    plan, w, seed, first, count, values, hours, status, stop
):
    """Run ``count`` replications from number ``first`` on; return the lines of trace.

    The last four are addresses: metrics (replications x metrics) and server-hours (replications x
    states) as NUMBER_DTYPE, and status (one for each) as FLAG_DTYPE, are written. If the world has
    room for a trace, that of the last replication is left there; the number of lines it would have
    written comes back, also if there was less room. The series of each has rows of its own. Another
    thread may set the flag at ``stop``: what was written then is worth nothing.
    """
    for i in range(count):
        w.counts_first = i * w.counts_room
        run_one(plan, w, seed, first + i, stop)
        _write_metrics(w, values, i * len(METRICS))
        for state in range(len(SERVER_STATES)):
            number_at(hours, i * len(SERVER_STATES) + state).is_ = w.server_hours[state]
        flag_at(status, i).is_ = w.status
    return w.trace_n
