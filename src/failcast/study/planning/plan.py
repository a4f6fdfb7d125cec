"""plan: the cheapest setting that meets goals with confidence, and what that rests on.

On the map: study. The search ranks settings on shared chance; the one it comes up with is judged on
replications that no setting was chosen by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from failcast.engine import Runs
from failcast.engine.executors import Executor, Task, pieces
from failcast.results import RequestError
from failcast.results.cost import check_priced
from failcast.results.measure import Measure
from failcast.results.request import (
    check_callable,
    check_request,
    confidence_from,
    seed_of,
    threads_of,
    whole,
)
from failcast.results.statistics import Interval
from failcast.results.workers import workers
from failcast.scenario import Scenario, ScenarioError, override
from failcast.study.planning.assumptions import Assumption, assumptions
from failcast.study.planning.bench import FIRST_LOOK, Bench, Trial
from failcast.study.planning.choices import (
    SERVERS,
    Aim,
    Choice,
    first_positions,
    read_aim,
    read_choices,
)
from failcast.study.planning.search import search
from failcast.study.planning.wanted import (
    CONFIDENCE,
    Figure,
    Judgement,
    Wanted,
    judged,
    needed,
    read_goals,
)

#: Runs that a plan may spend unless told otherwise: half a minute at Table 1 on two cores.
BUDGET: Final = 8_000
#: Fresh replications that a setting is judged on, unless goals need more.
FRESH: Final = 400
#: Tasks that the fresh replications of a setting are cut into, for several workers.
_PIECES: Final = 8
#: Settings that may be judged on fresh replications.
ATTEMPTS: Final = 8
#: The number of the first fresh replication: no search has so many.
_FRESH_FROM: Final = 1_000_000


@dataclass(frozen=True)
class Option:
    """A setting with what was found about it.

    `figures` are those of the goals, in their order, with one-sided bounds; `fresh` says whether
    they are of replications that no setting was chosen by.
    """

    setting: dict[str, str]
    price: float
    judgement: Judgement
    figures: tuple[Figure, ...]
    ettr: tuple[float | None, Interval | None]
    replications: int
    fresh: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """The answer of a planner.

    `chosen` is None where no setting was shown to meet the goals; then `nearest` came closest.
    `less` says, for each choice that can be one step less, what that does. `frontier` are the
    settings of which none is both cheaper and of a higher ETTR; `assumptions` say how far inputs
    may go until the chosen setting misses a goal. Where Ctrl-C `interrupted` the plan, all of them
    are as far as was known by then, and a `nearest` that meets the goals was judged by the runs of
    the search alone.
    """

    scenario: Scenario
    choices: tuple[Choice, ...]
    goals: tuple[Wanted, ...]
    aim: Aim
    confidence: float
    seed: int
    chosen: Option | None
    nearest: Option | None
    less: dict[str, Option]
    frontier: tuple[Option, ...]
    assumptions: tuple[Assumption, ...]
    tried: int
    runs: int
    complete: bool
    interrupted: bool = False

    @property
    def aim_name(self) -> str:
        """What is small: `servers`, `cost` or a measure."""
        return self.aim.name

    def answer(self) -> str:
        """The setting and what is known about it, in a few sentences."""
        from failcast.study.planning.wording import answer

        return answer(self)

    def to_dict(
        self, *, argv: Sequence[str] | None = None, created: str | None = None
    ) -> dict[str, Any]:
        """The plan, ready for JSON."""
        from failcast.study.planning.document import document

        return document(self, argv=argv, created=created)

    def _repr_html_(self) -> str:
        from failcast.study.planning.notebook import plan_html

        return plan_html(self)

    def __repr__(self) -> str:
        return f"<Plan for {self.scenario.name}: {self.answer()}>"


def check_plan(
    scenario: Scenario, choose: Sequence[str], goals: Sequence[str], minimize: str = SERVERS
) -> None:
    """Raise as `plan` would before anything runs."""
    check_request(scenario)
    choices, _, _ = _read(scenario, choose, goals, minimize)
    _check_size(choices)


def _read(
    scenario: Scenario, choose: Sequence[str], goals: Sequence[str], minimize: str
) -> tuple[tuple[Choice, ...], tuple[Wanted, ...], Aim]:
    """Choices, goals and aim from their texts; a cost needs prices. Raises RequestError."""
    choices, wanted, aim = read_choices(choose, scenario), read_goals(goals), read_aim(minimize)
    names = [aim.name, *(each.goal.metric for each in wanted)]
    check_priced(names, scenario, (choice.path for choice in choices))
    return choices, wanted, aim


def plan(
    scenario: Scenario,
    choose: Sequence[str],
    goals: Sequence[str],
    minimize: str = SERVERS,
    *,
    confidence: float | str = CONFIDENCE,
    budget: int = BUDGET,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | str | None = None,
    on_progress: Callable[[int], None] | None = None,
    keep_on_interrupt: bool = False,
) -> Plan:
    """Find the setting of least `minimize` that meets all `goals` together with `confidence`.

    `choose` are ranges or lists of values as `--choose` takes them; `goals` such as
    "p95(training_hours) <= 9900"; `minimize` is "servers", "cost" by the scenario's prices, or a
    measure such as "training_hours". `budget` is the number of runs that the search may spend; the
    fresh runs on which settings are judged, and those about assumptions, come on top. `executor` is
    as in `sweep`; runs about assumptions are done by threads in any case. The same arguments give
    the same plan, whoever does the work. With `keep_on_interrupt`, Ctrl-C gives the plan as far as
    it is known, if any setting was tried. Raises RequestError or ScenarioError, or ExecutorError
    where work could not be done.
    """
    check_request(scenario, seed=seed, threads=threads)
    check_callable("on_progress", on_progress)
    choices, wanted, aim = _read(scenario, choose, goals, minimize)
    least = _check_size(choices) * FIRST_LOOK
    count = threads_of(1 if threads is None else threads)
    how: dict[str, Any] = {
        "seed": seed_of(scenario.run.seed if seed is None else seed),
        "confidence": _confidence(confidence),
        "budget": whole("budget", budget, least, 10**9),
        "on_progress": on_progress,
    }
    with workers(executor, count) as hands:
        bench = Bench(scenario, choices, wanted, aim, **how, executor=hands)
        return _Planner(bench, count).plan(keep_on_interrupt)


def _check_size(choices: Sequence[Choice]) -> int:
    """The number of settings that are tried first. Raises RequestError for too many."""
    count = sum(1 for _ in first_positions(choices))
    if count > 1000:
        raise RequestError(
            f"these choices make {count:,} settings to begin with, but a plan takes at most 1,000: "
            "choose fewer at a time, or from shorter lists."
        )
    return count


def _confidence(value: float | str) -> float:
    """A confidence above one half: at less, a bound would lie beyond the estimate."""
    confidence = confidence_from(value)
    if confidence <= 0.5:
        raise RequestError(f"a plan needs a confidence above 50 %, such as 95 %; got {value}.")
    return confidence


class _Planner:
    """From the search to the plan: judges what it comes up with on fresh replications."""

    def __init__(self, bench: Bench, threads: int) -> None:
        self.bench = bench
        self.threads = threads
        # Each attempt may err with its share of what the confidence leaves.
        self.level = 1.0 - (1.0 - bench.confidence) / ATTEMPTS
        self.fresh: dict[tuple[float, ...], Runs] = {}
        self.more = 0  # runs beyond those of the search
        self.chosen: Trial | None = None
        self.less: dict[str, Option] = {}
        self.assumed: tuple[Assumption, ...] = ()
        self.count = max(FRESH, math.ceil(1.5 * needed(bench.goals, self.level)))

    def plan(self, keep_on_interrupt: bool) -> Plan:
        interrupted = False
        try:
            self._work()
        except KeyboardInterrupt:
            if not keep_on_interrupt or not any(True for _ in self.bench.tried()):
                raise
            interrupted = True
        return self._made(interrupted)

    def _work(self) -> None:
        """Search, judge, and look at what the chosen setting rests on; keep each as it is found."""
        bench, mesh = self.bench, 1.0
        while self.chosen is None and len(self.fresh) < ATTEMPTS:
            trial, mesh = search(bench)
            if trial is None:
                break
            if self._is_met(trial):
                self._lower(trial, mesh)
            else:
                trial.refused = True
        if not any(True for _ in bench.tried()):
            raise RequestError(_no_setting(bench))
        if self.chosen is None:
            return
        for path, trial in self._steps_less(self.chosen, mesh):
            self.less[path] = self._fresh_point(trial)
        self.assumed = self._assumptions(self.chosen)

    def _made(self, interrupted: bool) -> Plan:
        """The plan of what was found."""
        bench, chosen = self.bench, self.chosen
        nearest = None
        if chosen is None:
            nearest = (self._promising() if interrupted else None) or self._nearest()
        return Plan(
            scenario=bench.scenario,
            choices=tuple(bench.choices),
            goals=tuple(bench.goals),
            aim=bench.aim,
            confidence=bench.confidence,
            seed=bench.seed,
            chosen=None if chosen is None else self._fresh_point(chosen),
            nearest=None if nearest is None else self._point(nearest),
            less=self.less,
            frontier=self._frontier(),
            assumptions=self.assumed,
            tried=sum(1 for _ in bench.tried()),
            runs=bench.spent + self.more,
            complete=not (interrupted or bench.exhausted),
            interrupted=interrupted,
        )

    def _lower(self, chosen: Trial, mesh: float) -> None:
        """Choose; take one step less as long as that is met, too, and settings may be judged."""
        while True:
            self.chosen = chosen
            steps = [trial for _, trial in self._steps_less(chosen, mesh)]
            if len({*self.fresh, *(trial.position for trial in steps)}) > ATTEMPTS:
                return
            cheaper = (each for each in steps if self._fresh_rank(each) < self._fresh_rank(chosen))
            better = [trial for trial in cheaper if self._is_met(trial)]
            if not better:
                return
            chosen = min(better, key=self._fresh_rank)

    def _fresh_rank(self, trial: Trial) -> tuple[float, float]:
        """The rank of a setting by its fresh runs."""
        return self.bench.rank_by(trial, self._runs(trial))

    def _steps_less(self, chosen: Trial, mesh: float) -> Iterator[tuple[str, Trial]]:
        """The settings one step less, by the path of the choice."""
        for number, choice in enumerate(self.bench.choices):
            value = choice.less(chosen.position[number], mesh)
            if value is None:
                continue
            place = (*chosen.position[:number], value, *chosen.position[number + 1 :])
            trial = self.bench.trial(place)
            if trial is not None:
                yield choice.path, trial

    def _assumptions(self, chosen: Trial) -> tuple[Assumption, ...]:
        def count(more: int) -> None:
            self.more += more
            self.bench.on_progress(more)

        paths = [choice.path for choice in self.bench.choices]
        how = {"seed": self.bench.seed, "threads": self.threads}
        return assumptions(chosen.scenario, self.bench.goals, paths, **how, on_progress=count)

    def _runs(self, trial: Trial) -> Runs:
        """Fresh replications of a setting."""
        if trial.position not in self.fresh:
            task = Task(trial.scenario, self.bench.seed, _FRESH_FROM, self.count)
            tasks = pieces(task, -(-self.count // _PIECES))
            self.fresh[trial.position] = Runs.joined(list(self.bench.executor.run(tasks)))
            self.more += self.count
            self.bench.on_progress(self.count)
        return self.fresh[trial.position]

    def _is_met(self, trial: Trial) -> bool:
        return judged(self.bench.goals, self._runs(trial), self.level) is Judgement.MET

    def _promising(self) -> Trial | None:
        """The cheapest setting that meets the goals by the runs of the search, if there is one."""
        bench = self.bench
        met = (each for each in bench.tried() if bench.judgement(each) is Judgement.MET)
        return min(met, key=bench.rank, default=None)

    def _nearest(self) -> Trial | None:
        """The setting that misses the goals by least, relative to their limits."""

        def miss(trial: Trial) -> float:
            assert trial.runs is not None
            worst = 0.0
            for goal in self.bench.goals:
                value = goal.figure(trial.runs, self.bench.confidence).value
                if value is None:
                    return float("inf")
                gap = goal.goal.limit - value if goal.upwards else value - goal.goal.limit
                worst = max(worst, gap / (abs(goal.goal.limit) or 1.0))
            return worst

        return min(self.bench.tried(), key=miss, default=None)

    def _frontier(self) -> tuple[Option, ...]:
        """The settings of which none is both cheaper and of a higher ETTR, the cheapest first.

        Settings are compared on the runs that all of them have, which share their chance.
        """
        price = self.bench.rank
        trials = sorted(self.bench.tried(), key=lambda each: (price(each)[0], -_ettr(each)))
        front: list[Trial] = []
        for trial in trials:
            if not front or _ettr(trial) > _ettr(front[-1]):
                front.append(trial)
        return tuple(map(self._point, front))

    def _point(self, trial: Trial) -> Option:
        assert trial.runs is not None
        return self._described(trial, trial.runs, self.bench.judgement(trial), fresh=False)

    def _fresh_point(self, trial: Trial) -> Option:
        runs = self._runs(trial)
        judgement = judged(self.bench.goals, runs, self.level)
        return self._described(trial, runs, judgement, fresh=True)

    def _described(self, trial: Trial, runs: Runs, judgement: Judgement, *, fresh: bool) -> Option:
        bench, level = self.bench, self.level if fresh else self.bench.confidence
        one_sided = 1.0 - (1.0 - level) / len(bench.goals)
        pairs = zip(bench.choices, trial.position, strict=True)
        return Option(
            setting={choice.path: choice.text(value) for choice, value in pairs},
            price=bench.aim.price(trial.scenario, runs),
            judgement=judgement,
            figures=tuple(goal.figure(runs, one_sided) for goal in bench.goals),
            ettr=Measure("ettr").mean(runs, bench.confidence),
            replications=len(runs.status),
            fresh=fresh,
        )


def _no_setting(bench: Bench) -> str:
    """Why no setting can be had at all."""
    place = next(iter(bench.trials))
    pairs = zip(bench.choices, place, strict=True)
    settings = [choice.setting(value) for choice, value in pairs]
    try:
        override(bench.scenario, settings)
    except ScenarioError as error:
        return f"no cluster could have any of these settings. With {', '.join(settings)}: {error}"
    raise AssertionError("a setting without a trial is infeasible")


def _ettr(trial: Trial) -> float:
    """The mean ETTR in the first look; below any where nothing finished."""
    assert trial.runs is not None
    values = Measure("ettr").of(trial.runs.leading(FIRST_LOOK))
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else -1.0
