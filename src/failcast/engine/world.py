"""The kernel's world: one record for the job, one per server, and a few flat arrays.

Everything a run changes lives here, so that compiled functions stay short and return nothing.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from failcast.engine.model import (
    BUCKETS,
    COUNTERS,
    PHASE_HOURS,
    RECOVERY_PARTS,
    SERIES_STATES,
    SERVER_STATES,
    TIERS,
)
from failcast.engine.plan import RETIRE_THRESHOLD, Plan
from failcast.engine.tables import LANES, NUMBER_DTYPE, address_of, code

NONE: Final = code(-1)
NO_PHASE: Final = code(-1)
NO_STATUS: Final = code(-1)
_CACHE_LINE: Final = 64  # bytes
#: Entries of the working pool that are kept for each server, past ones among them.
POOL_ROOM: Final = 4
FIRST: Final = code(0)  # the number of the first of anything that is counted by draws

CALENDAR_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("days_per_hour", np.float64),
            ("limit", np.float64),  # hours; who is due later is not on a list
            ("hanging", np.int64),  # servers on lists
            ("parked", np.int64),  # servers that are due after the limit
            ("today", np.int64),  # the sheet holds all that is due up to this day
            ("mask", np.int64),  # days of the ring - 1
            ("first", np.int64),  # line of the sheet
            ("last", np.int64),  # line behind the last
            ("room", np.int64),  # lines of the sheet
            ("days", np.uint64),
            ("sheet", np.uint64),
        ],
    )
)
#: A line on a calendar's sheet; the tie is rank × 2**32 + server.
SHEET_DTYPE: Final = np.dtype((np.record, [("key", np.float64), ("tie", np.int64)]))
TIE_DTYPE: Final = np.dtype((np.record, [("is_", np.int64)]))

_ADDRESSES: Final = (
    "servers",
    "states",
    "pool",
    "spares",
    "standbys",
    "idles",
    "befores",
    "day_keys",
    "day_ties",
    "reserves",
    "chosen",
    "ledger",
    "excess",
    "queues",
    "orders",
    "slots",
    "calendars",
    "blame_hours",
    "down_hours",
    "failing",  # servers that failed and are not diagnosed yet
    "ends",
    "lines",  # of the trace; a numpy record has a method trace
    "counts_of",  # the series
)

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
                "check_next",
                "death_bound",  # no server of a reserve fails before
                "wake_time",
                "replay_next",  # time of the next replayed failure
                "rare_bound",  # no wake, part, replayed failure, regeneration, check comes before
                "defective_hours",
                "defective_since",  # up to when they are counted
                "down_since",
                "from_wall",  # what was when the present stretch of computing began
                "from_clock",
                "from_progress",
                "from_kept",  # hours of checkpoints
                "part_begin",  # of the first part of a recovery that is not booked
                "count_step",  # of a series; 0: there is none
                "next_count",
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
                "stale",  # something changed what is next
                "active",
                "standby_head",
                "standby_count",
                "idle",
                "loans",
                "spares_left",
                "arriving",
                "not_retired",
                "down",  # servers in repair
                "most_down",
                "defective",  # of those that are active, standby or idle
                "last_rank",  # of the repair or arrival whose end ended the run, if one did
                "last_server",
                "pool_end",
                "spare_head",
                "selections",
                "recoveries",
                "regenerations",
                "replays",
                "events_left",  # until the run is cut short
                "trace_n",
                "trace_room",
                "servers_total",
                "lost_servers",  # taken out since the job last computed
                "restore_tier",  # from which the work that is left is loaded
                "writes",
                "from_number",
                "cycle",  # of the stretch: so many are over
                "cycles",  # so many there are before the end of the job
                "next_cycle",  # in which the failure or finish is that comes next
                "next_writing",
                "skips",  # nobody looks at each cycle
                "number",  # of the last checkpoint, counted along the progress
                "diagnosing",
                "failing_count",
                "first_part",  # of a recovery that is not booked
                "last_part",
                "counts_n",  # times of the series that are noted
                "counts_room",
                "counts_first",  # row of the first time of this replication
                "orders_due",  # parts that are ordered and have not arrived
                "orders_made",
            )
        ]
        + [("root", np.uint64)]
        + [(name, np.uint64) for name in _ADDRESSES]
        + [
            ("books", np.float64, (len(BUCKETS),)),
            ("counts", np.int64, (len(COUNTERS),)),
            ("server_hours", np.float64, (len(SERVER_STATES),)),
            ("since", np.float64, (len(SERVER_STATES),)),  # up to when they are counted
            ("phase_hours", np.float64, (len(PHASE_HOURS),)),
            ("part_ends", np.float64, (RECOVERY_PARTS,)),
            ("saved", np.float64, (TIERS,)),  # progress that a tier keeps; below 0, none
            ("unsafe", np.float64, (TIERS,)),  # progress of a copy that is on its way there
            ("safe_at", np.float64, (TIERS,)),  # when it will be there
            ("saved_number", np.int64, (TIERS,)),  # of the checkpoint that a tier keeps
            ("unsafe_number", np.int64, (TIERS,)),
        ],
    )
)

#: What of the world does not change while compiled code runs: where the tables are, and their room.
WORLD_FIXED: Final = (*_ADDRESSES, "servers_total", "trace_room", "count_step", "counts_room")

#: What an event of a server touches: 64 bytes, one line of cache.
SERVER_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("key", np.float64),  # when it is due in its calendar; active: its failure point
            ("life", np.float64),  # what remains of it; not of an active server, or in repair
            # When its repair began, its present state in a shop of limits, or its stay in reserve.
            ("since", np.float64),
            ("automated_end", np.float64),  # of a repair that is handed over
            ("manual_end", np.float64),  # and its end, where a trace tells of both
            # The next one on the list of a day; idle: its place among the idle ones.
            ("after", np.int32),
            ("in_pool", np.int32),  # its place in the working pool, if it is there
            ("renewal", np.int32),
            ("preemptions", np.int32),
            ("rank", np.int8),  # of what it is due for
            ("defective", np.int8),
            ("condemned", np.int8),
            # Its repair has a manual stage, as is known where the shop has no limits.
            ("escalated", np.int8),
            ("silent", np.int8),  # its repair will fail silently
            ("failed", np.int8),  # and nobody has found out, or mended it
            ("faulty", np.int8),  # a fault is in it that struck, or that will strike again
            ("relapsing", np.int8),  # its life ends where that fault strikes again
        ],
    )
)

#: The crews of one stage of repair, and the ring of servers that wait for one of them. Or parts.
QUEUE_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("free", np.int64),  # crews, or parts in stock
            ("head", np.int64),
            ("count", np.int64),  # of servers that wait
            ("ring", np.uint64),
        ],
    )
)

#: A part that is ordered: when it arrives, and the number of the order.
ORDER_DTYPE: Final = np.dtype((np.record, [("time", np.float64), ("number", np.int64)]))

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

#: Servers by state at one time of a series.
COUNTS_DTYPE: Final = np.dtype((np.record, [(name, np.int32) for name in SERIES_STATES]))

#: The status of a replication, or the word to stop.
FLAG_DTYPE: Final = np.dtype((np.record, [("is_", np.uint8)]))

#: A server in a pool, a queue or a selection.
ID_DTYPE: Final = np.dtype((np.record, [("server", np.int32)]))
#: States lie apart: a list of candidates looks at every server's.
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

AUTOMATED_STAGE: Final = code(0)  # the queues of the shop
MANUAL_STAGE: Final = code(1)
PARTS: Final = code(2)  # what is free are the parts in stock
QUEUES: Final = 3

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
        self.days = [np.zeros(_ring(total, 12), ID_DTYPE), np.zeros(_ring(total, 48), ID_DTYPE)]
        self.sheets = [np.zeros(2 * total, SHEET_DTYPE) for _ in self.days]
        for number, (days, sheet) in enumerate(zip(self.days, self.sheets, strict=True)):
            self.calendars["mask"][number] = len(days) - 1
            self.calendars["room"][number] = len(sheet)
            self.calendars["days"][number] = address_of(days)
            self.calendars["sheet"][number] = address_of(sheet)
        self.queues = np.zeros(QUEUES if plan.shop else 0, QUEUE_DTYPE)
        self.rings = [np.zeros(total, ID_DTYPE) for _ in self.queues]
        self.queues["ring"] = [address_of(ring) for ring in self.rings]
        self.tables = {
            "servers": _on_cache_lines(total, SERVER_DTYPE),
            "states": np.zeros(total + LANES, STATE_DTYPE),  # LANES are compared at once
            "pool": np.zeros(POOL_ROOM * total, ID_DTYPE),
            "spares": np.zeros(total, ID_DTYPE),
            "standbys": np.zeros(total, ID_DTYPE),
            "idles": np.zeros(total, ID_DTYPE),
            "befores": np.zeros(total, ID_DTYPE),  # on the list of a day that is linked back
            "day_keys": np.zeros(total + LANES, NUMBER_DTYPE),  # of a day that begins
            "day_ties": np.zeros(total, TIE_DTYPE),
            "reserves": np.zeros(total, ID_DTYPE),
            "chosen": np.zeros(total, ID_DTYPE),
            "failing": np.zeros(int(plan.job_servers) if plan.phased else 0, ID_DTYPE),
            "ledger": np.zeros(total if plan.ledger else 0, LEDGER_DTYPE),
            # Of a relapsing server: the hours by which its life would else have been longer.
            "excess": np.zeros(total if plan.faults else 0, HOURS_DTYPE),
            "queues": self.queues,
            # On order are so many as are missing in stock or waited for.
            "orders": np.zeros(int(plan.stock) + total if plan.parts else 0, ORDER_DTYPE),
            "slots": np.zeros(total, SLOT_DTYPE),
            "blame_hours": np.zeros(total * memory, HOURS_DTYPE),
            "down_hours": np.zeros(total + 1, HOURS_DTYPE),
            "ends": np.zeros(total if plan.age_kept else 0, HOURS_DTYPE),  # ages at which lives end
            "lines": trace,
            "calendars": self.calendars,
        }
        self.record = np.zeros(1, WORLD_DTYPE)[0]
        for name, table in self.tables.items():
            self.record[name] = address_of(table)
        self.record.servers_total, self.record.trace_room = total, len(trace)

    def count_into(self, rows: np.ndarray, step: float) -> None:
        """Have the servers counted every ``step`` hours into (replications, times, states).

        ``rows`` is contiguous, int32, and belongs to the caller.
        """
        self.counts = rows.reshape(-1).view(COUNTS_DTYPE)
        self.record.counts_of, self.record.counts_room = address_of(self.counts), rows.shape[1]
        self.record.count_step = step


def _on_cache_lines(rows: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Return a table of zeros that begins with a line of cache."""
    memory = np.zeros(rows * dtype.itemsize + _CACHE_LINE, np.uint8)
    begin = -int(memory.ctypes.data) % _CACHE_LINE
    return memory[begin : begin + rows * dtype.itemsize].view(dtype)


def _ring(servers: int, share: int) -> int:
    """Return the days of a ring: a power of two, about one for ``share`` servers."""
    return 1 << max(6, (servers // share).bit_length())
