"""What an input may matter for: a metric, or whether a run ended or finished in a certain way.

On the map: study, below rank.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from failcast.engine import METRICS, Status
from failcast.results import RequestError
from failcast.results.errors import unknown_name
from failcast.results.goals import FINISHED_BY, KNOWN, MTBF, SHARES
from failcast.results.request import hours_from
from failcast.results.statistics import Floats
from failcast.scenario.errors import shown
from failcast.scenario.units import format_duration

_FINISHED_BY = re.compile(rf"{FINISHED_BY}\s*\(([^()]*)\)")
_WALL = METRICS.index("training_hours")


@dataclass(frozen=True)
class Measure:
    """An output of a run: a metric, a status, or whether it finished within `hours`."""

    name: str
    hours: float | None = None

    @property
    def is_share(self) -> bool:
        """Whether its mean is a share of runs, of which each is in or out."""
        return self.name not in METRICS

    @property
    def unit(self) -> str:
        """`h` for hours, else nothing."""
        return "h" if self.name.endswith("_hours") else ""

    def of(self, values: Floats, status: np.ndarray) -> Floats:
        """The output of each run, NaN where a run has none: metrics are those of finished runs.

        `values` has the shape (…, metrics) and `status` the shape in front of it.
        """
        finished = status == Status.FINISHED
        if self.hours is not None:
            return np.asarray(finished & (values[..., _WALL] <= self.hours), np.float64)
        if self.is_share:
            code = next(each for each in Status if each.label == self.name)
            return np.asarray(status == code, np.float64)
        return np.where(finished, values[..., METRICS.index(self.name)], np.nan)


def measure(text: str) -> Measure:
    """Read `ettr`, `depleted` or `finished_by(420 d)`.

    Raises RequestError, with the nearest right name.
    """
    name = text.strip() if isinstance(text, str) else text
    if isinstance(name, str) and name.partition("(")[0].strip() == FINISHED_BY:
        match = _FINISHED_BY.fullmatch(name)
        if match is None:
            raise RequestError(
                f"the metric {shown(name)} needs a time in brackets, as in finished_by(420 d)."
            )
        return finished_by(hours_from("the time of finished_by", match[1]))
    if name == MTBF:
        raise RequestError(
            f"{MTBF} is a figure of a whole sample and no run has one: take mean_run_hours, the "
            "productive hours between the failures of a run."
        )
    if name not in (*METRICS, *SHARES):
        raise unknown_name("metric", name, KNOWN)
    return Measure(name)


def measures(texts: Sequence[str], by: Sequence[float] = ()) -> tuple[Measure, ...]:
    """The metrics by their names, then `finished_by` for each time in hours; none of them twice."""
    found = [measure(text) for text in texts] + [finished_by(hours) for hours in by]
    return tuple(dict.fromkeys(found or [Measure("training_hours")]))


def finished_by(hours: float) -> Measure:
    """Whether a run finished within so many hours."""
    return Measure(f"{FINISHED_BY}({format_duration(hours)})", hours)
