"""The working pool in order of entry, and two queues: spares and standbys, first in first out.

The pool is an array with gaps, so that a selection reads it in one sweep; it is closed up when its
end is reached, once in as many entries as there are servers.
"""

from __future__ import annotations

from failcast.engine.compiled import bare
from failcast.engine.kernel.world import FIRST, NONE, id_at, server_at


@bare
def append_to_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the working pool."""
    if w.pool_end == 2 * w.servers_total:
        _close_gaps(w)
    id_at(w.pool, w.pool_end).server = s
    server_at(w.servers, s).place = w.pool_end
    w.pool_end += 1


@bare
def remove_from_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the working pool."""
    id_at(w.pool, server_at(w.servers, s).place).server = NONE


@bare
def _close_gaps(w):  # type: ignore[no-untyped-def]  # compiled
    n = FIRST
    for place in range(w.pool_end):
        s = id_at(w.pool, place).server
        if s != NONE:
            id_at(w.pool, n).server = s
            server_at(w.servers, s).place = n
            n += 1
    w.pool_end = n


@bare
def append_to_spares(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the spare pool."""
    id_at(w.spares, (w.spare_head + w.spares_left) % w.servers_total).server = s
    w.spares_left += 1


@bare
def pop_spare(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the first server out of the spare pool and return it."""
    s = int(id_at(w.spares, w.spare_head).server)
    w.spare_head = (w.spare_head + 1) % w.servers_total
    w.spares_left -= 1
    return s


@bare
def push_standby(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the queue of standbys."""
    id_at(w.standbys, (w.standby_head + w.standby_count) % w.servers_total).server = s
    w.standby_count += 1


@bare
def pop_standby(w):  # type: ignore[no-untyped-def]  # compiled
    """Take the oldest standby out of the queue and return it."""
    s = int(id_at(w.standbys, w.standby_head).server)
    w.standby_head = (w.standby_head + 1) % w.servers_total
    w.standby_count -= 1
    return s
