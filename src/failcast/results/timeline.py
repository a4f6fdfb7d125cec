"""Numbers of servers by state over the wall time of a run, with bands over replications.

On the map: results, beside sample.py. The engines count the servers at the times of a grid; here
the counts of all runs that are still going on at a time become a mean and quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from failcast import engine as engines
from failcast.engine import METRICS, SERIES_STATES, Engine, Grid, Policies
from failcast.results import request
from failcast.results.errors import RequestError, unknown_name
from failcast.results.manifest import InputFile, manifest
from failcast.results.run import policies_refused, simulate
from failcast.results.sample import Sample
from failcast.results.statistics import QUANTILES, Floats, is_number
from failcast.scenario import Scenario, to_dict

if TYPE_CHECKING:
    import polars

SCHEMA: Final = "failcast.series/1"
#: Times of a grid at most, where nobody asks for a number or a step.
POINTS: Final = 200
#: And where somebody does; and most times of all replications together: 560 MB of counts.
MOST_POINTS: Final = 100_000
MOST_COUNTED: Final = 20_000_000
#: Steps that read well, in hours: minutes, hours, then days.
PLAIN_STEPS: Final = (
    *(minutes / 60.0 for minutes in (1, 2, 5, 10, 15, 30)),
    *(1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0),
    *(24.0 * days for days in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
)
#: A plain step may be this much longer than is needed for so many times.
FURTHER: Final = 4.0
#: The figures of a state at a time, in the order of tables.
FIGURES: Final = ("mean", "p5", "p95")


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers of servers by state at the times of a grid, over the runs of a sample.

    `counts` has the shape (replications, times, states): whole numbers, the states those of
    `states`. A run is counted at the times before its end, be that a finish or another; from then
    on `counts` holds zeros. `step` is in hours.
    """

    sample: Sample
    step: float
    counts: np.ndarray

    @property
    def states(self) -> tuple[str, ...]:
        """The states of a server, all stages of a repair as one: `in_repair`."""
        return SERIES_STATES

    @property
    def hours(self) -> Floats:
        """The times, in hours since the start of the run; (times,)."""
        return _grid(self.step, self.counts.shape[1])

    @property
    def running(self) -> np.ndarray:
        """Number of runs that have not ended, at each time; (times,)."""
        number: np.ndarray = self._going.sum(axis=0)
        return number

    def values(self, state: str) -> Floats:
        """The numbers of servers in a state, NaN of a run that has ended; (replications, times).

        Raises RequestError, with the nearest right name, for a state that does not exist.
        """
        counted = self.counts[:, :, self._number(state)]
        return np.where(self._going, counted, np.nan)

    def mean(self, state: str) -> Floats:
        """The mean number of servers in a state over the runs that have not ended; (times,)."""
        mean: Floats = self._figures[self._number(state), 0]
        return mean

    def quantile(self, state: str, q: float) -> Floats:
        """The q-quantile over the runs that have not ended, q in [0, 1]; (times,)."""
        if not is_number(q) or not 0.0 <= q <= 1.0:
            raise RequestError(f"q must be a number from 0 to 1; got {q}.")
        number = self._number(state)
        return np.array(
            [
                np.quantile(self.counts[going, time, number], q)
                for time, going in enumerate(self._going.T)
            ]
        )

    def band(self, state: str) -> tuple[Floats, Floats]:
        """The 5 % and the 95 % quantiles over the runs that have not ended; (times,) each."""
        number = self._number(state)
        return self._figures[number, 1], self._figures[number, 2]

    def frame(self) -> polars.DataFrame:
        """One row per time: `hours`, `running`, then `active_mean`, `active_p5` and so on."""
        import polars

        columns: dict[str, Any] = {"hours": self.hours, "running": self.running}
        for state, figures in zip(self.states, self._figures, strict=True):
            columns |= {f"{state}_{name}": f for name, f in zip(FIGURES, figures, strict=True)}
        return polars.DataFrame(columns)

    def to_dict(
        self,
        *,
        argv: Sequence[str] | None = None,
        created: str | None = None,
        inputs: Sequence[InputFile] = (),
    ) -> dict[str, Any]:
        """The times and figures by state, ready for strict JSON.

        `argv`, `created` (a UTC timestamp) and the files `inputs` go to the manifest.
        """
        return {
            "schema": SCHEMA,
            "manifest": manifest(self.sample, argv=argv, created=created, inputs=inputs),
            "scenario": to_dict(self.sample.scenario_as_run()),
            "step_hours": self.step,
            "hours": self.hours.tolist(),
            "running": self.running.tolist(),
            "states": {
                state: {name: f.tolist() for name, f in zip(FIGURES, figures, strict=True)}
                for state, figures in zip(self.states, self._figures, strict=True)
            },
        }

    def __repr__(self) -> str:
        runs, times = self.counts.shape[:2]
        return (
            f"<Series of {self.sample.scenario.name}: {times:,} times every {self.step:g} h, "
            f"{runs:,} runs, seed {self.sample.seed}>"
        )

    def _repr_html_(self) -> str:
        from failcast.results.timeline_notebook import series_html

        return series_html(self)

    def _number(self, state: str) -> int:
        if state not in SERIES_STATES:
            raise unknown_name("state", state, SERIES_STATES)
        return SERIES_STATES.index(state)

    @cached_property
    def _going(self) -> np.ndarray:
        """Whether a run has not ended, (replications, times)."""
        wall = self.sample.runs.values[:, METRICS.index("training_hours")]
        going: np.ndarray = self.hours[None, :] < wall[:, None]
        return going

    @cached_property
    def _figures(self) -> Floats:
        """Mean and band, (states, figures, times)."""
        found = np.empty((len(SERIES_STATES), len(FIGURES), self.counts.shape[1]))
        ends = [QUANTILES[name] for name in FIGURES[1:]]
        for time, going in enumerate(self._going.T):
            counted = self.counts[going, time, :]
            found[:, 0, time] = counted.mean(axis=0)
            found[:, 1:, time] = np.quantile(counted, ends, axis=0).T
        return found


def series(
    scenario: Scenario | Sample,
    *,
    points: int | None = None,
    step: float | str | None = None,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    policies: type[Policies] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Series:
    """Count the servers by state over the wall time of the runs of a scenario, or of a sample.

    The grid begins at zero and ends before the longest run does. It has `points` times, or one
    every `step` hours ("6 h" as well); without either, 200 at most, with a step that reads well.
    Every replication is run a second time, to be counted: only then is it known how long the runs
    are. Where a sample is given, its runs are counted, and its replications, seed and engine are
    used; if it was made with `policies`, give them again. The other arguments are as in `simulate`.
    Raises RequestError, in a sentence, for what cannot be used.
    """
    request.check_callable("on_progress", on_progress)
    request.check_policies(policies)
    wanted = _wanted(points, step)
    most = request.threads_of(1 if threads is None else threads)
    how: dict[str, Any] = {"threads": most, "policies": policies}
    if isinstance(scenario, Sample):
        if not (replications is seed is None):
            raise RequestError("a sample has its replications and its seed: give neither.")
        sample = scenario
    else:
        size: dict[str, Any] = {"replications": replications, "seed": seed, "engine": engine}
        sample = simulate(scenario, **size, **how, on_progress=on_progress)
    return _counted(sample, wanted, how, on_progress)


def _counted(
    sample: Sample,
    wanted: tuple[int | None, float | None],
    how: dict[str, Any],
    on_progress: Callable[[int], None] | None,
) -> Series:
    """Run a sample again with a grid. Raises RequestError where other runs come out."""
    wall = sample.runs.values[:, METRICS.index("training_hours")]
    step, times = _grid_for(float(wall.max()), *wanted)
    runs = sample.replications
    if times > MOST_POINTS or times * runs > MOST_COUNTED:
        raise RequestError(
            f"a step of {step:g} h makes {times:,} times in each of {runs:,} replications, but a "
            f"series has at most {MOST_POINTS:,} times, and {MOST_COUNTED:,} of all replications: "
            "take a longer step, fewer points or fewer replications."
        )
    grid = Grid.of(step, times, runs)
    threads = 1 if sample.engine == "reference" else min(how["threads"], runs)
    with policies_refused(sample.engine, how["policies"]):
        again = engines.run(
            sample.scenario,
            replications=runs,
            seed=sample.seed,
            first=sample.runs.first,
            engine=sample.engine,
            threads=threads,
            policies=how["policies"],
            on_progress=on_progress,
            grid=grid,
        )
    if not np.array_equal(again.values, sample.runs.values, equal_nan=True):
        raise RequestError(
            "the runs of this sample cannot be made again from its scenario: if it was simulated "
            "with policies of your own, give the same ones."
        )
    return Series(sample, step, grid.counts)


def _wanted(points: object, step: float | str | None) -> tuple[int | None, float | None]:
    """The number of times or the step in hours, whichever is asked for, checked."""
    if points is not None and step is not None:
        raise RequestError("points and step exclude each other: keep one of them.")
    if points is not None:
        return request.whole("points", points, 1, MOST_POINTS), None
    if step is None:
        return None, None
    hours = request.hours_from("step", step) if isinstance(step, str) else step
    if not is_number(hours) or not 0.0 < hours < math.inf:
        raise RequestError(f"step must be a time above 0, such as 6 or '6 h'; got {step!r:.80}.")
    return None, float(hours)


def _grid_for(longest: float, points: int | None, step: float | None) -> tuple[float, int]:
    """The step, and how many of its multiples, zero among them, are below the longest wall time."""
    if not longest > 0.0:
        raise RequestError("no time passes in any run, so there is nothing to count along it.")
    if step is None:
        most = points or POINTS
        step = longest / most
        if points is None:
            near = (plain for plain in PLAIN_STEPS if step <= plain <= FURTHER * step)
            step = next(near, step)
    else:
        most = 2 * MOST_COUNTED
    times = max(1, math.ceil(min(longest / step, float(most))))
    while times > 1 and (times - 1) * step >= longest:
        times -= 1
    return step, times


def _grid(step: float, times: int) -> Floats:
    """The times of a grid as both engines have them."""
    return np.arange(times, dtype=np.float64) * step
