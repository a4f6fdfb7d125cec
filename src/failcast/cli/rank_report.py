"""What `failcast rank` prints: the answer, a table for each metric, what has no effect, what ran.

On the map: cli. A narrow terminal does without some columns; no cell is ever cut.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.table import GAP, fitted
from failcast.study.ranking import wording

#: Cells of the longest bar, and its blocks by eighths of a cell.
_CELLS = 16
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_INDENT = "  "


def report(ranking: fc.Ranking, seconds: float) -> None:
    """Print the whole report of a ranking to stdout; `seconds` is how long it took."""
    console, columns = output.results(), output.columns()
    for line in output.folded(ranking.answer(), columns):
        console.print(Text(line, style="bold"))
    for one in filter(lambda each: math.isfinite(each.mean), ranking.metrics):
        console.print()
        for text in metric_lines(ranking, one, output.speaks_unicode(), columns):
            console.print(text)
    if ranking.declared:
        console.print()
    else:
        lines = ["", *output.folded(wording.ranges(ranking), columns)]
        for each in wording.left_out(ranking):
            lines += output.folded(each, columns, _INDENT)
        lines.append("")
        console.print(Text("\n".join(lines)))
    ran = what_ran(ranking, seconds)
    for line in [ran] if columns is None else output.folded(ran, columns, _INDENT):
        console.print(Text(line))


def metric_lines(
    ranking: fc.Ranking, one: fc.MetricRanking, unicode: bool, columns: int | None
) -> Iterator[Text]:
    """The table of one metric: places, ranges, figures and a bar; then what has no effect."""
    if one.ranked:
        rows = list(_rows(ranking, one))
        spare = [["range"], *([heading] for heading in rows[0][:2:-1])]
        (header, *lines), left_out = fitted(rows, columns, spare)
        yield Text(header, style="bold")
        widest = max(map(len, (header, *lines)))
        room = _CELLS if columns is None else min(_CELLS, columns - widest - len(GAP))
        longest = max(abs(each.size.value) for each in one.ranked)
        for line, each in zip(lines, one.ranked, strict=True):
            share = abs(each.size.value) / longest if longest else 0.0
            yield Text(f"{line:{widest}}{GAP}{bar(share, room, unicode)}".rstrip())
        if left_out:
            names = ", ".join(heading for heading in rows[0] if heading in left_out)
            note = f"not shown in {columns} columns: {names}; a pipe or a file gets all"
            yield from map(Text, output.folded(note, columns, _INDENT))
    if one.without_effect:
        if one.ranked:
            yield Text("")
        yield Text(f"No effect on {one.metric} shown:", style="bold")
        ranges = {each.path: each for each in ranking.inputs}
        for each in one.without_effect:
            line = f"{each.path} {wording.bound(one, each, ranges[each.path])}"
            yield from map(Text, output.folded(_INDENT + line, columns, _INDENT * 2))


def _rows(ranking: fc.Ranking, one: fc.MetricRanking) -> Iterator[Sequence[str]]:
    """The headings and a row for each input that has a place."""
    ranges = {each.path: f"{each.low} to {each.high}" for each in ranking.inputs}
    width = max(len(wording.place(each)) for each in one.ranked)
    figures = tuple(map(wording.heading, one.ranked[0].figures))
    yield (f"{'':{width}}  {one.metric}", "range", *figures)
    for each in one.ranked:
        cells = (wording.figure(one, name, figure) for name, figure in each.figures.items())
        yield (f"{wording.place(each):>{width}}  {each.path}", ranges[each.path], *cells)


def bar(share: float, cells: int, unicode: bool) -> str:
    """A bar of a share of so many cells, in eighths of a cell or in signs of ASCII."""
    eighths = max(0, round(8 * cells * share))
    if not unicode:
        return "#" * round(eighths / 8)
    full, part = divmod(eighths, 8)
    return "█" * full + _EIGHTHS[part].strip()


def what_ran(ranking: fc.Ranking, seconds: float) -> str:
    """One line on the work done: runs, seed, method, threads and time."""
    threads, each = ranking.threads, 1000.0 * seconds / ranking.runs
    return (
        f"{wording.what_ran(ranking)}, {ranking.engine} engine, {threads} "
        f"thread{'s' * (threads != 1)}: {seconds:.2f} s, {each:.2f} ms per replication."
    )
