"""The search: a coarse grid, then steps that are halved, around the cheapest setting that does.

On the map: study, below plan.py. It is a mesh adaptive search (Audet and Dennis, SIAM Journal on
Optimization 17, 2006) with an order in place of penalties: a setting is better if it meets the
goals and is cheaper. Settings share their chance, so they are ranked with few replications; those
that stay open and would be cheaper get more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Final

from failcast.study.planning.bench import FIRST_LOOK, Bench, Trial
from failcast.study.planning.choices import SERVERS, Position, first_positions
from failcast.study.planning.wanted import Judgement

#: Open settings that get more replications together.
_AT_ONCE: Final = 4
#: The first step, as a share of a range, where the grid has left off.
_FIRST_MESH: Final = 1.0 / 16.0


def search(bench: Bench) -> tuple[Trial | None, float]:
    """The cheapest setting that meets the goals, and the mesh it is settled to; None if none does.

    What was refused before is passed over. Stops where the budget ends.
    """
    if not any(True for _ in bench.tried()):
        _look_at(bench, first_positions(bench.choices))
    best = settle(bench)
    mesh = _FIRST_MESH
    while best is not None and not bench.exhausted:
        _look_at(bench, _around(bench, best, mesh))
        better = settle(bench)
        if better is not None and bench.rank(better) < bench.rank(best):
            best = better
        elif all(choice.is_finest(mesh) for choice in bench.choices):
            break
        else:
            mesh /= 2.0
    return best, mesh


def _look_at(bench: Bench, positions: Iterable[Position]) -> None:
    trials = [trial for place in positions if (trial := bench.trial(place)) is not None]
    bench.look((trial, FIRST_LOOK) for trial in trials if trial.runs is None)


def _around(bench: Bench, best: Trial, mesh: float) -> list[Position]:
    """The settings within a step of the best one that could be cheaper."""
    steps = (
        choice.steps(value, mesh)
        for choice, value in zip(bench.choices, best.position, strict=True)
    )
    places = (place for place in itertools.product(*steps) if place != best.position)
    if bench.aim.name != SERVERS:
        return list(places)
    limit = bench.rank(best)
    trials = (bench.trial(place) for place in places)
    return [each.position for each in trials if each is not None and bench.rank(each) < limit]


def settle(bench: Bench) -> Trial | None:
    """Look longer at open settings that would be cheaper; return the cheapest one that is met."""
    while True:
        trials = sorted(bench.tried(), key=bench.rank)
        met = (trial for trial in trials if bench.judgement(trial) is Judgement.MET)
        best = next(met, None)
        cheaper = trials if best is None else trials[: trials.index(best)]
        undecided = [
            trial
            for trial in cheaper
            if bench.judgement(trial) is Judgement.OPEN
            and trial.replications < bench.most
            and bench.outlook(trial) > -math.inf
        ]
        undecided.sort(key=bench.outlook, reverse=True)
        before = bench.spent
        looks = [(each, min(bench.most, 2 * each.replications)) for each in undecided[:_AT_ONCE]]
        bench.look(looks)
        if bench.spent == before:
            return best
