"""Policies as the operator sees them: which hosts, who is retired, what goes to a technician.

The base class does what the scenario says; the kernel has the same choices compiled in. A user's
own policy is a subclass, runs in the reference engine, and sees a ``ServerView``: what an operator
can know of a server, never its hidden condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from failcast.engine.model import TRIES_PER_HIT
from failcast.engine.plan import (
    POLICY_HIGHEST_SCORE,
    POLICY_POOL_ORDER,
    POLICY_RANDOM,
    RETIRE_SCORE,
    RETIRE_THRESHOLD,
    Facts,
)

Chosen = tuple[list[int], list[int]]

#: For each server: one try in four hits, so genuine draws never take as many.
_MOST_TRIES = 100


class PolicyError(ValueError):
    """A user's own policy asked for something that cannot be."""


@dataclass(frozen=True, slots=True)
class ServerView:
    """What an operator knows of a server at this moment."""

    number: int
    state: str
    #: Times, in hours since the start, at which this server was blamed; the newest last.
    blame_hours: tuple[float, ...]
    score: float
    #: Hours on the job's clock since the server was last blamed.
    operating_hours: float

    @property
    def blames(self) -> int:
        """How often this server has been blamed."""
        return len(self.blame_hours)


class Policies:
    """The scenario's own policies; subclass it and override a method to try yours.

    One object is made per run, so a subclass may keep state in ``self``. ``self.plan`` is the
    scenario as numbers.
    """

    def __init__(self, plan: Facts) -> None:
        self.plan = plan

    def select(
        self,
        available: Sequence[ServerView],
        servers: int,
        standbys: int,
        pick: Callable[[int], float],
        tie: Callable[[int], float],
    ) -> Chosen:
        """Choose the job's servers and its standbys, by number, in the order they queue.

        ``available`` is in pool order (by last entry into the working pool); ``servers`` and
        ``standbys`` say how many are wanted, and ``available`` has that many. ``pick(k)`` and
        ``tie(number)`` are addressed uniform draws in [0, 1). Fewer than ``servers`` chosen means
        a shortage: the job stalls and asks again when the pools change.
        """
        policy = self.plan.policy
        if policy in (POLICY_RANDOM, POLICY_POOL_ORDER):
            if policy == POLICY_POOL_ORDER:
                available = available[: servers + standbys]
            numbers = sorted(view.number for view in available)
            drawn = self._drawn(numbers, len(numbers) - servers, pick)
            idle = len(drawn) - standbys
            return sorted(set(numbers).difference(drawn)), drawn[idle:]
        if policy == POLICY_HIGHEST_SCORE:
            ranked = sorted(available, key=lambda v: (-v.score, tie(v.number), v.number))
        else:
            ranked = sorted(available, key=lambda v: (v.blames, tie(v.number), v.number))
        numbers = [view.number for view in ranked[: servers + standbys]]
        return numbers[:servers], numbers[servers:]

    def retire(self, server: ServerView, now_hours: float) -> bool:
        """Say, at the blame it was just given, whether this server is to be retired."""
        if self.plan.retirement == RETIRE_THRESHOLD:
            blamed, needed = server.blame_hours, int(self.plan.retire_failures)
            if len(blamed) < needed:
                return False
            return bool(now_hours - blamed[-needed] <= self.plan.retire_window)
        if self.plan.retirement == RETIRE_SCORE:
            return bool(server.score <= self.plan.retire_floor)
        return False

    def escalate(self, server: ServerView, chance: float) -> bool:
        """Say whether the automated repair that just ended hands over to manual repair."""
        return bool(chance < self.plan.p_escalate)

    def _drawn(self, numbers: list[int], count: int, pick: Callable[[int], float]) -> list[int]:
        """Draw so many, each once: among all servers until one hits, or few of many from a list."""
        everything = int(self.plan.servers_total)
        few = TRIES_PER_HIT * (len(numbers) - count) < everything
        left, candidates, k = set(numbers), list(numbers), 0
        drawn: list[int] = []
        while len(drawn) < count:
            if k > _MOST_TRIES * everything:
                raise PolicyError(
                    f"{type(self).__name__}.select: after {k:,} draws only {len(drawn)} of {count} "
                    "servers are found; pick must give uniform numbers from 0 to 1, and available "
                    "each server once, by its number."
                )
            if few:
                j = int(pick(k) * len(candidates))
                number, candidates[j] = candidates[j], candidates[-1]
                candidates.pop()
            else:
                number = int(pick(k) * everything)
            if number in left:
                left.remove(number)
                drawn.append(number)
            k += 1
        return drawn
