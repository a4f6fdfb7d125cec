"""The settings that were tried, with their runs: all on the same chance, more where it decides.

On the map: study, below search.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from failcast.engine import Runs
from failcast.engine.executors import Executor, Task
from failcast.results import statistics
from failcast.scenario import Scenario, ScenarioError, override
from failcast.study.planning.choices import Aim, Choice, Position
from failcast.study.planning.wanted import Judgement, Wanted, judged, needed

#: Replications of a setting when it is first looked at.
FIRST_LOOK: Final = 24
#: And at most while settings are searched, unless goals need more; what is still open then counts
#: as not met.
MOST_LOOKS: Final = 384


@dataclass(eq=False)
class Trial:
    """A setting that was tried: its scenario, its runs so far, and whether it was refused."""

    position: Position
    scenario: Scenario
    runs: Runs | None = None
    refused: bool = field(default=False, kw_only=True)
    #: What was found out about the runs so far.
    known: dict[str, Any] = field(default_factory=dict, kw_only=True)

    @property
    def replications(self) -> int:
        """Number of runs so far."""
        return 0 if self.runs is None else len(self.runs.status)


class Bench:
    """Tries settings and remembers them.

    `spent` counts the runs, `budget` says how many there may be; nothing is tried beyond it.
    """

    def __init__(
        self,
        scenario: Scenario,
        choices: Sequence[Choice],
        goals: Sequence[Wanted],
        aim: Aim,
        *,
        seed: int,
        confidence: float,
        budget: int,
        executor: Executor,
        on_progress: Callable[[int], None] | None = None,
    ) -> None:
        self.scenario, self.choices, self.goals, self.aim = scenario, choices, goals, aim
        self.seed, self.confidence, self.budget = seed, confidence, budget
        self.executor = executor
        #: Runs of a setting at most: half as many again as would do if all of them comply.
        self.most = max(MOST_LOOKS, math.ceil(1.5 * needed(goals, confidence)))
        self.on_progress = on_progress or (lambda more: None)
        self.spent = 0
        self.trials: dict[Position, Trial | None] = {}

    def trial(self, position: Position) -> Trial | None:
        """The trial of a setting, without runs if it is new; None where it is infeasible.

        Raises ScenarioError for a value that is wrong for itself.
        """
        if position not in self.trials:
            self.trials[position] = self._made(position)
        return self.trials[position]

    def _made(self, position: Position) -> Trial | None:
        pairs = zip(self.choices, position, strict=True)
        settings = [choice.setting(value) for choice, value in pairs]
        try:
            return Trial(position, override(self.scenario, settings))
        except ScenarioError as error:
            if all(problem.others for problem in error.problems):
                return None
            raise

    def look(self, trials: Iterable[tuple[Trial, int]]) -> None:
        """Bring each trial up to so many replications, as far as the budget goes."""
        wanted, room = [], self.budget - self.spent
        for trial, replications in trials:
            more = replications - trial.replications
            if 0 < more <= room:
                room -= more
                wanted.append((trial, more))
        tasks = (Task(t.scenario, self.seed, t.replications, more) for t, more in wanted)
        results = self.executor.run(tasks)
        try:
            for (trial, more), runs in zip(wanted, results, strict=True):
                trial.known.clear()
                trial.runs = runs if trial.runs is None else Runs.joined([trial.runs, runs])
                self.spent += more
                self.on_progress(more)
        finally:
            if isinstance(results, Generator):
                results.close()

    @property
    def exhausted(self) -> bool:
        """Whether the budget has no room for another look."""
        return self.spent + FIRST_LOOK > self.budget

    def tried(self) -> Iterator[Trial]:
        """The trials that have runs."""
        return (each for each in self.trials.values() if each is not None and each.runs is not None)

    def rank(self, trial: Trial) -> tuple[float, float]:
        """What decides between settings: the price, then how little of the ranges they take.

        A price by runs is that of the first look, which all settings have and share the chance of:
        means over different numbers of runs would differ by chance alone.
        """
        if "rank" not in trial.known:
            runs = None if trial.runs is None else trial.runs.leading(FIRST_LOOK)
            trial.known["rank"] = self.rank_by(trial, runs)
        rank: tuple[float, float] = trial.known["rank"]
        return rank

    def rank_by(self, trial: Trial, runs: Runs | None) -> tuple[float, float]:
        """The rank of a setting by these runs of it; see `rank`."""
        pairs = zip(self.choices, trial.position, strict=True)
        taken = sum(choice.share(value) for choice, value in pairs)
        return self.aim.price(trial.scenario, runs), taken

    def judgement(self, trial: Trial) -> Judgement:
        """Whether a trial meets all goals, as far as its runs say."""
        if trial.refused:
            return Judgement.MISSED
        assert trial.runs is not None
        if "judgement" not in trial.known:
            trial.known["judgement"] = judged(self.goals, trial.runs, self.confidence)
        judgement: Judgement = trial.known["judgement"]
        return judgement

    def outlook(self, trial: Trial) -> float:
        """How far all goals are from their limits, in standard errors; those far off come first.

        Minus infinity where no further look is likely to show that they are met: where an estimate
        that is a standard error better than now would not be clear of the limit after the most.
        """
        assert trial.runs is not None
        if "outlook" not in trial.known:
            level = 1.0 - (1.0 - self.confidence) / len(self.goals)
            errors = statistics.t_quantile(self.most, 2.0 * level - 1.0)
            left = errors * math.sqrt(trial.replications / self.most)
            trial.known["outlook"] = min(_outlook(goal, trial.runs, left) for goal in self.goals)
        outlook: float = trial.known["outlook"]
        return outlook


def _outlook(goal: Wanted, runs: Runs, left: float) -> float:
    """A goal's distance from its limit in standard errors; see `Bench.outlook`."""
    figure = goal.figure(runs, _ONE_SIGMA)
    best = figure.high if goal.upwards else figure.low
    if figure.value is None or best is None:
        return 0.0
    error, sign = abs(best - figure.value), 1.0 if goal.upwards else -1.0
    gap = sign * (figure.value - goal.goal.limit)
    if gap + error - left * error <= 0.0:
        return -math.inf
    return gap / error if error > 0.0 else math.inf


#: The confidence of a one-sided bound one standard error away.
_ONE_SIGMA: Final = 0.84
