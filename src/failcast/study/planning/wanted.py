"""What a plan has to meet: goals such as `p95(training_hours) <= 9900`, with confidence.

On the map: study, below bench.py. The grammar is that of `--fail-if`; there a goal says what must
not be, here what must.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np

from failcast.engine import METRICS, Runs
from failcast.results import Goal, RequestError, statistics
from failcast.results.goals import MTBF, OPERATORS
from failcast.results.measure import Measure
from failcast.results.statistics import QUANTILES, Floats
from failcast.scenario.errors import shown


class Judgement(Enum):
    """What runs say about a goal at a confidence."""

    MET = "met"
    MISSED = "missed"
    OPEN = "open"


@dataclass(frozen=True)
class Figure:
    """A figure of runs with one-sided bounds, each at its confidence; None where unknown."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Wanted:
    """A goal that is to hold: a mean, a quantile (p5, p50, p95) or a probability and its limit."""

    goal: Goal

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """Read a goal. Raises RequestError, with the nearest right name where one is wrong."""
        goal = Goal.parse(text)
        if goal.metric == MTBF or (goal.stat != "mean" and goal.stat not in QUANTILES):
            raise RequestError(
                f"the goal {shown(text)} cannot be planned for: write a mean such as 'ettr >= 0.9',"
                " a quantile such as 'p95(training_hours) <= 9900', or a probability such as "
                "'finished_by(420 d) >= 95 %'; the confidence is added by the plan."
            )
        return cls(goal)

    @property
    def upwards(self) -> bool:
        """Whether more is better."""
        return self.goal.comparison in (">", ">=")

    @property
    def name(self) -> str:
        """The figure in words: `p95(training_hours)`."""
        name = self.measure.name
        return name if self.goal.stat == "mean" else f"{self.goal.stat}({name})"

    @property
    def measure(self) -> Measure:
        """What the goal is about."""
        return Measure(self.goal.metric, self.goal.hours)

    def figure(self, runs: Runs, confidence: float) -> Figure:
        """The figure in these runs; each bound holds with the confidence, for itself.

        A metric is that of finished runs; where some did not finish, it is not known to be met.
        """
        two_sided = 2.0 * confidence - 1.0
        if self.measure.is_share:
            values = self.measure.of(runs)
            share = statistics.proportion(int(values.sum()), values.size, two_sided)
            return Figure(share.value, share.low, share.high)
        values = self.measure.of(runs)
        finished: Floats = values[~np.isnan(values)]
        if self.goal.stat in QUANTILES:
            q = QUANTILES[self.goal.stat]
            return _quantile(finished, q, confidence)
        low, high = statistics.mean_interval(finished, two_sided) or (None, None)
        return Figure(statistics.mean(finished), low, high)

    def holds(self, value: float | None) -> bool:
        """Whether the goal holds for a value of its figure."""
        return value is not None and OPERATORS[self.goal.comparison](value, self.goal.limit)

    def judge(self, runs: Runs, confidence: float) -> Judgement:
        """Whether the goal is met or missed with this confidence, or neither is known.

        Runs that did not finish count against a goal on a metric.
        """
        figure = self.figure(runs, confidence)
        safe, hopeful = (figure.low, figure.high) if self.upwards else (figure.high, figure.low)
        if self.measure.metric in METRICS and np.isnan(self.measure.of(runs)).any():
            return Judgement.MISSED
        if self.holds(safe):
            return Judgement.MET
        if hopeful is not None and not self.holds(hopeful):
            return Judgement.MISSED
        return Judgement.OPEN


def _quantile(values: Floats, q: float, confidence: float) -> Figure:
    """A quantile with distribution-free one-sided bounds, each None where there are too few."""
    interval = statistics.quantile_bounds(values, q, confidence)
    return Figure(statistics.quantile(values, q), *interval)


def read_goals(texts: Iterable[str]) -> tuple[Wanted, ...]:
    """Read goals. Raises RequestError."""
    goals = tuple(Wanted.parse(text) for text in texts)
    if not goals:
        raise RequestError("a plan needs a goal, such as 'p95(training_hours) <= 9900'.")
    return goals


def judged(goals: Sequence[Wanted], runs: Runs, confidence: float) -> Judgement:
    """Whether all goals are met together with this confidence, or one is missed."""
    level = 1.0 - (1.0 - confidence) / len(goals)
    found = [goal.judge(runs, level) for goal in goals]
    if Judgement.MISSED in found:
        return Judgement.MISSED
    return Judgement.OPEN if Judgement.OPEN in found else Judgement.MET


#: How sure one has to be, by default, that a goal is met.
CONFIDENCE: Final = 0.95
