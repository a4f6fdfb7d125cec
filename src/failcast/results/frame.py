"""Runs as a table, one row per replication, and back.

On the map: results, below sample.py and store.py. polars is loaded when a table is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from failcast.engine import METRICS, SERVER_STATES, Runs, Status

if TYPE_CHECKING:
    import polars

SERVER_HOURS: Final = tuple(f"server_hours_{state}" for state in SERVER_STATES)


def frame_of(runs: Runs) -> polars.DataFrame:
    """One row per replication: its number, status, metrics and server-hours by state."""
    import polars

    labels = {int(status): status.label for status in Status}
    count = len(runs.status)
    columns: dict[str, Any] = {
        "replication": np.arange(runs.first, runs.first + count, dtype=np.int64),
        "status": [labels[int(code)] for code in runs.status],
    }
    columns |= {name: runs.values[:, number] for number, name in enumerate(METRICS)}
    columns |= {name: runs.server_hours[:, number] for number, name in enumerate(SERVER_HOURS)}
    return polars.DataFrame(columns, schema_overrides={"status": polars.String})


def runs_of(frame: polars.DataFrame, seed: int) -> Runs:
    """The runs of a table of at least one row that `frame_of` gave. Raises KeyError and the like
    for another table."""
    codes = {status.label: int(status) for status in Status}
    return Runs(
        values=np.ascontiguousarray(frame.select(METRICS).to_numpy(), dtype=np.float64),
        status=np.array([codes[label] for label in frame["status"]], dtype=np.uint8),
        server_hours=np.ascontiguousarray(frame.select(SERVER_HOURS).to_numpy(), dtype=np.float64),
        seed=seed,
        first=int(frame["replication"][0]),
    )
