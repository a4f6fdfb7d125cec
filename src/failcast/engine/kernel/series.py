"""Numbers of servers by state at the times of a grid, where anybody asks for them.

A run that is not sampled has its next grid time at infinity: one comparison for each event.
"""

from __future__ import annotations

import math

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import counts_at, queue_at
from failcast.engine.world import FIRST, QUEUES


@inlined
def begin_counts(w):  # type: ignore[no-untyped-def]  # compiled
    """Begin with time zero, or never."""
    w.counts_n = 0
    w.next_count = 0.0 if w.count_step > 0.0 else math.inf


@bare
def _waiting(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Return how many servers wait for a crew or a part."""
    waiting = FIRST
    if plan.shop != 0:
        for number in range(QUEUES):
            waiting += queue_at(w.queues, number).count
    return waiting


@bare
def count_servers(plan, w, now):  # type: ignore[no-untyped-def]  # compiled
    """Note how many servers are in each state at each grid time that is before ``now``.

    Nothing has happened since the last event, so all of these times have the same numbers.
    """
    while w.next_count < now:
        if w.counts_n == w.counts_room:
            w.next_count = math.inf
            return
        row = counts_at(w.counts_of, w.counts_first + w.counts_n)
        row.active = w.active
        row.standby = w.standby_count
        row.idle = w.idle
        row.spare = w.spares_left
        row.arriving = w.arriving
        row.awaiting_repair = _waiting(plan, w)
        row.in_repair = w.down - row.awaiting_repair
        row.retired = w.servers_total - w.not_retired
        w.counts_n += 1
        w.next_count = w.counts_n * w.count_step
