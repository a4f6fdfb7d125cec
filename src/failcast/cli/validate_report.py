"""What `failcast validate` prints: the answer, a table for each anchor, what was declined and why.

On the map: cli, beside report.py, whose ways it follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import print_lines
from failcast.cli.table import fitted
from failcast.study.validations.words import HEAD, cells

#: What a narrow terminal does without: the mean is the middle of its interval.
SPARE = (("simulated",), ("class",))


def report(found: fc.Validation, seconds: float) -> None:
    """Print the whole report to stdout; `seconds` is how long it took."""
    console, columns = output.results(), output.columns()
    for line in output.folded(found.answer(), columns):
        console.print(Text(line, style="bold"))
    console.print()
    print_lines(_tables(found, columns), columns)
    for part in (_reasons(found, columns), _sources(found, columns)):
        console.print()
        print_lines(part, columns)
    console.print()
    print_lines([Text(_what_ran(found, seconds))], columns)


def _tables(found: fc.Validation, columns: int | None) -> Iterator[Text]:
    """The lines of all anchors in one table, each anchor below its title."""
    rows = [HEAD, *map(cells, found.lines)]
    (head, *lines), left_out = fitted(rows, columns, SPARE, left=2)
    yield Text(head, style="bold")
    before = ""
    for each, line in zip(found.lines, lines, strict=True):
        if each.anchor != before:
            before = each.anchor
            title = next(anchor.title for anchor in found.anchors if anchor.name == before)
            yield from map(Text, output.folded(f"{before}: {title}", columns))
        yield Text(line)
    if left_out:
        names = ", ".join(heading for heading in HEAD if heading in left_out)
        note = f"not shown in {columns} columns: {names}; a pipe or a file gets all"
        yield from map(Text, output.folded(note, columns, indent="  "))


def _reasons(found: fc.Validation, columns: int | None) -> Iterator[Text]:
    """What is declined, and why."""
    for line in found.declined:
        text = f"declined: {line.anchor}, {line.figure.what}: {line.figure.reason}."
        yield from map(Text, output.folded(text, columns, indent=" " * 10))


def _sources(found: fc.Validation, columns: int | None) -> Iterator[Text]:
    """Where the figures come from."""
    for anchor in found.anchors:
        text = f"source: {anchor.name}: {anchor.source}."
        yield from map(Text, output.folded(text, columns, indent=" " * 10))


def _what_ran(found: fc.Validation, seconds: float) -> str:
    return (
        f"{found.runs:,} runs of {len(found.samples)} scenarios, from seed {found.seed}: "
        f"{seconds:.1f} s."
    )
