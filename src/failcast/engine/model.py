"""The diagram as data: states, phases, events, ranks, transitions, hours, metrics.

Both engines, the tests and the documentation read these tables; none of them keeps a copy.
Times are hours. Codes are plain integers because compiled code reads them as constants.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from failcast.engine.tables import code

# --- A server is in exactly one state -------------------------------------------------------
ACTIVE: Final = code(0)
STANDBY: Final = code(1)
IDLE: Final = code(2)
SPARE: Final = code(3)
ARRIVING: Final = code(4)
AWAITING_REPAIR: Final = code(5)
AUTOMATED_REPAIR: Final = code(6)
MANUAL_REPAIR: Final = code(7)
REQUALIFICATION: Final = code(8)
RETIRED: Final = code(9)

SERVER_STATES: Final = (
    "active",
    "standby",
    "idle",
    "spare",
    "arriving",
    "awaiting_repair",
    "automated_repair",
    "manual_repair",
    "requalification",
    "retired",
)

#: What a series counts at a grid time: servers by state, all stages of a repair as one.
SERIES_STATES: Final = (
    "active",
    "standby",
    "idle",
    "spare",
    "arriving",
    "awaiting_repair",
    "in_repair",
    "retired",
)

#: (from, to, what makes it happen). Every change of a server's state is one of these.
SERVER_TRANSITIONS: Final = (
    (IDLE, ACTIVE, "host selection"),
    (IDLE, STANDBY, "host selection"),
    (STANDBY, ACTIVE, "promotion at the end of a recovery"),
    (STANDBY, IDLE, "host selection after a failure while the job stood still"),
    (ACTIVE, STANDBY, "host selection"),
    (ACTIVE, IDLE, "host selection"),
    (ACTIVE, AUTOMATED_REPAIR, "blamed for a failure"),
    (ACTIVE, AWAITING_REPAIR, "blamed for a failure, in a shop of limits"),
    (AWAITING_REPAIR, AUTOMATED_REPAIR, "a crew is free, at once or after a while"),
    (AWAITING_REPAIR, MANUAL_REPAIR, "a crew is free, at once or after a while"),
    (AUTOMATED_REPAIR, MANUAL_REPAIR, "escalated"),
    (AUTOMATED_REPAIR, AWAITING_REPAIR, "escalated, in a shop of limits"),
    (AUTOMATED_REPAIR, STANDBY, "repaired; a standby was missing"),
    (AUTOMATED_REPAIR, IDLE, "repaired"),
    (AUTOMATED_REPAIR, RETIRED, "condemned at the blame, executed when the repair ends"),
    (MANUAL_REPAIR, STANDBY, "repaired; a standby was missing"),
    (MANUAL_REPAIR, IDLE, "repaired"),
    (MANUAL_REPAIR, RETIRED, "condemned at the blame, executed when the repair ends"),
    (AUTOMATED_REPAIR, REQUALIFICATION, "repaired, and to be tested"),
    (MANUAL_REPAIR, REQUALIFICATION, "repaired, and to be tested"),
    (REQUALIFICATION, AWAITING_REPAIR, "the test found that the repair failed"),
    (REQUALIFICATION, STANDBY, "passed; a standby was missing"),
    (REQUALIFICATION, IDLE, "passed"),
    (REQUALIFICATION, SPARE, "passed; it failed as a spare"),
    (REQUALIFICATION, RETIRED, "condemned at the blame, executed when the repair ends"),
    (STANDBY, AUTOMATED_REPAIR, "found failed"),
    (STANDBY, AWAITING_REPAIR, "found failed, in a shop of limits"),
    (IDLE, AUTOMATED_REPAIR, "found failed"),
    (IDLE, AWAITING_REPAIR, "found failed, in a shop of limits"),
    (SPARE, AUTOMATED_REPAIR, "found failed"),
    (SPARE, AWAITING_REPAIR, "found failed, in a shop of limits"),
    (AUTOMATED_REPAIR, SPARE, "repaired; it failed as a spare"),
    (MANUAL_REPAIR, SPARE, "repaired; it failed as a spare"),
    (SPARE, ARRIVING, "preempted from the spare pool"),
    (ARRIVING, IDLE, "arrived in the working pool"),
    (IDLE, SPARE, "on loan and no longer needed (return: when_healed)"),
)

# --- The job is in exactly one phase --------------------------------------------------------
WAITING: Final = code(0)
STALLED: Final = code(1)
SELECTING: Final = code(2)
COMPUTING: Final = code(3)
RECOVERING: Final = code(4)
CHECKPOINTING: Final = code(5)
ENDED: Final = code(6)

JOB_PHASES: Final = (
    "waiting",
    "stalled",
    "selecting",
    "computing",
    "recovering",
    "checkpointing",
    "ended",
)

#: (from, to, what makes it happen). The job is born between phases; its first act is a selection.
JOB_TRANSITIONS: Final = (
    (None, SELECTING, "start with enough servers"),
    (None, WAITING, "start with a shortage that spares can relieve"),
    (None, STALLED, "start, no spares, and a user's own policy finds too few servers"),
    (WAITING, WAITING, "a spare arrived, still short, the next is preempted (one_at_a_time)"),
    (WAITING, SELECTING, "enough servers"),
    (WAITING, STALLED, "still short and no arrival is due"),
    (STALLED, SELECTING, "enough servers came back"),
    (SELECTING, COMPUTING, "the selection's time is over"),
    (SELECTING, SELECTING, "a server failed (exposure: selecting), enough are left"),
    (SELECTING, WAITING, "a server failed (exposure: selecting), short, spares are preempted"),
    (SELECTING, STALLED, "a server failed (exposure: selecting), short, no spares"),
    (STALLED, WAITING, "a spare came back from repair and is preempted"),
    (COMPUTING, RECOVERING, "a server failed"),
    (COMPUTING, CHECKPOINTING, "so much was computed since the last checkpoint or restart"),
    (CHECKPOINTING, COMPUTING, "the checkpoint is written"),
    (CHECKPOINTING, RECOVERING, "a server failed; the checkpoint is lost"),
    (RECOVERING, RECOVERING, "a server failed while recovering (exposure: recovering)"),
    (RECOVERING, COMPUTING, "recovered, every vacancy filled from the standbys"),
    (RECOVERING, SELECTING, "recovered, a vacancy is left, enough servers"),
    (RECOVERING, WAITING, "recovered, a vacancy is left, short, spares are preempted"),
    (RECOVERING, STALLED, "recovered, a vacancy is left, short, no spares"),
    (COMPUTING, ENDED, "finished, or a limit: horizon or events"),
    (SELECTING, ENDED, "a limit: horizon or events"),
    (CHECKPOINTING, ENDED, "a limit: horizon or events"),
    (RECOVERING, ENDED, "depleted, or a limit: horizon or events"),
    (WAITING, ENDED, "depleted, or a limit: horizon or events"),
    (STALLED, ENDED, "depleted, or a limit: horizon or events"),
)


class Status(IntEnum):
    """Why a run ended. Only ``FINISHED`` runs enter the averages."""

    FINISHED = 0
    DEPLETED = 1
    OUT_OF_TIME = 2
    OUT_OF_EVENTS = 3

    @property
    def label(self) -> str:
        """The status as results and files spell it, such as ``"out_of_time"``."""
        return self.name.lower()


# --- Ties in time are broken by rank, then by server number ----------------------------------
RANK_AUTOMATED_END: Final = code(0)
RANK_MANUAL_END: Final = code(1)
RANK_REQUALIFICATION_END: Final = code(2)
RANK_ARRIVAL: Final = code(3)
RANK_PART_ARRIVAL: Final = code(4)
RANK_HEALTH_CHECK: Final = code(5)
RANK_REGENERATION: Final = code(6)
RANK_FINISH: Final = code(7)
RANK_CHECKPOINT: Final = code(8)
RANK_FAILURE: Final = code(9)
RANK_PHASE_END: Final = code(10)
RANK_STALL_WAKE: Final = code(11)
RANK_HORIZON: Final = code(12)
#: Not a rank of its own: a replayed failure has that of a failure.
RANK_REPLAY: Final = code(13)

#: Rank by rank.
RANKS: Final = (
    "end of automated repair",
    "end of manual repair",
    "end of requalification",
    "arrival",
    "arrival of a part, then by the number of its order",
    "health check",
    "regeneration",
    "finish",
    "checkpoint",
    "failure",
    "end of a phase",
    "stall wake",
    "horizon",
)

#: So often an innocent server is drawn among all servers before the active ones are counted out.
INNOCENT_TRIES: Final = code(64)

#: A selection draws among all servers until it hits a candidate, where the job has one of so many
#: or more; with fewer it draws from a list of the candidates.
TRIES_PER_HIT: Final = code(4)

# --- What a trace records ---------------------------------------------------------------------
EVENT_WAITING: Final = code(0)
EVENT_STALLED: Final = code(1)
EVENT_SELECTING: Final = code(2)
EVENT_COMPUTING: Final = code(3)
EVENT_RECOVERING: Final = code(4)
EVENT_CHECKPOINTING: Final = code(5)
EVENT_FAILURE: Final = code(6)
EVENT_BLAME: Final = code(7)
EVENT_PROMOTION: Final = code(8)
EVENT_AUTOMATED_REPAIR_BEGIN: Final = code(9)
EVENT_AUTOMATED_REPAIR_END: Final = code(10)
EVENT_MANUAL_REPAIR_BEGIN: Final = code(11)
EVENT_MANUAL_REPAIR_END: Final = code(12)
EVENT_REQUALIFICATION_END: Final = code(13)
EVENT_PART_ORDER: Final = code(14)
EVENT_PART_ARRIVAL: Final = code(15)
EVENT_RETIREMENT: Final = code(16)
EVENT_PREEMPTION: Final = code(17)
EVENT_ARRIVAL: Final = code(18)
EVENT_RETURN_TO_SPARES: Final = code(19)
EVENT_REGENERATION: Final = code(20)
EVENT_CHECKPOINT: Final = code(21)
EVENT_FOUND_FAILED: Final = code(22)
EVENT_FINISHED: Final = code(23)
EVENT_DEPLETED: Final = code(24)
EVENT_OUT_OF_TIME: Final = code(25)
EVENT_OUT_OF_EVENTS: Final = code(26)

#: (name, meaning of the detail column). The first are the job's phases, in their order.
EVENTS: Final = (
    ("waiting", "servers missing"),
    ("stalled", "servers missing"),
    ("selecting", "standbys chosen"),
    ("computing", "standbys at hand"),
    ("recovering", "standbys at hand"),
    ("checkpointing", "standbys at hand"),
    ("failure", "0 random, 1 systematic, 2 a fault that strikes again"),
    ("blame", "1 the server that failed, 0 an innocent one"),
    ("promotion", "standbys left"),
    ("automated_repair_begin", "servers that still wait; recorded in a shop of limits"),
    ("automated_repair_end", "0 failed silently, 1 success, 2 escalated"),
    ("manual_repair_begin", "servers that still wait; recorded in a shop of limits"),
    ("manual_repair_end", "0 failed silently, 1 success"),
    ("requalification_end", "0 it was found that the repair failed, 1 passed"),
    ("part_order", "parts in stock after it; below zero, servers that wait for one"),
    ("part_arrival", "parts in stock after it; below zero, servers that wait for one"),
    ("retirement", "servers not retired that are left"),
    ("preemption", "spares left"),
    ("arrival", "arrivals still due"),
    ("return_to_spares", "servers still on loan"),
    ("regeneration", "servers that turned defective"),
    ("checkpoint", "tiers that it is kept on"),
    ("found_failed", "1 a standby, 2 an idle server, 3 a spare"),
    ("finished", "0"),
    ("depleted", "servers not retired"),
    ("out_of_time", "0"),
    ("out_of_events", "0"),
)
EVENT_NAMES: Final = tuple(name for name, _ in EVENTS)

REPAIR_SILENT: Final = code(0)
REPAIR_SUCCESS: Final = code(1)
REPAIR_ESCALATED: Final = code(2)

# --- The books: every hour of a run is in exactly one bucket ------------------------------------
PRODUCTIVE: Final = code(0)
LOST: Final = code(1)
DEGRADED: Final = code(2)
CHECKPOINT: Final = code(3)
RECOVERY: Final = code(4)
SELECTION: Final = code(5)
WAITING_HOURS: Final = code(6)
STALLED_HOURS: Final = code(7)

BUCKETS: Final = (
    "productive_hours",
    "lost_hours",
    "degraded_hours",
    "checkpoint_hours",
    "recovery_hours",
    "selection_hours",
    "waiting_hours",
    "stalled_hours",
)

#: Bucket of each job phase, by phase code (``ended`` spends nothing).
BUCKET_OF_PHASE: Final = (
    WAITING_HOURS,
    STALLED_HOURS,
    SELECTION,
    PRODUCTIVE,
    RECOVERY,
    CHECKPOINT,
    PRODUCTIVE,
)

#: Hours of recovery by phase, in the order of the phases; what is not divided is in none of them.
PHASE_HOURS: Final = (
    "detect_hours",
    "diagnose_hours",
    "reschedule_hours",
    "restart_hours",
    "load_hours",
    "warm_up_hours",
)
#: The parts of a recovery: so many, which of them is not divided, and which loads a checkpoint.
RECOVERY_PARTS: Final = code(7)
UNDIVIDED_PART: Final = code(2)
LOAD_PART: Final = code(5)
#: Up to here, nobody is blamed.
DIAGNOSIS_PARTS: Final = code(2)

# --- Checkpoints ---------------------------------------------------------------------------------
#: Tiers that keep checkpoints, the nearest first, and how bad a failure can be for them.
TIERS: Final = code(4)
CRASHED: Final = code(0)
REBOOTED: Final = code(1)
SERVER_LOST: Final = code(2)
SERVERS_LOST: Final = code(3)

#: Who has failed, and nobody has found out or mended it.
NOT_FAILED: Final = code(0)
FAILED_ACTIVE: Final = code(1)
FAILED_SPARE: Final = code(2)

#: The cause of a failure, as the trace tells it; the first counters are in this order.
CAUSE_RANDOM: Final = code(0)
CAUSE_SYSTEMATIC: Final = code(1)
CAUSE_RELAPSE: Final = code(2)

# --- Counters ------------------------------------------------------------------------------------
FAILURES_RANDOM: Final = code(0)
FAILURES_SYSTEMATIC: Final = code(1)
RELAPSES: Final = code(2)
BLAMED_RIGHT: Final = code(3)
BLAMED_WRONG: Final = code(4)
UNDIAGNOSED: Final = code(5)
REPAIRS_AUTOMATED: Final = code(6)
REPAIRS_MANUAL: Final = code(7)
REPAIRS_SUCCESSFUL: Final = code(8)
REPAIRS_SILENT: Final = code(9)
REQUALIFICATIONS: Final = code(10)
PREEMPTIONS: Final = code(11)
HOST_SELECTIONS: Final = code(12)
STANDBY_PROMOTIONS: Final = code(13)
STALLS: Final = code(14)
SERVERS_RETIRED: Final = code(15)
CHECKPOINTS: Final = code(16)
FAILURES_RESERVE: Final = code(17)
REPLAY_IGNORED: Final = code(18)

COUNTERS: Final = (
    "failures_random",
    "failures_systematic",
    "relapses",
    "blamed_right",
    "blamed_wrong",
    "undiagnosed",
    "repairs_automated",
    "repairs_manual",
    "repairs_successful",
    "repairs_silent",
    "requalifications",
    "preemptions",
    "host_selections",
    "standby_promotions",
    "stalls",
    "servers_retired",
    "checkpoints",
    "failures_reserve",
    "replay_ignored",
)

#: What a run costs, where anything has a price. No engine knows prices: ``cost.py`` fills it in.
COST: Final = "cost"

#: The columns of a run's result row, in order; names are fixed, later blocks add to them.
METRICS: Final = (
    "training_hours",
    "ettr",
    *BUCKETS,
    *PHASE_HOURS,
    "failures",
    *COUNTERS,
    "down_p99",
    "defective_mean",
    "mean_run_hours",
    COST,
)

#: For so large a part of the time no more servers than ``down_p99`` are in repair at once.
DOWN_SHARE: Final = 0.99
