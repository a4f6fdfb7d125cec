"""What `failcast reproduce` prints: the answer, each finding, what each parameter does, what ran.

On the map: cli, beside report.py, whose ways it follows.
"""

from __future__ import annotations

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import print_lines, table_lines
from failcast.results import wording


def report(found: fc.Reproduction, seconds: float) -> None:
    """Print the whole report to stdout; `seconds` is how long the study took."""
    console, columns = output.results(), output.columns()
    for line in output.folded(found.answer(), columns):
        console.print(Text(line, style="bold"))
    console.print()
    for finding in found.findings:
        sign = f"{finding.verdict}:"
        text = f"{sign:8} {finding.statement} {finding.numbers}"
        print_lines(map(Text, output.folded(text, columns, indent=" " * 9)), columns)
    console.print()
    print_lines(_effects(found, columns), columns)
    console.print()
    print_lines([Text(_what_ran(found, seconds))], columns)


def _effects(found: fc.Reproduction, columns: int | None) -> list[Text]:
    """What each parameter does to the training time at most, over all working pools."""
    rows = [("parameter", "value", "instead of", "training_hours", "interval", "share")]
    for sweep in found.published.values():
        path = sweep.axes[0].path
        effect = next(each for each in fc.sweep_effects(sweep) if each.path == path)
        gap = effect.difference
        decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
        mean = gap.difference or 0.0
        rows.append(
            (
                path,
                effect.other,
                effect.base,
                f"{'+' if mean > 0.0 else ''}{wording.number(mean, decimals)}",
                wording.interval(gap.low, gap.high, decimals, unknown="-"),
                wording.percent(abs(mean) / gap.base) if gap.base else "-",
            )
        )
    return list(table_lines(rows, columns, (("interval",),)))


def _what_ran(found: fc.Reproduction, seconds: float) -> str:
    runs = {name: len(each.done) * each.replications for name, each in found.sweeps.items()}
    published = sum(runs[name] for name in found.published)
    return (
        f"{published:,} runs of the study and {sum(runs.values()) - published:,} more, from seed "
        f"{next(iter(found.sweeps.values())).seed}: {seconds:.1f} s. Source: {found.study.source}."
    )
