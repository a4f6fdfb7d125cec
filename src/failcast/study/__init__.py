"""What samples mean beside each other: comparisons, and what is built from them.

Imports ``results``, ``engine`` and ``scenario``. A study runs scenarios on the same seed, so that
replication k of one shares its chance with replication k of the other.
"""

from __future__ import annotations

from failcast.study.breakeven import BreakEven, Crossing, break_even, break_even_of
from failcast.study.comparison import Comparison, compare
from failcast.study.curves import Curve, Point, check_curve, curve, span_of
from failcast.study.differences import Difference, ShareDifference
from failcast.study.document import comparison_document
from failcast.study.lever import Lever, Levers, levers, planned_levers
from failcast.study.planning import (
    PLAN_BUDGET,
    Figure,
    Judgement,
    Option,
    Plan,
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
from failcast.study.uncertain import Cause, Parts, Prediction, check_prediction, predict
from failcast.study.validations import (
    Anchor,
    AnchorFigure,
    Validated,
    Validation,
    anchors,
    runs_of_validation,
    validate,
)

__all__ = [
    "PLAN_BUDGET",
    "STUDIES",
    "Anchor",
    "AnchorFigure",
    "BreakEven",
    "Cause",
    "Cell",
    "Comparison",
    "Crossing",
    "Curve",
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
    "Option",
    "Parts",
    "Plan",
    "Point",
    "Prediction",
    "Ranking",
    "Reproduction",
    "ShareDifference",
    "Sweep",
    "Validated",
    "Validation",
    "Wanted",
    "anchors",
    "break_even",
    "break_even_of",
    "check_curve",
    "check_plan",
    "check_prediction",
    "check_rank",
    "check_sweep",
    "compare",
    "comparison_document",
    "curve",
    "levers",
    "plan",
    "planned_levers",
    "predict",
    "rank",
    "reproduce",
    "runs_of_study",
    "runs_of_validation",
    "span_of",
    "sweep",
    "sweep_effects",
    "validate",
]
