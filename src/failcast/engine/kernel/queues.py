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
def _earlier(w, a, b):  # type: ignore[no-untyped-def]  # compiled
    first, second = w.servers[a].point, w.servers[b].point
    return first < second or (first == second and a < b)


@bare
def _sift_up(w, place):  # type: ignore[no-untyped-def]  # compiled
    s = w.slots[place].failing
    rising = place > 0
    while rising:
        above = (place - 1) >> 1
        other = w.slots[above].failing
        rising = _earlier(w, s, other)
        if rising:
            w.slots[place].failing = other
            w.servers[other].place = place
            place = above
            rising = place > 0
    w.slots[place].failing = s
    w.servers[s].place = place


@bare
def _sift_down(w, place):  # type: ignore[no-untyped-def]  # compiled
    n = w.job.failures_n
    s = w.slots[place].failing
    below = 2 * place + 1
    while below < n:
        if below + 1 < n and _earlier(w, w.slots[below + 1].failing, w.slots[below].failing):
            below += 1
        other = w.slots[below].failing
        if _earlier(w, other, s):
            w.slots[place].failing = other
            w.servers[other].place = place
            place = below
            below = 2 * place + 1
        else:
            below = n
    w.slots[place].failing = s
    w.servers[s].place = place


@bare
def push_failure(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Enter an active server, whose ``point`` is set, into the heap of failure points."""
    job = w.job
    w.slots[job.failures_n].failing = s
    job.failures_n += 1
    _sift_up(w, job.failures_n - 1)


@bare
def remove_failure(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the heap of failure points."""
    job = w.job
    place = w.servers[s].place
    job.failures_n -= 1
    last = w.slots[job.failures_n].failing
    w.servers[s].place = NONE
    if last != s:
        w.slots[place].failing = last
        w.servers[last].place = place
        _sift_up(w, place)
        _sift_down(w, w.servers[last].place)


@bare
def moved_failure(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Put an active server whose ``point`` was changed into its right place."""
    _sift_up(w, w.servers[s].place)
    _sift_down(w, w.servers[s].place)


@bare
def due_code(rank, server):  # type: ignore[no-untyped-def]  # compiled
    """Return rank and server number as one number that sorts like the pair."""
    return (rank << _RANK_SHIFT) + server


@bare
def _due_earlier(w, a, b):  # type: ignore[no-untyped-def]  # compiled
    first, second = w.slots[a].due_time, w.slots[b].due_time
    return first < second or (first == second and w.slots[a].due_code < w.slots[b].due_code)


@bare
def _swap_due(w, a, b):  # type: ignore[no-untyped-def]  # compiled
    w.slots[a].due_time, w.slots[b].due_time = w.slots[b].due_time, w.slots[a].due_time
    w.slots[a].due_code, w.slots[b].due_code = w.slots[b].due_code, w.slots[a].due_code


@bare
def push_due(w, time, rank, server):  # type: ignore[no-untyped-def]  # compiled
    """Let a stage of repair, or an arrival, end at ``time``; a server has at most one of them."""
    job = w.job
    place = job.due_n
    w.slots[place].due_time, w.slots[place].due_code = time, due_code(rank, server)
    job.due_n += 1
    rising = place > 0
    while rising:
        above = (place - 1) >> 1
        rising = _due_earlier(w, place, above)
        if rising:
            _swap_due(w, place, above)
            place = above
            rising = place > 0


@bare
def pop_due(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the earliest repair end or arrival out of the heap and return (rank, server)."""
    job = w.job
    code = w.slots[0].due_code
    job.due_n -= 1
    n = job.due_n
    w.slots[0].due_time, w.slots[0].due_code = w.slots[n].due_time, w.slots[n].due_code
    place, below = 0, 1
    while below < n:
        if below + 1 < n and _due_earlier(w, below + 1, below):
            below += 1
        if _due_earlier(w, below, place):
            _swap_due(w, below, place)
            place = below
            below = 2 * place + 1
        else:
            below = n
    return code >> _RANK_SHIFT, code & _SERVER_MASK


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
