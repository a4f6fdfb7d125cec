"""How often an interval holds the truth, over many samples: what the tests of coverage share.

On the map: tests/results and tests/regressions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from failcast.results.precision import StoppingRule
from failcast.results.statistics import Floats, mean_interval

Draw = Callable[[int, int], Floats]


class Stopped(NamedTuple):
    """What became of many samples: the share whose interval held the truth, and their sizes."""

    coverage: float
    sizes: list[int]


def coverage_of_rule(rule: StoppingRule, rows: Floats, *, true_mean: float) -> Stopped:
    """Let the rule end a sample on each row, and see whether the interval there holds the mean."""
    hits, sizes = 0, []
    for row in rows:
        for size in rule.sizes():
            if rule.is_over(rule.reached_by(row[:size], 0.95), size, size):
                break
        interval = mean_interval(row[:size], 0.95)
        assert interval is not None
        hits += interval.low <= true_mean <= interval.high
        sizes.append(size)
    return Stopped(hits / len(rows), sizes)


def lower_limit(share: float, trials: int) -> float:
    """What a share seen in so many trials exceeds, unless the true one is below `share`: 4 s.e."""
    return share - 4.0 * math.sqrt(share * (1.0 - share) / trials)


def mean_size(stopped: Stopped) -> float:
    """The mean size of the samples."""
    return float(np.mean(stopped.sizes))
