"""What `failcast sweep` prints: the answer, tables of the cells, what each axis does, what ran.

On the map: cli, beside report.py, whose ways it follows. One axis makes a list of its values, two a
table with two sides, more a list of cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import print_lines, table_lines
from failcast.results import wording

#: Most cells that are listed; the folder and the document have all.
CELLS_MAX = 60


def report(sweep: fc.Sweep, measures: Sequence[fc.Measure], seconds: float) -> None:
    """Print the whole report to stdout; `seconds` is how long the sweep took."""
    console, columns = output.results(), output.columns()
    for line in output.folded(sweep.answer(), columns):
        console.print(Text(line, style="bold"))
    tables = [list(cells) for cells in cell_tables(sweep, measures, columns)]
    effects = [list(effect_lines(sweep, each, columns)) for each in measures]
    problems = list(problem_lines(sweep, columns))
    for part in filter(None, (*tables, *effects, problems, [Text(what_ran(sweep, seconds))])):
        console.print()
        print_lines(part, columns)


def cell_tables(
    sweep: fc.Sweep, measures: Sequence[fc.Measure], columns: int | None
) -> Iterator[Iterator[Text]]:
    """The tables of the cells: one for each measure where there are two axes, else one for all."""
    if not sweep.done:
        return
    if len(sweep.axes) == 2:
        for measure in _with_finished(sweep, measures):
            yield _two_sided(sweep, measure, columns)
    else:
        yield _listed(sweep, measures, columns)


def _with_finished(sweep: fc.Sweep, measures: Sequence[fc.Measure]) -> list[fc.Measure]:
    """The measures, and the share that finished where not all runs did."""
    some = any(sweep.figures[cell.number].finished < sweep.replications for cell in sweep.done)
    return list(dict.fromkeys([*measures, fc.Measure("finished")] if some else measures))


def effect_lines(sweep: fc.Sweep, measure: fc.Measure, columns: int | None) -> Iterator[Text]:
    """What each axis does to a measure, over all cells."""
    found = [each for each in fc.sweep_effects(sweep, measure) if each.difference.pairs]
    if not found:
        return
    level = f"{100.0 * sweep.scenario.run.confidence:g} % interval"
    rows: list[tuple[str, ...]] = [("  axis", "value", "instead of", "difference", level, "shown")]
    for effect in found:
        gap = effect.difference
        decimals = wording.decimals_for_mean(gap.difference, gap.low, gap.high)
        number = wording.number(gap.difference or 0.0, decimals)
        sign = "+" if (gap.difference or 0.0) > 0.0 else ""
        ends = wording.interval(gap.low, gap.high, decimals, unknown="-")
        shown = gap.direction
        rows.append((f"  {effect.path}", effect.other, effect.base, sign + number, ends, shown))
    yield Text(f"The largest difference that each axis makes to {measure.name}:", style="bold")
    yield from table_lines(rows, columns, (("shown",),), style="")


def problem_lines(sweep: fc.Sweep, columns: int | None) -> Iterator[Text]:
    """Why cells are infeasible, those of a kind together."""
    kinds: dict[str, list[str]] = {}
    for cell in sweep.infeasible:
        kinds.setdefault(cell.problem, []).append(", ".join(cell.values))
    paths = ", ".join(axis.path for axis in sweep.axes)
    for problem, cells in list(kinds.items())[:CELLS_MAX]:
        first = f"{paths} = {cells[0]}" + (f" and {len(cells) - 1} more" if cells[1:] else "")
        yield from map(Text, output.folded(f"Infeasible: {first}: {problem}", columns, "  "))
    if len(kinds) > CELLS_MAX:
        yield Text(f"Infeasible for other reasons: {len(kinds) - CELLS_MAX:,} more.")


def what_ran(sweep: fc.Sweep, seconds: float) -> str:
    """One line on the work done, and what the intervals do not say together."""
    level, done = sweep.scenario.run.confidence, len(sweep.done)
    return (
        f"{sweep.replications:,} replication{'s' * (sweep.replications != 1)} of each of "
        f"{done:,} cell{'s' * (done != 1)} of {sweep.scenario.name} from seed {sweep.seed}, "
        f"{sweep.engine} engine: {seconds:.2f} s. Each {100.0 * level:g} % interval holds for "
        f"itself, that of an axis for all pairs of its values together."
    )


def _listed(sweep: fc.Sweep, measures: Sequence[fc.Measure], columns: int | None) -> Iterator[Text]:
    """A row for each cell: its values, and each measure with its interval.

    How many runs finished is told where not all did.
    """
    level = f"{100.0 * sweep.scenario.run.confidence:g} % interval"
    heads = [head for measure in measures for head in (measure.name, level)]
    counts = {cell.number: sweep.figures[cell.number].finished for cell in sweep.done}
    told = any(count < sweep.replications for count in counts.values())
    heads += ["finished"] if told else []
    rows: list[tuple[str, ...]] = [(*(axis.path for axis in sweep.axes), *heads)]
    for cell in sweep.done[:CELLS_MAX]:
        figures = [text for measure in measures for text in _figures(sweep, cell, measure)]
        finished = [f"{counts[cell.number]:,}"] if told else []
        rows.append((*cell.values, *figures, *finished))
    yield from table_lines(rows, columns, (), left=len(sweep.axes))
    if len(sweep.done) > CELLS_MAX:
        left = len(sweep.done) - CELLS_MAX
        yield Text(f"  {left:,} more cells are not shown; --out and --json have all of them")


def _figures(sweep: fc.Sweep, cell: fc.Cell, measure: fc.Measure) -> tuple[str, str]:
    mean, interval = sweep.mean(cell, measure)
    if mean is None:
        return "-", "-"
    low, high = interval or (None, None)
    decimals = wording.decimals_for_mean(mean, low, high)
    return wording.number(mean, decimals), wording.interval(low, high, decimals, unknown="-")


def _two_sided(sweep: fc.Sweep, measure: fc.Measure, columns: int | None) -> Iterator[Text]:
    """The means with the first axis down and the second across."""
    down, across = sweep.axes
    means = {cell.values: sweep.mean(cell, measure) for cell in sweep.done}
    halves = [(each.high - each.low) / 2.0 for _, each in means.values() if each is not None]
    known = [mean for mean, _ in means.values() if mean is not None]
    widest = max(halves, default=0.0)
    decimals = wording.decimals_for_error(widest) if widest else wording.DECIMALS_MAX
    if not widest and known:
        decimals = wording.decimals_for_value(max(map(abs, known)), digits=6)
    rows: list[tuple[str, ...]] = [(f"  {down.path}", *across.values)]
    for value in down.values:
        cells = (means.get((value, other), (None, None))[0] for other in across.values)
        shown = ("-" if mean is None else wording.number(mean, decimals) for mean in cells)
        rows.append((f"  {value}", *shown))
    error = f", each known to ± {wording.number(widest, decimals)} or better" if widest else ""
    yield Text(f"Mean {measure.name} by {down.path} and, across, {across.path}{error}:", "bold")
    yield from table_lines(rows, columns, (), style="")
