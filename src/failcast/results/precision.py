"""When a sample is large enough: the stopping rule of a run with a wanted precision.

On the map: results, below run.py. Whoever looks at an interval after each run and stops once it is
narrow stops too often where it is narrow by accident, and its coverage is lost. So the first look
comes late and the others at sizes that grow by half. Why these numbers: docs/how-to/precision.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from failcast.engine import METRICS, RunInterrupted, Runs, Status
from failcast.results import statistics
from failcast.results.statistics import Floats

#: Each look is at a sample this much larger than the one before.
GROWTH: Final = 1.5
#: Where none of so many runs has finished, none is waited for any longer: fewer than 1.5 % finish.
HOPELESS_RUNS: Final = 200


@dataclass(frozen=True)
class Precision:
    """How precise a sample was asked to be, and how precise it is.

    `wanted` and `reached` are half the interval of the mean of `metric`, relative to the mean:
    0.01 is 1 %. `reached` is None where there is no interval or the mean is zero.
    """

    metric: str
    wanted: float
    reached: float | None
    min_replications: int
    max_replications: int

    @property
    def met(self) -> bool:
        """Whether the sample is as precise as it was asked to be."""
        return self.reached is not None and self.reached <= self.wanted

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, and `met`."""
        return asdict(self) | {"met": self.met}


@dataclass(frozen=True)
class StoppingRule:
    """Run until the relative half-width of `metric` is at most `wanted`.

    The sample has `least` runs at the first look and never more than `most`.
    """

    metric: str
    wanted: float
    least: int
    most: int

    def sizes(self) -> Iterator[int]:
        """The sizes of the sample at which it is looked at."""
        size = min(self.least, self.most)
        while size < self.most:
            yield size
            size = min(self.most, math.ceil(GROWTH * size))
        yield size

    def reached_by(self, values: Floats, confidence: float) -> Precision:
        """How precise these values of finished runs are."""
        reached = statistics.relative_half_width(values, confidence)
        return Precision(self.metric, self.wanted, reached, self.least, self.most)

    def is_over(self, precision: Precision, finished: int, runs: int) -> bool:
        """Whether to stop after a look at `runs` runs, of which `finished` finished.

        The interval counts from `least` finished runs on, for it is made of these. Where none of
        very many runs has finished, more of them help nobody.
        """
        enough = finished >= min(self.least, self.most)
        hopeless = finished == 0 and runs >= HOPELESS_RUNS
        return runs >= self.most or hopeless or (precision.met and enough)

    def estimate(self, precision: Precision, finished: int, runs: int) -> int:
        """At which size the rule will probably stop, after a look that did not end it."""
        if precision.reached is None:
            return self.most
        more = max((precision.reached / self.wanted) ** 2, self.least / finished)
        return next((size for size in self.sizes() if size >= runs * more), self.most)


def most_runs(size: int | StoppingRule) -> int:
    """The largest number of runs that a sample can have."""
    return size.most if isinstance(size, StoppingRule) else size


class Collection:
    """The runs of a sample as they come in, until there are enough."""

    def __init__(
        self,
        size: int | StoppingRule,
        confidence: float,
        on_estimate: Callable[[int], None] | None,
    ) -> None:
        self.confidence = confidence
        self.rule = size if isinstance(size, StoppingRule) else None
        self.sizes = size.sizes() if isinstance(size, StoppingRule) else iter((size,))
        self.on_estimate = on_estimate
        self.parts: list[Runs] = []

    @property
    def done(self) -> int:
        """Number of runs there are."""
        return sum(len(part.status) for part in self.parts)

    def collect(self, run: Callable[..., Runs], keep_on_interrupt: bool) -> bool:
        """Run until there are enough runs; return whether Ctrl-C ended that early.

        Raises KeyboardInterrupt unless it is to keep the runs that were done, and any were.
        """
        try:
            self._collect(run)
        except KeyboardInterrupt as interruption:
            if isinstance(interruption, RunInterrupted):
                self.parts.append(interruption.runs)
            if keep_on_interrupt and self.done:
                return True
            raise
        return False

    def _collect(self, run: Callable[..., Runs]) -> None:
        for size in self.sizes:
            first = self.done
            self.parts.append(run(first=first, replications=size - first))
            if self.rule is not None and self._is_over(self.rule):
                return

    def _is_over(self, rule: StoppingRule) -> bool:
        values, runs = self._values(rule.metric), self.done
        precision = rule.reached_by(values, self.confidence)
        over = rule.is_over(precision, values.size, runs)
        if not over and self.on_estimate is not None:
            self.on_estimate(rule.estimate(precision, values.size, runs))
        return over

    def _values(self, metric: str) -> Floats:
        """The metric in the finished runs."""
        column = METRICS.index(metric)
        return np.concatenate(
            [part.values[part.status == Status.FINISHED, column] for part in self.parts]
        )

    def runs(self) -> Runs:
        """All runs in one piece."""
        return Runs.joined(self.parts)

    def precision(self) -> Precision | None:
        """How precise the runs are, where a precision was asked for."""
        if self.rule is None:
            return None
        values = self._values(self.rule.metric)
        return self.rule.reached_by(values, self.confidence)
