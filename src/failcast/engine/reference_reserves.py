"""Standby, idle and spare servers of the reference engine that age, fail, and are found.

Nothing happens when one fails. It is found when a slot, a selection or a preemption needs it, or by
a health check, and then goes to repair. On the map: above reference_work.py, below reference.py.
"""

from __future__ import annotations

from failcast.engine import model
from failcast.engine.lives import death_hours
from failcast.engine.reference_state import Server
from failcast.engine.reference_work import Work

RESERVES = (model.STANDBY, model.IDLE, model.SPARE)


class Reserves(Work):
    """A replication whose servers beside the job age as well, where they are exposed."""

    def rest_all(self) -> None:
        """Let all servers begin their stay where they are at the start."""
        for server in self.servers:
            self.rest(server)

    def rest(self, server: Server) -> None:
        """A server enters a reserve."""
        server.since = self.env.now

    def is_fit(self, server: Server) -> bool:
        """Say whether a server in reserve has not failed."""
        factor = float(self.plan.reserve_factor[server.state])
        return bool(death_hours(server.remaining_hours, factor, server.since) > self.env.now)

    def ages(self, server: Server) -> bool:
        """Say whether a server in reserve ages there at all."""
        return bool(self.plan.reserve_factor[server.state] > 0.0)

    def rise(self, server: Server) -> None:
        """A fit server leaves its reserve, with what is left of its life."""
        if self.plan.reserve_exposed:
            aged = float(self.plan.reserve_factor[server.state]) * (self.env.now - server.since)
            server.remaining_hours = max(0.0, server.remaining_hours - aged)

    def find_failed(self, *states: int) -> None:
        """Look at the servers in these states, by number; who has failed is found."""
        if not self.plan.reserve_exposed:
            return
        for server in self.servers:
            if server.state in states and not self.is_fit(server):
                self.found_failed(server)

    def found_failed(self, server: Server) -> None:
        """A server of a reserve has failed, which is now found: it goes to repair."""
        state = server.state
        if state == model.STANDBY:
            self.standbys.remove(server)
        if state == model.SPARE:
            self.spares.remove(server)
            server.failed = model.FAILED_SPARE
        else:
            del self.pool[server]
        server.faulty = True
        server.remaining_hours = 0.0
        self.counts[model.FAILURES_RESERVE] += 1
        self.record(model.EVENT_FOUND_FAILED, server.number, state)
        self.note_blame(server)
        self.send_to_repair(server)

    def shorten(self, server: Server) -> None:
        """What is left of the life of a server that is not active shrinks: it turned defective."""
        ages = bool(self.plan.reserve_exposed) and server.state in RESERVES
        if ages and not self.is_fit(server):
            return
        if ages:
            self.rise(server)
        server.remaining_hours = self.turned(server, server.remaining_hours)
        if ages:
            self.rest(server)

    def note_blame(self, server: Server) -> None:
        """Remember a blame, and judge whether the server is to be retired for it."""
        raise NotImplementedError

    def send_to_repair(self, server: Server) -> None:
        """The repair of a server begins; it has left wherever it was."""
        raise NotImplementedError
