"""What samples mean beside each other: comparisons, and what is built from them.

Imports ``results``, ``engine`` and ``scenario``. A study runs scenarios on the same seed, so that
replication k of one shares its chance with replication k of the other.
"""

from __future__ import annotations

from failcast.study.comparison import Comparison, compare
from failcast.study.differences import Difference, ShareDifference
from failcast.study.ranking import (
    Estimate,
    Influence,
    Input,
    MetricRanking,
    Ranking,
    check_rank,
    rank,
)

__all__ = [
    "Comparison",
    "Difference",
    "Estimate",
    "Influence",
    "Input",
    "MetricRanking",
    "Ranking",
    "ShareDifference",
    "check_rank",
    "compare",
    "rank",
]
