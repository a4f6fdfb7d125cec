"""The ends of stages in a repair shop of limits: a crew is free again, and the server goes on.

Where repairs are followed by a test, that is a stage of its own, which needs no crew.
"""

from __future__ import annotations

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import record
from failcast.engine.kernel.calendar import push_due
from failcast.engine.kernel.failures import come_back
from failcast.engine.kernel.rows import server_at, state_at
from failcast.engine.kernel.shop import ask_for_manual, pass_on, release
from failcast.engine.model import (
    EVENT_AUTOMATED_REPAIR_END,
    EVENT_MANUAL_REPAIR_END,
    EVENT_REQUALIFICATION_END,
    RANK_AUTOMATED_END,
    RANK_MANUAL_END,
    RANK_REQUALIFICATION_END,
    REPAIR_ESCALATED,
    REPAIR_SILENT,
    REPAIR_SUCCESS,
    REPAIRS_AUTOMATED,
    REPAIRS_MANUAL,
    REQUALIFICATION,
    REQUALIFICATIONS,
)
from failcast.engine.random import (
    AUTOMATED_SILENT,
    DETECTED,
    ESCALATE,
    MANUAL_SILENT,
    REQUALIFICATION_TIME,
    address,
    drawn,
    uniform,
)
from failcast.engine.world import AUTOMATED_STAGE, MANUAL_STAGE


@inlined
def stage_end(plan, w, now, s, rank):  # type: ignore[no-untyped-def]  # compiled
    """A stage ends: its crew takes up the next server, then this one goes on."""
    place = address(w.root, s, int(server_at(w.servers, s).renewal))
    if rank == RANK_AUTOMATED_END:
        _automated_end(plan, w, now, s, place)
    elif rank == RANK_MANUAL_END:
        _manual_end(plan, w, now, s, place)
    else:
        _requalification_end(plan, w, now, s, place)


@inlined
def _automated_end(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    w.counts[REPAIRS_AUTOMATED] += 1
    escalated = uniform(place, ESCALATE) < plan.p_escalate
    outcome = REPAIR_ESCALATED
    if not escalated:
        outcome = _outcome(w, s, uniform(place, AUTOMATED_SILENT) < plan.p_automated_silent)
    record(w, now, EVENT_AUTOMATED_REPAIR_END, s, outcome)
    release(plan, w, now, AUTOMATED_STAGE)
    if escalated:
        ask_for_manual(plan, w, now, s, place)
    else:
        _mended(plan, w, now, s, place)


@inlined
def _manual_end(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    w.counts[REPAIRS_MANUAL] += 1
    outcome = _outcome(w, s, uniform(place, MANUAL_SILENT) < plan.p_manual_silent)
    record(w, now, EVENT_MANUAL_REPAIR_END, s, outcome)
    release(plan, w, now, MANUAL_STAGE)
    _mended(plan, w, now, s, place)


@inlined
def _mended(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """The last stage is over: the server is tested, if it is to be, or leaves."""
    if plan.requalified == 0:
        _leave(plan, w, now, s)
        return
    pass_on(w, now, s, REQUALIFICATION)
    kind, a, b = plan.requalification_kind, plan.requalification_a, plan.requalification_b
    time = drawn(kind, a, b, place, REQUALIFICATION_TIME)
    push_due(w, now + time, RANK_REQUALIFICATION_END, s)


@bare
def _requalification_end(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """A server passes its test, or goes to the manual stage again."""
    w.counts[REQUALIFICATIONS] += 1
    server = server_at(w.servers, s)
    found = server.silent != 0 and uniform(place, DETECTED) < plan.p_detected
    record(w, now, EVENT_REQUALIFICATION_END, s, 0 if found else 1)
    if found:
        server.renewal += 1  # what is drawn for a repair is drawn anew
        ask_for_manual(plan, w, now, s, address(w.root, s, int(server.renewal)))
    else:
        _leave(plan, w, now, s)


@inlined
def _outcome(w, s, silent):  # type: ignore[no-untyped-def]  # compiled
    """Note how the last stage went, and return what the trace says of it."""
    server_at(w.servers, s).silent = 1 if silent else 0
    return REPAIR_SILENT if silent else REPAIR_SUCCESS


@bare
def _leave(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
    """The repair is over."""
    pass_on(w, now, s, state_at(w.states, s).is_)  # its next state is found out there
    come_back(plan, w, now, s)
