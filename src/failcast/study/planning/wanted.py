"""What a plan has to meet: goals such as `p95(training_hours) <= 9900`, with confidence.

On the map: study, below bench.py. The grammar is that of `--fail-if`; there a goal says what must
not be, here what must.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np

from failcast.engine import Runs
from failcast.results import Goal, RequestError, statistics
from failcast.results.goals import MTBF, OPERATORS
from failcast.results.measure import Measure
from failcast.results.request import texts_of
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

        A metric is that of finished runs; a run that did not finish has taken longer than any. A
        mean that is the same in every run has no bound: nothing is known of what varies it.
        """
        values = self.measure.of(runs)
        if self.measure.is_share:
            count = int(values.sum())
            low, high = statistics.share_bounds(count, values.size, confidence)
            return Figure(count / values.size, low, high)
        if self.goal.stat in QUANTILES:
            known = np.where(np.isnan(values), self._of_unfinished, values)
            return _quantile(known, QUANTILES[self.goal.stat], confidence)
        finished: Floats = values[~np.isnan(values)]
        mean, spread = statistics.mean(finished), statistics.standard_deviation(finished)
        if mean is None or not spread:
            return Figure(mean, None, None)
        factor = statistics.t_quantile(finished.size - 1, 2.0 * confidence - 1.0)
        half = factor * spread / math.sqrt(finished.size)
        return Figure(mean, mean - half, mean + half)

    @property
    def _of_unfinished(self) -> float:
        """What a run that did not finish counts as in a quantile: the worst."""
        return -math.inf if self.upwards else math.inf

    def needs(self, confidence: float) -> int:
        """The runs from which on the goal can be shown at all, if all of them comply."""
        miss = 1.0 - confidence
        if self.goal.stat in QUANTILES:
            q = QUANTILES[self.goal.stat]
            return math.ceil(math.log(miss) / math.log(1.0 - q if self.upwards else q))
        if not self.measure.is_share:
            return 2
        share = self.goal.limit if self.upwards else 1.0 - self.goal.limit
        if not 0.0 < share < 1.0:
            return 1
        return math.ceil(math.log(miss) / math.log(share))

    def holds(self, value: float | None) -> bool:
        """Whether the goal holds for a value of its figure."""
        return value is not None and OPERATORS[self.goal.comparison](value, self.goal.limit)

    def judge(self, runs: Runs, confidence: float) -> Judgement:
        """Whether the goal is met or missed with this confidence, or neither is known.

        Runs that did not finish count against a goal on a metric: in a quantile as the worst, and
        a mean over the others is no answer.
        """
        figure = self.figure(runs, confidence)
        safe, hopeful = (figure.low, figure.high) if self.upwards else (figure.high, figure.low)
        mean = not self.measure.is_share and self.goal.stat == "mean"
        if mean and np.isnan(self.measure.of(runs)).any():
            return Judgement.MISSED
        if self.holds(safe):
            return Judgement.MET
        if hopeful is not None and not self.holds(hopeful):
            return Judgement.MISSED
        return Judgement.OPEN


def _quantile(values: Floats, q: float, confidence: float) -> Figure:
    """A quantile with distribution-free one-sided bounds, each None where there are too few."""
    low, high = statistics.quantile_bounds(values, q, confidence)
    value = float(np.quantile(values, q, method="lower" if q < 0.5 else "higher"))
    if np.isfinite(values).all():
        return Figure(statistics.quantile(values, q), low, high)
    return Figure(
        *(None if each is None or math.isinf(each) else each for each in (value, low, high))
    )


def read_goals(texts: Iterable[str]) -> tuple[Wanted, ...]:
    """Read goals. Raises RequestError."""
    goals = tuple(Wanted.parse(text) for text in texts_of("goals", texts))
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


def needed(goals: Sequence[Wanted], confidence: float) -> int:
    """The runs from which on all goals can be shown together, if all of them comply.

    Raises RequestError where that is more than MOST_NEEDED.
    """
    level = 1.0 - (1.0 - confidence) / len(goals)
    goal = max(goals, key=lambda each: each.needs(level))
    count = goal.needs(level)
    if count > MOST_NEEDED:
        raise RequestError(
            f"the goal {shown(goal.goal.text)} would need {count:,} runs of each setting to be "
            f"shown, but a plan makes at most {MOST_NEEDED:,}: ask for less, or with less "
            "confidence."
        )
    return count


#: Most runs of a setting that a goal may need.
MOST_NEEDED: Final = 20_000
#: How sure one has to be, by default, that a goal is met.
CONFIDENCE: Final = 0.95
