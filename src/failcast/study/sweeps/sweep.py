"""Sweep a scenario over a grid of any dimension: the same chance in every cell, nothing lost.

On the map: study. What is kept on disk, and in which order, is the business of work.py.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from failcast.engine import Engine, Runs
from failcast.engine.executors import Executor
from failcast.results import RequestError, Sample
from failcast.results.measure import Measure
from failcast.results.request import check_callable, check_request, replications_of, seed_of
from failcast.results.statistics import Interval
from failcast.results.store import Store
from failcast.results.workers import workers
from failcast.scenario import Scenario, scenario_hash, to_dict
from failcast.study.axes import Axis
from failcast.study.sweeps.cells import Cell, make_cells, read_axes
from failcast.study.sweeps.figures import Figures
from failcast.study.sweeps.work import Layout, Work
from failcast.version import __version__

if TYPE_CHECKING:
    import polars

    from failcast.study.sweeps.effects import Effect

SCHEMA: Final = "failcast.sweep/1"

Vary = Sequence[str] | Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Sweep:
    """The cells of a sweep with their figures.

    `figures` are those of the feasible cells by number, without those that an interruption kept
    from being complete. `sample` gives the runs of a cell.
    """

    scenario: Scenario
    axes: tuple[Axis, ...]
    cells: tuple[Cell, ...]
    replications: int
    seed: int
    figures: Mapping[int, Figures]
    engine: Engine = "kernel"
    interrupted: bool = False
    _runs: Callable[[int], Runs] = field(repr=False, kw_only=True)
    #: The effects that were asked for so far, by measure.
    _effects: dict[str, tuple[Effect, ...]] = field(default_factory=dict, repr=False, kw_only=True)

    #: The schema of its document and of its store.
    schema: ClassVar[str] = SCHEMA

    @property
    def infeasible(self) -> tuple[Cell, ...]:
        """The cells that no cluster could have, each with its problem."""
        return tuple(cell for cell in self.cells if cell.scenario is None)

    @property
    def done(self) -> tuple[Cell, ...]:
        """The cells that have figures."""
        return tuple(cell for cell in self.cells if cell.number in self.figures)

    def at(self, *values: str) -> Cell:
        """The cell of these values, one for each axis, as they were given.

        Raises RequestError if there is none.
        """
        for cell in self.cells:
            if cell.values == values:
                return cell
        raise RequestError(
            f"no cell has the values {', '.join(map(str, values))}: give one for each of "
            f"{', '.join(axis.path for axis in self.axes)}, as in the sweep."
        )

    def sample(self, cell: int | Cell) -> Sample:
        """The runs of a cell. Raises RequestError for a cell without any."""
        number = cell.number if isinstance(cell, Cell) else cell
        if number not in self.figures:
            known = 0 <= number < len(self.cells)
            why = self.cells[number].problem or "it was not reached." if known else "unknown cell."
            raise RequestError(f"cell {number} has no runs: {why}")
        scenario = self.cells[number].scenario
        assert scenario is not None
        return Sample(scenario, self._runs(number), self.seed, self.engine)

    def table(self) -> polars.DataFrame:
        """One row per cell, infeasible ones too: its values, its problem, the figures of metrics.

        A figure is a column such as `training_hours_p95`; that of the mean is `training_hours`.
        """
        from failcast.study.sweeps.tables import table

        return table(self)

    def mean(
        self, cell: int | Cell, measure: Measure | str
    ) -> tuple[float | None, Interval | None]:
        """The mean of a measure, such as "ettr" or "finished_by(420 d)", in a cell; its interval.

        Raises RequestError for a cell without runs or a wrong name.
        """
        asked = Measure.parse(measure) if isinstance(measure, str) else measure
        number = cell.number if isinstance(cell, Cell) else cell
        if asked.is_share or number not in self.figures:
            return asked.mean(self.sample(number).runs, self.scenario.run.confidence)
        figures = self.figures[number]
        mean, low, high = (figures.of(asked.metric, name) for name in ("mean", "low", "high"))
        return mean, None if low is None or high is None else Interval(low, high)

    def to_dict(
        self,
        metrics: Sequence[str] = (),
        *,
        argv: Sequence[str] | None = None,
        created: str | None = None,
    ) -> dict[str, Any]:
        """The sweep, ready for JSON; all metrics unless some are named, probabilities too."""
        from failcast.study.sweeps.tables import document

        return document(self, metrics, argv=argv, created=created)

    def answer(self) -> str:
        """Between which cells training takes how long, and which axis makes the difference."""
        from failcast.study.sweeps.wording import answer

        return answer(self)

    def _repr_html_(self) -> str:
        from failcast.study.sweeps.notebook import sweep_html

        return sweep_html(self)

    def __repr__(self) -> str:
        return (
            f"<Sweep of {self.scenario.name}: {len(self.done):,} of {len(self.cells):,} cells, "
            f"{self.replications:,} replications each, seed {self.seed}>"
        )


def sweep(
    scenario: Scenario,
    vary: Vary,
    *,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    store: str | os.PathLike[str] | None = None,
    executor: Executor | str | None = None,
    on_progress: Callable[[int], None] | None = None,
    keep_on_interrupt: bool = False,
) -> Sweep:
    """Run every combination of the values in `vary` on the same chance; return their figures.

    `vary` holds texts as `--vary` takes them, see `axis`, or maps paths to values. `replications`
    (of each cell) and `seed` default to the scenario's, `threads` to one. `executor` names who else
    does the work: "ray", a Ray with as many CPUs, "auto" or "ray://host:port", a cluster that runs;
    or it is an object that does tasks. All cells are validated before any runs. With a `store`, a
    folder, the runs go there block by block, and those that are there are not run again; without
    one they are kept in memory. `on_progress` is called with the number of replications just done
    or read. With `keep_on_interrupt`, Ctrl-C gives the cells that were complete. Raises
    RequestError, ScenarioError, or ExecutorError where work could not be done.
    """
    check_request(scenario, seed=seed, threads=threads, engine=engine)
    check_callable("on_progress", on_progress)
    size = replications_of(scenario.run.replications if replications is None else replications)
    start = seed_of(scenario.run.seed if seed is None else seed)
    axes = read_axes(_texts(vary), scenario)
    cells = make_cells(scenario, axes)
    _refuse_nothing(cells)
    layout = Layout.of(cells, start, size, engine)
    work = Work(layout, size, scenario.run.confidence, on_progress)
    with contextlib.ExitStack() as stack:
        hands = stack.enter_context(workers(executor, threads))
        place = None
        if store is not None:
            place = stack.enter_context(
                Store(store, _identity(scenario, axes, start, size, engine, layout))
            )
        interrupted = work.collect(hands, place, keep_on_interrupt)
        found = Sweep(
            scenario, axes, cells, size, start, work.figures, engine, interrupted, _runs=work.runs
        )
        if place is not None:
            _write_tables(place, found)
    return found


def _refuse_nothing(cells: Sequence[Cell]) -> None:
    if all(cell.scenario is None for cell in cells):
        raise RequestError(f"no cluster could have any of these cells: {cells[0].problem}")


def check_sweep(
    scenario: Scenario, vary: Vary, *, replications: int | None = None, seed: int | None = None
) -> int:
    """Raise as `sweep` would before anything runs; return the replications of all its cells."""
    check_request(scenario, replications=replications, seed=seed)
    size = replications_of(scenario.run.replications if replications is None else replications)
    cells = make_cells(scenario, read_axes(_texts(vary), scenario))
    _refuse_nothing(cells)
    return size * sum(cell.scenario is not None for cell in cells)


def _texts(vary: Vary) -> list[str]:
    if isinstance(vary, str):
        return [vary]
    if isinstance(vary, Mapping):
        return [_text(path, values) for path, values in vary.items()]
    if not isinstance(vary, Sequence) or not all(isinstance(text, str) for text in vary):
        raise RequestError(
            "what is varied is a list of texts such as 'job.warm_standbys=0,16', or maps paths to "
            f"lists of values; got {vary!r:.80}."
        )
    return list(vary)


def _text(path: object, values: object) -> str:
    """`path=a|b` from a path and a list of values."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise RequestError(f"{path} needs a list of values, such as [0, 16]; got {values!r:.80}.")
    for value in values:
        if not isinstance(value, str | int | float):
            raise RequestError(
                f"{path} has the value {value!r:.80}: give a number, or a text as in a scenario "
                "file, such as '20 min'."
            )
    return f"{path}={'|'.join(map(str, values))}"


def _identity(
    scenario: Scenario,
    axes: Sequence[Axis],
    seed: int,
    replications: int,
    engine: Engine,
    layout: Layout,
) -> dict[str, Any]:
    """What the bytes of a store depend on. Threads and time of day are not among it."""
    return {
        "schema": SCHEMA,
        "failcast": __version__,
        "seed": seed,
        "replications": replications,
        "engine": engine,
        "vary": {each.path: list(each.values) for each in axes},
        "scenario": to_dict(scenario),
        "scenario_hash": scenario_hash(scenario),
        "blocks": len(layout.blocks),
    }


def _write_tables(store: Store, sweep: Sweep) -> None:
    table = sweep.table()
    store.write("cells.parquet", table.write_parquet)
    store.write("cells.csv", table.write_csv)
