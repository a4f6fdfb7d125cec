"""Plans: the cheapest setting that meets goals, what it rests on, and what one step less would do.

On the map: a part of study.
"""

from __future__ import annotations

from failcast.study.planning.plan import BUDGET as PLAN_BUDGET
from failcast.study.planning.plan import Option, Plan, check_plan, plan
from failcast.study.planning.wanted import Figure, Judgement, Wanted

__all__ = [
    "PLAN_BUDGET",
    "Figure",
    "Judgement",
    "Option",
    "Plan",
    "Wanted",
    "check_plan",
    "plan",
]
