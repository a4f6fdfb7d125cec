"""What is asked of every run alike: a metric, or whether something is true of it.

On the map: results, below every study. `training_hours` is a number of a finished run;
`finished_by(420 d)` and `depleted` are true or false of any run, and their mean is a probability.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from failcast.engine import METRICS, Runs, Status
from failcast.results import statistics
from failcast.results.errors import RequestError, unknown_name
from failcast.results.request import hours_from
from failcast.results.statistics import Floats, Interval
from failcast.scenario.errors import shown
from failcast.scenario.units import format_duration

#: The probability of finishing within a time, which is written in brackets.
FINISHED_BY: Final = "finished_by"
#: The probabilities of ending in a certain way.
SHARES: Final = tuple(status.label for status in Status)
KNOWN: Final = (*METRICS, *SHARES, FINISHED_BY)
_CALL: Final = re.compile(r"\s*([^\s()]+)\s*(?:\(([^()]*)\))?\s*")


@dataclass(frozen=True)
class Measure:
    """A metric of finished runs, or a statement about all runs, true (1) or false (0).

    `hours` are those of `finished_by`, None of anything else.
    """

    metric: str
    hours: float | None = None

    @classmethod
    def parse(cls, text: object) -> Measure:
        """Read `training_hours`, `depleted` or `finished_by(420 d)`.

        Raises RequestError, with the nearest right name where one is wrong.
        """
        match = _CALL.fullmatch(text) if isinstance(text, str) else None
        name, time = match.groups() if match is not None else (text, None)
        if name == "mtbf_hours":
            raise RequestError(
                "mtbf_hours is a figure of a whole sample and no run has one: take mean_run_hours, "
                "the productive hours between the failures of a run."
            )
        if name not in KNOWN:
            raise unknown_name("metric", name, KNOWN)
        if name != FINISHED_BY and time is not None:
            raise RequestError(f"{shown(text)} cannot be read: {name} takes no time in brackets.")
        if name != FINISHED_BY:
            return cls(name)
        if time is None:
            raise RequestError(
                f"{shown(text)} cannot be read: {name} needs a time in brackets, as in "
                "finished_by(420 d)."
            )
        return cls(name, hours_from(name, time))

    @property
    def name(self) -> str:
        """How it is written: `finished_by(420 d)`."""
        return (
            self.metric if self.hours is None else f"{self.metric}({format_duration(self.hours)})"
        )

    @property
    def is_share(self) -> bool:
        """Whether it is true or false of a run, so that its mean is a probability."""
        return self.metric not in METRICS

    @property
    def unit(self) -> str:
        """`h` for hours, else nothing."""
        return "h" if self.metric.endswith("_hours") else ""

    def of(self, runs: Runs) -> Floats:
        """The measure of each run, (replications,); NaN where a metric of an unfinished run."""
        return self.of_arrays(runs.values, runs.status)

    def of_arrays(self, values: Floats, status: np.ndarray) -> Floats:
        """The measure of each run; `values` is (…, metrics), `status` has the shape before that."""
        finished = status == Status.FINISHED
        if self.hours is not None:
            wall = values[..., METRICS.index("training_hours")]
            return np.asarray(finished & (wall <= self.hours), dtype=np.float64)
        if self.is_share:
            codes = {each.label: each for each in Status}
            return np.asarray(status == codes[self.metric], dtype=np.float64)
        return np.where(finished, values[..., METRICS.index(self.metric)], np.nan)

    def mean(self, runs: Runs, confidence: float) -> tuple[float | None, Interval | None]:
        """The mean and its interval: Student's of a metric, Wilson's of a share."""
        values = self.of(runs)
        values = values[~np.isnan(values)]
        if not self.is_share:
            return statistics.mean(values), statistics.mean_interval(values, confidence)
        share = statistics.proportion(int(values.sum()), values.size, confidence)
        if share.value is None or share.low is None or share.high is None:
            return share.value, None
        return share.value, Interval(share.low, share.high)
