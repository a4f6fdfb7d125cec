"""A server's life: the one draw whose parameters depend on the server's hidden condition.

Both engines call this compiled function. A life is in hours of exposure: it runs on the clock of
the job that the server works for, and is drawn once per renewal (MODEL: "ageing").
"""

from __future__ import annotations

import math

from failcast.engine.compiled import inlined
from failcast.engine.random import LIFE, address, sample


@inlined
def life_hours(plan, root, server, renewal, defective):  # type: ignore[no-untyped-def]  # compiled
    """Return the ``renewal``-th life of ``server`` in hours, infinite where nothing ever fails."""
    mean = plan.life_mean_defective if defective else plan.life_mean_good
    if math.isinf(mean):
        return mean
    place = address(root, server, renewal)
    return mean * sample(plan.life_kind, plan.life_a, plan.life_b, place, LIFE)
