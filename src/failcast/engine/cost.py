"""What a run costs: the causes as data, what each is charged for, and the total in every result.

Prices change nothing that happens, so neither engine knows them: `charge` works on what they left.
On the map: engine, beside simulate.py; `results` gives the causes means and intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from failcast.engine.model import COST, METRICS, SERVER_STATES
from failcast.scenario import Scenario

#: Charged are the job's slots for the hours of a bucket, servers for those of a state, or actions.
SLOTS: Final = "slots"
SERVERS: Final = "servers"
ACTIONS: Final = "actions"

_COST: Final = METRICS.index(COST)


@dataclass(frozen=True)
class Charge:
    """A cause of cost: what of it is charged, by which bucket, state or counter, at which price."""

    cause: str
    of: str
    source: str
    price: str


#: Every cause of cost, in the order in which reports have them. The job's slots are reserved for as
#: long as it is not finished, so a vacant one is charged as well.
CHARGES: Final = (
    Charge("productive", SLOTS, "productive_hours", "gpu_hour"),
    Charge("lost", SLOTS, "lost_hours", "gpu_hour"),
    Charge("degraded", SLOTS, "degraded_hours", "gpu_hour"),
    Charge("checkpoint", SLOTS, "checkpoint_hours", "gpu_hour"),
    Charge("recovery", SLOTS, "recovery_hours", "gpu_hour"),
    Charge("selection", SLOTS, "selection_hours", "gpu_hour"),
    Charge("waiting", SLOTS, "waiting_hours", "gpu_hour"),
    Charge("stalled", SLOTS, "stalled_hours", "gpu_hour"),
    Charge("standby", SERVERS, "standby", "gpu_hour"),
    Charge("idle", SERVERS, "idle", "idle_hour"),
    Charge("repair", ACTIONS, "repairs_automated", "repair"),
    Charge("automated_repair", ACTIONS, "repairs_automated", "automated_repair"),
    Charge("manual_repair", ACTIONS, "repairs_manual", "manual_repair"),
    Charge("requalification", ACTIONS, "requalifications", "requalification"),
)


def amount(
    charge: Charge, scenario: Scenario, values: npt.NDArray[np.float64], hours: np.ndarray
) -> npt.NDArray[np.float64]:
    """GPU-hours of a cause in each run, or its actions; (replications,).

    ``values`` has the columns of ``METRICS``, ``hours`` (server-hours) those of ``SERVER_STATES``.
    """
    gpus = scenario.cluster.gpus_per_server
    column: npt.NDArray[np.float64]
    if charge.of == SERVERS:
        column = hours[:, SERVER_STATES.index(charge.source)] * gpus
        return column
    column = values[:, METRICS.index(charge.source)]
    return column * (scenario.job.servers * gpus) if charge.of == SLOTS else column


def price(charge: Charge, scenario: Scenario) -> float:
    """The price of one GPU-hour of a cause, or of one action."""
    prices, gpus = scenario.cost, scenario.cluster.gpus_per_server
    given: float = getattr(prices, charge.price)
    return given / gpus if charge.price == "idle_hour" else given


def charge_runs(
    scenario: Scenario, values: npt.NDArray[np.float64], hours: npt.NDArray[np.float64]
) -> None:
    """Write the cost of each run into its column of ``values``: the sum of all causes."""
    if not scenario.cost.is_priced:
        return
    total = np.zeros(len(values))
    for each in CHARGES:
        total += price(each, scenario) * amount(each, scenario, values, hours)
    values[:, _COST] = total
