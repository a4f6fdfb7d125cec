"""A ranking of 12 inputs of Table 1 by Sobol's indices, beside a sample of as many runs."""

from __future__ import annotations

from typing import Any

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, interleaved
from benchmarks.table1 import table1
from failcast.engine import run
from failcast.study import rank
from failcast.study.ranking.inputs import MAIN

_THREADS = 2
#: The ranges of the two inputs that matter most; by default they matter alike.
_RANGES = ("failures.random.rate=0.0075/day..0.015/day:log", "recovery.time.mean=10min..40min:log")
_OTHERS = {
    "failures.systematic.fraction": "0.075..0.3",
    "failures.systematic.multiplier": "2.5..10",
    "selection.time.mean": "90s..6min",
    "preemption.wait.mean": "10min..40min",
    "repair.automated.time.mean": "1h..4h",
    "repair.automated.escalate": "0.4..1",
    "repair.automated.silent_failure": "0.2..0.8",
    "repair.manual.time.mean": "1d..4d",
    "job.warm_standbys": "8..32",
    "cluster.spare_pool": "100..400",
}
VARY = (*_RANGES, *(f"{path}={ends}:log" for path, ends in _OTHERS.items()))


def measure(effort: Effort) -> Measured:
    """Wall time of the ranking, how many of the first inputs it tells apart, and what a run costs.

    It is measured once: it is long, and its length is what matters.
    """
    scenario, found = table1(effort), list[Any]()
    assert len(VARY) == len(MAIN)

    def ranking() -> None:
        found.append(rank(scenario, vary=VARY, samples=effort.rows, threads=_THREADS))

    times = interleaved({"ranking": ranking}, 1)["ranking"]
    bare = interleaved(
        {"bare": lambda: run(scenario, replications=effort.shared, seed=1, threads=_THREADS)}, 3
    )["bare"]
    runs = found[0].runs
    ratios = [times.cpu[0] / runs / (each / effort.shared) for each in bare.cpu]
    places = [each.places for each in found[0].metrics[0].ranked]
    apart = next((k for k, (best, worst) in enumerate(places) if best != worst), len(places))
    return Measured(
        {
            "ranking_s": Figure.of([times.wall[0] / 1000.0], "s", limit=60.0),
            "ranking_runs": Figure.of([runs]),
            "ranking_told_apart": Figure.of([float(apart)], "inputs"),
        },
        {"ranking_over_bare_runs": Figure.of(ratios, better="lower")},
    )
