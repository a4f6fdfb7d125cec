"""What both engines compute alike: lives, when one ends in reserve, when a checkpoint is due.

A life is the one draw whose parameters depend on the server's hidden condition. It is in hours of
exposure: it runs on the clock of the job that the server works for, and is drawn once per renewal
(MODEL: "ageing").
"""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import inlined
from failcast.engine.random import LIFE, address, sample

#: Of an interval between checkpoints: one that would be due so shortly before the end is not.
_END_ROUNDING: Final = 1e-9


@inlined
def life_hours(plan, root, server, renewal, defective):  # type: ignore[no-untyped-def]  # compiled
    """Return the ``renewal``-th life of ``server`` in hours, infinite where nothing ever fails."""
    mean = plan.life_mean_defective if defective else plan.life_mean_good
    if math.isinf(mean):
        return mean
    place = address(root, server, renewal)
    return mean * sample(plan.life_kind, plan.life_a, plan.life_b, place, LIFE)


@inlined
def death_hours(life, factor, since):  # type: ignore[no-untyped-def]  # compiled
    """Return the wall time at which a server fails that ages ``factor`` hours in an hour."""
    return since + life / factor if factor > 0.0 else math.inf


@inlined
def next_mark(plan, progress):  # type: ignore[no-untyped-def]  # compiled
    """Return the progress, in hours, at which the checkpoint after ``progress`` is due.

    None is written at the end of the job, whatever rounding does to the sum of its intervals.
    """
    mark = progress + plan.checkpoint_interval
    return mark if mark < plan.length - _END_ROUNDING * plan.checkpoint_interval else math.inf
