"""Parts on order: a heap by the time of arrival, then by the number of the order."""

from __future__ import annotations

import math

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import order_at


@inlined
def next_part(w):  # type: ignore[no-untyped-def]  # compiled
    """Return when the next part arrives, in hours; infinity where none is on order."""
    return order_at(w.orders, 0).time if w.orders_due > 0 else math.inf


@inlined
def _is_before(one, other):  # type: ignore[no-untyped-def]  # compiled
    return one.time < other.time or (one.time == other.time and one.number < other.number)


@inlined
def _swap(one, other):  # type: ignore[no-untyped-def]  # compiled
    one.time, other.time = other.time, one.time
    one.number, other.number = other.number, one.number


@bare
def push_order(w, time):  # type: ignore[no-untyped-def]  # compiled
    """Order a part that arrives at ``time``."""
    place = w.orders_due
    order = order_at(w.orders, place)
    order.time, order.number = time, w.orders_made
    w.orders_due += 1
    w.orders_made += 1
    while place > 0 and _is_before(order_at(w.orders, place), order_at(w.orders, (place - 1) // 2)):
        _swap(order_at(w.orders, place), order_at(w.orders, (place - 1) // 2))
        place = (place - 1) // 2


@bare
def drop_order(w):  # type: ignore[no-untyped-def]  # compiled
    """Take out the order whose time ``next_part`` gave."""
    w.orders_due -= 1
    last = w.orders_due
    _swap(order_at(w.orders, 0), order_at(w.orders, last))
    place, below = 0, 1
    while below < last:
        if below + 1 < last and _is_before(
            order_at(w.orders, below + 1), order_at(w.orders, below)
        ):
            below += 1
        if _is_before(order_at(w.orders, below), order_at(w.orders, place)):
            _swap(order_at(w.orders, below), order_at(w.orders, place))
            place = below
            below = 2 * place + 1
        else:
            below = last
