"""What samples mean beside each other: comparisons, and what is built from them.

Imports ``results``, ``engine`` and ``scenario``. A study runs scenarios on the same seed, so that
replication k of one shares its chance with replication k of the other.
"""

from __future__ import annotations

from failcast.study.comparison import Comparison, compare
from failcast.study.differences import Difference, ShareDifference
from failcast.study.document import comparison_document
from failcast.study.lever import Lever, Levers, levers, planned_levers

__all__ = [
    "Comparison",
    "Difference",
    "Lever",
    "Levers",
    "ShareDifference",
    "compare",
    "comparison_document",
    "levers",
    "planned_levers",
]
