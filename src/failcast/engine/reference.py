"""The reference engine: SimPy processes. Read this file to know the model.

One process is the job, one is each repair, one each preemption, one the regeneration, one the
horizon. Failures are fixed points on the job's clock; the clock runs only while the job's servers
are exposed. The kernel is this file's compiled twin: event traces are equal bit for bit, which is
why times are added here in exactly the order written.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import simpy

from failcast.engine import model, random, reference_ages, reference_replay
from failcast.engine.model import Status
from failcast.engine.reference_hosts import Hosts
from failcast.engine.reference_reserves import RESERVES
from failcast.engine.reference_shop import Shop
from failcast.engine.reference_state import Due, OutOfEventsError, Process, Server

NOBODY = (math.inf, None)
_AT_WORK = (model.COMPUTING, model.RECOVERING, model.CHECKPOINTING)


class Reference(Hosts, Shop):
    """One replication. ``run()`` returns its status; the results are attributes afterwards."""

    def run(self, stop: Sequence[int] = (0,)) -> Status | None:
        """Run to the end and return why it ended; None if another thread has set ``stop[0]``."""
        self.watched: Due | None = None
        self.open_shop()
        self.struck: Server | None = None
        self.rest_all()
        self.job_process = self.env.process(self.job())
        reference_replay.begin(self)
        self.env.process(self.horizon())
        if math.isfinite(self.plan.regeneration_interval):
            self.env.process(self.regeneration())
        if self.plan.health_checked:
            self.env.process(self.health_checks())
        try:
            while self.status is None and not stop[0]:
                self.count_servers()
                self.env.step()
        except OutOfEventsError:
            pass  # it has ended
        return self.status

    def job(self) -> Process:
        """Select hosts, compute, recover, and so on until all the work is done."""
        yield from self.select_hosts()
        self.go_on()
        while failed := (yield from self.compute()):
            self.fail(failed)
            yield from self.recover()
            if self.vacancies:
                yield from self.select_hosts()
            self.go_on()
        self.end(Status.FINISHED)

    def go_on(self) -> None:
        """Compute; what was lost on the way is made good."""
        self.enter(model.COMPUTING, len(self.standbys))
        self.lost_servers = 0
        self.begin_stretch()

    def compute(self) -> Process:
        """Compute until a server fails, and return it, or until the work is done."""
        while self.status is None:
            point, failing = self.next_failure()
            finish = self.clock + (self.plan.length - self.progress)
            mark, time = self.checkpoint_begin()
            if mark <= point and math.isfinite(mark):
                due = Due(self, model.RANK_CHECKPOINT).set_at(time)
                if (yield from self.undisturbed(due)):
                    failing = yield from self.write_checkpoint()
                    if failing is not None:
                        return failing
                    continue
            else:
                key, rank, number = finish, model.RANK_FINISH, -1
                if not (finish <= point and math.isinf(mark)):
                    assert failing is not None
                    key, rank, number = point, model.RANK_FAILURE, failing.number
                due = self.due(max(0.0, key - self.clock), rank, number)
                if (yield from self.undisturbed(due)):
                    self.settle_at(key)
                    return failing if rank == model.RANK_FAILURE else None
            due.abandoned = True
            if self.struck is not None:
                return self.who_was_struck()
        return None

    def who_was_struck(self) -> Server | None:
        """Return the server that a replayed failure has just struck, if one did."""
        struck, self.struck = self.struck, None
        return struck

    def write_checkpoint(self) -> Process:
        """Stand still for a checkpoint, and return the server that fails before it is written."""
        self.settle_begin()
        self.enter(model.CHECKPOINTING, len(self.standbys))
        failing = yield from self.until(self.write_end())
        if failing is None:
            self.settle_end()
            self.keep_checkpoint()
            self.enter(model.COMPUTING, len(self.standbys))
        return failing

    def until(self, over: Due) -> Process:
        """Wait until a phase is over; return the server that fails before, or None."""
        while self.status is None:
            point, failing = self.next_failure() if self.is_exposed() else NOBODY
            delay = max(0.0, point - self.clock)
            if failing is None or self.env.now + delay > over.time:
                failing = None
                if (yield from self.undisturbed(over)):
                    break
            else:
                due = self.due(delay, model.RANK_FAILURE, failing.number)
                if (yield from self.undisturbed(due)):
                    self.settle_at(point)
                else:
                    due.abandoned, failing = True, None
            failing = failing or self.who_was_struck()
            if failing is not None:
                over.abandoned = True
                return failing
        return None

    def recover(self) -> Process:
        """Recover, from the start again whenever an exposed survivor fails; then promote."""
        while self.status is None:
            failing = yield from self.until(self.due(self.recovery_hours, model.RANK_PHASE_END))
            if failing is not None:
                self.fail(failing)
                continue
            self.settle()
            self.book_parts()
            if not self.failing:
                break
            self.find_culprits()
            self.recovery_hours = self.plan_parts(model.DIAGNOSIS_PARTS, model.RECOVERY_PARTS)
        while self.vacancies and self.standbys:
            self.promote()

    def select_hosts(self) -> Process:
        """Choose the job's servers at once if there are enough, else after the shortage.

        Again, if one of them fails before the selection is over.
        """
        while self.status is None:
            while not (self.available() >= self.wanted() and self.choose()):
                self.short, self.wake = True, None
                self.find_failed(model.SPARE)
                if self.plan.preempt_together or not self.spares:
                    yield from self.await_servers()
                else:
                    self.enter(model.WAITING, self.wanted() - self.available())
                    server = self.preempt()
                    yield self.arrival_of(server)
                    self.arrive(server)
            time = self.time_of("selection", random.SELECTION_TIME, self.selections - 1)
            over = self.due(time, model.RANK_PHASE_END)
            if (yield from self.undisturbed(over)):
                return
            over.abandoned = True

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
        wake = self.wake = Due(self, model.RANK_STALL_WAKE)
        if not (yield from self.undisturbed(wake)):
            wake.abandoned = True

    def preemption(self, server: Server) -> Process:
        """Bring a spare into the working pool while the job may already go on without it."""
        yield self.arrival_of(server)
        self.arrive(server)
        waking = self.wake is not None and self.wake.triggered
        if self.phase == model.WAITING and not self.arriving and not waking:
            self.stall()
        self.return_loans()

    def repair(self, server: Server) -> Process:
        """Automated repair, then perhaps manual repair; each can fail without a sign of it.

        This is a shop without limits: nobody waits.
        """
        plan, chance, at = self.plan, self.chance, (server.number, server.renewal)
        time = chance.sample(plan.distribution("automated"), random.AUTOMATED_TIME, *at)
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
        time = chance.sample(plan.distribution("manual"), random.MANUAL_TIME, *at)
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

    def health_checks(self) -> Process:
        """Every period all servers in reserve are looked at."""
        while self.status is None:
            yield self.due(self.plan.health_check_period, model.RANK_HEALTH_CHECK)
            self.find_failed(*RESERVES)
            if self.phase in (model.WAITING, model.STALLED):
                self.recount()

    def horizon(self) -> Process:
        """No run lasts longer than this."""
        yield self.due(self.plan.horizon, model.RANK_HORIZON)
        self.end(Status.OUT_OF_TIME)

    # --- Failure, blame, repair -------------------------------------------------------------------

    def fail(self, server: Server) -> None:
        """A failure stops the job; somebody, or nobody, is blamed; recovery starts (again)."""
        self.count_failure(server)
        reboot = self.chance.uniform(random.REBOOT, server.number, server.renewal)
        self.lose_work(model.REBOOTED if reboot < self.plan.p_reboot else model.CRASHED)
        self.book_parts()
        self.failing.append(server)
        server.point = math.inf
        self.recoveries += 1
        first = 0
        if not self.plan.diagnosed_late:
            self.find_culprits()
            first = model.DIAGNOSIS_PARTS
        self.enter(model.RECOVERING, len(self.standbys))
        last = model.DIAGNOSIS_PARTS if self.plan.diagnosed_late else model.RECOVERY_PARTS
        self.recovery_hours = self.plan_parts(first, last)

    def count_failure(self, server: Server) -> None:
        """Say what kind of a failure it is; its fault is in the server until a repair mends it."""
        cause = self.cause(server)
        self.counts[model.FAILURES_RANDOM + cause] += 1
        self.record(model.EVENT_FAILURE, server.number, cause)
        server.faulty = True

    def fail_standing(self, due: Due, point: float, server: Server) -> None:
        """A server fails while its job stands still: it is repaired, and servers are recounted."""
        if due.abandoned:
            return
        self.settle_at(point)
        self.leave_standing(server)

    def leave_standing(self, server: Server) -> None:
        """Repair a server that has just failed while its job stands still; the hours are booked."""
        self.count_failure(server)
        self.blame(server, right=True)
        self.watch()
        self.recount()

    def watch(self) -> None:
        """Let the next failure strike a job that stands still, if its servers are exposed."""
        if self.watched is not None:
            self.watched.abandoned = True
        self.watched = None
        if self.phase is None or self.phase > model.SELECTING or not self.is_exposed():
            return
        point, failing = self.next_failure()
        if failing is not None and point < math.inf:
            due = self.due(max(0.0, point - self.clock), model.RANK_FAILURE, failing.number)
            assert due.callbacks is not None
            due.callbacks.append(lambda _: self.fail_standing(due, point, failing))
            self.watched = due

    def enter(self, phase: int, detail: int) -> None:
        """Change the job's phase."""
        super().enter(phase, detail)
        self.watch()

    def recount(self) -> None:
        """Count the servers again, for a job that stands still while some left or a spare came.

        One that waits for its one arrival counts when that is there.
        """
        if self.phase in (model.WAITING, model.STALLED):
            waits = self.phase == model.WAITING and not self.plan.preempt_together
            if waits or self.available() >= self.wanted():
                return
        elif self.phase != model.SELECTING:
            return
        self.job_process.interrupt()

    def find_culprits(self) -> None:
        """Find a culprit for each failure since the job last computed, in their order."""
        while self.failing:
            failed = self.failing[0]
            blamed = self.diagnose(failed)
            if blamed is not failed:
                self.renew(failed, failed.renewal + 1)  # it keeps its slot, with a new life
                self.expose(failed)
            if blamed is not None:
                self.blame(blamed, right=blamed is failed)
            self.failing.pop(0)

    def cause(self, server: Server) -> int:
        """Return why a server fails: a fault that strikes again, its defect, or chance."""
        if server.relapsing:
            return model.CAUSE_RELAPSE
        u = self.chance.uniform(random.SYSTEMATIC, server.number, server.renewal)
        systematic = server.defective and u < self.plan.p_systematic
        return model.CAUSE_SYSTEMATIC if systematic else model.CAUSE_RANDOM

    def diagnose(self, failed: Server) -> Server | None:
        """Return the server that is blamed: the failed one, an innocent one, or none."""
        chance, at = self.chance, (failed.number, failed.renewal)
        if not chance.uniform(random.DIAGNOSED, *at) < self.plan.p_diagnosed:
            self.counts[model.UNDIAGNOSED] += 1
            return None
        wrong = chance.uniform(random.WRONG_SERVER, *at) < self.plan.p_wrong_server
        others = self.active - {server.number for server in self.failing}
        if not wrong or not others:
            return failed
        # Uniform among the others of the job, whatever order anybody keeps them in.
        for k in range(model.INNOCENT_TRIES):
            u = chance.further(random.INNOCENT, *at, k)
            innocent = self.servers[int(u * len(self.servers))]
            if innocent.number in others:
                return innocent
        # Few of many servers are active: count them out, by number.
        u = chance.further(random.INNOCENT, *at, model.INNOCENT_TRIES)
        return self.servers[sorted(others)[int(u * len(others))]]

    def blame(self, server: Server, right: bool) -> None:
        """A blamed server leaves the job and the pool, and its repair starts at once."""
        self.counts[model.BLAMED_RIGHT if right else model.BLAMED_WRONG] += 1
        self.record(model.EVENT_BLAME, server.number, int(right))
        self.note_blame(server)
        self.leave(server)
        if right:
            server.remaining_hours = 0.0  # it is used up, whenever that is found out
        del self.pool[server]
        self.lose_server()
        self.send_to_repair(server)

    def note_blame(self, server: Server) -> None:
        """Remember a blame, and judge whether the server is to be retired for it."""
        server.score_base = self.score(server) - self.plan.score_penalty
        server.operated_hours, server.joined = 0.0, self.clock
        server.blame_hours.append(self.env.now)

    def send_to_repair(self, server: Server) -> None:
        """The repair of a server begins; it has left wherever it was."""
        limits = self.plan.shop
        self.move(server, model.AWAITING_REPAIR if limits else model.AUTOMATED_REPAIR)
        server.since = self.env.now
        server.condemned = self.policies.retire(self.view(server), self.env.now)
        self.env.process(self.bring_in(server) if limits else self.repair(server))

    def repaired(self, server: Server, silent: bool, event: int) -> None:
        """The last stage of a repair ends, in a shop without limits."""
        self.count_repair(server)
        outcome = model.REPAIR_SILENT if silent else model.REPAIR_SUCCESS
        self.record(event, server.number, outcome)
        self.come_back(server, silent)

    def come_back(self, server: Server, silent: bool) -> None:
        """A repair is over: the server is retired, or comes back renewed."""
        self.counts[model.REPAIRS_SILENT if silent else model.REPAIRS_SUCCESSFUL] += 1
        mended = server.defective and not silent
        if not silent:
            server.defective = server.faulty = False
        if server.condemned:
            self.retire(server)
            return
        if self.plan.age_kept:
            reference_ages.keep(self, server, mended)
        else:
            self.renew(server, server.renewal + 1)
        if server.failed:
            self.return_spare(server)
            return
        self.pool[server] = None
        short = self.phase in (model.WAITING, model.STALLED)
        if not short and len(self.standbys) < self.plan.warm_standbys:
            self.move(server, model.STANDBY)
            self.standbys.append(server)
        else:
            self.move(server, model.IDLE)
        self.rest(server)
        self.look_for_end_of_shortage()
        self.return_loans()

    def return_spare(self, server: Server) -> None:
        """A repaired server that failed as a spare goes back to the spare pool."""
        server.failed = model.NOT_FAILED
        self.move(server, model.SPARE)
        self.spares.append(server)
        self.rest(server)
        if self.phase in (model.WAITING, model.STALLED):
            self.recount()

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
                left = max(0.0, server.point - self.clock)
                server.point = self.clock + self.turned(server, left)
                heapq.heappush(self.points, (server.point, server.number))
            else:
                self.shorten(server)
        self.record(model.EVENT_REGENERATION, -1, count)
        if self.phase in _AT_WORK and self.is_exposed():
            self.job_process.interrupt()
        self.watch()

    # --- Waiting ----------------------------------------------------------------------------------

    def undisturbed(self, due: Due) -> Process:
        """Wait for an event; return False if the job must first look again at what comes next."""
        try:
            yield due
        except simpy.Interrupt:
            return False
        return True
