"""Two calendar queues (Brown 1988): what is due next, at a cost that does not grow with the fleet.

Time is cut into days of equal length. The servers due on one day hang on a list, the earliest
first, and the days form a ring: those of a later lap wait at the end of their list. One calendar
holds failure points on the job's clock, the other repair ends and arrivals in wall time. A server
is in one of them at most, so the links lie in its own record. Ties go to the smaller rank, then to
the smaller server number.
"""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, code
from failcast.engine.kernel.world import (
    DUE,
    FIRST,
    NONE,
    calendar_at,
    day_at,
    server_at,
)

#: A server whose key is infinite is on no list.
OUTSIDE: Final = code(-2)
_LAST_DAY: Final = 9.0e18


@bare
def _day(c, key):  # type: ignore[no-untyped-def]  # compiled
    return int(min(key * c.days_per_hour, _LAST_DAY))


@bare
def _is_later(w, i, key, rank, j):  # type: ignore[no-untyped-def]  # compiled
    """Say whether server ``i`` is due after server ``j``, whose key and rank are given."""
    server = server_at(w.servers, i)
    if server.key != key:
        return server.key > key
    if server.rank != rank:
        return server.rank > rank
    return i > j


@bare
def insert(w, c, i, key, rank):  # type: ignore[no-untyped-def]  # compiled
    """Enter server ``i`` at ``key`` hours."""
    server = server_at(w.servers, i)
    server.key, server.rank = key, rank
    if math.isinf(key):
        server.before = OUTSIDE
        return
    day = _day(c, key)
    list_ = day_at(c.days, day & c.mask)
    later, earlier = NONE, int(list_.last)
    while earlier != NONE and _is_later(w, earlier, key, rank, i):
        later = earlier
        earlier = int(server_at(w.servers, earlier).before)
    server.before, server.after = earlier, later
    if earlier == NONE:
        list_.first = i
    else:
        server_at(w.servers, earlier).after = i
    if later == NONE:
        list_.last = i
    else:
        server_at(w.servers, later).before = i
    c.count += 1
    c.today = min(c.today, day)


@bare
def remove(w, c, i):  # type: ignore[no-untyped-def]  # compiled
    """Take server ``i`` out."""
    server = server_at(w.servers, i)
    earlier, later = int(server.before), int(server.after)
    if earlier == OUTSIDE:
        return
    list_ = day_at(c.days, _day(c, server.key) & c.mask)
    if earlier == NONE:
        list_.first = later
    else:
        server_at(w.servers, earlier).after = later
    if later == NONE:
        list_.last = earlier
    else:
        server_at(w.servers, later).before = earlier
    c.count -= 1


@bare
def earliest(w, c):  # type: ignore[no-untyped-def]  # compiled
    """Return the server that is due first, or ``NONE``."""
    found, empty = NONE, 0
    while c.count > 0 and found == NONE:
        i = int(day_at(c.days, c.today & c.mask).first)
        if i != NONE and _day(c, server_at(w.servers, i).key) == c.today:
            found = i
        elif empty > c.mask:
            _skip_to_next(w, c)  # a whole lap was empty
        else:
            c.today += 1
            empty += 1
    return found


@bare
def _skip_to_next(w, c):  # type: ignore[no-untyped-def]  # compiled
    """Go on from the earliest of all days."""
    key = math.inf
    for day in range(c.mask + 1):
        i = int(day_at(c.days, day).first)
        if i != NONE:
            key = min(key, server_at(w.servers, i).key)
    c.today = _day(c, key)


@bare
def clear(c, days_per_hour):  # type: ignore[no-untyped-def]  # compiled
    """Empty the calendar."""
    c.days_per_hour = days_per_hour
    c.count = c.today = FIRST
    for day in range(c.mask + 1):
        list_ = day_at(c.days, day)
        list_.first = list_.last = NONE


@bare
def push_due(w, time, rank, s):  # type: ignore[no-untyped-def]  # compiled
    """Let a stage of repair, or an arrival, end at ``time``."""
    insert(w, calendar_at(w.calendars, DUE), s, time, rank)
