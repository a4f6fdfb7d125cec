"""The kernel's world: one record for the job, one per server, and a few flat arrays.

Everything a run changes lives here, so that compiled functions stay short and return nothing.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from failcast.engine.compiled import bare, code
from failcast.engine.kernel.order import keep_first
from failcast.engine.lives import life_hours
from failcast.engine.model import BUCKETS, COUNTERS, IDLE, SPARE
from failcast.engine.plan import RETIRE_THRESHOLD, Plan
from failcast.engine.random import DEFECTIVE, address, bits, replication_root

NONE: Final = code(-1)
NO_PHASE: Final = code(-1)
NO_STATUS: Final = code(-1)
FIRST: Final = code(0)  # the number of the first of anything that is counted by draws

JOB_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            (name, np.float64)
            for name in (
                "wall",  # the time up to which the hours are booked
                "clock",  # the job's clock: hours of exposure
                "progress",
                "next_time",  # of the job's own next event
                "phase_end",
                "regeneration_next",
                "wake_time",
            )
        ]
        + [
            (name, np.int64)
            for name in (
                "phase",
                "status",
                "short",
                "wake",
                "next_rank",
                "next_server",
                "failures_n",  # the size of the heap of failure points: the active servers
                "due_n",  # the size of the heap of repair ends and arrivals
                "standby_head",
                "standby_count",
                "idle",
                "spares",
                "loans",
                "arriving",
                "not_retired",
                "pool_head",
                "pool_tail",
                "spare_head",
                "spare_tail",
                "selections",
                "recoveries",
                "regenerations",
                "events",
                "trace_n",
            )
        ]
        + [
            ("root", np.uint64),
            ("books", np.float64, (len(BUCKETS),)),
            ("counts", np.int64, (len(COUNTERS),)),
        ],
    )
)

SERVER_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("point", np.float64),  # active: on the job's clock; else: what remains of the life
            ("joined", np.float64),
            ("operated", np.float64),
            ("score", np.float64),  # at the last blame
            ("previous", np.int32),  # in the pool's list
            ("next", np.int32),
            ("place", np.int32),  # in the heap of failure points
            ("renewal", np.int32),
            ("blames", np.int32),
            ("preemptions", np.int32),
            ("state", np.int8),
            ("defective", np.int8),
            ("condemned", np.int8),
            ("chosen", np.int8),  # scratch of a selection
        ],
    )
)


#: One entry of a heap: failure points on the job's clock, or repair ends and arrivals in time.
HEAP_DTYPE: Final = np.dtype((np.record, [("key", np.float64), ("code", np.int64)]))

#: Room for one thing of each kind per server: the ring of standbys, the lists of a selection.
SLOT_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("standby", np.int64),  # ring, first in first out
            ("candidate", np.int64),
            ("key", np.float64),  # what candidates are sorted by, then the draw
            ("draw", np.uint64),
        ],
    )
)

TRACE_DTYPE: Final = np.dtype(
    (
        np.record,
        [("time", np.float64), ("event", np.int32), ("server", np.int32), ("detail", np.int64)],
    )
)


class World(NamedTuple):
    """All that one run changes; made once per block, reset for each replication.

    Few members on purpose: compiled functions hand the world on by value.
    """

    job: Any  # one record of JOB_DTYPE
    servers: np.ndarray
    slots: np.ndarray
    failing: np.ndarray  # heap of the active servers: failure point, server
    due: np.ndarray  # heap of repair ends and arrivals: time, rank and server
    blame_hours: np.ndarray  # ring of the last blames of each server, one after the other
    trace: np.ndarray


def make_world(plan: Plan, trace: np.ndarray) -> World:
    """Return a world of the plan's size; a ``trace`` of length 0 means that none is kept."""
    total = int(plan.servers_total)
    memory = int(plan.retire_failures) if plan.retirement == RETIRE_THRESHOLD else 0
    return World(
        job=np.zeros(1, JOB_DTYPE)[0],
        servers=np.zeros(total, SERVER_DTYPE),
        slots=np.zeros(total, SLOT_DTYPE),
        failing=np.zeros(total, HEAP_DTYPE),
        due=np.zeros(total, HEAP_DTYPE),
        blame_hours=np.zeros(total * memory, np.float64),
        trace=trace,
    )


@bare
def reset(plan, w, seed, replication):  # type: ignore[no-untyped-def]  # compiled
    """Put the world into the state at time zero of one replication."""
    job = w.job
    for i in range(len(BUCKETS)):
        job.books[i] = 0.0
    for i in range(len(COUNTERS)):
        job.counts[i] = 0
    job.wall = job.clock = job.progress = 0.0
    job.phase, job.status = NO_PHASE, NO_STATUS
    job.short = job.wake = 0
    job.failures_n = job.due_n = 0
    job.standby_head = job.standby_count = 0
    job.idle, job.spares = plan.working_pool, plan.spare_pool
    job.loans = job.arriving = 0
    job.not_retired = plan.servers_total
    job.selections = job.recoveries = job.regenerations = 0
    job.events = job.trace_n = 0
    job.regeneration_next = plan.regeneration_interval
    job.root = replication_root(seed, replication)
    _reset_servers(plan, w)


@bare
def _reset_servers(plan, w):  # type: ignore[no-untyped-def]  # compiled
    job, total = w.job, plan.servers_total
    job.pool_head = job.pool_tail = job.spare_head = job.spare_tail = NONE
    for s in range(total):
        server = w.servers[s]
        server.joined = server.operated = 0.0
        server.score = plan.score_initial
        server.renewal = server.blames = server.preemptions = 0
        server.defective = server.condemned = server.chosen = 0
        server.place = NONE
        w.slots[s].candidate = s
        if s < plan.working_pool:
            server.state = IDLE
            append_to_pool(w, s)
        else:
            server.state = SPARE
            append_to_spares(w, s)
    keep_smallest_draws(w, DEFECTIVE, FIRST, total, plan.defective_count)
    for i in range(plan.defective_count):
        w.servers[w.slots[i].candidate].defective = 1
    for s in range(total):
        server = w.servers[s]
        server.point = life_hours(plan, job.root, s, FIRST, server.defective)


@bare
def keep_smallest_draws(w, stream, n, m, count):  # type: ignore[no-untyped-def]  # compiled
    """Leave in front those ``count`` of the first ``m`` candidates whose draws are smallest."""
    for i in range(m):
        slot = w.slots[i]
        slot.key, slot.draw = 0.0, bits(address(w.job.root, slot.candidate, n), stream)
    keep_first(w, m, count)


# --- Pools are linked lists, in the order of entry ------------------------------------------------


@bare
def append_to_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the working pool."""
    job = w.job
    tail = job.pool_tail
    w.servers[s].previous, w.servers[s].next = tail, NONE
    if tail == NONE:
        job.pool_head = s
    else:
        w.servers[tail].next = s
    job.pool_tail = s


@bare
def remove_from_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the working pool."""
    job = w.job
    previous, following = w.servers[s].previous, w.servers[s].next
    if previous == NONE:
        job.pool_head = following
    else:
        w.servers[previous].next = following
    if following == NONE:
        job.pool_tail = previous
    else:
        w.servers[following].previous = previous


@bare
def append_to_spares(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the spare pool."""
    job = w.job
    tail = job.spare_tail
    w.servers[s].previous, w.servers[s].next = tail, NONE
    if tail == NONE:
        job.spare_head = s
    else:
        w.servers[tail].next = s
    job.spare_tail = s


@bare
def pop_spare(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the first server out of the spare pool and return it."""
    job = w.job
    s = job.spare_head
    job.spare_head = w.servers[s].next
    if job.spare_head == NONE:
        job.spare_tail = NONE
    else:
        w.servers[job.spare_head].previous = NONE
    return s
