"""The numbers of servers over time in a small table, for the terminal and for notebooks.

On the map: results, above timeline.py.
"""

from __future__ import annotations

from failcast.results import wording
from failcast.results.timeline import Series

#: The times of the table, as parts of the time up to which half of the runs go on.
_QUARTERS = 4


def series_title(series: Series) -> str:
    """What the table is: it stands above the table."""
    several = series.sample.replications > 1
    what = "mean, and 5 to 95 % of the runs that still go on" if several else "one run"
    return f"Servers by state over time ({what}):"


def series_rows(series: Series) -> list[tuple[str, ...]]:
    """Headings, and a row for each state in which servers are at any of five times of the grid.

    The fifth of them is the last one at which half of the runs still go on. The last row has their
    number.
    """
    running = series.running
    last = int((2 * running >= series.sample.replications).nonzero()[0].max(initial=0))
    times = list(dict.fromkeys(round(last * k / _QUARTERS) for k in range(_QUARTERS + 1)))
    unit = wording.time_unit(float(series.hours[last]))
    head = ["start", *(wording.quantity(float(series.hours[t]), unit, 3) for t in times[1:])]
    rows = [("state", *head)]
    for state in series.states:
        mean, (low, high) = series.mean(state), series.band(state)
        if mean[times].any():
            rows.append((state, *(_cell(mean[t], low[t], high[t]) for t in times)))
    return [*rows, ("runs", *(f"{running[t]:,}" for t in times))]


def _cell(mean: float, low: float, high: float) -> str:
    """`255.1 (254 to 256)`, or the number alone where it is the same in all."""
    if low == high == mean:
        return wording.number(mean, 0)
    return f"{wording.number(mean, 1)} ({servers(low)} to {servers(high)})"


def servers(number: float) -> str:
    """A number of servers, with one decimal where it is none of whole servers."""
    return wording.number(number, 1).removesuffix(".0")
