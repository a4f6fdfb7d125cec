"""The working pool in order of entry, two queues, spares and standbys, and the set of idle servers.

The pool is an array with gaps, read from its end for who entered last; it is closed up when its
end is reached, once in as many entries as there are servers.
"""

from __future__ import annotations

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import id_at, server_at
from failcast.engine.world import FIRST, NONE


@inlined
def append_to_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the working pool."""
    if w.pool_end == 2 * w.servers_total:
        _close_gaps(w)
    id_at(w.pool, w.pool_end).server = s
    server_at(w.servers, s).in_pool = w.pool_end
    w.pool_end += 1


@inlined
def remove_from_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the working pool."""
    id_at(w.pool, server_at(w.servers, s).in_pool).server = NONE


@bare
def _close_gaps(w):  # type: ignore[no-untyped-def]  # compiled
    n, pool, servers = FIRST, w.pool, w.servers
    for place in range(w.pool_end):
        s = id_at(pool, place).server
        id_at(pool, n).server = s  # the next one overwrites a gap
        n += 1 if s != NONE else 0
    for place in range(n):
        server_at(servers, id_at(pool, place).server).in_pool = place
    w.pool_end = n


@inlined
def _wrapped(w, place):  # type: ignore[no-untyped-def]  # compiled
    """Return the place in a ring of as many as there are servers; it is less than a lap ahead."""
    return place - w.servers_total if place >= w.servers_total else place


@bare
def append_to_spares(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the spare pool."""
    id_at(w.spares, _wrapped(w, w.spare_head + w.spares_left)).server = s
    w.spares_left += 1


@bare
def pop_spare(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the first server out of the spare pool and return it."""
    s = int(id_at(w.spares, w.spare_head).server)
    w.spare_head = _wrapped(w, w.spare_head + 1)
    w.spares_left -= 1
    return s


@inlined
def push_standby(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the queue of standbys."""
    id_at(w.standbys, _wrapped(w, w.standby_head + w.standby_count)).server = s
    w.standby_count += 1


@inlined
def pop_standby(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the oldest standby out of the queue and return it."""
    s = int(id_at(w.standbys, w.standby_head).server)
    w.standby_head = _wrapped(w, w.standby_head + 1)
    w.standby_count -= 1
    return s


@inlined
def add_idle(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server to the set of idle ones; it remembers its place there in a link it has free."""
    id_at(w.idles, w.idle).server = s
    server_at(w.servers, s).after = w.idle
    w.idle += 1


@inlined
def drop_idle(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the set of idle ones; the last one takes its place."""
    w.idle -= 1
    last, place = id_at(w.idles, w.idle).server, server_at(w.servers, s).after
    id_at(w.idles, place).server = last
    server_at(w.servers, last).after = place
