"""What a run costs, by the prices of its scenario.

On the map: results, for planners.
"""

from __future__ import annotations

import numpy as np

from failcast.engine import METRICS, SERVER_STATES, Runs, Status
from failcast.results.statistics import Floats
from failcast.scenario import Scenario


def cost_of(scenario: Scenario, runs: Runs) -> Floats:
    """The cost of each run in the currency of the prices, (replications,); NaN if unfinished.

    Spares do other work and are not counted.
    """
    prices, gpus = scenario.cost, scenario.cluster.gpus_per_server

    def hours(state: str) -> Floats:
        column: Floats = runs.server_hours[:, SERVER_STATES.index(state)]
        return column

    cost = prices.gpu_hour * gpus * (hours("active") + hours("standby"))
    cost = cost + prices.idle_hour * hours("idle")
    cost = cost + prices.repair * runs.values[:, METRICS.index("repairs_automated")]
    return np.where(runs.status == Status.FINISHED, cost, np.nan)
