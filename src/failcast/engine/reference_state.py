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

from failcast.engine import model
from failcast.engine.lives import life_hours
from failcast.engine.model import Status
from failcast.engine.plan import Plan, distribution
from failcast.engine.policies import Policies, ServerView
from failcast.engine.random import DEFECTIVE, Chance

Process = Generator[simpy.Event, Any, Any]
_LEGAL_MOVES = {(old, new) for old, new, _ in model.SERVER_TRANSITIONS}
_LEGAL_PHASES = {(old, new) for old, new, _ in model.JOB_TRANSITIONS}


class Server:
    """One server: its state, its hidden condition, its life, and what it was blamed for."""

    def __init__(self, number: int, state: int, score: float) -> None:
        self.number = number
        self.state = state
        self.defective = False
        self.renewal = 0  # the number of the present life
        self.remaining_hours = 0.0  # of that life, while the server is not active
        self.point = math.inf  # on the job's clock, where an active server fails
        self.joined = 0.0  # the job's clock when it became active
        self.operated_hours = 0.0  # since its last blame, not counting the present stay
        self.blame_hours: list[float] = []
        self.score_base = score
        self.condemned = False
        self.preemptions = 0


class Due(simpy.Event):
    """An event with a rank among the others of its instant; it happens once it is set."""

    def __init__(self, run: State, rank: int, server: int = -1) -> None:
        super().__init__(run.env)
        # SimPy breaks ties by priority; 0 and 1 are its own, for interrupts and new processes.
        self._priority = 2 + (rank << 34) + server + 1
        self.time = math.inf
        self.abandoned = False
        assert self.callbacks is not None
        self.callbacks.append(run.count)

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
    ) -> None:
        self.plan = plan
        self.env = simpy.Environment()
        self.policies = policies(plan)
        self.chance = Chance(seed, replication)
        self.trace: list[tuple[float, int, int, int]] | None = [] if record else None
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
        for server in self.smallest_draws(DEFECTIVE, 0, self.servers, plan.defective_count):
            server.defective = True
        for server in self.servers:
            self.renew(server, renewal=0)

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
        server.remaining_hours = life_hours(
            self.plan, self.chance.root, server.number, renewal, server.defective
        )

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

    def exposed_recovery(self) -> bool:
        """Say whether the job is recovering with its survivors exposed."""
        return bool(self.plan.exposed_recovering) and self.phase == model.RECOVERING

    def settle(self) -> None:
        """Book the hours since they were last booked; the clock runs where servers are exposed."""
        elapsed = self.env.now - self.wall
        if self.phase == model.COMPUTING or self.exposed_recovery():
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
        server.state = state

    def end(self, status: Status) -> None:
        """End the run; the hours up to now are booked."""
        self.settle()
        self.phase, self.status = model.ENDED, status
        detail = self.not_retired if status == Status.DEPLETED else 0
        self.record(model.EVENT_FINISHED + status, -1, detail)

    def time_of(self, name: str, stream: int, number: int) -> float:
        """Return the drawn duration, in hours, of the ``number``-th selection or recovery."""
        return self.chance.sample(distribution(self.plan, name), stream, number, 0)

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
        """Count an event that happens; the run ends when it has had its maximum."""
        assert isinstance(event, Due)
        if not event.abandoned:
            self.events += 1
            if self.events > self.plan.max_events:
                raise OutOfEventsError
