"""Two heaps and a ring: failure points on the job's clock, repairs on the wall clock, standbys.

The heap of failure points knows each server's place in it, so a server that leaves the job is
taken out at once. Ties go to the smaller server number.
"""

from __future__ import annotations

from typing import Final

from failcast.engine.compiled import bare
from failcast.engine.kernel.world import NONE

_RANK_SHIFT: Final = 32
_SERVER_MASK: Final = (1 << 32) - 1


@bare
def _is_earlier(a, b):  # type: ignore[no-untyped-def]  # compiled
    return a.key < b.key or (a.key == b.key and a.code < b.code)


@bare
def _put_failing(w, place, key, s):  # type: ignore[no-untyped-def]  # compiled
    w.failing[place].key, w.failing[place].code = key, s
    w.servers[s].place = place


@bare
def _rise(w, place, key, s):  # type: ignore[no-untyped-def]  # compiled
    """Put a failure point where it belongs, at ``place`` or above."""
    rising = place > 0
    while rising:
        above = (place - 1) >> 1
        other = w.failing[above]
        rising = key < other.key or (key == other.key and s < other.code)
        if rising:
            _put_failing(w, place, other.key, other.code)
            place = above
            rising = place > 0
    _put_failing(w, place, key, s)


@bare
def _sink(w, place, key, s):  # type: ignore[no-untyped-def]  # compiled
    """Put a failure point where it belongs, at ``place`` or below."""
    n = w.job.failures_n
    below = 2 * place + 1
    while below < n:
        if below + 1 < n and _is_earlier(w.failing[below + 1], w.failing[below]):
            below += 1
        other = w.failing[below]
        if other.key < key or (other.key == key and other.code < s):
            _put_failing(w, place, other.key, other.code)
            place = below
            below = 2 * place + 1
        else:
            below = n
    _put_failing(w, place, key, s)


@bare
def push_failure(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Enter an active server, whose ``point`` is set, into the heap of failure points."""
    w.job.failures_n += 1
    _rise(w, w.job.failures_n - 1, w.servers[s].point, s)


@bare
def remove_failure(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the heap of failure points."""
    job = w.job
    place = int(w.servers[s].place)
    job.failures_n -= 1
    last = w.failing[job.failures_n]
    w.servers[s].place = NONE
    if last.code != s:
        _settle_place(w, place, last.key, last.code)


@bare
def moved_failure(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Put an active server whose ``point`` was changed into its right place."""
    _settle_place(w, int(w.servers[s].place), w.servers[s].point, s)


@bare
def _settle_place(w, place, key, s):  # type: ignore[no-untyped-def]  # compiled
    above = w.failing[(place - 1) >> 1]
    if place > 0 and (key < above.key or (key == above.key and s < above.code)):
        _rise(w, place, key, s)
    else:
        _sink(w, place, key, s)


@bare
def due_code(rank, server):  # type: ignore[no-untyped-def]  # compiled
    """Return rank and server number as one number that sorts like the pair."""
    return (rank << _RANK_SHIFT) + server


@bare
def push_due(w, time, rank, server):  # type: ignore[no-untyped-def]  # compiled
    """Let a stage of repair, or an arrival, end at ``time``; a server has at most one of them."""
    job, code = w.job, due_code(rank, server)
    place = job.due_n
    job.due_n += 1
    rising = place > 0
    while rising:
        above = (place - 1) >> 1
        other = w.due[above]
        rising = time < other.key or (time == other.key and code < other.code)
        if rising:
            w.due[place].key, w.due[place].code = other.key, other.code
            place = above
            rising = place > 0
    w.due[place].key, w.due[place].code = time, code


@bare
def pop_due(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the earliest repair end or arrival out of the heap and return (rank, server)."""
    job = w.job
    first = w.due[0].code
    job.due_n -= 1
    n = job.due_n
    time, code = w.due[n].key, w.due[n].code
    place, below = 0, 1
    while below < n:
        if below + 1 < n and _is_earlier(w.due[below + 1], w.due[below]):
            below += 1
        other = w.due[below]
        if other.key < time or (other.key == time and other.code < code):
            w.due[place].key, w.due[place].code = other.key, other.code
            place = below
            below = 2 * place + 1
        else:
            below = n
    w.due[place].key, w.due[place].code = time, code
    return first >> _RANK_SHIFT, first & _SERVER_MASK


@bare
def push_standby(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the queue of standbys."""
    job = w.job
    w.slots[(job.standby_head + job.standby_count) % len(w.slots)].standby = s
    job.standby_count += 1


@bare
def pop_standby(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the oldest standby out of the queue and return it."""
    job = w.job
    s = w.slots[job.standby_head].standby
    job.standby_head = (job.standby_head + 1) % len(w.slots)
    job.standby_count -= 1
    return s
