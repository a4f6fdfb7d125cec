"""What `failcast run --levers` prints below its report: the best lever, and a table of all.

On the map: cli, beside report.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import print_lines, table_lines
from failcast.results import wording
from failcast.results.wording import Unit

#: What a narrow terminal does without, the first first.
SPARE = (("share",), ("now",), ("shown",), ("then",), ("finish",))


def report(levers: fc.Levers) -> None:
    """Print the levers to stdout."""
    console, columns = output.results(), output.columns()
    console.print()
    for line in output.folded(levers.answer(), columns):
        console.print(Text(line, style="bold"))
    for part in filter(None, (list(lever_lines(levers, columns)), list(untried_lines(levers)))):
        console.print()
        print_lines(part, columns)


def lever_lines(levers: fc.Levers, columns: int | None = None) -> Iterator[Text]:
    """A table of the levers that were tried, the one that saves most first; nothing without one.

    All differences have the unit of the best one. Where some runs do not finish, a column says how
    many do.
    """
    tried = [(lever, lever.difference) for lever in levers if lever.difference is not None]
    if not tried:
        return
    best = [gap.difference for lever, gap in tried if lever.saves][:1]
    sizes = best or [gap.difference for _, gap in tried]
    unit = wording.time_unit(max(abs(hours or 0.0) for hours in sizes))
    interval = f"{100.0 * levers[0].confidence:g} % interval"
    head = ["lever", "now", "then", "difference", interval, "share", "shown"]
    rows = [[*_cells(lever, gap, unit)] for lever, gap in tried]
    shares = [lever.finished for lever, _ in tried if lever.finished is not None]
    if any(share.base != 1.0 or share.other != 1.0 for share in shares):
        head.append("finish")
        for row, share in zip(rows, shares, strict=True):
            row.append(wording.percent(share.other or 0.0))
    yield Text(f"Training time in {unit.name} less (-) or more (+) than now:", style="bold")
    yield from table_lines([head, *rows], columns, SPARE, style="")
    count, level = len(tried), levers[0].confidence
    note = (
        f"Each interval holds for itself: of {count} about {count * (1.0 - level):.1g} misses by "
        "chance, and the best of many looks a little better than it is."
    )
    yield from map(Text, output.folded(note, columns))


def untried_lines(levers: fc.Levers) -> Iterator[Text]:
    """Why a lever was not tried, the halves and doubles of one knob together where that is one."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for lever in levers:
        if lever.difference is None:
            reasons.setdefault((lever.knob, lever.reason), []).append(lever.part)
    for (knob, reason), parts in reasons.items():
        yield Text(f"Not tried: {' and '.join(parts)} the {knob}: {reason}")


def _cells(lever: fc.Lever, gap: fc.Difference, unit: Unit) -> Iterator[str]:
    """One lever, its difference to the digits that the interval supports."""
    yield f"{lever.part} the {lever.knob}"
    yield lever.now
    yield lever.then or ""
    if gap.difference is None:
        yield from ("-", "-", "-", "none")
        return
    mean, low, high = (
        None if hours is None else hours / unit.hours
        for hours in (gap.difference, gap.low, gap.high)
    )
    decimals = wording.decimals_for_mean(mean, low, high)
    shown = wording.number(mean or 0.0, decimals)
    sign = "+" if gap.difference > 0.0 else ""
    yield f"{sign}{shown}"
    yield wording.interval(low, high, decimals, unknown="-")
    share = wording.percent(abs(gap.difference) / gap.base) if gap.base else ""
    yield f"{'-' if gap.difference < 0.0 else sign}{share}"
    yield gap.direction
