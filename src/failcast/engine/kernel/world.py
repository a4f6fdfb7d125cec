"""The kernel's world: one record for the job, one per server, and a few flat arrays.

Everything a run changes lives here, so that compiled functions stay short and return nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from failcast.engine.compiled import code
from failcast.engine.memory import address_of, row_of
from failcast.engine.model import BUCKETS, COUNTERS
from failcast.engine.plan import RETIRE_THRESHOLD, Plan

NONE: Final = code(-1)
NO_PHASE: Final = code(-1)
NO_STATUS: Final = code(-1)
FIRST: Final = code(0)  # the number of the first of anything that is counted by draws

CALENDAR_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("days_per_hour", np.float64),
            ("count", np.int64),
            ("today", np.int64),  # no server is due before this day
            ("mask", np.int64),  # days of the ring - 1
            ("days", np.uint64),
        ],
    )
)
#: A day: the first and the last server on its list.
DAY_DTYPE: Final = np.dtype((np.record, [("first", np.int32), ("last", np.int32)]))

#: The world: the job, and the addresses of all tables.
WORLD_DTYPE: Final = np.dtype(
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
                "active",
                "standby_head",
                "standby_count",
                "idle",
                "loans",
                "spares_left",
                "arriving",
                "not_retired",
                "pool_end",
                "spare_head",
                "selections",
                "recoveries",
                "regenerations",
                "events",
                "trace_n",
                "trace_room",
                "servers_total",
            )
        ]
        + [
            (name, np.uint64)
            for name in (
                "root",
                "servers",
                "states",
                "pool",
                "spares",
                "standbys",
                "chosen",
                "ledger",
                "slots",
                "calendars",
                "blame_hours",
                "lines",  # of the trace; a numpy record has a method trace
            )
        ]
        + [
            ("books", np.float64, (len(BUCKETS),)),
            ("counts", np.int64, (len(COUNTERS),)),
        ],
    )
)

#: What every event of a server touches: 40 bytes, less than a line of cache.
SERVER_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("key", np.float64),  # when it is due in its calendar; active: its failure point
            ("life", np.float64),  # not active: what remains of its life
            ("before", np.int32),  # in the list of a day
            ("after", np.int32),
            ("place", np.int32),  # in the working pool
            ("renewal", np.int32),
            ("preemptions", np.int32),
            ("rank", np.int8),  # of what it is due for
            ("defective", np.int8),
            ("condemned", np.int8),
            ("unused", np.int8),
        ],
    )
)

#: What an operator remembers of a server, kept where a policy asks for it.
LEDGER_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("joined", np.float64),  # the job's clock when it became active
            ("operated", np.float64),  # since its last blame, without the present stay
            ("score", np.float64),  # at its last blame
            ("blames", np.int64),
        ],
    )
)

HOURS_DTYPE: Final = np.dtype((np.record, [("hours", np.float64)]))

#: A server in a pool, a queue or a selection.
ID_DTYPE: Final = np.dtype((np.record, [("server", np.int32)]))
#: States lie apart: a selection looks at every server's.
STATE_DTYPE: Final = np.dtype((np.record, [("is_", np.int8)]))

#: Candidates that are sorted: by key, then draw, then number.
SLOT_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("candidate", np.int64),
            ("key", np.float64),
            ("draw", np.uint64),
        ],
    )
)

TRACE_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("time", np.float64),
            ("event", np.int32),
            ("server", np.int32),
            ("detail", np.int64),
        ],
    )
)

server_at = row_of(SERVER_DTYPE)
slot_at = row_of(SLOT_DTYPE)
id_at = row_of(ID_DTYPE)
state_at = row_of(STATE_DTYPE)
line_at = row_of(TRACE_DTYPE)
hours_at = row_of(HOURS_DTYPE)
calendar_at = row_of(CALENDAR_DTYPE)
ledger_at = row_of(LEDGER_DTYPE)
day_at = row_of(DAY_DTYPE)

FAILING: Final = code(0)  # the calendar of failure points, on the job's clock
DUE: Final = code(1)  # the calendar of repair ends and arrivals, in wall time


class World:
    """The memory of one run: ``record`` is what compiled code gets, the tables hang on it.

    Made once per block, reset for each replication. A ``trace`` of length 0 means that none is
    kept.
    """

    def __init__(self, plan: Plan, trace: np.ndarray) -> None:
        total = int(plan.servers_total)
        memory = int(plan.retire_failures) if plan.retirement == RETIRE_THRESHOLD else 0
        self.calendars = np.zeros(2, CALENDAR_DTYPE)
        self.days = [np.zeros(_ring(total, 2), DAY_DTYPE), np.zeros(_ring(total, 8), DAY_DTYPE)]
        for number, days in enumerate(self.days):
            self.calendars["mask"][number] = len(days) - 1
            self.calendars["days"][number] = address_of(days)
        self.tables = {
            "servers": np.zeros(total, SERVER_DTYPE),
            "states": np.zeros(total, STATE_DTYPE),
            "pool": np.zeros(2 * total, ID_DTYPE),
            "spares": np.zeros(total, ID_DTYPE),
            "standbys": np.zeros(total, ID_DTYPE),
            "chosen": np.zeros(total + 1, ID_DTYPE),  # one more: lists write before they keep
            "ledger": np.zeros(total if plan.ledger else 0, LEDGER_DTYPE),
            "slots": np.zeros(total, SLOT_DTYPE),
            "blame_hours": np.zeros(total * memory, HOURS_DTYPE),
            "lines": trace,
            "calendars": self.calendars,
        }
        self.record = np.zeros(1, WORLD_DTYPE)[0]
        for name, table in self.tables.items():
            self.record[name] = address_of(table)
        self.record.servers_total, self.record.trace_room = total, len(trace)


def _ring(servers: int, share: int) -> int:
    """Return the days of a ring: a power of two, about one for ``share`` servers."""
    return 1 << max(6, (servers // share).bit_length())
