"""Which input matters: one at a time, Morris's screening, Sobol's indices. See rank.py."""

from __future__ import annotations

from failcast.study.ranking.methods import Influence, MetricRanking
from failcast.study.ranking.rank import Input, Ranking, check_rank, rank
from failcast.study.ranking.resampling import Estimate

__all__ = ["Estimate", "Influence", "Input", "MetricRanking", "Ranking", "check_rank", "rank"]
