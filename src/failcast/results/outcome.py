"""What goals and manifests ask of a result, be it of one scenario or of many draws of its inputs.

On the map: results, below sample.py and the studies that draw inputs.
"""

from __future__ import annotations

from typing import Protocol

from failcast.results.manifest import Result
from failcast.results.statistics import Mtbf, Proportion, Summary


class Outcome(Result, Protocol):
    """Runs with their figures, see `Sample`."""

    @property
    def finished(self) -> int:
        """Number of runs in which the job finished."""

    def summary(self, metric: str) -> Summary:
        """All figures of a metric."""

    def share_of(self, status: str) -> Proportion:
        """The share of runs that ended with a status."""

    def finished_by(self, hours: float) -> Proportion:
        """The share of runs that finished within so many hours."""

    def mtbf_hours(self) -> Mtbf:
        """Mean operating hours between failures."""
