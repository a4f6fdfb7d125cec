"""The costs of a sample as the rows of a table, for the terminal and for notebooks.

On the map: results, above cost.py.
"""

from __future__ import annotations

from failcast.results import wording
from failcast.results.cost import CostLine, Costs


def cost_title(costs: Costs) -> str:
    """What the table is, for how many runs: it stands above the table."""
    runs = f"mean of {costs.runs:,} finished run{'s' * (costs.runs != 1)}"
    what = "What a run costs" if costs.priced else "GPU-hours of a run by cause"
    return f"{what} ({runs}; vacant slots of the job count, too):"


def cost_rows(costs: Costs, unknown: str) -> list[tuple[str, ...]]:
    """The headings, a row for each cause that is not zero, and the total.

    What has a price for each action is there where it has one. Without prices there are GPU-hours
    and their shares alone. `unknown` stands for an interval that is not known.
    """
    level = f"{100.0 * costs.confidence:g} % interval"
    head: tuple[str, ...] = ("cause", "GPU-hours", "price", "cost", level, "share")
    if not costs.priced:
        head = ("cause", "GPU-hours", level, "share")
    rows = [_row(line, costs, unknown) for line in costs if _is_told(line)]
    return [head, *rows, _row(costs.total, costs, unknown)]


def _is_told(line: CostLine) -> bool:
    if line.actions is not None:
        return bool(line.actions.mean and line.price)
    return bool(line.gpu_hours and line.gpu_hours.mean)


def _row(line: CostLine, costs: Costs, unknown: str) -> tuple[str, ...]:
    figures = line.gpu_hours or line.actions
    assert figures is not None
    decimals = wording.decimals_for_mean(figures.mean, figures.low, figures.high)
    amount = wording.number(figures.mean or 0.0, decimals)
    if line.actions is not None:
        amount = f"{amount} times"
    if not costs.priced:
        whole = (costs.total.gpu_hours.mean if costs.total.gpu_hours else 0.0) or 1.0
        interval = wording.interval(figures.low, figures.high, decimals, unknown)
        return (line.cause, amount, interval, wording.percent((figures.mean or 0.0) / whole))
    cost = line.cost
    decimals = wording.decimals_for_mean(cost.mean, cost.low, cost.high)
    return (
        line.cause,
        amount,
        ""
        if line.price is None
        else wording.number(line.price, wording.decimals_for_value(line.price)),
        wording.number(cost.mean or 0.0, decimals),
        wording.interval(cost.low, cost.high, decimals, unknown),
        wording.percent(line.share),
    )
