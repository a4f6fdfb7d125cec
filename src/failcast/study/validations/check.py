"""How one figure of an anchor is measured: scenario, measure, closed form.

On the map: study, below the checks of the single anchors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from failcast.scenario import Scenario
from failcast.study.validations.measures import Measure

ClosedForm = Callable[[Scenario], float]


@dataclass(frozen=True)
class Check:
    """How a figure is measured: the case that is run, the measure, and the closed form if any.

    Without a measure there is only the closed form; `formula` says in words what that is.
    """

    case: str
    measure: Measure | None = None
    closed_form: ClosedForm | None = None
    formula: str = ""
