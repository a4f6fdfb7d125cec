"""Two calendar queues (Brown 1988): what is due next, at a cost that does not grow with the fleet.

Time is cut into days of some two dozen expected events, and the days form a ring. The servers due
on a day to come hang on its list, in any order; those of a later lap wait there. What is due up to
the end of today stands on a sheet, sorted, so that the next one is read off its top. One calendar
holds failure points on the job's clock, the other repair ends and arrivals in wall time. A server
is in one of them at most, so its links are enough for both. Ties go to the smaller rank, then to
the smaller server number.

Who fails after the job is likely to have ended is on no list, but counted: servers live long, and
most of a short job's never fail. Should its clock come that far, they are found and listed.
"""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import (
    calendar_at,
    id_at,
    line_on_sheet,
    server_at,
    state_at,
    tie_at,
)
from failcast.engine.memory import count_below
from failcast.engine.model import ACTIVE
from failcast.engine.random import number_at
from failcast.engine.tables import LANES, code
from failcast.engine.world import DUE, FIRST, NONE

#: Measured: fewer make the search for the next day dearer, more the sorting of a day.
EVENTS_OF_A_DAY: Final = 24.0
#: A sheet longer than this goes back to the lists when something comes up for an earlier day.
_LONG_SHEET: Final = 64
_LAST_DAY: Final = 9.0e18
#: A list on which a server is not found in so many steps is linked back.
_LONG_WALK: Final = 32
#: Lines of a day that is sorted by counting.
_SHORT_DAY: Final = 64
#: By so much a limit that is reached is raised.
_FURTHER: Final = 1.25
_EVE: Final = code(-1)
_SERVER_BITS: Final = code(32)
_SERVER_MASK: Final = code(0xFFFFFFFF)


@inlined
def _day(c, key):  # type: ignore[no-untyped-def]  # compiled
    return int(min(key * c.days_per_hour, _LAST_DAY))


@inlined
def insert(w, c, i, key, rank):  # type: ignore[no-untyped-def]  # compiled
    """Enter server ``i`` at ``key`` hours; one beyond the limit is only counted, if finite."""
    server = server_at(w.servers, i)
    server.key, server.rank = key, rank
    if key > c.limit:
        c.parked += 0 if math.isinf(key) else 1
        return
    day = _day(c, key)
    if day > c.today:
        _hang(w, c, i, day)
        return
    if day < c.today and c.last - c.first > _LONG_SHEET:
        _go_back(w, c, day)
    _write(c, key, (int(rank) << _SERVER_BITS) + i)


@inlined
def _hang(w, c, i, day):  # type: ignore[no-untyped-def]  # compiled
    """Put server ``i`` first on the list of a day to come."""
    head = id_at(c.days, day & c.mask)
    second = int(head.server)
    if second < NONE:
        second = _first(second)
        id_at(w.befores, second).server, id_at(w.befores, i).server = i, NONE
        head.server = _linked_back(i)
    else:
        head.server = i
    server_at(w.servers, i).after = second
    c.hanging += 1


@inlined
def _first(head):  # type: ignore[no-untyped-def]  # compiled
    """Return the first server of a list, from its head."""
    return -2 - head if head < NONE else head


@inlined
def _linked_back(i):  # type: ignore[no-untyped-def]  # compiled
    """Return the head of a list that is linked both ways and begins with server ``i``."""
    return -2 - i if i != NONE else i


@bare
def _unhang(w, c, i, day):  # type: ignore[no-untyped-def]  # compiled
    """Take server ``i`` off the list of its day.

    Lists are short and have links forward; one that is long is linked back when this first happens,
    so that its servers can leave it one by one without a walk.
    """
    head, after = id_at(c.days, day & c.mask), int(server_at(w.servers, i).after)
    c.hanging -= 1
    before, steps = NONE, FIRST
    if head.server >= 0:
        s = int(head.server)
        while s != i and steps < _LONG_WALK:
            before, s = s, int(server_at(w.servers, s).after)
            steps += 1
        if s != i:
            _link_back(w, head)
    if head.server < NONE:
        before = int(id_at(w.befores, i).server)
        if after != NONE:
            id_at(w.befores, after).server = before
    if before != NONE:
        server_at(w.servers, before).after = after
    elif head.server < NONE:
        head.server = _linked_back(after)
    else:
        head.server = after


@bare
def _link_back(w, head):  # type: ignore[no-untyped-def]  # compiled
    """Link a list both ways."""
    before, s = NONE, int(head.server)
    while s != NONE:
        id_at(w.befores, s).server = before
        before, s = s, int(server_at(w.servers, s).after)
    head.server = _linked_back(int(head.server))


@inlined
def _write(c, key, tie):  # type: ignore[no-untyped-def]  # compiled
    """Write a line where it belongs on the sheet."""
    if c.last == c.room:
        _slide(c)
    sheet, first, place = c.sheet, c.first, c.last
    c.last = place + 1
    while place > first and _is_after(line_on_sheet(sheet, place - 1), key, tie):
        _copy(line_on_sheet(sheet, place - 1), line_on_sheet(sheet, place))
        place -= 1
    line = line_on_sheet(sheet, place)
    line.key, line.tie = key, tie


@inlined
def _is_after(line, key, tie):  # type: ignore[no-untyped-def]  # compiled
    return line.key > key or (line.key == key and line.tie > tie)


@inlined
def _copy(source, target):  # type: ignore[no-untyped-def]  # compiled
    target.key, target.tie = source.key, source.tie


@bare
def _slide(c):  # type: ignore[no-untyped-def]  # compiled
    """Move the lines to the sheet's beginning; it has room for twice as many as there can be."""
    first, count = c.first, c.last - c.first
    for place in range(count):
        _copy(line_on_sheet(c.sheet, first + place), line_on_sheet(c.sheet, place))
    c.first, c.last = FIRST, count


@bare
def _go_back(w, c, day):  # type: ignore[no-untyped-def]  # compiled
    """Let ``day`` be today, and hang up what is due later."""
    last = c.last
    while last > c.first and _day(c, line_on_sheet(c.sheet, last - 1).key) > day:
        last -= 1
        line = line_on_sheet(c.sheet, last)
        _hang(w, c, line.tie & _SERVER_MASK, _day(c, line.key))
    c.last, c.today = last, day


@inlined
def remove(w, c, i):  # type: ignore[no-untyped-def]  # compiled
    """Take server ``i`` out."""
    if c.first < c.last and next_server(c) == i:
        take_next(c)  # most often it is the one that failed
        return
    _remove_from_midst(w, c, i)


@bare
def _remove_from_midst(w, c, i):  # type: ignore[no-untyped-def]  # compiled
    """Take out server ``i``, which is not the next one."""
    key = server_at(w.servers, i).key
    if key > c.limit:
        c.parked -= 0 if math.isinf(key) else 1
        return
    day = _day(c, key)
    if day > c.today:
        _unhang(w, c, i, day)
        return
    sheet, first = c.sheet, c.first
    place = first
    while line_on_sheet(sheet, place).tie & _SERVER_MASK != i:
        place += 1
    while place > first:
        _copy(line_on_sheet(sheet, place - 1), line_on_sheet(sheet, place))
        place -= 1
    c.first = first + 1


@inlined
def next_key(w, c):  # type: ignore[no-untyped-def]  # compiled
    """Return when the first server is due, in hours; infinity where none is."""
    return next_key_until(w, c, math.inf)


@inlined
def next_key_until(w, c, until):  # type: ignore[no-untyped-def]  # compiled
    """Return when the first server is due; infinity where none is, or only after ``until``."""
    if c.first == c.last:
        _turn_the_page(w, c, until)
    if c.first == c.last:
        return math.inf
    return line_on_sheet(c.sheet, c.first).key


@inlined
def next_server(c):  # type: ignore[no-untyped-def]  # compiled
    """Return the server whose key ``next_key`` gave."""
    return line_on_sheet(c.sheet, c.first).tie & _SERVER_MASK


@inlined
def take_next(c):  # type: ignore[no-untyped-def]  # compiled
    """Take out the server whose key ``next_key`` gave, and return it."""
    s = next_server(c)
    c.first += 1
    return s


@bare
def _turn_the_page(w, c, until):  # type: ignore[no-untyped-def]  # compiled
    """Go on to the next day on which something is due until then, and write its sheet."""
    _find_day(w, c)
    if c.last == FIRST and c.parked > 0 and until > c.limit:
        _raise_limit(w, c)
        if c.last == FIRST and c.hanging > 0:
            _find_day(w, c)


@bare
def _find_day(w, c):  # type: ignore[no-untyped-def]  # compiled
    """Write the sheet of the next day on whose list somebody is."""
    c.first = c.last = FIRST
    empty = FIRST
    while c.last == FIRST and c.hanging > 0:
        if empty > c.mask:
            _skip_to_next(w, c)  # a whole lap was empty
        c.today += 1
        empty += 1
        list_ = id_at(c.days, c.today & c.mask)
        i = _first(int(list_.server))
        if i != NONE:
            list_.server = NONE
            _open(w, c, i)


@bare
def _raise_limit(w, c):  # type: ignore[no-untyped-def]  # compiled
    """Enter those who fail after the limit, as far as a higher one reaches.

    Only the calendar of failure points has such a limit, and its servers are the active ones.
    """
    limit, least = c.limit, math.inf
    for s in range(w.servers_total):
        key = server_at(w.servers, s).key
        if state_at(w.states, s).is_ == ACTIVE and key > limit:
            least = min(least, key)
    if math.isinf(least):
        return
    c.limit = max(_FURTHER * limit, least)
    for s in range(w.servers_total):
        server = server_at(w.servers, s)
        if state_at(w.states, s).is_ == ACTIVE and limit < server.key <= c.limit:
            c.parked -= 1
            insert(w, c, s, server.key, int(server.rank))


@inlined
def _open(w, c, i):  # type: ignore[no-untyped-def]  # compiled
    """Write the sheet of today from the list that begins with server ``i``; later laps hang on."""
    n, keys, ties, today = FIRST, w.day_keys, w.day_ties, c.today
    while i != NONE:
        server = server_at(w.servers, i)
        after = int(server.after)
        c.hanging -= 1
        if _day(c, server.key) == today:
            number_at(keys, n).is_ = server.key
            tie_at(ties, n).is_ = (int(server.rank) << _SERVER_BITS) + i
            n += 1
        else:
            _hang(w, c, i, today)
        i = after
    c.first, c.last = FIRST, n
    if n > _SHORT_DAY or not _write_sorted(w, c.sheet, n):
        _write_all(w, c.sheet, n)
        _sort(c.sheet, n)


@inlined
def _write_sorted(w, sheet, n):  # type: ignore[no-untyped-def]  # compiled
    """Write the ``n`` lines of a day in order; say whether no two keys are equal, else it failed.

    A line's place is the number of smaller keys; counting them asks a processor to foresee nothing.
    """
    keys, ties, places = w.day_keys, w.day_ties, FIRST
    for lane in range(LANES):
        number_at(keys, n + lane).is_ = math.inf
    for i in range(n):
        key = number_at(keys, i).is_
        place = count_below(keys, FIRST, key)
        for first in range(LANES, n, LANES):
            place += count_below(keys, first, key)
        line = line_on_sheet(sheet, place)
        line.key, line.tie = key, tie_at(ties, i).is_
        places += place
    return 2 * places == n * (n - 1)


@bare
def _write_all(w, sheet, n):  # type: ignore[no-untyped-def]  # compiled
    """Write the ``n`` lines of a day as they come."""
    for i in range(n):
        line = line_on_sheet(sheet, i)
        line.key, line.tie = number_at(w.day_keys, i).is_, tie_at(w.day_ties, i).is_


@bare
def _sort(sheet, n):  # type: ignore[no-untyped-def]  # compiled
    """Sort the first ``n`` lines: by insertion, and a long sheet in wide steps first (Shell)."""
    step = 1
    while n > _SHORT_DAY and 3 * step + 1 < n:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, n):
            line = line_on_sheet(sheet, i)
            key, tie, place = line.key, line.tie, i
            while place >= step and _is_after(line_on_sheet(sheet, place - step), key, tie):
                _copy(line_on_sheet(sheet, place - step), line_on_sheet(sheet, place))
                place -= step
            line = line_on_sheet(sheet, place)
            line.key, line.tie = key, tie
        step //= 3


@bare
def _skip_to_next(w, c):  # type: ignore[no-untyped-def]  # compiled
    """Go on to the eve of the first day on which something is due."""
    key = math.inf
    for day in range(c.mask + 1):
        i = _first(int(id_at(c.days, day).server))
        while i != NONE:
            key = min(key, server_at(w.servers, i).key)
            i = int(server_at(w.servers, i).after)
    c.today = _day(c, key) - 1


@bare
def clear(c, events_per_hour, limit):  # type: ignore[no-untyped-def]  # compiled
    """Empty the calendar; who is due after ``limit`` hours will be on no list."""
    c.days_per_hour, c.limit = events_per_hour / EVENTS_OF_A_DAY, limit
    c.hanging = c.parked = c.first = c.last = FIRST
    c.today = _EVE  # so that the first day, too, is sorted at once, however many come up for it
    days = c.days
    for day in range(c.mask + 1):
        id_at(days, day).server = NONE


@inlined
def push_due(w, time, rank, s):  # type: ignore[no-untyped-def]  # compiled
    """Let a stage of repair, or an arrival, end at ``time``."""
    insert(w, calendar_at(w.calendars, DUE), s, time, rank)
