"""What `failcast run` prints: the answer, the table of metrics, the balance of hours, what ran.

On the map: cli. Each part is a function that returns lines of text; `report` prints them. `columns`
is the width of the terminal, None where there is none: a pipe gets every column of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.balance import balance_lines
from failcast.cli.table import fitted
from failcast.results import wording
from failcast.results.cost_words import cost_rows, cost_title
from failcast.results.timeline_words import series_rows, series_title

#: What a narrow terminal does without, the first first.
SPARE_FIGURES = (("p50",), ("p5", "p95"))
SPARE_OF_SERVERS = (("servers",), ("share",))
SPARE_OF_COSTS = (("price",), ("share",), ("GPU-hours",))


def report(
    sample: fc.Sample,
    seconds: float,
    times: Sequence[float] = (),
    *,
    server_hours: bool = False,
    gpu_hours: bool = False,
    series: fc.Series | None = None,
    levers: fc.Levers | None = None,
) -> None:
    """Print the whole report of `sample` to stdout.

    `seconds` is how long the simulation took; `times` are the hours of `share_lines`. The tables of
    `server_hours` and `gpu_hours`, the series and the levers are printed on request; where anything
    has a price, the costs are printed in any case.
    """
    console, columns = output.results(), output.columns()
    for line in output.folded(sample.answer(), columns):
        console.print(Text(line, style="bold"))
    shares = list(share_lines(sample, times))
    metrics = list(metric_lines(sample, columns))
    balance = balance_lines(sample, output.speaks_unicode(), columns)
    states = list(server_lines(sample, columns)) if server_hours and sample.finished else []
    costs = list(cost_lines(sample, columns, gpu_hours=gpu_hours))
    counts = [] if series is None else list(series_lines(series, columns))
    ran = [Text(what_ran(sample, seconds))]
    for part in filter(None, (shares, metrics, balance, states, counts, costs, ran)):
        console.print()
        print_lines(part, columns)
    if levers is not None:
        from failcast.cli.lever_report import report as report_levers

        report_levers(levers)


def print_lines(lines: Iterable[Text], columns: int | None) -> None:
    """Print lines to stdout, those that are too wide for the terminal in several."""
    console = output.results()
    for text in lines:
        for row in _on_the_screen(text, columns):
            console.print(row)


def share_lines(sample: fc.Sample, times: Sequence[float]) -> Iterator[Text]:
    """The share of runs that finished within each of `times` (hours), and how runs ended.

    How they ended is told where some did not finish; that none was depleted, where servers can be
    retired.
    """
    for hours in dict.fromkeys(times):
        share = sample.finished_by(hours)
        note = _cut_off(sample.cut_off_before(hours), share)
        yield Text(f"Finished within {wording.exact_time(hours)}: {_share(share)}{note}")
    for label, share in sample.shares().items():
        seen = share.count and sample.unfinished
        possible = label == "depleted" and sample.scenario.retirement != fc.Never()
        if seen or possible:
            yield Text(f"{label.replace('_', ' ').capitalize()}: {_share(share)}")


def metric_lines(sample: fc.Sample, columns: int | None = None) -> Iterator[Text]:
    """The table of metrics over finished runs; metrics that are always zero share one line.

    MTBF is over all runs, and says so where not all of them finished. What a narrow terminal has no
    room for is left out, and a line says so.
    """
    zero: list[str] = []
    if sample.finished:
        confidence = f"{100.0 * sample.confidence:g} % interval"
        rows: list[tuple[str, ...]] = [("metric", "mean", confidence, "p5", "p50", "p95")]
        zero = [name for name in fc.METRICS if not sample.values(name).any()]
        rows += [_metric_row(sample, name) for name in fc.METRICS if name not in zero]
        rows.append((_mtbf_label(sample), *_mtbf_figures(sample)))
        yield from table_lines(rows, columns, SPARE_FIGURES)
        figures = sample.summary("training_hours").to_dict()
        quantiles = wording.quantile_intervals("training_hours", figures, sample.confidence)
        yield from map(Text, output.folded(quantiles, columns, indent="  "))
    else:
        counts = ", ".join(f"{label} {count:,}" for label, count in sample.unfinished.items())
        yield Text(f"No run finished, so there are no means to show. Runs by their end: {counts}.")
    if wording.zeros(zero):
        names = f"zero in every run: {wording.zeros(zero)}"
        yield from map(Text, output.folded(names, columns, indent="  "))


def server_lines(sample: fc.Sample, columns: int | None = None) -> Iterator[Text]:
    """Server-hours of a finished run by state, their share, and the mean number of servers there.

    States in which no server ever was are left out.
    """
    states = {name: part for name, part in sample.server_hours().items() if part.mean}
    wall, total = sample.mean("training_hours") or 0.0, sum(p.mean or 0.0 for p in states.values())
    confidence = f"{100.0 * sample.confidence:g} % interval"
    rows: list[tuple[str, ...]] = [("  state", "server-hours", confidence, "share", "servers")]
    for name, part in states.items():
        mean, decimals = part.mean or 0.0, wording.decimals_for_mean(part.mean, part.low, part.high)
        servers = wording.number(mean / wall, wording.decimals_for_value(mean / wall, digits=4))
        interval = _interval(part.low, part.high, decimals)
        share = wording.percent(mean / total)
        rows.append((f"  {name}", wording.number(mean, decimals), interval, share, servers))
    runs = f"{sample.finished:,} finished run{'s' * (sample.finished != 1)}"
    yield Text(f"Where the servers of a run are (mean of {runs}):", style="bold")
    yield from table_lines(rows, columns, SPARE_OF_SERVERS, style="")


def cost_lines(
    sample: fc.Sample, columns: int | None = None, *, gpu_hours: bool = False
) -> Iterator[Text]:
    """What a finished run costs, by cause; without prices, on request, its GPU-hours by cause.

    Causes that are zero are left out.
    """
    if not sample.finished or not (gpu_hours or sample.scenario.cost.is_priced):
        return
    costs = sample.costs()
    head, *rows = cost_rows(costs, unknown="-")
    named = [(f"  {head[0]}", *head[1:]), *((f"  {row[0]}", *row[1:]) for row in rows)]
    yield from (Text(line, style="bold") for line in output.folded(cost_title(costs), columns))
    yield from table_lines(named, columns, SPARE_OF_COSTS, style="")


def series_lines(series: fc.Series, columns: int | None = None) -> Iterator[Text]:
    """The mean number of servers in each state at five times of a run, with its band."""
    head, *rows = series_rows(series)
    named = [(f"  {head[0]}", *head[1:]), *((f"  {row[0]}", *row[1:]) for row in rows)]
    yield from (Text(line, style="bold") for line in output.folded(series_title(series), columns))
    yield from table_lines(named, columns, (head[2:3] + head[4:5], head[3:4]), style="")


def table_lines(
    rows: Sequence[Sequence[str]],
    columns: int | None,
    spare: Sequence[Sequence[str]],
    style: str = "bold",
    left: int = 1,
) -> Iterator[Text]:
    """The lines of a table, the headings in `style`, and what it does without on the terminal.

    The first `left` columns lean left.
    """
    (header, *lines), left_out = fitted(rows, columns, spare, left=left)
    yield Text(header, style=style)
    yield from map(Text, lines)
    if left_out:
        names = [heading for heading in rows[0] if heading in left_out]
        note = f"not shown in {columns} columns: {', '.join(names)}; a pipe or a file gets all"
        yield from map(Text, output.folded(note, columns, indent="  "))


def what_ran(sample: fc.Sample, seconds: float) -> str:
    """One line on the work done: counts, seed, engine, threads and time."""
    runs, threads, known = sample.replications, sample.threads, ""
    if sample.precision is not None and sample.precision.reached is not None:
        reached, wanted = wording.percent(sample.precision.reached), 100.0 * sample.precision.wanted
        known = f", {sample.precision.metric} known to ± {reached} ({wanted:.6g} % asked for)"
    return (
        f"{runs:,} replication{'s' * (runs != 1)} of {sample.scenario.name} from seed "
        f"{sample.seed}{known}, {sample.engine} engine, {threads} thread{'s' * (threads != 1)}: "
        f"{seconds:.2f} s, {1000.0 * seconds / runs:.2f} ms per replication."
    )


def _on_the_screen(text: Text, columns: int | None) -> Sequence[Text]:
    """A line as it is, or on a terminal that is too narrow the lines that it is folded into."""
    if columns is None or len(text.plain) <= columns:
        return [text]
    return [Text(line, style=text.style) for line in output.folded(text.plain, columns, "  ")]


def _cut_off(cut: int, share: fc.Proportion) -> str:
    """How many of the runs that did not finish by then a limit had ended before."""
    if not cut:
        return ""
    if cut < share.runs - share.count:
        return f"; a limit ended {cut:,} of the others before that"
    return f"; a limit ended {'all the others' if share.count else 'all of them'} before that"


def _metric_row(sample: fc.Sample, name: str) -> tuple[str, ...]:
    """Mean, interval and quantiles of one metric, to the digits that the interval supports."""
    figures = sample.summary(name)
    decimals = wording.decimals_for_mean(figures.mean, figures.low, figures.high)
    cells = (figures.p5, figures.p50, figures.p95)
    return (
        name,
        _cell(figures.mean, decimals),
        _interval(figures.low, figures.high, decimals),
        *(_cell(value, decimals) for value in cells),
    )


def _share(share: fc.Proportion) -> str:
    """`87 % of runs (82 to 91 %)`, or a bound where it is none or all of them."""
    low, high = share.low or 0.0, share.high or 0.0
    if share.count == 0:
        return f"none of {share.runs:,} runs (at most {wording.percent(high)})"
    if share.count == share.runs:
        return f"all of {share.runs:,} runs (at least {wording.percent(low)})"
    seen = wording.percent(share.count / share.runs)
    return f"{seen} of runs ({wording.percent_range(low, high)})"


def _mtbf_label(sample: fc.Sample) -> str:
    return f"mtbf_hours (all {sample.replications:,} runs)" if sample.unfinished else "mtbf_hours"


def _mtbf_figures(sample: fc.Sample) -> tuple[str, ...]:
    """MTBF of the whole sample, or what it exceeds where no failure was seen."""
    figures = sample.mtbf_hours()
    if figures.value is None:
        bound = figures.lower_bound or 0.0
        return (f"> {wording.number(bound, 1)}", "no failure seen", "", "", "")
    decimals = wording.decimals_for_mtbf(figures.value, figures.low)
    low_high = _interval(figures.low, figures.high, decimals)
    return (_cell(figures.value, decimals), low_high, "", "", "")


def _interval(low: float | None, high: float | None, decimals: int) -> str:
    return wording.interval(low, high, decimals, unknown="-")


def _cell(value: float | None, decimals: int) -> str:
    return "-" if value is None else wording.number(value, decimals)
