"""The repair shop of a scenario: its stages, and the faults that it leaves behind.

On the map: scenario, a part of scenario.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BeforeValidator, model_validator

from failcast.scenario.ages import Restores
from failcast.scenario.blocks import Block, off_or_block
from failcast.scenario.distributions import Constant, DurationField, Exponential
from failcast.scenario.errors import Refused
from failcast.scenario.rules import Count, Duration, Plain, Real

Probability = Annotated[float, Real(0.0, 1.0)]
#: How a number without a limit is written.
INF: Final = "inf"
#: How a number of crews without a limit is written.
UNLIMITED: Final = "unlimited"
#: Most crews that are told apart from an unlimited number.
MOST_CREWS: Final = 10_000_000
DAY_HOURS: Final = 24.0
#: Most parts in stock: one time of 8 bytes and a number for each that is on order.
MOST_STOCK: Final = 100_000


@dataclass(frozen=True)
class Concentration(Real):
    """How alike the probabilities of single servers are: a number above 0, or ``inf``."""

    def read(self, value: Any, *, units_required: bool) -> float:
        """Return the number, which may be infinite. Raises Refused."""
        if value in (INF, math.inf) and not isinstance(value, bool):
            return math.inf
        try:
            return super().read(value, units_required=units_required)
        except Refused as refused:
            raise Refused(refused.rule.replace("it must be", f"it must be {INF} or", 1)) from None

    def plain(self, value: Any) -> Plain:
        """Return the number, or the word for one that is infinite."""
        return INF if value == math.inf else float(value)


@dataclass(frozen=True)
class Crews(Count):
    """How many work at once: a whole number, or ``unlimited``, which is also kept as that word."""

    def read(self, value: Any, *, units_required: bool) -> int | str:  # type: ignore[override]
        """Return the number or the word. Raises Refused."""
        if isinstance(value, str) and value == UNLIMITED:
            return UNLIMITED
        try:
            return super().read(value, units_required=units_required)
        except Refused as refused:
            word = f"it must be {UNLIMITED} or"
            raise Refused(refused.rule.replace("it must be", word, 1)) from None


CrewsField = Annotated[int | Literal["unlimited"], Crews(1, MOST_CREWS)]


@dataclass(frozen=True)
class PartOfDay(Duration):
    """A duration of a day at most; ``below`` excludes the whole day."""

    below: bool = False

    def read(self, value: Any, *, units_required: bool) -> float | None:
        """Return the hours. Raises Refused."""
        hours = super().read(value, units_required=units_required)
        if hours is not None and (hours > DAY_HOURS or (self.below and hours == DAY_HOURS)):
            raise Refused(f"it must be {self.limit}")
        return hours

    @property
    def limit(self) -> str:
        """The most that it may be, in words."""
        return f"{'below' if self.below else 'at most'} {DAY_HOURS:g} h"


class AutomatedRepair(Block):
    """The first stage of a repair. ``escalate`` is the probability of a manual stage after it.

    ``crews`` is how many servers can be in it at once, a number or ``"unlimited"``.
    """

    place: ClassVar[str] = "repair.automated"
    time: DurationField = Exponential(mean=2.0)
    escalate: Probability = 0.8
    silent_failure: Probability = 0.4
    crews: CrewsField = UNLIMITED


class Shift(Block):
    """When technicians are on duty: ``hours`` from ``begin`` on, on the first ``days`` of a week.

    A run begins on a Monday at 0:00. A shift may end on the next day.
    """

    place: ClassVar[str] = "repair.manual.shift"
    begin: Annotated[float, PartOfDay(below=True)] = 8.0
    hours: Annotated[float, PartOfDay(positive=True)] = 10.0
    days: Annotated[int, Count(1, 7)] = 5


class SpareParts(Block):
    """Spare parts: a manual repair needs one with ``probability``.

    At first there are ``stock``. Each that is needed is ordered anew at once, and arrives after
    ``lead_time``.
    """

    place: ClassVar[str] = "repair.manual.parts"
    probability: Probability = 0.5
    stock: Annotated[int, Count(0, MOST_STOCK)] = 10
    lead_time: DurationField = Constant(value=168.0)


class ManualRepair(Block):
    """The second stage of a repair. ``crews`` as in the first.

    ``shift`` None means always on duty, ``parts`` None that all parts are at hand.
    """

    place: ClassVar[str] = "repair.manual"
    time: DurationField = Exponential(mean=48.0)
    silent_failure: Probability = 0.2
    crews: CrewsField = UNLIMITED
    shift: Annotated[Shift | None, BeforeValidator(off_or_block("begin, hours and days"))] = None
    parts: Annotated[
        SpareParts | None, BeforeValidator(off_or_block("probability, stock and lead_time"))
    ] = None


class Requalification(Block):
    """A test of ``time`` after the last stage of each repair.

    It finds a silent failure with probability ``detects``, and the server then goes to the manual
    stage again.
    """

    place: ClassVar[str] = "repair.requalification"
    time: DurationField = Constant(value=2.0)
    detects: Probability = 1.0


class Relapse(Block):
    """Faults that were left in a server and strike again after ``time`` hours of exposure.

    With a finite ``concentration`` each server has a probability of its own, drawn once from the
    beta distribution with the mean ``probability`` and a + b = ``concentration``.
    """

    place: ClassVar[str] = "repair.relapse"
    probability: Probability = 0.5
    time: DurationField = Exponential(mean=12.0)
    concentration: Annotated[float, Concentration(0.01, 1e6)] = math.inf

    @model_validator(mode="after")
    def _takes_time(self) -> Self:
        if self.time.mean_hours == 0.0:
            sentence = (
                f"repair.relapse.time is {self.time.expression()}, but a fault that strikes again "
                "at once is no relapse: its mean must be longer than 0."
            )
            raise Refused("", sentence=sentence, fields=("repair.relapse.time",))
        return self


class Repair(Block):
    """The repair shop. ``silent_failure`` is the probability that a stage mends nothing."""

    place: ClassVar[str] = "repair"
    automated: AutomatedRepair = AutomatedRepair()
    manual: ManualRepair = ManualRepair()
    requalification: Annotated[
        Requalification | None, BeforeValidator(off_or_block("time and detects"))
    ] = None
    restores: Restores = "new"
    relapse: Annotated[
        Relapse | None, BeforeValidator(off_or_block("probability, time and concentration"))
    ] = None
