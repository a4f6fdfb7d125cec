"""Policies: who is selected, how spares come and go, when a server is retired. Parameters only.

Each registry maps the name in a scenario to its meaning in a sentence, for the reference pages. The
engines hold the behaviour.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from failcast.scenario.expressions import Expression, Family
from failcast.scenario.rules import Choice, Count, Duration, Real

#: How host selection picks the servers of the job.
SELECTION_POLICIES: Final = {
    "random": "Uniform over the available servers.",
    "pool_order": "The first in the pool by their last entry into it.",
    "fewest_failures": "Those blamed least often; ties by chance.",
    "highest_score": "Those of the highest score; ties by chance.",
}
SelectionPolicy = Annotated[
    Literal["random", "pool_order", "fewest_failures", "highest_score"],
    Choice(SELECTION_POLICIES),
]

#: How spares are requested when servers are short.
PREEMPTION_MODES: Final = {
    "one_at_a_time": "One spare is requested, waited for in full, then the shortage is recounted.",
    "together": "The whole shortage is requested at once.",
}
PreemptionMode = Annotated[Literal["one_at_a_time", "together"], Choice(PREEMPTION_MODES)]

#: Whether servers on loan go back to the spare pool.
PREEMPTION_RETURNS: Final = {
    "never": "A preempted server stays in the working pool.",
    "when_healed": "Once nothing is missing, the last idle server goes back while any are on loan.",
}
PreemptionReturn = Annotated[Literal["never", "when_healed"], Choice(PREEMPTION_RETURNS)]

#: How many servers end a shortage.
RESUME_WITH: Final = {
    "job_and_standbys": "The job waits until its standbys are there too.",
    "job": "The job starts as soon as its own servers are there.",
}
ResumeWith = Annotated[Literal["job_and_standbys", "job"], Choice(RESUME_WITH)]


class Never(Family):
    """No server is ever retired."""

    family: ClassVar[str] = "never"


class Threshold(Family):
    """A server is retired at its ``failures``-th blame within ``window`` hours."""

    family: ClassVar[str] = "threshold"
    positional: ClassVar[tuple[str, ...]] = ("failures", "window")
    failures: Annotated[int, Count(1, 1000)]
    window: Annotated[float, Duration(positive=True)]


class ScoreFloor(Family):
    """A server is retired when a blame takes its score to ``floor`` or below."""

    family: ClassVar[str] = "score"
    positional: ClassVar[tuple[str, ...]] = ("floor",)
    floor: Annotated[float, Real(-1e9, 1e9)] = 0.0


Retirement: TypeAlias = Never | Threshold | ScoreFloor

#: The retirement rules, by their names in expressions.
RETIREMENTS: Final[dict[str, type[Family]]] = {
    "never": Never,
    "threshold": Threshold,
    "score": ScoreFloor,
}

#: A field that holds a retirement rule.
RetirementField = Annotated[
    Retirement, Expression(RETIREMENTS, "retirement rule", "'never' or 'threshold(3, 7 d)'")
]
