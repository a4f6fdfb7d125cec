"""Goals: conditions such as `ettr.low < 0.95` on which a sample fails.

On the map: results, beside sample.py. A goal is read before anything runs, so that a wrong name is
told at once, and judged on a sample afterwards. A figure that the sample cannot give fails the
goal: a check that could not be made must not pass for one that was.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from failcast.engine import METRICS
from failcast.engine.model import COST
from failcast.results import notebook, wording
from failcast.results.errors import RequestError, unknown_name
from failcast.results.measure import FINISHED_BY, SHARES
from failcast.results.statistics import Summary
from failcast.scenario.errors import Refused, shown
from failcast.scenario.units import format_duration, parse_duration

if TYPE_CHECKING:
    from failcast.results.outcome import Outcome

#: The figures of a metric, the default first, and those of what is no column of runs.
STATS: Final = tuple(field.name for field in fields(Summary) if field.name != "n")
SAMPLE_STATS: Final = ("mean", "low", "high")
#: Stands beside the metrics and the shares: the mean time between failures over all runs.
MTBF: Final = "mtbf_hours"
KNOWN: Final = (*METRICS, MTBF, *SHARES, FINISHED_BY)
#: What lies between 0 and 1, and may be compared with a percentage.
PARTS: Final = ("ettr", "defective_mean", *SHARES, FINISHED_BY)
OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_GOAL = re.compile(
    r"\s*([^\s<>=.()]+)(?:\(([^<>=()]*)\))?(?:\.([^\s<>=.()]+))?\s*(<=|>=|<|>)\s*([^<>=]+)"
)
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_FORM = "write METRIC OP NUMBER or METRIC.STAT OP NUMBER, such as 'ettr.low < 0.95'"
_MOST_CHARACTERS = 200


@dataclass(frozen=True)
class Verdict:
    """What became of a goal: the figure, None where there is none, and whether the goal failed.

    `sentence` says so in words; `goal` is the goal's text as it was given.
    """

    goal: str
    value: float | None
    failed: bool
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The goal, its value and whether it failed, ready for JSON."""
        return {"goal": self.goal, "value": self.value, "failed": self.failed}

    def _repr_html_(self) -> str:
        return notebook.verdict_html(self)


@dataclass(frozen=True)
class Goal:
    """A condition on one figure of a sample; where it holds, the sample fails the goal.

    `metric` is a metric, `mtbf_hours`, a status such as `finished`, or `finished_by` with its
    `hours`; `stat` a figure of a `Summary` such as mean, low or p95_high (all but the metrics have
    mean, low and high alone). `limit` is in the metric's own unit: hours, counts per run or shares.
    """

    text: str
    metric: str
    stat: str
    comparison: str
    limit: float
    hours: float | None = None

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Read `METRIC[.STAT] OP NUMBER`, such as `ettr.low < 0.95` or `finished_by(420 d) < 0.9`.

        `p95(training_hours)` is another way to write `training_hours.p95`. NUMBER may carry a unit
        of time for a metric in hours, and a % for a share.

        Raises RequestError, with the nearest right name where one is wrong.
        """
        match = _GOAL.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
        if match is None:
            raise RequestError(f"the goal {shown(text)} cannot be read: {_FORM}.")
        metric, time, stat, comparison, number = match.groups()
        if metric in STATS and time is not None and stat is None:
            metric, time, stat = time.strip(), None, metric  # p95(training_hours)
        if metric[0].isdigit():
            raise RequestError(
                f"the goal {shown(text)} cannot be read: the metric comes first, as in "
                "'ettr.low < 0.95'."
            )
        if metric not in KNOWN:
            raise unknown_name("metric", metric, KNOWN)
        hours = _time(text, metric, time)
        stats = STATS if metric in METRICS else SAMPLE_STATS
        stat = stats[0] if stat is None else stat
        if stat not in stats:
            raise unknown_name(f"figure of {metric}", stat, stats)
        limit = _limit(text, metric, number.strip())
        return cls(text.strip(), metric, stat, comparison, limit, hours)

    def judge(self, sample: Outcome) -> Verdict:
        """Compare the figure of `sample` with the limit, exactly as it was computed."""
        value, figure = self._figure(sample), f"{self._name()}.{self.stat}"
        goal = f"the goal {shown(self.text)}"
        if value is None:
            sentence = f"{goal} failed: there is no {figure}, because {self._why_not(sample)}."
            return Verdict(self.text, None, True, sentence)
        failed = OPERATORS[self.comparison](value, self.limit)
        unit = " h" if _in_hours(self.metric) else ""
        outcome = "failed" if failed else "is kept"
        return Verdict(
            self.text, value, failed, f"{goal} {outcome}: {figure} is {self._shown(value)}{unit}."
        )

    def _figure(self, sample: Outcome) -> float | None:
        if self.metric in SHARES or self.hours is not None:
            by = self.hours
            share = sample.share_of(self.metric) if by is None else sample.finished_by(by)
            return {"mean": share.value, "low": share.low, "high": share.high}[self.stat]
        if self.metric == MTBF:
            mtbf = sample.mtbf_hours()
            # Without a failure it is known all the same what MTBF exceeds, with this confidence.
            low = mtbf.lower_bound if mtbf.value is None else mtbf.low
            return {"mean": mtbf.value, "low": low, "high": mtbf.high}[self.stat]
        if self.metric == COST and not sample.scenario.cost.is_priced:
            return None
        value: float | None = getattr(sample.summary(self.metric), self.stat)
        return value

    def _name(self) -> str:
        return (
            self.metric if self.hours is None else f"{self.metric}({format_duration(self.hours)})"
        )

    def _why_not(self, sample: Outcome) -> str:
        """Why the sample has no such figure."""
        if self.metric == MTBF:
            seen = sample.mtbf_hours().value is not None
            return "the sample is too small to bound it" if seen else "no failure was seen"
        if self.metric == COST and not sample.scenario.cost.is_priced:
            return "nothing has a price"
        if sample.finished < 2:
            return f"only {sample.finished} run finished" if sample.finished else "no run finished"
        return f"the sample of {sample.finished} finished runs is too small to bound it"

    def _shown(self, value: float) -> str:
        """The value to six digits, or to all where six would not tell it from the limit."""
        text = wording.number(value, wording.decimals_for_value(value, digits=6))
        same = float(text.replace(",", "")) == self.limit and value != self.limit
        return repr(value) if same else text


def _time(text: str, metric: str, time: str | None) -> float | None:
    """The hours in the brackets of `finished_by(420 d)`; None for a metric without them."""
    goal = f"the goal {shown(text)} cannot be read:"
    if metric != FINISHED_BY:
        if time is None:
            return None
        raise RequestError(f"{goal} {metric} takes no time in brackets.")
    if time is None:
        raise RequestError(f"{goal} {metric} needs a time in brackets, as in finished_by(420 d).")
    try:
        return parse_duration(time)
    except Refused as refused:
        end = "" if refused.rule.endswith("?") else "."
        raise RequestError(f"{goal} its time is {shown(time)}, but {refused.rule}{end}") from None


def _limit(text: str, metric: str, number: str) -> float:
    """The limit of the goal `text` as a number in the metric's own unit."""
    goal = f"the goal {shown(text)} cannot be read: its number is {shown(number)}, but"
    bare = number[:-1].rstrip() if number.endswith("%") and metric in PARTS else number
    if _NUMBER.fullmatch(bare):
        value = float(bare) if bare is number else float(bare) / 100.0
        if math.isfinite(value):
            return value
        raise RequestError(f"{goal} it is too large.")
    if not _in_hours(metric):
        such = (
            "a number or a percentage, such as 0.95 or 95 %"
            if metric in PARTS
            else ("a bare number, such as 10")
        )
        raise RequestError(f"{goal} {metric} is compared with {such}.")
    try:
        return parse_duration(number)
    except Refused as refused:
        end = "" if refused.rule.endswith("?") else "."
        raise RequestError(f"{goal} {refused.rule}{end}") from None


def _in_hours(metric: str) -> bool:
    return metric.endswith("_hours")
