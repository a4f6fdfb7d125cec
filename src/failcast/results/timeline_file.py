"""Write the numbers of servers over time as CSV, Parquet or JSON, whole or not at all.

On the map: results, above timeline.py and whole_file.py. The ending of the name says which.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from failcast.results.errors import RequestError
from failcast.results.timeline import Series
from failcast.results.whole_file import check_place, whole_file

WHAT: Final = "the series"
"""What the file holds, in messages."""

Document = dict[str, Any]


def _csv(series: Series, _: Document) -> bytes:
    return series.frame().write_csv().encode()


def _parquet(series: Series, _: Document) -> bytes:
    content = io.BytesIO()
    series.frame().write_parquet(content)
    return content.getvalue()


def _json(_: Series, document: Document) -> bytes:
    return (json.dumps(document, indent=2, allow_nan=False) + "\n").encode()


#: Ending of a name -> how such a file is written.
FORMATS: Final[dict[str, Callable[[Series, Document], bytes]]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".json": _json,
}


def check_series_path(path: str | os.PathLike[str]) -> Path:
    """Make sure that a series can be written to `path`, before hours are spent on a simulation.

    Its name ends in .csv, .parquet or .json. Creates and removes a temporary file beside it.
    Returns the place itself, symbolic links followed. Raises RequestError in a sentence.
    """
    if Path(path).suffix.lower() not in FORMATS:
        raise RequestError(
            f"cannot write {WHAT} to {os.fspath(path)!r}: its name must end in "
            f"{', '.join(list(FORMATS)[:-1])} or {list(FORMATS)[-1]}, which says how it is written."
        )
    return check_place(path, WHAT)


def write_series(
    series: Series, path: str | os.PathLike[str], document: Document | None = None
) -> Path:
    """Write `series` to a file whose name ends in .csv, .parquet or .json.

    A table has one row per time, as `Series.frame` gives it; `document` is what `Series.to_dict`
    returned, where a JSON file is to hold a command line. An earlier file is replaced in one step;
    whatever goes wrong, it stays as it was and nothing else is left. Raises RequestError if the
    place cannot be written to. Returns the path written.
    """
    target = check_series_path(path)
    content = FORMATS[Path(path).suffix.lower()](series, document or series.to_dict())
    with whole_file(target, WHAT) as file:
        cast(io.TextIOWrapper, file).buffer.write(content)
    return target
