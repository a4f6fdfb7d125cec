"""The balance of hours as one stacked bar and its legend, in block characters or in ASCII.

On the map: cli. Shares are rounded together (largest remainder), so that what is printed adds up
to 100.0 % and the bar is exactly as wide as it should be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.text import Text

import failcast as fc
from failcast.cli.table import aligned
from failcast.results import wording

CELLS = 80
INDENT = "  "

STYLES = {
    "productive_hours": ("█", "#", "green"),
    "lost_hours": ("▚", "x", "magenta"),
    "degraded_hours": ("▞", "%", "bright_yellow"),
    "checkpoint_hours": ("▖", "+", "cyan"),
    "recovery_hours": ("▒", "-", "red"),
    "selection_hours": ("▓", "=", "blue"),
    "waiting_hours": ("░", ".", "yellow"),
    "stalled_hours": ("▔", "!", "bright_red"),
}
"""Each bucket's sign on a Unicode terminal, in ASCII, and its colour."""


def balance_lines(sample: fc.Sample, unicode: bool, columns: int | None = None) -> list[Text]:
    """A title, the bar and a legend with the hours per run and the percentage of each bucket.

    The bar has CELLS cells, or as many as fit into `columns`.
    """
    buckets = [bucket for bucket in sample.balance() if bucket.hours > 0.0]
    if not buckets:
        return [Text("No time passed: there is no balance of hours to show.")]
    signs = [STYLES[bucket.name][0 if unicode else 1] for bucket in buckets]
    colours = [STYLES[bucket.name][2] for bucket in buckets]
    most = CELLS if columns is None else min(CELLS, columns - len(INDENT))
    cells = apportion([bucket.share for bucket in buckets], most)
    bar = Text(INDENT)
    for sign, colour, count in zip(signs, colours, cells, strict=True):
        bar.append(sign * count, style=colour)
    lines = [Text(_title(sample), style="bold"), bar]
    for line, colour in zip(_legend(buckets, signs), [*colours, ""], strict=True):
        text = Text(line)
        text.stylize(colour, 2, 3)
        lines.append(text)
    return lines


def apportion(shares: Sequence[float], units: int) -> list[int]:
    """Whole numbers in proportion to `shares` that add up to `units`, by largest remainder."""
    total = math.fsum(shares)
    exact = [share / total * units for share in shares]
    whole = [math.floor(part) for part in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: (whole[i] - exact[i], i))
    for index in by_remainder[: units - sum(whole)]:
        whole[index] += 1
    return whole


def _title(sample: fc.Sample) -> str:
    finished = sample.finished
    count, kind = (finished, "finished") if finished else (sample.replications, "unfinished")
    return f"Where the hours of a run go (mean of {count:,} {kind} run{'s' * (count != 1)}):"


def _legend(buckets: Sequence[fc.Bucket], signs: Sequence[str]) -> list[str]:
    total = math.fsum(bucket.hours for bucket in buckets)
    decimals = wording.decimals_for_error(total, digits=5)
    tenths = apportion([bucket.share for bucket in buckets], 1000)
    rows = [
        (
            f"  {sign} {bucket.name.removesuffix('_hours')}",
            f"{wording.number(bucket.hours, decimals)} h",
            f"{tenth / 10:.1f} %" if tenth else "< 0.1 %",
        )
        for sign, bucket, tenth in zip(signs, buckets, tenths, strict=True)
    ]
    rows.append(("    total", f"{wording.number(total, decimals)} h", "100.0 %"))
    return aligned(rows)
