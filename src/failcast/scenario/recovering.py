"""What a failure costs: work since the last checkpoint, and the phases until the job goes on.

On the map: scenario, below scenario.py. Checkpoints are kept on tiers; a tier says which failures
what it holds survives, and how long it takes to load that again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, model_validator

from failcast.scenario.blocks import Block, off_or_block
from failcast.scenario.distributions import Constant, Distribution, DurationField
from failcast.scenario.errors import Refused, did_you_mean, nearest
from failcast.scenario.expressions import Family
from failcast.scenario.rules import Choice, Count, Duration, Plain

#: What may stand in the place of an interval between checkpoints.
INTERVALS: Final = {
    "continuous": "Checkpoints are free and no work is ever lost.",
    "none": "There are no checkpoints: a failure starts the job from zero.",
    "optimal": "The interval that costs least, by the failure rate and the time of a write.",
}

#: What a tier survives: each name stands for itself and those before it.
SEVERITIES: Final = {
    "crash": "A process ended; every server stays, with what is in its memory.",
    "reboot": "A server started anew and stays; its disk is as it was.",
    "server": "One server was taken out of the job.",
    "servers": "Several servers were taken out before the job went on.",
}
Severity = Annotated[Literal["crash", "reboot", "server", "servers"], Choice(SEVERITIES)]

#: The tiers, from the nearest to the farthest.
TIERS: Final = ("memory", "local", "peer", "remote")
#: The named phases of a recovery, in their order.
PHASES: Final = ("detect", "diagnose", "reschedule", "restart", "load", "warm_up")


@dataclass(frozen=True)
class Interval(Duration):
    """A duration longer than 0, or one of the words of INTERVALS."""

    positive: bool = True

    def read(self, value: Any, *, units_required: bool) -> Any:
        """Return hours, or the word. Raises Refused."""
        if isinstance(value, str):
            word = value.strip()
            if word in INTERVALS:
                return word
            if word.replace("_", "").isalpha():
                hint = did_you_mean(nearest(word, INTERVALS))
                raise Refused(
                    "it must be continuous, none, optimal or a duration such as '30 min'" + hint
                )
        return super().read(value, units_required=units_required)

    def plain(self, value: Any) -> Plain:
        """Return the duration, or the word, as a file holds it."""
        return value if isinstance(value, str) else super().plain(value)


#: Hours of computing between checkpoints, or a word of INTERVALS.
IntervalField = Annotated[float | str, Interval()]


class Tier(Block):
    """Where checkpoints are kept: every ``every``-th, safe ``persist`` after it was written.

    ``restore`` is the time to load one from here, after a failure that is no worse than
    ``survives``.
    """

    every: Annotated[int, Count(1, 1_000_000)] = 1
    persist: DurationField = Constant(value=0.0)
    restore: DurationField = Constant(value=0.0)
    survives: Severity = "servers"


class MemoryTier(Tier):
    """Copies in the memory of the servers themselves."""

    place: ClassVar[str] = "checkpoint.tiers.memory"
    survives: Severity = "crash"


class LocalTier(Tier):
    """Copies on the disks of the servers themselves."""

    place: ClassVar[str] = "checkpoint.tiers.local"
    survives: Severity = "reboot"


class PeerTier(Tier):
    """Copies in other servers of the job."""

    place: ClassVar[str] = "checkpoint.tiers.peer"
    survives: Severity = "server"


class RemoteTier(Tier):
    """Copies outside the job, on shared or object storage."""

    place: ClassVar[str] = "checkpoint.tiers.remote"


_tier: Final = BeforeValidator(off_or_block("every, persist, restore and survives"))


class Tiers(Block):
    """Where checkpoints are kept: by default outside the job alone. None: not there."""

    place: ClassVar[str] = "checkpoint.tiers"
    memory: Annotated[MemoryTier | None, _tier] = None
    local: Annotated[LocalTier | None, _tier] = None
    peer: Annotated[PeerTier | None, _tier] = None
    remote: Annotated[RemoteTier | None, _tier] = RemoteTier()

    def named(self) -> tuple[tuple[str, Tier], ...]:
        """Return name and tier of those that are on, the nearest first."""
        found = ((name, getattr(self, name)) for name in TIERS)
        return tuple((name, tier) for name, tier in found if tier is not None)


class Checkpoint(Block):
    """Checkpoints: how often, how long the job stands still for one, and where they are kept.

    ``interval`` is computing between two writes, or ``continuous``, ``none`` or ``optimal``.
    ``write`` and the tiers matter where checkpoints are written at all. A tier with a ``persist``
    is asynchronous: the job goes on meanwhile, and what is not yet safe is lost with a failure.
    """

    place: ClassVar[str] = "checkpoint"
    short_form: ClassVar[str] = "interval"
    optional: ClassVar[bool] = True
    interval: IntervalField = "continuous"
    write: DurationField = Constant(value=0.0)
    tiers: Tiers = Tiers()

    @model_validator(mode="before")
    @classmethod
    def _bare_interval(cls, value: Any) -> Any:
        """Read ``checkpoint: 30 min`` as ``checkpoint: {interval: 30 min}``."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return {cls.short_form: value}
        return value

    @property
    def are_written(self) -> bool:
        """Whether the job ever stops to write one."""
        return self.interval not in ("continuous", "none")


#: Where the six phases are missing, the time is AIReSim's; else it is what they leave undivided.
_AIRESIM_TIME: Final = Constant(value=20.0 / 60.0)


class Recovery(Block):
    """How long the job needs after a failure before it computes again.

    ``time`` is not divided; with named phases it comes after ``diagnose``, and is 0 where it is not
    given beside them. Who failed is known, and its repair begins, when ``diagnose`` is over.
    """

    place: ClassVar[str] = "recovery"
    short_form: ClassVar[str] = "time"
    time: DurationField = _AIRESIM_TIME
    detect: DurationField = Constant(value=0.0)
    diagnose: DurationField = Constant(value=0.0)
    reschedule: DurationField = Constant(value=0.0)
    restart: DurationField = Constant(value=0.0)
    load: DurationField = Constant(value=0.0)
    warm_up: DurationField = Constant(value=0.0)

    @model_validator(mode="before")
    @classmethod
    def _bare_time(cls, value: Any) -> Any:
        """Read ``recovery: 20 min`` as ``recovery: {time: 20 min}``."""
        if isinstance(value, str | int | float | Family) and not isinstance(value, bool):
            return {cls.short_form: value}
        if isinstance(value, dict) and "time" not in value and not value.keys().isdisjoint(PHASES):
            return {**value, "time": Constant(value=0.0)}
        return value

    @property
    def mean_hours(self) -> float:
        """The mean of all of it, in hours, without the restore time of a checkpoint."""
        phases: list[Distribution] = [getattr(self, name) for name in PHASES]
        return self.time.mean_hours + math.fsum(phase.mean_hours for phase in phases)
