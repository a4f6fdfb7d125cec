"""The reference engine: SimPy processes. Read this file to know the model.

One process is the job, one is each repair, one each preemption, one the regeneration, one the
horizon. Failures are fixed points on the job's clock; the clock runs only while the job's servers
are exposed. The kernel is this file's compiled twin: event traces are equal bit for bit, which is
why times are added here in exactly the order written.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence

import simpy

from failcast.engine import model, random
from failcast.engine.model import Status
from failcast.engine.plan import distribution
from failcast.engine.policies import PolicyError
from failcast.engine.reference_state import Due, OutOfEventsError, Process, Server, State

NOBODY = (math.inf, None)


class Reference(State):
    """One replication. ``run()`` returns its status; the results are attributes afterwards."""

    def run(self, stop: Sequence[int] = (0,)) -> Status | None:
        """Run to the end and return why it ended; None if another thread has set ``stop[0]``."""
        self.job_process = self.env.process(self.job())
        self.env.process(self.horizon())
        if math.isfinite(self.plan.regeneration_interval):
            self.env.process(self.regeneration())
        try:
            while self.status is None and not stop[0]:
                self.env.step()
        except OutOfEventsError:
            pass  # it has ended
        return self.status

    def job(self) -> Process:
        """Select hosts, compute, recover, and so on until all the work is done."""
        yield from self.select_hosts()
        self.enter(model.COMPUTING, len(self.standbys))
        while failed := (yield from self.compute()):
            self.fail(failed)
            yield from self.recover()
            if self.vacancies:
                yield from self.select_hosts()
            self.enter(model.COMPUTING, len(self.standbys))
        self.end(Status.FINISHED)

    def compute(self) -> Process:
        """Compute until a server fails, and return it, or until the work is done."""
        while self.status is None:
            finish = self.clock + (self.plan.length - self.progress)
            point, failing = self.next_failure()
            if finish <= point:
                key, due = finish, self.due(max(0.0, finish - self.clock), model.RANK_FINISH)
                failing = None
            else:
                assert failing is not None
                delay = max(0.0, point - self.clock)
                key, due = point, self.due(delay, model.RANK_FAILURE, failing.number)
            if (yield from self.undisturbed(due)):
                self.settle_at(key)
                return failing
            due.abandoned = True
        return None

    def recover(self) -> Process:
        """Recover, from the start again whenever an exposed survivor fails; then promote."""
        over = self.recovery_end()
        while self.status is None:
            point, failing = self.next_failure() if self.plan.exposed_recovering else NOBODY
            delay = max(0.0, point - self.clock)
            if failing is None or self.env.now + delay > over.time:
                if (yield from self.undisturbed(over)):
                    break
                continue
            due = self.due(delay, model.RANK_FAILURE, failing.number)
            if (yield from self.undisturbed(due)):
                over.abandoned = True
                self.settle_at(point)
                self.fail(failing)
                over = self.recovery_end()
            else:
                due.abandoned = True
        self.settle()
        while self.vacancies and self.standbys:
            self.promote(self.standbys.popleft())

    def select_hosts(self) -> Process:
        """Choose the job's servers at once if there are enough, else after the shortage."""
        while not (self.available() >= self.wanted() and self.choose()):
            self.short = True
            if self.plan.preempt_together or not self.spares:
                yield from self.await_servers()
            else:
                self.enter(model.WAITING, self.wanted() - self.available())
                server = self.preempt()
                yield self.arrival_of(server)
                self.arrive(server)
        yield self.due(self.time_of("selection", random.SELECTION_TIME, self.selections - 1),
                       model.RANK_PHASE_END)  # fmt: skip

    def await_servers(self) -> Process:
        """Request the whole shortage from the spares, then wait or stall until it is relieved."""
        missing = self.wanted() - self.available()
        request = min(missing - self.arriving, len(self.spares))
        if self.arriving + max(0, request) > 0:
            self.enter(model.WAITING, missing)
            for _ in range(request):
                self.env.process(self.preemption(self.preempt()))
        elif self.phase != model.STALLED:
            self.stall()
        self.wake = Due(self, model.RANK_STALL_WAKE)
        yield self.wake

    def preemption(self, server: Server) -> Process:
        """Bring a spare into the working pool while the job may already go on without it."""
        yield self.arrival_of(server)
        self.arrive(server)
        waking = self.wake is not None and self.wake.triggered
        if self.phase == model.WAITING and not self.arriving and not waking:
            self.stall()
        self.return_loans()

    def repair(self, server: Server) -> Process:
        """Automated repair, then perhaps manual repair; each can fail without a sign of it."""
        plan, chance, at = self.plan, self.chance, (server.number, server.renewal)
        time = chance.sample(distribution(plan, "automated"), random.AUTOMATED_TIME, *at)
        yield self.due(time, model.RANK_AUTOMATED_END, server.number, counts=False)
        server.automated_end = self.env.now
        escalate = self.policies.escalate(self.view(server), chance.uniform(random.ESCALATE, *at))
        if not escalate and self.has_had_its_events():
            return
        self.counts[model.REPAIRS_AUTOMATED] += 1
        if not escalate:
            silent = chance.uniform(random.AUTOMATED_SILENT, *at) < plan.p_automated_silent
            self.repaired(server, silent, model.EVENT_AUTOMATED_REPAIR_END)
            return
        self.move(server, model.MANUAL_REPAIR)
        self.record(model.EVENT_AUTOMATED_REPAIR_END, server.number, model.REPAIR_ESCALATED)
        time = chance.sample(distribution(plan, "manual"), random.MANUAL_TIME, *at)
        yield self.due(time, model.RANK_MANUAL_END, server.number)
        self.counts[model.REPAIRS_MANUAL] += 1
        silent = chance.uniform(random.MANUAL_SILENT, *at) < plan.p_manual_silent
        self.repaired(server, silent, model.EVENT_MANUAL_REPAIR_END)

    def regeneration(self) -> Process:
        """Every interval some good servers turn defective: what is left of their lives shrinks."""
        number = 0
        while self.status is None:
            yield self.due(self.plan.regeneration_interval, model.RANK_REGENERATION)
            self.regenerate(number)
            number += 1

    def horizon(self) -> Process:
        """No run lasts longer than this."""
        yield self.due(self.plan.horizon, model.RANK_HORIZON)
        self.end(Status.OUT_OF_TIME)

    # --- Failure, blame, repair -------------------------------------------------------------------

    def fail(self, server: Server) -> None:
        """A failure stops the job; somebody, or nobody, is blamed; recovery starts (again)."""
        at = (server.number, server.renewal)
        systematic = server.defective and (
            self.chance.uniform(random.SYSTEMATIC, *at) < self.plan.p_systematic
        )
        self.counts[model.FAILURES_SYSTEMATIC if systematic else model.FAILURES_RANDOM] += 1
        self.record(model.EVENT_FAILURE, server.number, int(systematic))
        blamed = self.diagnose(server)
        if blamed is not server:
            self.renew(server, server.renewal + 1)  # it keeps its slot, with a new life
            self.expose(server)
        if blamed is not None:
            self.blame(blamed, right=blamed is server)
        self.enter(model.RECOVERING, len(self.standbys))

    def diagnose(self, failed: Server) -> Server | None:
        """Return the server that is blamed: the failed one, an innocent one, or none."""
        chance, at = self.chance, (failed.number, failed.renewal)
        if not chance.uniform(random.DIAGNOSED, *at) < self.plan.p_diagnosed:
            self.counts[model.UNDIAGNOSED] += 1
            return None
        wrong = chance.uniform(random.WRONG_SERVER, *at) < self.plan.p_wrong_server
        if not wrong or len(self.active) == 1:
            return failed
        # Uniform among the other active servers, whatever order anybody keeps them in.
        for k in range(model.INNOCENT_TRIES):
            u = chance.further(random.INNOCENT, *at, k)
            innocent = self.servers[int(u * len(self.servers))]
            if innocent is not failed and innocent.state == model.ACTIVE:
                return innocent
        # Few of many servers are active: count them out, by number.
        u = chance.further(random.INNOCENT, *at, model.INNOCENT_TRIES)
        others = sorted(self.active - {failed.number})
        return self.servers[others[int(u * len(others))]]

    def blame(self, server: Server, right: bool) -> None:
        """A blamed server leaves the job and the pool, and its repair starts at once."""
        now = self.env.now
        self.counts[model.BLAMED_RIGHT if right else model.BLAMED_WRONG] += 1
        self.record(model.EVENT_BLAME, server.number, int(right))
        server.score_base = self.score(server) - self.plan.score_penalty
        self.leave(server)
        self.move(server, model.AUTOMATED_REPAIR)
        del self.pool[server]
        server.operated_hours = 0.0
        server.blamed = now
        server.blame_hours.append(now)
        server.condemned = self.policies.retire(self.view(server), now)
        self.env.process(self.repair(server))

    def repaired(self, server: Server, silent: bool, event: int) -> None:
        """The last stage of a repair ends: the server is retired, or comes back renewed."""
        self.count_repair(server)
        self.counts[model.REPAIRS_SILENT if silent else model.REPAIRS_SUCCESSFUL] += 1
        outcome = model.REPAIR_SILENT if silent else model.REPAIR_SUCCESS
        self.record(event, server.number, outcome)
        if not silent:
            server.defective = False
        if server.condemned:
            self.retire(server)
            return
        self.renew(server, server.renewal + 1)
        self.pool[server] = None
        short = self.phase in (model.WAITING, model.STALLED)
        if not short and len(self.standbys) < self.plan.warm_standbys:
            self.move(server, model.STANDBY)
            self.standbys.append(server)
        else:
            self.move(server, model.IDLE)
        self.look_for_end_of_shortage()
        self.return_loans()

    def retire(self, server: Server) -> None:
        """A retired server never comes back; the job is depleted once too few are left."""
        self.move(server, model.RETIRED)
        self.not_retired -= 1
        self.counts[model.SERVERS_RETIRED] += 1
        self.record(model.EVENT_RETIREMENT, server.number, self.not_retired)
        if self.not_retired < self.plan.job_servers:
            self.end(Status.DEPLETED)
        else:
            self.look_for_end_of_shortage()

    def regenerate(self, number: int) -> None:
        """Turn some good servers defective; the job looks again at what fails next."""
        self.settle()
        self.tally_defective()
        plan = self.plan
        good = [s for s in self.servers if not s.defective and s.state != model.RETIRED]
        count = min(len(good), max(1, random.round_half_up(plan.regeneration_share * len(good))))
        for server in self.smallest_draws(random.REGENERATION, number, good, count):
            server.defective = True
            self.defective += server.state <= model.IDLE
            if server.state == model.ACTIVE:
                server.point = self.clock + max(0.0, server.point - self.clock) / plan.hazard_ratio
                heapq.heappush(self.points, (server.point, server.number))
            else:
                server.remaining_hours /= plan.hazard_ratio
        self.record(model.EVENT_REGENERATION, -1, count)
        if self.phase == model.COMPUTING or self.exposed_recovery():
            self.job_process.interrupt()

    # --- Hosts, standbys, spares ------------------------------------------------------------------

    def choose(self) -> bool:
        """Choose hosts and standbys afresh; return whether the policy found enough servers."""
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
            if server.state == model.ACTIVE and server.number not in chosen:
                self.leave(server)
                self.move(server, model.STANDBY if server.number in queued else model.IDLE)
            elif server.state == model.IDLE and server.number in queued:
                self.move(server, model.STANDBY)
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

    def promote(self, server: Server) -> None:
        """Put the oldest standby into a vacant slot."""
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
            distribution(self.plan, "wait"), random.PREEMPTION_WAIT, server.number, number
        )
        return self.due(wait, model.RANK_ARRIVAL, server.number)

    def arrive(self, server: Server) -> None:
        """A preempted spare enters the working pool, idle."""
        self.arriving -= 1
        self.move(server, model.IDLE)
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
            del self.pool[server]
            self.move(server, model.SPARE)
            self.spares.append(server)
            self.loans -= 1
            self.record(model.EVENT_RETURN_TO_SPARES, server.number, self.loans)

    def look_for_end_of_shortage(self) -> None:
        """Wake the job, after all else of this instant, once the servers it waits for exist."""
        if self.wake is not None and not self.wake.triggered and self.available() >= self.wanted():
            self.wake.set(0.0)

    # --- Waiting ----------------------------------------------------------------------------------

    def due(self, delay: float, rank: int, server: int = -1, counts: bool = True) -> Due:
        """Return an event ``delay`` hours from now; ``counts`` as in ``Due``."""
        return Due(self, rank, server, counts).set(delay)

    def recovery_end(self) -> Due:
        """Return the event that ends the recovery that starts now."""
        number, self.recoveries = self.recoveries, self.recoveries + 1
        return self.due(self.time_of("recovery", random.RECOVERY_TIME, number),
                        model.RANK_PHASE_END)  # fmt: skip

    def undisturbed(self, due: Due) -> Process:
        """Wait for an event; return False if the job must first look again at what comes next."""
        try:
            yield due
        except simpy.Interrupt:
            return False
        return True
