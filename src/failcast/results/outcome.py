"""What goals and manifests ask of a result, be it of one scenario or of many draws of its inputs.

On the map: results, below sample.py and the studies that draw inputs.
"""

from __future__ import annotations

from typing import Protocol

from failcast.engine import Engine
from failcast.results.statistics import Mtbf, Proportion, Summary
from failcast.scenario import Scenario


class Outcome(Protocol):
    """Runs with their figures, see `Sample`."""

    @property
    def scenario(self) -> Scenario:
        """The scenario, its uncertain inputs among it."""

    @property
    def seed(self) -> int:
        """Where chance starts."""

    @property
    def engine(self) -> Engine:
        """The engine that did the runs."""

    @property
    def threads(self) -> int:
        """The threads that did them."""

    @property
    def replications(self) -> int:
        """Number of runs."""

    @property
    def confidence(self) -> float:
        """Confidence of the intervals."""

    @property
    def finished(self) -> int:
        """Number of runs in which the job finished."""

    def scenario_as_run(self) -> Scenario:
        """The scenario with seed and replications."""

    def summary(self, metric: str) -> Summary:
        """All figures of a metric."""

    def share_of(self, status: str) -> Proportion:
        """The share of runs that ended with a status."""

    def finished_by(self, hours: float) -> Proportion:
        """The share of runs that finished within so many hours."""

    def mtbf_hours(self) -> Mtbf:
        """Mean operating hours between failures."""
