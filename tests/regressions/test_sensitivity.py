"""B30: a pool that is never used was ranked, by the range of its noise, as of "low impact"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import failcast as fc

#: Idle servers enough for every failure: a spare is never asked for. But with the number of spares
#: other servers are the defective ones, so single runs differ.
NEVER_ASKED = fc.load("small").with_(cluster__working_pool=400, run__seed=30, run__replications=50)
UNUSED = "cluster.spare_pool"
VARY = [f"{UNUSED}=5..40", "recovery.time=19min..21min"]
METRICS = ["training_hours", "failures", "preemptions"]


@pytest.mark.parametrize("method", ["sobol", "morris", "tornado"])
def test_b30_a_pool_that_is_never_used_has_no_place(method: Any) -> None:
    found = fc.rank(NEVER_ASKED, vary=VARY, metrics=METRICS, method=method, samples=64)
    assert [each.path for each in found.of("training_hours").ranked] == ["recovery.time"]
    assert UNUSED in [each.path for each in found.of("failures").without_effect]
    assert not found.of("preemptions").ranked
    assert UNUSED not in found.answer()


def test_b30_the_naive_way_ranks_it() -> None:
    """The range of the means over the values, as the original takes it, is never zero."""
    means = [
        fc.simulate(NEVER_ASKED.with_(cluster__spare_pool=spares)).mean("training_hours")
        for spares in (5, 20, 40)
    ]
    assert np.ptp(np.array(means, dtype=float)) > 0.1
