"""How a trace shows itself in a notebook: how it ended, its first events and its last.

On the map: engine, beside simulate.py.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from failcast.scenario import notebook

if TYPE_CHECKING:
    from failcast.engine.simulate import Trace

_FIRST: Final = 8
_LAST: Final = 3


def trace_line(trace: Trace) -> str:
    """The text form: `<Trace of replication 0, seed 1: 267 events, finished>`."""
    return (
        f"<Trace of replication {trace.replication:,}, seed {trace.seed}: "
        f"{len(trace.lines):,} events, {trace.status.label}>"
    )


def trace_html(trace: Trace) -> str:
    """How the run ended, and the first and last events."""
    count = len(trace.lines)
    head = ("time in hours", "event", "server", "detail")
    if count <= _FIRST + _LAST:
        rows = [_row(event) for event in trace]
    else:
        end = type(trace)(trace.lines[-_LAST:], trace.status, trace.seed, trace.replication)
        rows = [_row(event) for event in itertools.islice(trace, _FIRST)]
        rows += [("…", f"{count - _FIRST - _LAST:,} more", "", ""), *map(_row, end)]
    sentence = f"{count:,} events, until the run was {trace.status.label.replace('_', ' ')}."
    remark = notebook.remark(f"Replication {trace.replication:,} of seed {trace.seed}")
    return notebook.block(notebook.answer(sentence), notebook.table(head, rows, left=(1,)), remark)


def _row(event: tuple[float, str, int, int]) -> tuple[str, str, str, str]:
    time, name, server, detail = event
    return (f"{time:,.4f}", name, "" if server < 0 else str(server), str(detail))
