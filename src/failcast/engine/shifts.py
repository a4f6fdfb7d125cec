"""Working hours: how long work takes that goes on only while somebody is on duty.

Both engines call this compiled function, so that they round alike. Time zero is a Monday, 0:00.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from failcast.engine.compiled import bare

_DAY: Final = 24.0  # hours
_WEEK: Final = 7.0  # days
_BEYOND_ALL_RUNS: Final = 1e13  # hours


@bare
def hours_with_breaks(plan, now, work):  # type: ignore[no-untyped-def]  # compiled
    """Return the hours from ``now`` until ``work`` hours of manual repair are done.

    The shift of day d lasts from 24 d + begin on. Work that takes no time is done on duty, too.
    """
    if plan.shift_days == 0 or not work < _BEYOND_ALL_RUNS:
        return work
    begin, hours, days = plan.shift_begin, plan.shift_hours, float(plan.shift_days)
    day = np.floor((now - begin) / _DAY)
    left = day * _DAY + begin + hours - now  # of the shift that began last
    week = np.floor(day / _WEEK)
    shift = week * days + min(day - _WEEK * week, days - 1.0)  # its number, or that before a break
    if day - _WEEK * week >= days or left <= 0.0:
        left = 0.0
    if left > 0.0 and work <= left:
        return work
    rest = work - left
    whole = max(0.0, np.ceil(rest / hours) - 1.0)  # shifts before the last one
    last = shift + 1.0 + whole
    week = np.floor(last / days)
    day = _WEEK * week + (last - days * week)
    rest = max(0.0, min(hours, rest - whole * hours))
    return max(0.0, day * _DAY + begin + rest - now)
