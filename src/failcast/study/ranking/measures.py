"""The measures of a ranking, from names and times.

On the map: study, below rank.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from failcast.results.measure import FINISHED_BY, Measure


def measures(texts: Sequence[str], by: Sequence[float] = ()) -> tuple[Measure, ...]:
    """The metrics by their names, then `finished_by` for each time in hours; none of them twice.

    Raises RequestError, with the nearest right name.
    """
    found = [Measure.parse(text) for text in texts]
    found += [Measure(FINISHED_BY, hours) for hours in by]
    return tuple(dict.fromkeys(found or [Measure("training_hours")]))
