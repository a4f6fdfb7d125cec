"""What both engines compute alike: lives and relapses, deaths in reserve, marks of checkpoints.

A life is the one draw whose parameters depend on the server's hidden condition. It is in hours of
exposure: it runs on the clock of the job that the server works for, and is drawn once per renewal
(MODEL: "ageing").
"""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, inlined
from failcast.engine.random import (
    LIFE,
    RELAPSE,
    RELAPSE_PRONE,
    RELAPSE_TIME,
    address,
    beta,
    bits,
    drawn,
    sample,
    uniform,
)
from failcast.engine.tables import code
from failcast.scenario.drawn import EXPONENTIAL

#: Of an interval between checkpoints: one that would be due so shortly before the end is not.
_END_ROUNDING: Final = 1e-9
FIRST_CYCLE: Final = code(0)


@inlined
def life_hours(plan, root, server, renewal, defective):  # type: ignore[no-untyped-def]  # compiled
    """Return the ``renewal``-th life of ``server`` in hours, infinite where nothing ever fails."""
    mean = plan.life_mean_defective if defective else plan.life_mean_good
    if math.isinf(mean):
        return mean
    place = address(root, server, renewal)
    return mean * sample(plan.life_kind, plan.life_a, plan.life_b, place, LIFE)


@inlined
def lives_are_exponential(plan):  # type: ignore[no-untyped-def]  # compiled
    """Say whether the lives of good servers are exponential, and end."""
    return plan.life_kind == EXPONENTIAL and not math.isinf(plan.life_mean_good)


@inlined
def death_hours(life, factor, since):  # type: ignore[no-untyped-def]  # compiled
    """Return the wall time at which a server fails that ages ``factor`` hours in an hour."""
    return since + life / factor if factor > 0.0 else math.inf


@inlined
def along(start, count, hours, others, other_hours):  # type: ignore[no-untyped-def]  # compiled
    """Return where so many times ``hours`` and so many times ``other_hours`` after a start lie."""
    return start + (count * hours + others * other_hours)


@bare
def cycles_before_end(length, progress, interval):  # type: ignore[no-untyped-def]  # compiled
    """Return how many checkpoints, one each ``interval`` hours, are written before the end.

    None is written at the end itself, whatever rounding does to the sum of the intervals.
    """
    if math.isinf(interval):
        return FIRST_CYCLE
    last = length - _END_ROUNDING * interval
    cycles = max(FIRST_CYCLE, int((length - progress) / interval))
    while along(progress, cycles + 1, interval, 0, 0.0) < last:
        cycles += 1
    while cycles > 0 and not along(progress, cycles, interval, 0, 0.0) < last:
        cycles -= 1
    return cycles


@bare
def relapse_hours(plan, root, server, renewal):  # type: ignore[no-untyped-def]  # compiled
    """Return the exposure after which a fault left in ``server`` strikes again; infinite: never."""
    place = address(root, server, renewal)
    if plan.relapse == 0 or not uniform(place, RELAPSE) < _proneness(plan, root, server):
        return math.inf
    return drawn(plan.relapse_kind, plan.relapse_a, plan.relapse_b, place, RELAPSE_TIME)


@bare
def _proneness(plan, root, server):  # type: ignore[no-untyped-def]  # compiled
    """Return the server's own probability of a relapse, one draw for the whole run."""
    mean, total = plan.p_relapse, plan.relapse_concentration
    if math.isinf(total) or mean == 0.0 or mean == 1.0:
        return mean
    return beta(mean * total, (1.0 - mean) * total, bits(address(root, server, 0), RELAPSE_PRONE))
