"""How curves and break-evens show themselves in a notebook.

On the map: study, beside curves.py and breakeven.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from failcast.results import wording
from failcast.scenario import notebook

if TYPE_CHECKING:
    from failcast.study.breakeven import BreakEven
    from failcast.study.curves import Curve, Point

#: The metrics of the table of a curve.
METRICS_SHOWN: Final = ("training_hours", "ettr")


def curve_html(made: Curve) -> str:
    """The answer, the numbers that were asked for with training time and ETTR, what ran."""
    results = made.results
    parts = [notebook.answer(made.answer() if results else _capital(made.nothing))]
    rows = [(point.text, *_figures(point)) for point in made.shown if point.result is not None]
    if rows:
        parts.append(notebook.table((made.span.path, *METRICS_SHOWN), rows))
    problem = next((point for point in made.shown if point.problem), None)
    if problem is not None and results:
        told = f"Infeasible: {made.span.path} = {problem.text}: {problem.problem}"
        parts.append(notebook.remark(told))
    if results:
        first = results[0]
        ran = (
            f"{made.scenario.name}: {first.replications:,} runs at each of {len(results):,} "
            f"numbers, seed {first.seed}, {first.engine} engine"
        )
        parts.append(notebook.remark(ran))
    return notebook.block(*parts)


def break_even_html(found: BreakEven) -> str:
    """Where the goal stops holding, in a sentence, and a row for each such number."""
    parts = [notebook.answer(_capital(found.sentence()))]
    if found.crossings:
        level = f"{100.0 * found.confidence:g} % interval"
        head = (found.span.path, "from", "to", f"'{found.goal.text}' fails")
        rows = [
            (
                found.written(each.value),
                *("–" if end is None else found.written(end) for end in (each.low, each.high)),
                "above" if each.fails_above else "below",
            )
            for each in found.crossings
        ]
        parts += [notebook.table(head, rows), notebook.remark(f"From and to are a {level}.")]
    ends = [found.span.write(end) for end in (found.span.low, found.span.high)]
    tried = f"{found.span.path} from {ends[0]} to {ends[1]}, {len(found.values):,} numbers tried"
    return notebook.block(*parts, notebook.remark(tried))


def _figures(point: Point) -> tuple[str, ...]:
    """The means at a point, and behind each its interval in small type."""
    assert point.result is not None
    cells = []
    for metric in METRICS_SHOWN:
        figures = point.result.summary(metric)
        if figures.mean is None:
            cells.append("–")
            continue
        decimals = wording.decimals_for_mean(figures.mean, figures.low, figures.high)
        interval = wording.interval(figures.low, figures.high, decimals, unknown="–")
        cells.append(f"{wording.number(figures.mean, decimals)}\n{interval}")
    return tuple(cells)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
