"""How results show themselves in a notebook: the answer first, then figures with their intervals.

On the map: results, beside sample.py. Each function returns HTML for the `_repr_html_` of one kind
of object; the text form of `repr` is one line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from failcast.engine import METRICS
from failcast.results import wording
from failcast.scenario import notebook

if TYPE_CHECKING:
    from failcast.results.cost import Costs
    from failcast.results.goals import Verdict
    from failcast.results.sample import Sample
    from failcast.results.statistics import Mtbf, Summary

#: The colour of each bucket's part of the bar: middle tones, seen on light and on dark.
COLOURS = {
    "productive_hours": "#3fa35b",
    "lost_hours": "#b65fb8",
    "degraded_hours": "#c4a000",
    "checkpoint_hours": "#2f9fb5",
    "recovery_hours": "#d9534f",
    "selection_hours": "#4a7fd6",
    "waiting_hours": "#e0912f",
    "stalled_hours": "#a8503a",
}


def sample_html(sample: Sample) -> str:
    """The answer, the metrics that are not zero, the balance of hours, and what ran."""
    parts = [notebook.answer(sample.answer())]
    if sample.finished:
        parts += [_metrics(sample)]
    costs = sample.costs()
    priced = [_costs(costs)] if costs.priced and sample.finished else []
    return notebook.block(*parts, _balance(sample), *priced, notebook.remark(what_ran(sample)))


def sample_line(sample: Sample) -> str:
    """The text form: `<Sample of small: 200 runs, 200 finished, seed 1, kernel engine>`."""
    return f"<Sample of {what_ran(sample)}>"


def verdict_html(verdict: Verdict) -> str:
    """Whether the goal failed, in a sentence."""
    sign = "✗" if verdict.failed else "✓"
    return notebook.block(notebook.answer(f"{sign} {verdict.sentence}"))


def figures_html(figures: Mapping[str, object]) -> str:
    """The figures of a summary, an MTBF or a share, by name; what is not known is a dash."""
    return notebook.block(
        notebook.table(tuple(figures), [[*map(_plain, figures.values())]], left=())
    )


def costs_html(costs: Costs) -> str:
    """A row for each cause that is not zero; without prices only GPU-hours and actions."""
    return notebook.block(_costs(costs))


def what_ran(sample: Sample) -> str:
    """Scenario, runs, seed and engine, as a remark says them."""
    runs = sample.replications
    return (
        f"{sample.scenario.name}: {runs:,} run{'s' * (runs != 1)}, {sample.finished:,} finished, "
        f"seed {sample.seed}, {sample.engine} engine"
    )


def _metrics(sample: Sample) -> str:
    """One row for each metric that is not zero in every run; the others in a line below."""
    seen = [name for name in METRICS if sample.values(name).any()]
    zero = wording.zeros([name for name in METRICS if name not in seen])
    rows = [(name, _unit(name), *_figures(sample.summary(name))) for name in seen]
    rows.append(("mtbf_hours", "h", *_mtbf(sample.mtbf_hours())))
    head = ("metric", "unit", "mean", _confidence(sample), "p5", "p50", "p95")
    figures = sample.summary("training_hours").to_dict()
    below = [wording.quantile_intervals("training_hours", figures, sample.confidence)]
    below += [f"Zero in every run: {zero}."] if zero else []
    return notebook.table(head, rows, left=(0, 1)) + "".join(
        map(notebook.remark, filter(None, below))
    )


def _costs(costs: Costs) -> str:
    """The table of costs below its title."""
    from failcast.results.cost_words import cost_rows, cost_title

    head, *rows = cost_rows(costs, unknown="–")
    return notebook.remark(cost_title(costs)) + notebook.table(head, rows)


def _confidence(sample: Sample) -> str:
    return f"{100.0 * sample.confidence:g} % interval"


def _unit(metric: str) -> str:
    if metric.endswith("_hours"):
        return "h"
    return {"ettr": "share", "defective_mean": "share", "down_p99": "servers"}.get(
        metric, "per run"
    )


def _figures(figures: Summary) -> tuple[str, ...]:
    """Mean, interval and quantiles, to the digits that the mean's interval supports."""
    decimals = wording.decimals_for_mean(figures.mean, figures.low, figures.high)
    quantiles = (figures.p5, figures.p50, figures.p95)
    return (
        _number(figures.mean, decimals),
        _interval(figures.low, figures.high, decimals),
        *(_number(value, decimals) for value in quantiles),
    )


def _mtbf(figures: Mtbf) -> tuple[str, ...]:
    if figures.value is None:
        return (f"> {wording.number(figures.lower_bound or 0.0, 1)}", "no failure seen", "", "", "")
    decimals = wording.decimals_for_mtbf(figures.value, figures.low)
    interval = _interval(figures.low, figures.high, decimals)
    return (_number(figures.value, decimals), interval, "", "", "")


def _interval(low: float | None, high: float | None, decimals: int) -> str:
    return wording.interval(low, high, decimals, unknown="–")


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else wording.number(value, decimals)


def _plain(value: object) -> str:
    if isinstance(value, float):
        return wording.number(value, wording.decimals_for_value(value, digits=6))
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _balance(sample: Sample) -> str:
    """Where the hours go, as one bar of coloured parts and its legend."""
    buckets = [bucket for bucket in sample.balance() if bucket.hours > 0.0]
    if not buckets or not math.fsum(bucket.share for bucket in buckets):
        return ""
    parts, legend = [], []
    for bucket in buckets:
        colour, name = COLOURS[bucket.name], bucket.name.removesuffix("_hours")
        share = wording.percent(bucket.share)
        parts.append(
            f'<span title="{name} {share}" '
            f'style="flex:{bucket.share:.6f} 0 0;background:{colour}"></span>'
        )
        legend.append(
            f'<span style="margin-right:1em;white-space:nowrap"><span style="color:{colour}">'
            f"■</span> {name} {share}</span>"
        )
    bar = "display:flex;height:0.9em;max-width:42em;margin:0.5em 0 0.2em 0"
    return f'<div style="{bar}">{"".join(parts)}</div><div>{"".join(legend)}</div>'
