"""Host selection, standbys, spares and loans of the reference engine: who works for the job.

On the map: above reference_reserves.py, below reference.py.
"""

from __future__ import annotations

from collections import deque

from failcast.engine import model, random
from failcast.engine.policies import PolicyError
from failcast.engine.reference_reserves import Reserves
from failcast.engine.reference_state import Due, Server


class Hosts(Reserves):
    """A replication with its selections, promotions and preemptions."""

    def due(self, delay: float, rank: int, server: int = -1, counts: bool = True) -> Due:
        """Return an event ``delay`` hours from now; ``counts`` as in ``Due``."""
        return Due(self, rank, server, counts).set(delay)

    def choose(self) -> bool:
        """Choose hosts and standbys afresh; return whether enough servers are found."""
        self.find_failed(model.STANDBY, model.IDLE)
        if self.available() < self.wanted():
            return False
        self.settle()
        for state in (model.ACTIVE, model.STANDBY, model.IDLE):
            self.tally(state)
        number, plan = self.selections, self.plan
        available = [s for s in self.pool if s.state <= model.IDLE]
        standbys = min(len(available) - int(plan.job_servers), int(plan.warm_standbys))
        choice = self.policies.select(
            [self.view(server) for server in available],
            int(plan.job_servers),
            standbys,
            lambda k: self.chance.uniform(random.SELECTION_PICK, number, k),
            lambda server: self.chance.uniform(random.SELECTION_TIE, server, number),
        )
        hosts, queue = self.checked(choice, available, standbys)
        if len(hosts) < plan.job_servers:
            return False
        chosen, queued = set(hosts), set(queue)
        for server in available:
            if server.state != model.ACTIVE:
                self.rise(server)
            elif server.number not in chosen:
                self.leave(server)
        for server in available:
            state = model.STANDBY if server.number in queued else model.IDLE
            if server.number not in chosen:
                if server.state != state:
                    self.move(server, state)
                self.rest(server)
        for server_number in hosts:
            self.join(self.servers[server_number])
        self.standbys = deque(self.servers[s] for s in queue)
        self.selections += 1
        self.counts[model.HOST_SELECTIONS] += 1
        self.short, self.wake = False, None
        self.enter(model.SELECTING, len(self.standbys))
        self.return_loans()
        return True

    def checked(
        self, choice: tuple[list[int], list[int]], available: list[Server], standbys: int
    ) -> tuple[list[int], list[int]]:
        """Return a policy's choice; raise ``PolicyError`` if it is one that nobody can make."""
        name = f"{type(self.policies).__name__}.select"
        try:
            hosts, queue = ([int(number) for number in part] for part in choice)
        except (TypeError, ValueError):
            raise PolicyError(
                f"{name} returned {choice!r}; it must return two lists of server numbers, the "
                "job's servers and its standbys."
            ) from None
        if len(hosts) > self.plan.job_servers or len(queue) > standbys:
            raise PolicyError(
                f"{name} chose {len(hosts)} servers and {len(queue)} standbys, but at most "
                f"{self.plan.job_servers} and {standbys} are wanted."
            )
        strangers = {*hosts, *queue} - {server.number for server in available}
        if strangers:
            raise PolicyError(f"{name} chose server {min(strangers)}, which is not available.")
        if len({*hosts, *queue}) < len(hosts) + len(queue):
            raise PolicyError(f"{name} chose a server twice.")
        return hosts, queue

    def join(self, server: Server) -> None:
        """Make a server active; one that already is keeps its failure point unchanged."""
        if server.state == model.ACTIVE:
            return
        self.move(server, model.ACTIVE)
        self.active.add(server.number)
        server.joined = self.clock
        self.expose(server)

    def leave(self, server: Server) -> None:
        """Take an active server off the job's clock, with what is left of its life."""
        self.active.discard(server.number)
        server.remaining_hours = max(0.0, server.point - self.clock)
        server.operated_hours += self.clock - server.joined

    def promote(self) -> None:
        """Put the oldest standby into a vacant slot, unless it is found to have failed."""
        server = self.standbys[0]
        if not self.is_fit(server):
            self.found_failed(server)
            return
        self.rise(server)
        self.standbys.popleft()
        self.join(server)
        self.counts[model.STANDBY_PROMOTIONS] += 1
        self.record(model.EVENT_PROMOTION, server.number, len(self.standbys))

    def stall(self) -> None:
        """Nothing to preempt: the job stands still until servers come back from repair."""
        # Only a user's own policy can stall without a server missing.
        self.enter(model.STALLED, max(0, self.wanted() - self.available()))
        self.counts[model.STALLS] += 1

    def preempt(self) -> Server:
        """Take the first spare out of its pool; it arrives after the wait."""
        server = self.spares.popleft()
        self.rise(server)
        self.move(server, model.ARRIVING)
        self.arriving += 1
        self.loans += 1
        self.counts[model.PREEMPTIONS] += 1
        self.record(model.EVENT_PREEMPTION, server.number, len(self.spares))
        return server

    def arrival_of(self, server: Server) -> Due:
        """Return the event of this spare's arrival."""
        number, server.preemptions = server.preemptions, server.preemptions + 1
        wait = self.chance.sample(
            self.plan.distribution("wait"), random.PREEMPTION_WAIT, server.number, number
        )
        return self.due(wait, model.RANK_ARRIVAL, server.number)

    def arrive(self, server: Server) -> None:
        """A preempted spare enters the working pool, idle."""
        self.arriving -= 1
        self.move(server, model.IDLE)
        self.rest(server)
        self.pool[server] = None
        self.record(model.EVENT_ARRIVAL, server.number, self.arriving)
        self.look_for_end_of_shortage()

    def return_loans(self) -> None:
        """Give idle servers back to their pool while some are on loan and nothing is missing."""
        if not self.plan.return_when_healed or self.phase in (model.WAITING, model.STALLED):
            return
        if self.vacancies or len(self.standbys) < self.plan.warm_standbys:
            return
        idle = [server for server in self.pool if server.state == model.IDLE]
        while self.loans and idle:
            server = idle.pop()
            if not self.is_fit(server):
                self.found_failed(server)
                continue
            self.rise(server)
            del self.pool[server]
            self.move(server, model.SPARE)
            self.rest(server)
            self.spares.append(server)
            self.loans -= 1
            self.record(model.EVENT_RETURN_TO_SPARES, server.number, self.loans)

    def look_for_end_of_shortage(self) -> None:
        """Wake the job, after all else of this instant, once the servers it waits for exist."""
        if self.wake is not None and not self.wake.triggered and self.available() >= self.wanted():
            self.wake.set(0.0)
