"""Legal scenarios at the edges of what numbers can hold: nothing crashes, both engines agree."""

from __future__ import annotations

import itertools

import pytest

from failcast.engine import trace
from failcast.scenario import Scenario

RATES = (1e-15, 1e-3, 10.0, 1e6)
LIVES = (
    "exponential",
    "weibull(shape=0.05)",
    "weibull(shape=1000)",
    "lognormal(sigma=10)",
    "gamma(shape=0.05)",
    "gamma(shape=1000)",
    "empirical(1e-9 h, 1e9 h)",
    "mixture(0.5: 0, 0.4: 1e-9 h, 0.1: lognormal(median=1e9 h, sigma=10))",
)
LENGTHS = (1e-9, 1.0, 1e9)
OVERHEADS = ("0 h", "1e-9 h", "1e9 h")
REPAIRS = ("0 h", "exponential(mean=1e9 h)")


@pytest.mark.parametrize("life", LIVES)
def test_engines_agree_at_the_edges(life: str) -> None:
    edges = itertools.product(RATES, LENGTHS, OVERHEADS, REPAIRS)
    for number, (rate, length, overhead, repair) in enumerate(edges):
        wide = number % 2 == 1
        scenario = Scenario().with_(
            cluster__working_pool=12,
            cluster__spare_pool=3,
            job__servers=8,
            job__warm_standbys=2,
            job__length=length,
            failures__random__rate=rate,
            failures__life=life,
            failures__exposure__recovering=wide,
            recovery__time=overhead,
            selection__time=overhead,
            preemption__wait=repair,
            preemption__mode="together" if wide else "one_at_a_time",
            repair__automated__time=repair,
            repair__manual__time=overhead,
            run__horizon=min(1e9, max(1e-9, length * (1000.0 if wide else 0.5))),
            run__max_events=400,
        )
        kernel = trace(scenario, seed=number)
        reference = trace(scenario, seed=number, engine="reference")
        assert kernel.status == reference.status
        assert kernel.lines.tobytes() == reference.lines.tobytes()
