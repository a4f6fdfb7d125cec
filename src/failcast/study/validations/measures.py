"""How a figure is measured in simulated runs: each measure gives a mean with its interval.

On the map: study. A measure looks at the sample of a case or, where a sample does not hold what it
needs, at the events of its first runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from failcast.engine import SERVER_STATES, Status, Trace
from failcast.results import Sample, statistics, trace
from failcast.results.statistics import Floats

#: Runs whose events are looked at, where a sample does not hold what is asked.
TRACES: Final = 20
#: The states of a server that is out for repair.
IN_REPAIR: Final = tuple(
    state for state in SERVER_STATES if state.endswith("_repair") or state == "requalification"
)


@dataclass(frozen=True)
class Estimate:
    """A simulated figure with the interval of its mean; `low` and `high` are None without one."""

    value: float
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, float | None]:
        """The fields by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Simulated:
    """The sample of a case, and the events of its first runs once somebody asks for them."""

    sample: Sample

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """The events of the first runs of the sample."""
        count = min(TRACES, self.sample.replications)
        how: dict[str, Any] = {"seed": self.sample.seed, "engine": self.sample.engine}
        return tuple(trace(self.sample.scenario, replication=k, **how) for k in range(count))

    @cached_property
    def repairs(self) -> tuple[Floats, ...]:
        """The hours of the repairs that ended, of each traced run."""
        return tuple(map(repair_hours, self.traces))

    def values(self, metric: str) -> Floats:
        """A metric of each finished run."""
        return self.sample.values(metric)

    def mean(self, values: Sequence[float] | Floats) -> Estimate | None:
        """The mean of one value of each run; None where no run finished."""
        array = np.asarray(values, dtype=np.float64)
        centre = statistics.mean(array)
        if centre is None:
            return None
        low, high = statistics.mean_interval(array, self.sample.confidence) or (None, None)
        return Estimate(centre, low, high)

    def ratio(self, hours: Floats, events: Floats) -> Estimate | None:
        """Hours per event: the sum over all runs of the one over that of the other."""
        found = statistics.mtbf(hours, events, self.sample.confidence)
        return None if found.value is None else Estimate(found.value, found.low, found.high)


Measure = Callable[[Simulated], "Estimate | None"]


def mean_of(metric: str) -> Measure:
    """The mean of a metric over finished runs."""
    return lambda found: found.mean(found.values(metric))


def hours_between_failures(found: Simulated) -> Estimate | None:
    """Wall time between failures, recoveries and all."""
    return found.ratio(found.values("training_hours"), found.values("failures"))


def failures_in(days: float) -> Measure:
    """Failures in so many days of wall time."""

    def measure(found: Simulated) -> Estimate | None:
        between = hours_between_failures(found)
        if between is None:
            return None
        count = [None if x is None else 24.0 * days / x for x in (between.high, between.low)]
        return Estimate(24.0 * days / between.value, count[0], count[1])

    return measure


def runs_with_failures(found: Simulated) -> Estimate | None:
    """The share of runs that saw a failure."""
    failures = found.values("failures")
    share = statistics.proportion(
        int(np.count_nonzero(failures)), failures.size, found.sample.confidence
    )
    return None if share.value is None else Estimate(share.value, share.low, share.high)


def share_of_failures(metric: str) -> Measure:
    """The share of all failures that a count is, such as those that were blamed right."""

    return lambda found: found.ratio(found.values(metric), found.values("failures"))


def servers_in(states: Iterable[str]) -> Measure:
    """The mean number of servers in these states."""
    columns = [SERVER_STATES.index(state) for state in states]

    def measure(found: Simulated) -> Estimate | None:
        runs = found.sample.runs
        hours = runs.server_hours[runs.status == Status.FINISHED][:, columns].sum(axis=1)
        return found.mean(hours / found.values("training_hours"))

    return measure


def of_repairs(figure: Callable[[Floats], np.floating[Any]]) -> Measure:
    """A figure of the repairs of a run, such as their mean, and its own mean over traced runs."""
    return lambda found: found.mean([float(figure(h)) for h in found.repairs if h.size > 1])


def quantile_of_repairs(q: float) -> Measure:
    """The q-quantile of the repairs of a run, and its mean over traced runs."""
    return of_repairs(lambda hours: np.quantile(hours, q))


def _ends_repair(event: str, detail: int, tested: bool) -> bool:
    """Say whether an event is the end of a repair."""
    if tested:
        return event == "requalification_end" and detail == 1
    return (event == "automated_repair_end" and detail != 2) or event == "manual_repair_end"


def repair_hours(events: Trace) -> Floats:
    """The hours from each blame to the end of that repair; repairs still open are left out.

    Where servers are tested after it, the test belongs to the repair.
    """
    tested = any(event == "requalification_end" for _, event, _, _ in events)
    begun: dict[int, float] = {}
    hours: list[float] = []
    for time, event, server, detail in events:
        if event == "blame":
            begun[server] = time
        elif _ends_repair(event, detail, tested):
            hours.append(time - begun.pop(server))
    return np.asarray(hours, dtype=np.float64)
