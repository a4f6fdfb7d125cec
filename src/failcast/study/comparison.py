"""Compare scenarios pair by pair: what a change saves, and how sure that is.

On the map: study. Both scenarios run the same replications of the same seed. A server's lives and
repairs are then the same draws in both, so most of their chance cancels in the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from failcast.engine import METRICS, Engine, Status
from failcast.results import RequestError, Sample, simulate
from failcast.results.errors import unknown_name
from failcast.results.request import check_request, confidence_of
from failcast.scenario import Scenario
from failcast.study import differences
from failcast.study.differences import Difference, ShareDifference


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two samples of the same replications, pair by pair; differences are `other` minus `base`.

    Metrics are compared over the pairs in which both runs finished; shares over all pairs.
    Raises RequestError where the samples are not of the same seed and number of replications.
    """

    base: Sample
    other: Sample

    def __post_init__(self) -> None:
        same = ("seed", "replications")
        if any(getattr(self.base, name) != getattr(self.other, name) for name in same):
            raise RequestError(
                "samples can be compared in pairs if they have the same seed and the same number "
                f"of replications; these have seeds {self.base.seed} and {self.other.seed}, and "
                f"{self.base.replications:,} and {self.other.replications:,} replications."
            )

    @property
    def pairs(self) -> int:
        """Number of replications that finished in both scenarios."""
        return int(self._both().sum())

    def difference(self, metric: str, confidence: float | None = None) -> Difference:
        """The paired difference of a metric. Raises RequestError for one that does not exist."""
        if metric not in METRICS:
            raise unknown_name("metric", metric, METRICS)
        both, column = self._both(), METRICS.index(metric)
        base, other = (sample.runs.values[both, column] for sample in (self.base, self.other))
        return differences.difference(metric, base, other, self._confidence(confidence))

    def differences(self, confidence: float | None = None) -> dict[str, Difference]:
        """The paired differences of all metrics, by name."""
        return {metric: self.difference(metric, confidence) for metric in METRICS}

    def share_of(self, status: str, confidence: float | None = None) -> ShareDifference:
        """The difference of the share of runs that ended with a status, such as "depleted"."""
        codes = {each.label: each for each in Status}
        if status not in codes:
            raise unknown_name("status", status, tuple(codes))
        base, other = (sample.runs.status == codes[status] for sample in (self.base, self.other))
        return differences.share_difference(status, base, other, self._confidence(confidence))

    def finished_by(self, hours: float, confidence: float | None = None) -> ShareDifference:
        """The difference of the share of runs that finished within so many hours."""
        self.base.finished_by(hours)  # refuses what is no time
        wall = METRICS.index("training_hours")
        base, other = (
            (sample.runs.status == Status.FINISHED) & (sample.runs.values[:, wall] <= hours)
            for sample in (self.base, self.other)
        )
        name = f"finished_by({hours:g} h)"
        return differences.share_difference(name, base, other, self._confidence(confidence))

    def answer(self) -> str:
        """What the change does to the training time, in one or two sentences."""
        from failcast.study.wording import answer

        return answer(self)

    def to_dict(self, by: Sequence[float] = ()) -> dict[str, Any]:
        """The differences, ready for JSON; `by` are the hours of `finished_by`."""
        return {
            "base": self.base.scenario.name,
            "other": self.other.scenario.name,
            "metrics": {name: each.to_dict() for name, each in self.differences().items()},
            "shares": {each.label: self.share_of(each.label).to_dict() for each in Status},
            "finished_by": [self.finished_by(hours).to_dict() for hours in by],
        }

    def __repr__(self) -> str:
        return (
            f"<Comparison of {self.other.scenario.name} with {self.base.scenario.name}: "
            f"{self.pairs:,} pairs of {self.base.replications:,}, seed {self.base.seed}>"
        )

    def _both(self) -> np.ndarray:
        finished = [sample.runs.status == Status.FINISHED for sample in (self.base, self.other)]
        both: np.ndarray = finished[0] & finished[1]
        return both

    def _confidence(self, confidence: float | None) -> float:
        return self.base.confidence if confidence is None else confidence_of(confidence)


def compare(
    base: Scenario,
    *others: Scenario,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    on_progress: Callable[[int], None] | None = None,
) -> tuple[Comparison, ...]:
    """Run `base` and each of `others` on the same chance; return a comparison for each of these.

    `replications` and `seed` default to those of `base`, `threads` to one; the replications of a
    base with a wanted precision are as many as that takes. Each interval holds with the confidence
    of `base`, for itself: of twenty of them one may miss. All scenarios are looked at before any
    runs. Raises RequestError for what cannot be used.
    """
    if not others:
        raise RequestError("compare needs a scenario to compare with: give two or more.")
    for scenario in (base, *others):
        check_request(scenario, replications=replications, seed=seed, threads=threads)
    start = base.run.seed if seed is None else seed
    how: dict[str, Any] = {"threads": threads, "engine": engine, "on_progress": on_progress}
    first = simulate(base, replications=replications, seed=start, **how)
    size = first.replications
    return tuple(
        Comparison(first, simulate(other, replications=size, seed=start, **how)) for other in others
    )
