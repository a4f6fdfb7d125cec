"""What samples mean beside each other: comparisons, and what is built from them.

Imports ``results``, ``engine`` and ``scenario``. A study runs scenarios on the same seed, so that
replication k of one shares its chance with replication k of the other.
"""

from __future__ import annotations

from failcast.study.comparison import Comparison, compare
from failcast.study.differences import Difference, ShareDifference
from failcast.study.document import comparison_document
from failcast.study.lever import Lever, Levers, levers, planned_levers
from failcast.study.planning import (
    PLAN_BUDGET,
    Figure,
    Judgement,
    Plan,
    Point,
    Wanted,
    check_plan,
    plan,
)
from failcast.study.ranking import (
    Estimate,
    Influence,
    Input,
    MetricRanking,
    Ranking,
    check_rank,
    rank,
)
from failcast.study.reproductions import STUDIES, Finding, Reproduction, reproduce, runs_of_study
from failcast.study.sweeps import Cell, Effect, Figures, Sweep, check_sweep, sweep, sweep_effects

__all__ = [
    "PLAN_BUDGET",
    "STUDIES",
    "Cell",
    "Comparison",
    "Difference",
    "Effect",
    "Estimate",
    "Figure",
    "Figures",
    "Finding",
    "Influence",
    "Input",
    "Judgement",
    "Lever",
    "Levers",
    "MetricRanking",
    "Plan",
    "Point",
    "Ranking",
    "Reproduction",
    "ShareDifference",
    "Sweep",
    "Wanted",
    "check_plan",
    "check_rank",
    "check_sweep",
    "compare",
    "comparison_document",
    "levers",
    "plan",
    "planned_levers",
    "rank",
    "reproduce",
    "runs_of_study",
    "sweep",
    "sweep_effects",
]
