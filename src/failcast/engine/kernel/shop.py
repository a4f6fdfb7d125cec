"""The way into a repair shop of limits: servers wait for a crew, first come first served.

Called only where the plan says that the shop has limits (``plan.shop``). There each stage is an
event of its own, in every run; elsewhere a repair is drawn whole at the blame. What happens at the
end of a stage is in ``stages``.
"""

from __future__ import annotations

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.books import record
from failcast.engine.kernel.calendar import push_due
from failcast.engine.kernel.orders import drop_order, next_part, push_order
from failcast.engine.kernel.rows import id_at, queue_at, server_at, state_at
from failcast.engine.model import (
    AUTOMATED_REPAIR,
    AWAITING_REPAIR,
    EVENT_AUTOMATED_REPAIR_BEGIN,
    EVENT_MANUAL_REPAIR_BEGIN,
    EVENT_PART_ARRIVAL,
    EVENT_PART_ORDER,
    MANUAL_REPAIR,
    RANK_AUTOMATED_END,
    RANK_MANUAL_END,
)
from failcast.engine.random import (
    AUTOMATED_TIME,
    MANUAL_TIME,
    PART_LEAD_TIME,
    PART_NEEDED,
    address,
    drawn,
    sample,
    uniform,
)
from failcast.engine.shifts import hours_with_breaks
from failcast.engine.world import AUTOMATED_STAGE, FIRST, MANUAL_STAGE, NONE, PARTS, QUEUES


@bare
def open_shop(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Begin at time zero with all crews free, all parts in stock and nobody waiting."""
    for number in range(QUEUES):
        queue = queue_at(w.queues, number)
        queue.head = queue.count = FIRST
    queue_at(w.queues, AUTOMATED_STAGE).free = plan.automated_crews
    queue_at(w.queues, MANUAL_STAGE).free = plan.manual_crews
    queue_at(w.queues, PARTS).free = plan.stock
    w.orders_due = w.orders_made = FIRST


@inlined
def bring_in(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """Let a blamed server ask for the automated stage."""
    state_at(w.states, s).is_ = AWAITING_REPAIR
    server_at(w.servers, s).since = now
    _ask_for_crew(plan, w, now, s, AUTOMATED_STAGE, place)


@inlined
def pass_on(w, now, s, state):  # type: ignore[no-untyped-def]  # compiled
    """Count the hours of a server in its present state, and change it."""
    present, server = state_at(w.states, s), server_at(w.servers, s)
    w.server_hours[present.is_] += now - server.since
    server.since, present.is_ = now, state


@bare
def join_queue(w, stage, s):  # type: ignore[no-untyped-def]  # compiled
    """Put a server at the end of a queue."""
    queue = queue_at(w.queues, stage)
    place = queue.head + queue.count
    id_at(queue.ring, place - w.servers_total if place >= w.servers_total else place).server = s
    queue.count += 1


@bare
def leave_queue(w, stage):  # type: ignore[no-untyped-def]  # compiled
    """Take the first server out of a queue and return it."""
    queue = queue_at(w.queues, stage)
    s = int(id_at(queue.ring, queue.head).server)
    queue.head = FIRST if queue.head + 1 == w.servers_total else queue.head + 1
    queue.count -= 1
    return s


@bare
def serve(plan, w, now, stage):  # type: ignore[no-untyped-def]  # compiled
    """Let the free crews of a stage take up those that wait."""
    queue = queue_at(w.queues, stage)
    while queue.free > 0 and queue.count > 0:
        queue.free -= 1
        s = leave_queue(w, stage)
        _begin(plan, w, now, s, stage, queue.count, _place(w, s))


@inlined
def release(plan, w, now, stage):  # type: ignore[no-untyped-def]  # compiled
    """A crew has done its work."""
    queue = queue_at(w.queues, stage)
    queue.free += 1
    if queue.count > 0:
        serve(plan, w, now, stage)


@inlined
def _place(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Return the address of what is drawn for the present repair of a server."""
    return address(w.root, s, int(server_at(w.servers, s).renewal))


@bare
def ask_for_manual(plan, w, now, s, place):  # type: ignore[no-untyped-def]  # compiled
    """Let a server ask for the manual stage: for a part, if it needs one, then for a crew."""
    pass_on(w, now, s, AWAITING_REPAIR)
    if plan.parts != 0 and uniform(place, PART_NEEDED) < plan.p_part:
        push_order(w, now + drawn(plan.lead_kind, plan.lead_a, plan.lead_b, place, PART_LEAD_TIME))
        w.stale, w.rare_bound = 1, min(w.rare_bound, next_part(w))
        join_queue(w, PARTS, s)
        stock = queue_at(w.queues, PARTS)
        record(w, now, EVENT_PART_ORDER, s, stock.free - stock.count)
        _hand_out(plan, w, now)
    else:
        _ask_for_crew(plan, w, now, s, MANUAL_STAGE, place)


@inlined
def _ask_for_crew(plan, w, now, s, stage, place):  # type: ignore[no-untyped-def]  # compiled
    """Let a server ask for a crew of a stage; where one is free, nobody waits for it."""
    queue = queue_at(w.queues, stage)
    if queue.free > 0 and queue.count == 0:
        queue.free -= 1
        _begin(plan, w, now, s, stage, FIRST, place)
    else:
        join_queue(w, stage, s)


@bare
def part_arrival(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """A part that was ordered arrives."""
    drop_order(w)
    stock = queue_at(w.queues, PARTS)
    s = int(id_at(stock.ring, stock.head).server) if stock.count > 0 else NONE
    stock.free += 1
    record(w, now, EVENT_PART_ARRIVAL, s, stock.free - stock.count)
    _hand_out(plan, w, now)


@bare
def _hand_out(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Give the parts in stock to those that wait for one, who then ask for a crew."""
    stock = queue_at(w.queues, PARTS)
    while stock.free > 0 and stock.count > 0:
        stock.free -= 1
        s = leave_queue(w, PARTS)
        _ask_for_crew(plan, w, now, s, MANUAL_STAGE, _place(w, s))


@inlined
def _begin(plan, w, now, s, stage, waiting, place):  # type: ignore[no-untyped-def]  # compiled
    """A crew begins with a server, while others wait for one."""
    if stage == AUTOMATED_STAGE:
        _begin_automated(plan, w, now, s, waiting, place)
    else:
        _begin_manual(plan, w, now, s, waiting, place)


@bare
def _begin_automated(plan, w, now, s, waiting, place):  # type: ignore[no-untyped-def]  # compiled
    pass_on(w, now, s, AUTOMATED_REPAIR)
    record(w, now, EVENT_AUTOMATED_REPAIR_BEGIN, s, waiting)
    time = sample(plan.automated_kind, plan.automated_a, plan.automated_b, place, AUTOMATED_TIME)
    push_due(w, now + time, RANK_AUTOMATED_END, s)


@bare
def _begin_manual(plan, w, now, s, waiting, place):  # type: ignore[no-untyped-def]  # compiled
    pass_on(w, now, s, MANUAL_REPAIR)
    record(w, now, EVENT_MANUAL_REPAIR_BEGIN, s, waiting)
    time = sample(plan.manual_kind, plan.manual_a, plan.manual_b, place, MANUAL_TIME)
    push_due(w, now + hours_with_breaks(plan, now, time), RANK_MANUAL_END, s)
