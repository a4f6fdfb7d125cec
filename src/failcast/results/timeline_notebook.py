"""How a series shows itself in a notebook: a small picture for each state, then the table.

On the map: results, beside timeline.py.
"""

from __future__ import annotations

import html

from failcast.results import wording
from failcast.results.notebook import what_ran
from failcast.results.statistics import Floats
from failcast.results.timeline import Series
from failcast.results.timeline_words import series_rows, series_title, servers
from failcast.scenario import notebook

#: Size of a picture, and most times that it is drawn of: more are not seen.
_WIDTH, _HEIGHT, _MOST = 640, 56, 320
_COLOUR = "#4a7fd6"


def series_html(series: Series) -> str:
    """What there is, a picture of each state that varies, a table of five times, what ran."""
    head, *rows = series_rows(series)
    longest = float(series.hours[-1])
    until = wording.quantity(longest, wording.time_unit(longest))
    times = f"{len(series.hours):,} times until {until}"
    return notebook.block(
        notebook.answer(f"Servers by state over time: {times}"),
        *(_picture(series, state) for state in series.states),
        notebook.remark(series_title(series)),
        notebook.table(head, rows),
        notebook.remark(what_ran(series.sample)),
    )


def _picture(series: Series, state: str) -> str:
    """The mean as a line within its band, from the least to the most; nothing of what is even."""
    low, high = series.band(state)
    least, most = float(low.min()), float(high.max())
    if least == most:
        return ""
    every = max(1, -(-len(low) // _MOST))
    bottom, top, mean = (
        _points((values[::every] - least) / (most - least))
        for values in (low, high, series.mean(state))
    )
    ends = f"{servers(least)} to {servers(most)}"
    return (
        f'<div style="margin:0.4em 0 0 0">{html.escape(state)} '
        f'<small style="opacity:0.75">{ends}</small></div>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'style="max-width:100%" role="img" aria-label="{html.escape(state)} over time">'
        f'<polygon points="{" ".join([*bottom, *reversed(top)])}" fill="{_COLOUR}" '
        'fill-opacity="0.25"></polygon>'
        f'<polyline points="{" ".join(mean)}" fill="none" stroke="{_COLOUR}" '
        'stroke-width="1.5"></polyline></svg>'
    )


def _points(shares: Floats) -> list[str]:
    """Points from left to right, from 0 at the bottom to 1 at the top."""
    wide = _WIDTH / max(1, len(shares) - 1)
    return [
        f"{wide * at:.1f},{(1.0 - float(share)) * (_HEIGHT - 4) + 2:.1f}"
        for at, share in enumerate(shares)
    ]
