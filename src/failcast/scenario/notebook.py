"""HTML for notebooks: text that is escaped, and tables that read well on light and dark pages.

On the map: scenario, below the objects of all stages that show themselves. No script, no class and
no colour of text: lines are translucent grey, and the page gives the rest.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from failcast.scenario.units import format_duration

if TYPE_CHECKING:
    from failcast.scenario.scenario import Scenario

_LINE: Final = "border-bottom:1px solid rgba(128,128,128,0.35)"
_CELL: Final = "padding:0.15em 0.8em;background:transparent;white-space:nowrap"
#: A page without a doctype would give tables a colour and a size of their own.
_TABLE: Final = (
    "border-collapse:collapse;margin:0.3em 0;font-variant-numeric:tabular-nums;"
    "color:inherit;font-size:inherit"
)
_FAINT: Final = "opacity:0.75;font-size:0.9em"


def block(*parts: str) -> str:
    """Parts below each other, as one thing to show."""
    return f'<div style="line-height:1.4">{"".join(parts)}</div>'


def answer(text: str) -> str:
    """What is read first."""
    return f'<p style="margin:0.3em 0"><strong>{html.escape(text)}</strong></p>'


def remark(text: str) -> str:
    """What is read last."""
    return f'<p style="margin:0.3em 0;{_FAINT}">{html.escape(text)}</p>'


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[int] = (0,)
) -> str:
    """A table of texts; the columns `left` lean left, the others right. No head is `()`.

    What follows a line break in a cell stands behind the rest in small type, such as an interval.
    A table that is wider than the page can be scrolled.
    """
    lines = [_row("td", row, left) for row in rows]
    body = f"<tbody>{''.join(lines)}</tbody>"
    if head:
        body = f'<thead style="{_LINE}">{_row("th", head, left)}</thead>{body}'
    return f'<div style="overflow-x:auto"><table style="{_TABLE}">{body}</table></div>'


def folded(title: str, content: str) -> str:
    """Content, already HTML, behind a title that opens it."""
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>"


def scenario_html(scenario: Scenario) -> str:
    """The scenario in a sentence, and all its fields with units behind a fold."""
    from failcast.scenario.echo import describe, scenario_hash

    fields = [(path, value) for path, value in describe(scenario) if value]
    shown = [field for field in fields if field[0] not in ("name", "description")]
    parts = [answer(f"{scenario.name}: {in_a_line(scenario)}")]
    if scenario.description:
        parts.append(remark(scenario.description))
    parts.append(folded(f"All {len(shown)} fields", table((), shown, left=(0, 1))))
    return block(*parts, remark(f"Hash {scenario_hash(scenario)[:16]}"))


def in_a_line(scenario: Scenario) -> str:
    """`job of 256 servers for 60 d, 8 standbys; 270 servers and 10 spares`."""
    job, cluster = scenario.job, scenario.cluster
    return (
        f"job of {job.servers:,} servers for {format_duration(job.length)}, "
        f"{job.warm_standbys:,} standbys; "
        f"{cluster.working_pool:,} servers and {cluster.spare_pool:,} spares"
    )


def _row(tag: str, cells: Sequence[str], left: Collection[int]) -> str:
    return f"<tr>{''.join(_cell(tag, cell, i in left) for i, cell in enumerate(cells))}</tr>"


def _cell(tag: str, text: str, leans_left: bool) -> str:
    side = "left" if leans_left else "right"
    text, broken, small = html.escape(text).partition("\n")
    if broken:
        text += f' <small style="opacity:0.75">{small}</small>'
    return f'<{tag} style="{_CELL};text-align:{side}">{text}</{tag}>'
