"""Sorting and choosing candidates, in place: by key, then by draw, then by server number.

Written out, since numba's own sorting takes longer to compile than the rest of the kernel.
"""

from __future__ import annotations

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.rows import slot_at


@inlined
def _before(a, b):  # type: ignore[no-untyped-def]  # compiled
    if a.key != b.key:
        return a.key < b.key
    if a.draw != b.draw:
        return a.draw < b.draw
    return a.candidate < b.candidate


@inlined
def _swap(a, b):  # type: ignore[no-untyped-def]  # compiled
    a.key, b.key = b.key, a.key
    a.draw, b.draw = b.draw, a.draw
    a.candidate, b.candidate = b.candidate, a.candidate


@bare
def keep_first(w, m, count):  # type: ignore[no-untyped-def]  # compiled
    """Leave in front the ``count`` first of ``m`` candidates, in any order (Hoare's FIND, 1961)."""
    low, high, wanted = 0, m - 1, count - 1
    while low < high and count > 0:
        middle = slot_at(w.slots, (low + high) >> 1)
        key, draw, candidate = middle.key, middle.draw, middle.candidate
        i, j = low, high
        while i <= j:
            while _is_before(slot_at(w.slots, i), key, draw, candidate):
                i += 1
            while _is_after(slot_at(w.slots, j), key, draw, candidate):
                j -= 1
            if i <= j:
                _swap(slot_at(w.slots, i), slot_at(w.slots, j))
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            low = high


@inlined
def _is_before(slot, key, draw, candidate):  # type: ignore[no-untyped-def]  # compiled
    if slot.key != key:
        return slot.key < key
    if slot.draw != draw:
        return slot.draw < draw
    return slot.candidate < candidate


@inlined
def _is_after(slot, key, draw, candidate):  # type: ignore[no-untyped-def]  # compiled
    if slot.key != key:
        return slot.key > key
    if slot.draw != draw:
        return slot.draw > draw
    return slot.candidate > candidate


@bare
def sort(w, m):  # type: ignore[no-untyped-def]  # compiled
    """Sort the first ``m`` candidates (heapsort, Williams 1964)."""
    for root in range(m // 2 - 1, -1, -1):
        _sink(w, root, m)
    for n in range(m - 1, 0, -1):
        _swap(slot_at(w.slots, 0), slot_at(w.slots, n))
        _sink(w, 0, n)


@bare
def _sink(w, place, n):  # type: ignore[no-untyped-def]  # compiled
    below = 2 * place + 1
    while below < n:
        if below + 1 < n and _before(slot_at(w.slots, below), slot_at(w.slots, below + 1)):
            below += 1
        if _before(slot_at(w.slots, place), slot_at(w.slots, below)):
            _swap(slot_at(w.slots, place), slot_at(w.slots, below))
            place = below
            below = 2 * place + 1
        else:
            below = n
