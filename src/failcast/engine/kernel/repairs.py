"""How a repair begins, whoever found that a server has failed."""

from __future__ import annotations

import math

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.calendar import push_due
from failcast.engine.kernel.rows import hours_at, ledger_at, server_at, state_at
from failcast.engine.kernel.shop import bring_in
from failcast.engine.kernel.tally import tally_down
from failcast.engine.model import (
    ACTIVE,
    AUTOMATED_REPAIR,
    RANK_AUTOMATED_END,
    RANK_MANUAL_END,
)
from failcast.engine.plan import RETIRE_SCORE, RETIRE_THRESHOLD
from failcast.engine.random import (
    AUTOMATED_SILENT,
    AUTOMATED_TIME,
    ESCALATE,
    MANUAL_SILENT,
    MANUAL_TIME,
    sample,
    uniform,
)


@inlined
def send_to_repair(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """The repair of a server begins; it has left wherever it was."""
    state_at(w.states, s).is_ = AUTOMATED_REPAIR
    tally_down(w, now)
    w.down += 1
    w.most_down = max(w.most_down, w.down)
    if plan.shop != 0:
        bring_in(plan, w, now, s, place)
    else:
        plan_repair(plan, w, now, s, place)


@inlined
def plan_repair(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """Draw how a repair goes. That it is handed over only a trace can tell.

    But for an automated stage of no time: whether it ended before a run that ends at this instant
    depends on what else happens at it.
    """
    server = server_at(w.servers, s)
    time = sample(plan.automated_kind, plan.automated_a, plan.automated_b, place, AUTOMATED_TIME)
    end, rank = now + time, RANK_AUTOMATED_END
    stream, p = AUTOMATED_SILENT, plan.p_automated_silent
    server.since, server.escalated = now, 0
    if uniform(place, ESCALATE) < plan.p_escalate:
        server.escalated, server.automated_end = 1, end
        stream, p = MANUAL_SILENT, plan.p_manual_silent
        time = sample(plan.manual_kind, plan.manual_a, plan.manual_b, place, MANUAL_TIME)
        server.manual_end = end + time
        if w.trace_room == 0 and end > now:
            end, rank = end + time, RANK_MANUAL_END
    server.silent = 1 if uniform(place, stream) < p else 0
    push_due(w, end, rank, s)


@bare
def note_blame(plan, w, now, s):  # type: ignore[no-untyped-def]  # compiled
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
def score(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Return the score: credit for each completed period of operation since the last blame."""
    line = ledger_at(w.ledger, s)
    present = w.clock - line.joined if state_at(w.states, s).is_ == ACTIVE else 0.0
    periods = math.floor((line.operated + present) / plan.score_period)
    return line.score + plan.score_credit * periods
