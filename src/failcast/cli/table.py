"""Plain text tables: columns as wide as their content; where that is too much, fewer columns.

On the map: cli. No cell is ever cut.
"""

from __future__ import annotations

from collections.abc import Sequence

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], *, left: int = 1) -> list[str]:
    """Lines of a table; the first `left` columns lean left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(GAP.join(cells).rstrip())
    return lines


def fitted(
    rows: Sequence[Sequence[str]],
    columns: int | None,
    spare: Sequence[Sequence[str]],
    *,
    left: int = 1,
) -> tuple[list[str], list[str]]:
    """Lines of a table at most `columns` wide, and the headings that were left out for it.

    `rows` begin with the headings; `spare` are groups of them, the first to go first. A table that
    is too wide without all of these stays so; None leaves room for everything.
    """
    left_out: list[str] = []
    lines = aligned(rows, left=left)
    for group in spare:
        if columns is None or max(map(len, lines)) <= columns:
            break
        left_out += group
        kept = [index for index, heading in enumerate(rows[0]) if heading not in left_out]
        lines = aligned([[row[index] for index in kept] for row in rows], left=left)
    return lines, left_out
