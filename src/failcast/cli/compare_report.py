"""What `failcast compare` prints: for each other scenario the answer, shares, a table; what ran.

On the map: cli, beside report.py, whose ways it follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import print_lines, table_lines
from failcast.results import wording

#: What a narrow terminal does without, the first first.
SPARE = (("saved",), ("base",), ("other",), ("shown",))
#: How many changes are listed, and how much of a value: a list of measured ones can be long.
CHANGES_MAX, VALUE_MAX = 12, 40


def report(
    comparisons: Sequence[fc.Comparison], seconds: float, times: Sequence[float] = ()
) -> None:
    """Print all comparisons to stdout; `seconds` is how long they took.

    `times` are the hours of `share_lines`.
    """
    console, columns = output.results(), output.columns()
    for comparison in comparisons:
        for line in output.folded(comparison.answer(), columns):
            console.print(Text(line, style="bold"))
        changed = map(Text, output.folded(changed_fields(comparison), columns, indent="  "))
        shares, metrics = share_lines(comparison, times), metric_lines(comparison, columns)
        for part in filter(None, map(list, (changed, shares, metrics))):
            console.print()
            print_lines(part, columns)
        console.print()
    print_lines(map(Text, what_ran(comparisons, seconds)), columns)


def changed_fields(comparison: fc.Comparison) -> str:
    """`Changed: recovery.time=10 min instead of 20 min; …`."""
    changes = comparison.changes
    if not changes:
        return "Changed: nothing that a run depends on."
    shown = [
        f"{path}={_short(new)} instead of {_short(old)}"
        for path, (old, new) in list(changes.items())[:CHANGES_MAX]
    ]
    more = len(changes) - len(shown)
    rest = [f"{more} more field{'s' * (more > 1)}"] if more else []
    return f"Changed: {'; '.join(shown + rest)}."


def share_lines(comparison: fc.Comparison, times: Sequence[float]) -> Iterator[Text]:
    """What becomes of the share of runs that finish within each of `times` (h), and how runs end.

    How they end is told where some did not finish in either, and that none was depleted where
    servers can be retired.
    """
    samples = (comparison.base, comparison.other)
    for hours in dict.fromkeys(times):
        title = f"Finished within {wording.exact_time(hours)}"
        cut = [sample.cut_off_before(hours) for sample in samples]
        note = f"; a limit ended {cut[0]:,} and {cut[1]:,} runs before that" if any(cut) else ""
        yield Text(f"{title}: {_share(comparison.finished_by(hours))}{note}.")
    unfinished = any(sample.unfinished for sample in samples)
    retiring = any(sample.scenario.retirement != fc.Never() for sample in samples)
    for label in comparison.base.status_counts():
        share = comparison.share_of(label)
        seen = unfinished and (share.base or share.other)
        if seen or (label == "depleted" and retiring):
            yield Text(f"{label.replace('_', ' ').capitalize()}: {_share(share)}.")


def metric_lines(comparison: fc.Comparison, columns: int | None = None) -> Iterator[Text]:
    """The table of differences over the pairs that finished in both.

    Metrics that are always zero share one line, and so do those that are the same in each pair.
    """
    found = comparison.differences()
    if not comparison.pairs:
        yield Text("No replication finished in both, so there are no differences to show.")
        return
    interval = f"{100.0 * comparison.base.confidence:g} % interval"
    rows: list[tuple[str, ...]] = [
        ("metric", "base", "other", "difference", interval, "shown", "saved")
    ]
    rows += [_row(gap) for gap in found.values() if not gap.zero and not gap.same]
    if len(rows) > 1:
        yield from table_lines(rows, columns, SPARE)
    for title, names in (
        ("the same in every pair", ", ".join(name for name, gap in found.items() if gap.same)),
        ("zero in every run of both", wording.zeros([n for n, gap in found.items() if gap.zero])),
    ):
        if names:
            line = f"{title}: {names}"
            yield from map(Text, output.folded(line, columns, indent="  "))


def what_ran(comparisons: Sequence[fc.Comparison], seconds: float) -> tuple[str, str]:
    """The work done in one line, and in another what intervals do not say together."""
    base, scenarios = comparisons[0].base, 1 + len(comparisons)
    runs, threads, level = base.replications, base.threads, base.confidence
    return (
        f"{runs:,} replication{'s' * (runs != 1)} of each of {scenarios} scenarios from seed "
        f"{base.seed}, {base.engine} engine, {threads} thread{'s' * (threads != 1)}: "
        f"{seconds:.2f} s, {1000.0 * seconds / (scenarios * runs):.2f} ms per replication.",
        f"Each {100.0 * level:g} % interval holds for itself: about one in "
        f"{1.0 / (1.0 - level):,.0f} misses by chance.",
    )


def _row(gap: fc.Difference) -> tuple[str, ...]:
    """One metric in both scenarios and its difference, to the digits that the interval supports."""
    decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
    difference = _cell(gap.difference, decimals)
    return (
        gap.metric,
        _cell(gap.base, decimals),
        _cell(gap.other, decimals),
        f"+{difference}" if (gap.difference or 0.0) > 0.0 else difference,
        wording.interval(gap.low, gap.high, decimals, unknown="-"),
        gap.direction,
        _times(gap.saved),
    )


def _share(share: fc.ShareDifference) -> str:
    """`98 % of runs instead of 24 %: 74 points more (68 to 80)`, or that no difference is shown."""
    base, other = (wording.percent(each or 0.0) for each in (share.base, share.other))
    low, high = 100.0 * (share.low or 0.0), 100.0 * (share.high or 0.0)
    decimals = wording.decimals_for_error((high - low) / 2.0, digits=1)
    if not share.shown:
        ends = wording.interval(low, high, decimals, unknown="-")
        return f"{other} of runs, {base} in the base: no difference shown ({ends} points)"
    more = "more" if low > 0.0 else "less"
    near, far = sorted((abs(low), abs(high)))
    points = wording.number(abs(100.0 * (share.difference or 0.0)), decimals)
    ends = wording.interval(near, far, decimals, unknown="-")
    return f"{other} of runs instead of {base}: {points} points {more} ({ends})"


def _times(factor: float | None) -> str:
    """How many times as many runs it would take without pairs."""
    return "-" if factor is None else f"{wording.number(factor, 0 if factor >= 10.0 else 1)} times"


def _cell(value: float | None, decimals: int) -> str:
    return "-" if value is None else wording.number(value, decimals)


def _short(text: str) -> str:
    return text if len(text) <= VALUE_MAX else f"{text[: VALUE_MAX - 3]}..."
