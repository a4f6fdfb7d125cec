"""The costs of a sample by cause: in GPU-hours or actions, and in money where anything has a price.

On the map: results, beside sample.py. What is charged for what is the table of `engine/cost.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from failcast.engine.cost import ACTIONS, CHARGES, amount, price
from failcast.engine.model import COST
from failcast.results import statistics
from failcast.results.errors import RequestError
from failcast.results.statistics import Floats, Summary
from failcast.scenario import Scenario

if TYPE_CHECKING:
    import polars

    from failcast.engine import Runs

NO_PRICE = (
    "nothing has a price: set cost.gpu_hour, cost.idle_hour or another of the block cost, such as "
    "-s cost.gpu_hour=2."
)


@dataclass(frozen=True)
class CostLine:
    """One cause of cost over finished runs: its GPU-hours or its actions, and its cost.

    `gpu_hours` is None of a cause that is charged for each action, `actions` of any other. `price`
    is that of one of them, in the currency of the scenario's prices; None of the total. `share` is
    the part of the mean cost that falls on the cause, 0 where nothing has a price.
    """

    cause: str
    gpu_hours: Summary | None
    actions: Summary | None
    price: float | None
    cost: Summary
    share: float

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, without that of the cause."""
        return {name: value for name, value in asdict(self).items() if name != "cause"}


@dataclass(frozen=True)
class Costs:
    """What the finished runs of a sample cost, by cause; `total` has the sums of all lines.

    The GPU-hours are those that are charged: of the job's slots, vacant ones too, of standbys and
    of idle servers. `priced` says whether anything has a price; without one there are no costs.
    The intervals hold with `confidence`.
    """

    lines: tuple[CostLine, ...]
    total: CostLine
    priced: bool
    confidence: float

    @property
    def runs(self) -> int:
        """Number of finished runs that the figures are over."""
        return self.total.cost.n

    def __iter__(self) -> Iterator[CostLine]:
        """Go through the causes, in the order of their table."""
        return iter(self.lines)

    def __getitem__(self, cause: str) -> CostLine:
        """The line of a cause. Raises KeyError for one that does not exist."""
        return {line.cause: line for line in self.lines}[cause]

    def to_dict(self) -> dict[str, Any]:
        """The lines by cause, and the total, ready for JSON."""
        return {
            "priced": self.priced,
            "causes": {line.cause: line.to_dict() for line in self.lines},
            "total": self.total.to_dict(),
        }

    def table(self) -> polars.DataFrame:
        """One row per cause, the total last: GPU-hours, actions, price, cost with its interval."""
        import polars

        rows = [
            {
                "cause": line.cause,
                "gpu_hours": None if line.gpu_hours is None else line.gpu_hours.mean,
                "actions": None if line.actions is None else line.actions.mean,
                "price": line.price,
                "cost": line.cost.mean,
                "low": line.cost.low,
                "high": line.cost.high,
                "share": line.share,
            }
            for line in (*self.lines, self.total)
        ]
        schema = {name: polars.String if name == "cause" else polars.Float64 for name in rows[0]}
        return polars.DataFrame(rows, schema=schema)

    def _repr_html_(self) -> str:
        from failcast.results.notebook import costs_html

        return costs_html(self)


def costs_of(scenario: Scenario, values: Floats, hours: Floats, confidence: float) -> Costs:
    """The costs of runs by cause; one row of `values` (metrics) and of `hours` (server-hours) each.

    The intervals hold with `confidence`.
    """
    amounts = [amount(charge, scenario, values, hours) for charge in CHARGES]
    prices = [price(charge, scenario) for charge in CHARGES]
    money = [each * unit for each, unit in zip(amounts, prices, strict=True)]
    spent = np.sum(money, axis=0)
    total = statistics.mean(spent) or 0.0

    def figures(column: Floats) -> Summary:
        return statistics.summarize(column, confidence)

    lines = tuple(
        CostLine(
            cause=charge.cause,
            gpu_hours=None if charge.of == ACTIONS else figures(each),
            actions=figures(each) if charge.of == ACTIONS else None,
            price=unit,
            cost=figures(cost),
            share=(statistics.mean(cost) or 0.0) / total if total else 0.0,
        )
        for charge, each, unit, cost in zip(CHARGES, amounts, prices, money, strict=True)
    )
    charged = [each for charge, each in zip(CHARGES, amounts, strict=True) if charge.of != ACTIONS]
    gpu_hours = figures(np.sum(charged, axis=0))
    whole = CostLine("total", gpu_hours, None, None, figures(spent), 1.0 if total else 0.0)
    return Costs(lines, whole, scenario.cost.is_priced, confidence)


def columns_of(scenario: Scenario, runs: Runs) -> dict[str, Floats]:
    """GPU-hours and cost of each run by cause, as columns such as `gpu_hours_recovery`.

    The columns of cost, such as `cost_recovery`, are there where anything has a price.
    """
    named = {charge: amount(charge, scenario, runs.values, runs.server_hours) for charge in CHARGES}
    columns = {f"gpu_hours_{c.cause}": each for c, each in named.items() if c.of != ACTIONS}
    if scenario.cost.is_priced:
        columns |= {f"cost_{c.cause}": each * price(c, scenario) for c, each in named.items()}
    return columns


def check_priced(names: Iterable[str], scenario: Scenario, varied: Iterable[str] = ()) -> None:
    """Raise RequestError if the cost is among the metrics `names` and nothing has a price.

    `varied` are paths of fields that have other values, too: a price may be one of them.
    """
    if COST in names and not scenario.cost.is_priced:
        if not any(path == COST or path.startswith(f"{COST}.") for path in varied):
            raise RequestError(NO_PRICE)
