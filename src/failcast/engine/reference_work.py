"""What the reference engine keeps of the job's work: checkpoints, what is lost, phases of recovery.

On the map: between reference_state.py, the nouns, and reference.py, the story.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from failcast.engine import model, random
from failcast.engine.lives import along, cycles_before_end
from failcast.engine.model import Status
from failcast.engine.plan import Plan
from failcast.engine.reference_state import Due, Server, State


class Copy(NamedTuple):
    """What a checkpoint holds: hours of progress; and its number, counted along the progress."""

    progress: float
    number: int


class Stretch(NamedTuple):
    """What was when a stretch of computing began: time, clock, progress, hours of checkpoints."""

    wall: float
    clock: float
    progress: float
    kept: float


#: What a tier keeps that keeps nothing.
NOTHING = Copy(-1.0, 0)


class Work(State):
    """A replication with what is computed, saved and lost."""

    def __init__(self, plan: Plan, *arguments: Any, **options: Any) -> None:
        super().__init__(plan, *arguments, **options)
        self.number = 0  # of the last checkpoint, counted along the progress
        self.saved = [NOTHING] * model.TIERS
        self.under_way: list[tuple[float, Copy] | None] = [None] * model.TIERS  # (safe at, what)
        self.writes = self.lost_servers = 0
        self.restore_tier: int | None = None
        self.failing: list[Server] = []  # who failed and is not diagnosed yet
        self.phase_hours = [0.0] * len(model.PHASE_HOURS)
        self.parts: list[tuple[int, float]] = []  # of the present recovery: part, end
        self.part_begin = 0.0
        self.recovery_hours = 0.0  # of the present stage of recovery

    def end(self, status: Status) -> None:
        """End the run; the hours up to now are booked."""
        self.book_parts()
        super().end(status)

    # --- Checkpoints ------------------------------------------------------------------------------

    def begin_stretch(self) -> None:
        """A stretch of computing begins, from which the times of its checkpoints are counted."""
        self.stretch = Stretch(self.wall, self.clock, self.progress, self.books[model.CHECKPOINT])
        self.cycle, self.cycles = 0, 0
        if self.plan.checkpointed:
            interval = float(self.plan.checkpoint_interval)
            length = float(self.plan.length)
            self.cycles = int(cycles_before_end(length, self.progress, interval))

    def after(self, start: float, cycles: int, writes: int, write: float) -> float:
        """Return ``start`` and so many intervals and writes; all sums are from the beginning."""
        return float(along(start, cycles, float(self.plan.checkpoint_interval), writes, write))

    def checkpoint_begin(self) -> tuple[float, float]:
        """Return where the clock and the time will be at the next checkpoint."""
        if self.cycle == self.cycles:
            return math.inf, math.inf
        n, stretch, plan = self.cycle + 1, self.stretch, self.plan
        clock = self.after(stretch.clock, n, n - 1, float(plan.write_exposed))
        return clock, self.after(stretch.wall, n, n - 1, float(plan.write_a))

    def settle_begin(self) -> None:
        """Book the hours up to the beginning of a checkpoint."""
        self.clock, self.wall = self.checkpoint_begin()[0], self.env.now
        self.progress = self.after(self.stretch.progress, self.cycle + 1, 0, 0.0)
        self.books[model.PRODUCTIVE] = self.progress

    def write_end(self) -> Due:
        """Return the end of the checkpoint that begins now."""
        number, self.writes = self.writes, self.writes + 1
        over = Due(self, model.RANK_PHASE_END)
        if self.plan.steady:
            n = self.cycle + 1
            return over.set_at(self.after(self.stretch.wall, n, n, float(self.plan.write_a)))
        return over.set(self.time_of("write", random.CHECKPOINT_WRITE, number))

    def settle_end(self) -> None:
        """Book the hours up to the end of a checkpoint."""
        if not self.plan.steady:
            self.settle()
            self.begin_stretch()
            return
        self.cycle += 1
        n, stretch, plan = self.cycle, self.stretch, self.plan
        self.clock = self.after(stretch.clock, n, n, float(plan.write_exposed))
        self.wall = self.env.now
        self.books[model.CHECKPOINT] = float(along(stretch.kept, n, float(plan.write_a), 0, 0.0))

    def keep_checkpoint(self) -> None:
        """The checkpoint is written, and on its way to the tiers whose turn it is."""
        taken = 0
        self.number += 1
        for tier, every in enumerate(self.plan.tier_every):
            self.look_at(tier)
            due = 0 < every <= self.number - self.saved[tier].number
            if due and self.under_way[tier] is None:
                stream = random.TIER_PERSIST + tier
                time = self.chance.sample(
                    self.plan.distribution("persist", tier), stream, self.writes - 1, 0
                )
                self.under_way[tier] = (self.env.now + time, Copy(self.progress, self.number))
                taken += 1
        self.counts[model.CHECKPOINTS] += 1
        self.record(model.EVENT_CHECKPOINT, -1, taken)

    def look_at(self, tier: int) -> None:
        """Let the copy that is on its way to a tier be there, if it is time."""
        copy = self.under_way[tier]
        if copy is not None and copy[0] <= self.env.now:
            self.saved[tier], self.under_way[tier] = copy[1], None

    def lose_work(self, severity: int) -> None:
        """Go back to the newest checkpoint that survives: what was computed since then is lost."""
        if not self.plan.loses_work:
            return
        best, self.restore_tier = Copy(0.0, 0), None
        for tier, survives in enumerate(self.plan.tier_survives):
            self.look_at(tier)
            self.under_way[tier] = None
            if severity > survives:
                self.saved[tier] = NOTHING
            if self.saved[tier].progress > best.progress:
                best, self.restore_tier = self.saved[tier], tier
        self.books[model.LOST] += self.progress - best.progress
        self.books[model.PRODUCTIVE] = self.progress = best.progress
        self.number = best.number

    def lose_server(self) -> None:
        """A server is taken out of the job, and what it kept is gone."""
        self.lost_servers += 1
        self.lose_work(model.SERVER_LOST if self.lost_servers == 1 else model.SERVERS_LOST)

    # --- The parts of a recovery ------------------------------------------------------------------

    def plan_parts(self, first: int, last: int) -> float:
        """Draw how long parts of a recovery take, and return the sum in hours."""
        elapsed, self.parts, self.part_begin = 0.0, [], self.env.now
        for part in range(first, last):
            elapsed += self.part_hours(part)
            self.parts.append((part, self.part_begin + elapsed))
        return elapsed

    def part_hours(self, part: int) -> float:
        """Return the drawn duration of a part of the present recovery."""
        number = self.recoveries - 1
        if part == model.UNDIVIDED_PART:
            return self.time_of("recovery", random.RECOVERY_TIME, number)
        phase = part - (part > model.UNDIVIDED_PART)
        stream = random.RECOVERY_PHASE + phase
        time = self.chance.sample(self.plan.distribution("phase", phase), stream, number, 0)
        if model.PHASE_HOURS[phase] == "load_hours" and self.restore_tier is not None:
            restore = self.plan.distribution("restore", self.restore_tier)
            time += self.chance.sample(restore, random.RESTORE, number, 0)
        return time

    def book_parts(self) -> None:
        """Book the hours of the present recovery by phase, as far as it came."""
        begin = self.part_begin
        for part, planned in self.parts:
            end = min(planned, self.env.now)
            if part != model.UNDIVIDED_PART:
                self.phase_hours[part - (part > model.UNDIVIDED_PART)] += end - begin
            begin = end
        self.parts = []
