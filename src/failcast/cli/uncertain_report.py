"""What `failcast run` prints where inputs are uncertain: of a prediction, and of a curve.

On the map: cli, beside report.py, whose ways it follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.report import SPARE_FIGURES, print_lines, table_lines
from failcast.results import wording

#: What a narrow terminal does without, the first first.
SPARE_OF_CAUSES = (("believed",),)
#: Columns of the chart of a curve: the track that marks are on.
TRACK = 48


def report_prediction(found: fc.Prediction, seconds: float, times: Sequence[float]) -> None:
    """Print the whole report; `seconds` is how long it took, `times` are hours of `--by`."""
    columns = output.columns()
    _answer(found.answer(), columns)
    parts = [
        list(share_lines(found, times)),
        list(metric_lines(found, columns)),
        list(cause_lines(found, columns)),
        [Text(_what_ran(found, seconds))],
    ]
    _print(parts, columns)


def report_curve(
    made: fc.Curve, evens: Sequence[fc.BreakEven], seconds: float, times: Sequence[float]
) -> None:
    """Print the whole report of a curve, and at which numbers goals stop holding."""
    columns = output.columns()
    sentences = [made.answer(), *(_capital(even.sentence()) for even in evens)]
    for sentence in sentences:
        _answer(sentence, columns)
    limits = [
        even.goal.limit
        for even in evens
        if (even.goal.metric, even.goal.stat) == ("training_hours", "mean")
    ]
    results = made.results
    ran = (
        f"{results[0].replications:,} replications at each of {len(results):,} numbers of "
        f"{made.span.path}, of {made.scenario.name} from seed {results[0].seed}, "
        f"{results[0].engine} engine: {seconds:.2f} s."
    )
    parts = [
        list(curve_lines(made, times, columns)),
        list(chart_lines(made, limits, columns)),
        [Text(ran)],
    ]
    _print(parts, columns)


def share_lines(found: fc.Prediction, times: Sequence[float]) -> Iterator[Text]:
    """The share of runs that finished within each of `times`, and how runs ended."""
    for hours in dict.fromkeys(times):
        share = found.finished_by(hours)
        yield Text(f"Finished within {wording.exact_time(hours)}: {_share(share, found)}")
    if found.finished < found.replications:
        for label, count in found.status_counts().items():
            if count:
                share = found.share_of(label)
                yield Text(f"{_capital(label.replace('_', ' '))}: {_share(share, found)}")


def metric_lines(found: fc.Prediction, columns: int | None) -> Iterator[Text]:
    """The table of metrics over inputs and chance; the last column is the part of the inputs."""
    if not found.finished:
        return
    level = f"{100.0 * found.confidence:g} % interval"
    rows: list[tuple[str, ...]] = [("metric", "mean", level, "p5", "p50", "p95", "inputs")]
    zero = []
    for name in fc.METRICS:
        figures, spread = found.summary(name), found.parts(name)
        if not found.values(name).any():
            zero.append(name)
            continue
        decimals = wording.decimals_for_mean(figures.mean, figures.low, figures.high)
        known = (figures.mean, figures.p5, figures.p50, figures.p95)
        mean, *quantiles = (
            "-" if each is None else wording.number(each, decimals) for each in known
        )
        interval = wording.interval(figures.low, figures.high, decimals, unknown="-")
        part = "-" if spread is None or spread.share is None else wording.percent(spread.share)
        rows.append((name, mean, interval, *quantiles, part))
    yield from table_lines(rows, columns, SPARE_FIGURES)
    if wording.zeros(zero):
        names = f"zero in every run: {wording.zeros(zero)}"
        yield from map(Text, output.folded(names, columns, indent="  "))


def cause_lines(found: fc.Prediction, columns: int | None) -> Iterator[Text]:
    """What each uncertain input adds to the variance of the training time, and what chance adds."""
    spread, causes = found.parts("training_hours"), found.causes()
    if spread is None or spread.share is None:
        return
    level = f"{100.0 * found.confidence:g} % interval"
    rows = [("  input", "believed", "share", level, "p5 to p95 of it")]
    for cause in causes:
        ends = wording.percent_range(cause.low, cause.high) if cause.low < cause.high else ""
        rows.append(
            (f"  {cause.path}", cause.believed, wording.percent(cause.share), ends, _swing(cause))
        )
    if causes:
        left = spread.share - sum(cause.share for cause in causes)
        rows.append(("  together", "", wording.percent(max(0.0, left)), "", ""))
    ends = ""
    if spread.low is not None and spread.high is not None and spread.low < spread.high:
        ends = wording.percent_range(1.0 - spread.high, 1.0 - spread.low)
    rows.append(("  chance", "", wording.percent(1.0 - spread.share), ends, ""))
    yield Text("What makes the variance of training_hours:", style="bold")
    yield from table_lines(rows, columns, SPARE_OF_CAUSES, style="", left=2)
    if causes:
        note = (
            "A share is what changes in proportion to one input; together is what does not, or "
            "is due to several at once. The last column is what training_hours gain when the "
            "input goes from its 5 % to its 95 % quantile."
        )
    else:
        note = "There are too few draws to tell the inputs apart: give more --replications."
    yield from map(Text, output.folded(note, columns))


def curve_lines(made: fc.Curve, times: Sequence[float], columns: int | None) -> Iterator[Text]:
    """A row for each number: the training time, ETTR, and the share finished by each of `times`."""
    level = f"{100.0 * made.scenario.run.confidence:g} % interval"
    asked = list(dict.fromkeys(times))
    by = [f"by {wording.exact_time(hours)}" for hours in asked]
    rows: list[tuple[str, ...]] = [(made.span.path, "training_hours", level, "ettr", *by)]
    for point in made.shown:
        if point.result is None:
            continue
        ettr, _ = _figures(point.result, "ettr")
        shares = (point.result.finished_by(hours).value for hours in asked)
        finished = ("-" if share is None else wording.percent(share) for share in shares)
        rows.append((point.text, *_figures(point.result, "training_hours"), ettr, *finished))
    yield from table_lines(rows, columns, ())
    for point in made.shown:
        if point.problem:
            told = f"Infeasible: {made.span.path} = {point.text}: {point.problem}"
            yield from map(Text, output.folded(told, columns, "  "))
            break


def chart_lines(made: fc.Curve, limits: Sequence[float], columns: int | None) -> Iterator[Text]:
    """The training time along the curve, a mark for each number, and bars where goals are lost."""
    found = [
        (point.text, hours)
        for point in made.shown
        if point.result is not None
        and (hours := point.result.summary("training_hours").mean) is not None
    ]
    if len(found) < 2:
        return
    known = [each for _, each in found]
    least, most = min(known), max(known)
    if least == most:
        return
    mark, bar, dot = ("●", "│", "·") if output.speaks_unicode() else ("o", "|", ".")
    bars = {_place(limit, least, most) for limit in limits if least <= limit <= most}
    width = max(len(text) for text, _ in found)
    unit = wording.time_unit(most)
    ends = [wording.quantity(each, unit) for each in (least, most)]
    yield Text(f"Training time over {made.span.path}, from {ends[0]} to {ends[1]}:", style="bold")
    for text, value in found:
        place = _place(value, least, most)
        track = [bar if column in bars else dot for column in range(TRACK)]
        track[place] = mark
        yield Text(f"  {text.ljust(width)}  {''.join(track)}")


def _place(value: float, least: float, most: float) -> int:
    return round((value - least) / (most - least) * (TRACK - 1))


def _figures(result: fc.Sample | fc.Prediction, metric: str) -> tuple[str, str]:
    found = result.summary(metric)
    if found.mean is None:
        return "-", "-"
    decimals = wording.decimals_for_mean(found.mean, found.low, found.high)
    interval = wording.interval(found.low, found.high, decimals, unknown="-")
    return wording.number(found.mean, decimals), interval


def _swing(cause: fc.Cause) -> str:
    if cause.swing is None or cause.swing_low is None or cause.swing_high is None:
        return ""
    half = (cause.swing_high - cause.swing_low) / 2.0
    decimals = wording.decimals_for_error(half, digits=1) if half else 1
    sign = "+" if cause.swing > 0.0 else ""
    return f"{sign}{wording.number(cause.swing, decimals)} h"


def _share(share: fc.Proportion, found: fc.Prediction) -> str:
    """`93 % of runs (95 % interval 89 to 96 %)`."""
    text = f"{wording.percent(share.value or 0.0)} of runs"
    if share.low is None or share.high is None:
        return text
    level = f"{100.0 * found.confidence:g} % interval"
    return f"{text} ({level} {wording.percent_range(share.low, share.high)})"


def _what_ran(found: fc.Prediction, seconds: float) -> str:
    inputs = len(found.beliefs)
    return (
        f"{len(found.draws):,} draws of {inputs} uncertain input{'s' * (inputs != 1)}, "
        f"{found.runs_per_draw:,} runs of each, of {found.scenario.name} from seed {found.seed}, "
        f"{found.engine} engine: {seconds:.2f} s."
    )


def _answer(text: str, columns: int | None) -> None:
    for line in output.folded(text, columns):
        output.results().print(Text(line, style="bold"))


def _print(parts: Sequence[Sequence[Text]], columns: int | None) -> None:
    for part in filter(None, parts):
        output.results().print()
        print_lines(part, columns)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
