"""Write the event trace of one replication as a CSV file, whole or not at all.

On the map: results, above whole_file.py. Times are written so that reading them back gives the
same float.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path

from failcast.results.whole_file import check_place, whole_file

COLUMNS = ("time_hours", "event", "server", "detail")

WHAT = "the trace"
"""What the file holds, in messages."""


#: Hours, event name, server (-1: none), detail.
Event = tuple[float, str, int, int]


def check_trace_path(path: str | os.PathLike[str]) -> Path:
    """Make sure that a trace can be written to `path`, before hours are spent on a simulation.

    Creates and removes a temporary file beside it. Returns the place itself, symbolic links
    followed. Raises RequestError in a sentence.
    """
    return check_place(path, WHAT)


def write_trace(trace: Iterable[Event], path: str | os.PathLike[str]) -> Path:
    """Write `trace` as CSV with the columns time_hours, event, server (-1: none), detail.

    `trace` is a Trace, or any events in order of occurrence with these four members. They are
    written as they come, so that a long trace needs no room for all its lines at once. An earlier
    file is replaced in one step; whatever goes wrong, it stays as it was and nothing else is left.
    Raises RequestError if the place cannot be written to. Returns the path written.
    """
    target = check_trace_path(path)
    with whole_file(target, WHAT) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for time_hours, event, server, detail in trace:
            writer.writerow((repr(float(time_hours)), event, int(server), int(detail)))
    return target
