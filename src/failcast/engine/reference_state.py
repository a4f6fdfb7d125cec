"""What the reference engine keeps: servers, the job's clock, the books, the trace.

``reference.py`` tells the story on top of this; here are the nouns. Everything that changes a
clock or a bucket of hours does it through ``settle``, so that the books always balance.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Generator
from typing import Any

import simpy

from failcast.engine import model, reference_ages
from failcast.engine.lives import life_hours, relapse_hours
from failcast.engine.model import Status
from failcast.engine.plan import Facts, Plan
from failcast.engine.policies import Policies, ServerView
from failcast.engine.random import DEFECTIVE, Chance

Process = Generator[simpy.Event, Any, Any]
_LEGAL_MOVES = {(old, new) for old, new, _ in model.SERVER_TRANSITIONS}
_LEGAL_PHASES = {(old, new) for old, new, _ in model.JOB_TRANSITIONS}


_REPAIRS = (
    *(model.AWAITING_REPAIR, model.AUTOMATED_REPAIR, model.MANUAL_REPAIR),
    model.REQUALIFICATION,
)


class Server:
    """One server: its state, its hidden condition, its life, and what it was blamed for."""

    def __init__(self, number: int, state: int, score: float) -> None:
        self.number = number
        self.state = state
        self.defective = False
        self.renewal = 0  # the number of the present life
        self.remaining_hours = 0.0  # of that life, while the server is not active
        self.faulty = False  # a fault is in it that struck, or that will strike again
        self.relapsing = False  # its life ends where that fault strikes again,
        self.excess_hours = 0.0  # and would else have been so much longer
        self.age_at_end = 0.0  # of that life, where ages are kept
        self.point = math.inf  # on the job's clock, where an active server fails
        self.joined = 0.0  # the job's clock when it became active
        self.operated_hours = 0.0  # since its last blame, not counting the present stay
        self.blame_hours: list[float] = []
        self.score_base = score
        self.condemned = False
        # When its repair began, its present state in a shop of limits, or its stay in reserve.
        self.since = 0.0
        self.failed = model.NOT_FAILED  # it has failed, and nobody has found out, or mended it
        self.automated_end = 0.0  # when the automated stage of that repair ended
        self.preemptions = 0


class Due(simpy.Event):
    """An event with a rank among the others of its instant; it happens once it is set.

    One that ``counts`` counts towards the maximum of events before it happens. The end of automated
    repair counts by itself, where it is the end of the repair.
    """

    def __init__(self, run: State, rank: int, server: int = -1, counts: bool = True) -> None:
        super().__init__(run.env)
        # SimPy breaks ties by priority; 0 and 1 are its own, for interrupts and new processes.
        self._priority = 2 + (rank << 34) + server + 1
        self.time = math.inf
        self.abandoned = False
        assert self.callbacks is not None
        if counts:
            self.callbacks.append(run.count)

    def set_at(self, time: float) -> Due:
        """Let the event happen at ``time``, to the bit: SimPy counts from now and rounds."""
        now = self.env.now
        delay = max(0.0, time - now)
        while now + delay < time:
            delay = math.nextafter(delay, math.inf)
        while now + delay > time > now:
            delay = math.nextafter(delay, 0.0)
        return self.set(delay)

    def set(self, delay: float) -> Due:
        """Let the event happen ``delay`` hours from now."""
        self._ok, self._value = True, None
        self.time = self.env.now + delay
        self.env.schedule(self, self._priority, delay)  # type: ignore[arg-type]  # any int sorts
        return self


class OutOfEventsError(Exception):
    """The run has had its maximum of events."""


class State:
    """The state of one replication."""

    def __init__(
        self,
        plan: Plan,
        seed: int,
        replication: int,
        policies: type[Policies] = Policies,
        record: bool = False,
        count_step: float = 0.0,
    ) -> None:
        self.plan = Facts(plan)
        self.env = simpy.Environment()
        self.policies = policies(self.plan)
        self.chance = Chance(seed, replication)
        self.trace: list[tuple[float, int, int, int]] | None = [] if record else None
        self.count_step = count_step
        self.next_count = 0.0 if count_step > 0.0 else math.inf
        self.counted: list[list[int]] = []  # by SERIES_STATES, at each time of the grid
        self.books = [0.0] * len(model.BUCKETS)
        self.counts = [0] * len(model.COUNTERS)
        self.events = self.selections = self.recoveries = self.loans = self.arriving = 0
        self.wall = self.clock = self.progress = 0.0
        self.phase: int | None = None
        self.status: Status | None = None
        self.short = False
        self.wake: Due | None = None
        self.points: list[tuple[float, int]] = []
        self.active: set[int] = set()
        self.standbys: deque[Server] = deque()
        total, working = int(plan.servers_total), int(plan.working_pool)
        self.servers = [
            Server(s, model.IDLE if s < working else model.SPARE, float(plan.score_initial))
            for s in range(total)
        ]
        # Insertion order is pool order: a dict is an ordered set that forgets in O(1).
        self.pool = dict.fromkeys(self.servers[:working])
        self.spares = deque(self.servers[working:])
        self.not_retired = total
        self.defective_hours = self.defective_since = self.down_since = 0.0
        self.since = [0.0] * len(model.SERVER_STATES)
        self.server_hours = [0.0] * len(model.SERVER_STATES)
        self.down_hours = [0.0] * (total + 1)  # by the number of servers in repair
        self.in_state = [0] * len(model.SERVER_STATES)
        self.in_state[model.IDLE], self.in_state[model.SPARE] = working, total - working
        for server in self.smallest_draws(DEFECTIVE, 0, self.servers, plan.defective_count):
            server.defective = True
        self.defective = sum(server.defective for server in self.servers[:working])
        for server in self.servers:
            reference_ages.begin(self, server)

    # --- Servers ----------------------------------------------------------------------------------

    @property
    def vacancies(self) -> int:
        """Slots of the job that no server fills."""
        return int(self.plan.job_servers) - len(self.active)

    def available(self) -> int:
        """Servers that a selection can choose from: survivors, standbys and idle ones."""
        return sum(server.state <= model.IDLE for server in self.pool)

    def wanted(self) -> int:
        """Servers that a selection needs; once short, more than the bare job by default."""
        plan = self.plan
        if self.short and not plan.resume_with_job:
            return min(int(plan.job_servers + plan.warm_standbys), self.not_retired)
        return int(plan.job_servers)

    # --- Lives, clocks and books ------------------------------------------------------------------

    def renew(self, server: Server, renewal: int) -> None:
        """Give a server its next life, in the condition it is in."""
        server.renewal = renewal
        if self.plan.age_kept:
            reference_ages.go_on(self, server)
        else:
            server.remaining_hours = life_hours(
                self.plan.compiled, self.chance.root, server.number, renewal, server.defective
            )
        self.leave_fault(server)

    def leave_fault(self, server: Server) -> None:
        """Let a fault that was left in a server strike again, if it does, in its new life."""
        server.relapsing = False
        if not server.faulty:
            return
        time = relapse_hours(self.plan.compiled, self.chance.root, server.number, server.renewal)
        server.faulty = math.isfinite(time)
        if time < server.remaining_hours:
            server.relapsing = True
            server.excess_hours = server.remaining_hours - time
            server.age_at_end += time - server.remaining_hours
            server.remaining_hours = time

    def turned(self, server: Server, left: float) -> float:
        """Return what is left of a life when its server's condition has changed.

        A fault that is in it strikes when it would have.
        """
        if not server.relapsing:
            return reference_ages.turned(self, server, left)
        server.age_at_end += server.excess_hours
        life = reference_ages.turned(self, server, left + server.excess_hours)
        if not left < life:
            server.relapsing = False
            return life
        server.excess_hours = life - left
        server.age_at_end += left - life
        return left

    def expose(self, server: Server) -> None:
        """Fix an active server's failure point on the job's clock."""
        server.point = self.clock + server.remaining_hours
        heapq.heappush(self.points, (server.point, server.number))

    def next_failure(self) -> tuple[float, Server | None]:
        """Return the earliest failure point among the active servers, and its server."""
        while self.points:
            point, number = self.points[0]
            server = self.servers[number]
            if number in self.active and server.point == point:
                return point, server
            heapq.heappop(self.points)  # left over from a server that left or was renewed
        return math.inf, None

    def score(self, server: Server) -> float:
        """Return the score: credit for each completed period of operation since the last blame."""
        periods = math.floor(self.operated(server) / self.plan.score_period)
        return float(server.score_base + self.plan.score_credit * periods)

    def operated(self, server: Server) -> float:
        """Return a server's hours on the job's clock since it was last blamed."""
        present = self.clock - server.joined if server.state == model.ACTIVE else 0.0
        return server.operated_hours + present

    def is_exposed(self) -> bool:
        """Say whether the job's clock runs in its present phase."""
        return self.phase is not None and bool(int(self.plan.exposed) >> (self.phase + 1) & 1)

    def settle(self) -> None:
        """Book the hours since they were last booked; the clock runs where servers are exposed."""
        elapsed = self.env.now - self.wall
        if self.is_exposed():
            self.clock += elapsed
        self.spend(elapsed)

    def settle_at(self, key: float) -> None:
        """Book the hours up to ``key`` on the job's clock, which then stands exactly there."""
        elapsed = max(0.0, key - self.clock)
        self.clock = max(self.clock, key)
        self.spend(elapsed)

    def spend(self, elapsed: float) -> None:
        """Put hours into the bucket of the present phase."""
        if self.phase is not None:
            self.books[model.BUCKET_OF_PHASE[self.phase]] += elapsed
            if self.phase == model.COMPUTING:
                self.progress += elapsed
        self.wall = self.env.now

    def enter(self, phase: int, detail: int) -> None:
        """Change the job's phase."""
        self.settle()
        assert (self.phase, phase) in _LEGAL_PHASES, (self.phase, phase)
        self.phase = phase
        self.record(phase, -1, detail)

    def move(self, server: Server, state: int) -> None:
        """Change a server's state."""
        assert (server.state, state) in _LEGAL_MOVES, (server.state, state)
        for each in (server.state, state):
            self.tally(each)
        if (server.state in _REPAIRS) != (state in _REPAIRS):
            self.tally_down()
        change = int(state <= model.IDLE) - int(server.state <= model.IDLE)
        if server.defective and change:
            self.tally_defective()
            self.defective += change
        self.in_state[server.state] -= 1
        self.in_state[state] += 1
        server.state = state

    def end(self, status: Status) -> None:
        """End the run; the hours up to now are booked."""
        self.settle()
        self.phase, self.status = model.ENDED, status
        for state in range(len(model.SERVER_STATES)):
            self.tally(state)
        self.tally_down()
        self.tally_defective()
        for server in self.servers:
            self.count_repair(server)
        detail = self.not_retired if status == Status.DEPLETED else 0
        self.record(model.EVENT_FINISHED + status, -1, detail)

    def time_of(self, name: str, stream: int, number: int) -> float:
        """Return the drawn duration, in hours, of the ``number``-th selection or recovery."""
        return self.chance.sample(self.plan.distribution(name), stream, number, 0)

    def smallest_draws(
        self, stream: int, n: int, servers: list[Server], count: int
    ) -> list[Server]:
        """Return the ``count`` servers with the smallest draws of ``stream``."""
        drawn = [(self.chance.bits(stream, s.number, n), s.number) for s in servers]
        return [self.servers[number] for _, number in sorted(drawn)[: int(count)]]

    def view(self, server: Server) -> ServerView:
        """Return what an operator knows of a server."""
        return ServerView(
            server.number,
            model.SERVER_STATES[server.state],
            tuple(server.blame_hours),
            self.score(server),
            self.operated(server),
        )

    def record(self, event: int, server: int, detail: int) -> None:
        """Add a line to the trace."""
        if self.trace is not None:
            self.trace.append((self.env.now, event, server, detail))

    def count(self, event: simpy.Event) -> None:
        """Count an event that is about to happen; it does not if it is one too many."""
        assert isinstance(event, Due)
        if not event.abandoned and self.has_had_its_events():
            raise OutOfEventsError

    def has_had_its_events(self) -> bool:
        """Count an event that is about to happen; end the run if it is one too many, and say so."""
        self.events += 1
        if self.events > self.plan.max_events:
            self.end(Status.OUT_OF_EVENTS)
            return True
        return False

    # --- Server-hours -----------------------------------------------------------------------------

    def tally(self, state: int) -> None:
        """Count the hours of the servers in a state up to now, before their number changes.

        The two stages of a repair are counted when it ends, or when the run does.
        """
        if state not in _REPAIRS:
            elapsed = self.env.now - self.since[state]
            self.server_hours[state] += elapsed * self.in_state[state]
            self.since[state] = self.env.now

    def tally_down(self) -> None:
        """Count the time for which so many servers were in repair, before their number changes."""
        down = sum(self.in_state[state] for state in _REPAIRS)
        self.down_hours[down] += self.env.now - self.down_since
        self.down_since = self.env.now

    def tally_defective(self) -> None:
        """Count the hours of defective servers in service, before their number changes."""
        self.defective_hours += (self.env.now - self.defective_since) * self.defective
        self.defective_since = self.env.now

    def count_repair(self, server: Server) -> None:
        """Count the hours of a repair up to now, in whichever stage it is."""
        if self.plan.shop and server.state in _REPAIRS:
            self.count_stage(server)
        elif server.state == model.AUTOMATED_REPAIR:
            self.server_hours[model.AUTOMATED_REPAIR] += self.env.now - server.since
        elif server.state == model.MANUAL_REPAIR:
            self.server_hours[model.AUTOMATED_REPAIR] += server.automated_end - server.since
            self.server_hours[model.MANUAL_REPAIR] += self.env.now - server.automated_end

    def count_servers(self) -> None:
        """Note how many servers are in each state at the grid times before the next event."""
        while self.next_count < self.env.peek():
            worked_on = sum(self.in_state[model.AUTOMATED_REPAIR : model.RETIRED])
            before, retired = (
                self.in_state[: model.AWAITING_REPAIR + 1],
                self.in_state[model.RETIRED],
            )
            self.counted.append([*before, worked_on, retired])
            self.next_count = len(self.counted) * self.count_step

    def count_stage(self, server: Server) -> None:
        """Count the hours up to now that a server has been in its present state."""
        self.server_hours[server.state] += self.env.now - server.since
        server.since = self.env.now

    def down_p99(self) -> int:
        """Return the least number of servers that more than which were down in 1 % of the time."""
        total = 0.0
        for hours in self.down_hours:  # in this order, as the kernel does; sum() rounds otherwise
            total += hours
        below = 0.0
        for n, hours in enumerate(self.down_hours):
            below += hours
            if not below < model.DOWN_SHARE * total:
                return n
        return len(self.servers)

    def defective_mean(self) -> float:
        """Return the share of defective server-hours among those of servers in service."""
        active, standby, idle = self.server_hours[: model.IDLE + 1]
        hours = active + standby + idle
        return self.defective_hours / hours if hours > 0.0 else math.nan
