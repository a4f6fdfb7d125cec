"""A repair shop of limits, for the reference engine: who waits, who is worked on, who is done.

``Reference`` sends a blamed server here where crews are limited. Without limits a repair is the
process in ``reference.py``.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from failcast.engine import model, random
from failcast.engine.reference_state import Due, Process, Server, State
from failcast.engine.shifts import hours_with_breaks


class Stage(NamedTuple):
    """What tells a stage of repair from the others."""

    state: int
    name: str  # of its time in the plan
    stream: int
    rank: int
    begins: int  # events of the trace
    ends: int


AUTOMATED: Final = Stage(
    model.AUTOMATED_REPAIR,
    "automated",
    random.AUTOMATED_TIME,
    model.RANK_AUTOMATED_END,
    model.EVENT_AUTOMATED_REPAIR_BEGIN,
    model.EVENT_AUTOMATED_REPAIR_END,
)
MANUAL: Final = Stage(
    model.MANUAL_REPAIR,
    "manual",
    random.MANUAL_TIME,
    model.RANK_MANUAL_END,
    model.EVENT_MANUAL_REPAIR_BEGIN,
    model.EVENT_MANUAL_REPAIR_END,
)


class Crews:
    """Those who work at a stage, and the servers that wait for them, first come first served.

    With each server waits the end of its stage, which has no time before a crew begins.
    """

    def __init__(self, number: int) -> None:
        self.free = number
        self.queue: deque[tuple[Server, Due]] = deque()


class Shop(State):
    """A repair shop of limits; each stage's end is an event that counts."""

    crews: dict[Stage, Crews]
    stock = 0  # parts
    waiting_for_parts: deque[tuple[Server, Due]]
    orders = 0  # of parts, so far

    def open_shop(self) -> None:
        """Begin at time zero with all crews free, all parts in stock and nobody waiting."""
        plan = self.plan
        self.stock, self.waiting_for_parts = int(plan.stock), deque()
        self.crews = {
            AUTOMATED: Crews(int(plan.automated_crews)),
            MANUAL: Crews(int(plan.manual_crews)),
        }

    def bring_in(self, server: Server) -> Process:
        """Let a blamed server ask for the automated stage; return the process of its repair."""
        return self.repair_with_limits(server, self.ask_for(AUTOMATED, server))

    def repair_with_limits(self, server: Server, automated_end: Due) -> Process:
        """Automated repair, then perhaps manual repair, each when a crew is free; then a test."""
        plan, chance, at = self.plan, self.chance, (server.number, server.renewal)
        yield automated_end
        self.counts[model.REPAIRS_AUTOMATED] += 1
        if self.policies.escalate(self.view(server), chance.uniform(random.ESCALATE, *at)):
            self.stage_ends(AUTOMATED, server, model.REPAIR_ESCALATED)
            silent = yield from self.manual_stage(server)
        else:
            silent = chance.uniform(random.AUTOMATED_SILENT, *at) < plan.p_automated_silent
            self.stage_ends(AUTOMATED, server, int(not silent))
        while plan.requalified and (yield from self.fails_test(server, silent)):
            server.renewal += 1  # what is drawn for a repair is drawn anew
            silent = yield from self.manual_stage(server)
        self.count_stage(server)
        self.come_back(server, silent)

    def manual_stage(self, server: Server) -> Process:
        """Wait for a part and a crew, and for its work; return whether it failed silently."""
        self.pass_on(server, model.AWAITING_REPAIR)
        yield self.ask_for_manual(server)
        self.counts[model.REPAIRS_MANUAL] += 1
        u = self.chance.uniform(random.MANUAL_SILENT, server.number, server.renewal)
        silent = u < self.plan.p_manual_silent
        self.stage_ends(MANUAL, server, int(not silent))
        return silent

    def fails_test(self, server: Server, silent: bool) -> Process:
        """Test a server after its repair; return whether that is found to have failed."""
        plan, chance, at = self.plan, self.chance, (server.number, server.renewal)
        self.pass_on(server, model.REQUALIFICATION)
        time = chance.sample(plan.distribution("requalification"), random.REQUALIFICATION_TIME, *at)
        yield Due(self, model.RANK_REQUALIFICATION_END, server.number).set(time)
        self.counts[model.REQUALIFICATIONS] += 1
        found = silent and chance.uniform(random.DETECTED, *at) < plan.p_detected
        self.record(model.EVENT_REQUALIFICATION_END, server.number, int(not found))
        return found

    def ask_for(self, stage: Stage, server: Server) -> Due:
        """Let a server wait for a crew; return the end of its stage."""
        end = Due(self, stage.rank, server.number)
        self.crews[stage].queue.append((server, end))
        self.serve(stage)
        return end

    def ask_for_manual(self, server: Server) -> Due:
        """Let a server wait for a part, if it needs one, and then for a crew; return its end."""
        plan, at = self.plan, (server.number, server.renewal)
        needed = plan.parts and self.chance.uniform(random.PART_NEEDED, *at) < plan.p_part
        if not needed:
            return self.ask_for(MANUAL, server)
        end = Due(self, MANUAL.rank, server.number)
        time = self.chance.sample(plan.distribution("lead"), random.PART_LEAD_TIME, *at)
        due = Due(self, model.RANK_PART_ARRIVAL, self.orders).set(time)
        self.orders += 1
        self.env.process(self.delivery(due))
        self.waiting_for_parts.append((server, end))
        self.record(model.EVENT_PART_ORDER, server.number, self.parts_left())
        self.hand_out()
        return end

    def delivery(self, due: Due) -> Process:
        """Bring a part; of several at an instant, that ordered first."""
        yield due
        self.stock += 1
        first = self.waiting_for_parts[0][0].number if self.waiting_for_parts else -1
        self.record(model.EVENT_PART_ARRIVAL, first, self.parts_left())
        self.hand_out()

    def parts_left(self) -> int:
        """Parts in stock, less the servers that wait for one."""
        return self.stock - len(self.waiting_for_parts)

    def hand_out(self) -> None:
        """Give the parts in stock to those that wait for one, who then ask for a crew."""
        while self.stock and self.waiting_for_parts:
            self.stock -= 1
            self.crews[MANUAL].queue.append(self.waiting_for_parts.popleft())
            self.serve(MANUAL)

    def serve(self, stage: Stage) -> None:
        """Let the free crews of a stage take up those that wait."""
        crews = self.crews[stage]
        while crews.free and crews.queue:
            server, end = crews.queue.popleft()
            crews.free -= 1
            self.pass_on(server, stage.state)
            self.record(stage.begins, server.number, len(crews.queue))
            end.set(self.hours_of(stage, server))

    def hours_of(self, stage: Stage, server: Server) -> float:
        """Return how long a stage takes that begins now; manual work pauses off duty."""
        time = self.plan.distribution(stage.name)
        hours = self.chance.sample(time, stage.stream, server.number, server.renewal)
        if stage is MANUAL:
            return float(hours_with_breaks(self.plan.compiled, self.env.now, hours))
        return hours

    def stage_ends(self, stage: Stage, server: Server, outcome: int) -> None:
        """A crew has done its work and takes up the next server."""
        self.record(stage.ends, server.number, outcome)
        self.crews[stage].free += 1
        self.serve(stage)

    def pass_on(self, server: Server, state: int) -> None:
        """Count the hours of a server in its present state, and change it."""
        self.count_stage(server)
        self.move(server, state)

    def come_back(self, server: Server, silent: bool) -> None:
        """A repair is over."""
        raise NotImplementedError  # ``Reference`` says how it goes on
