"""The working pool in order of entry, two queues, spares and standbys, and the set of idle servers.

The pool is a list of entries, read from its end for who entered last. Nobody is taken off it: a
server is in the pool while its state is one of the pool's, since the last of its entries.
"""

from __future__ import annotations

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import id_at, server_at
from failcast.engine.world import FIRST, POOL_ROOM


@inlined
def append_to_pool(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Add a server at the end of the working pool."""
    if w.pool_end == POOL_ROOM * w.servers_total:
        _drop_past_entries(w)
    id_at(w.pool, w.pool_end).server = s
    server_at(w.servers, s).in_pool = w.pool_end
    w.pool_end += 1


@inlined
def is_entry(w, place, s):  # type: ignore[no-untyped-def]  # compiled
    """Say whether server ``s``, which stands at ``place`` of the pool, entered there last."""
    return server_at(w.servers, s).in_pool == place


@bare
def _drop_past_entries(w):  # type: ignore[no-untyped-def]  # compiled
    """Keep the last entry of each server: as many as there are servers, at most."""
    n, pool = FIRST, w.pool
    for place in range(w.pool_end):
        s = int(id_at(pool, place).server)
        if is_entry(w, place, s):
            id_at(pool, n).server = s
            server_at(w.servers, s).in_pool = n
            n += 1
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
def oldest_standby(w):  # type: ignore[no-untyped-def]  # compiled
    """Return the oldest standby, which stays in the queue."""
    return int(id_at(w.standbys, w.standby_head).server)


@bare
def drop_standby(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the queue of standbys."""
    _drop(w, w.standbys, w.standby_head, w.standby_count, s)
    w.standby_count -= 1


@bare
def drop_spare(w, s):  # type: ignore[no-untyped-def]  # compiled
    """Take a server out of the spare pool."""
    _drop(w, w.spares, w.spare_head, w.spares_left, s)
    w.spares_left -= 1


@bare
def _drop(w, queue, head, count, s):  # type: ignore[no-untyped-def]  # compiled
    """Let those behind a server in a queue move up to its place."""
    place = FIRST
    while id_at(queue, _wrapped(w, head + place)).server != s:
        place += 1
    for behind in range(place + 1, count):
        moved = id_at(queue, _wrapped(w, head + behind)).server
        id_at(queue, _wrapped(w, head + behind - 1)).server = moved


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
