"""The measures of a ranking, from names and times.

On the map: study, below rank.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from failcast.results import RequestError
from failcast.results.measure import FINISHED_BY, Measure
from failcast.results.statistics import is_number


def measures(texts: Sequence[str], by: object = ()) -> tuple[Measure, ...]:
    """The metrics by their names, then `finished_by` for each time in hours; none of them twice.

    Raises RequestError, with the nearest right name, or for what is no time.
    """
    found = [Measure.parse(text) for text in texts]
    if isinstance(by, str) or not isinstance(by, Iterable):
        raise RequestError(f"by is a list of hours, such as [420 * 24]; got {by!r:.80}.")
    for hours in by:
        if not is_number(hours) or not 0.0 <= hours < math.inf:
            raise RequestError(
                f"by is a list of hours, each a finite number from 0 on; got {hours!r:.80}. A time "
                "with its unit is a metric, such as 'finished_by(420 d)'; that a run finishes at "
                "all is 'finished'."
            )
        found.append(Measure(FINISHED_BY, float(hours)))
    return tuple(dict.fromkeys(found or [Measure("training_hours")]))
