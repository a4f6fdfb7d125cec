"""The cells of a sweep: every combination of the values of its axes, validated before any runs.

On the map: study, below sweep.py. A value that is wrong for itself is refused; a combination that
no cluster could have, such as a job larger than both pools, is kept apart with the reason.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from failcast.results import RequestError
from failcast.scenario import Scenario, ScenarioError
from failcast.scenario.errors import Problem
from failcast.scenario.files import overriding
from failcast.scenario.scenario import overlap
from failcast.study.axes import Axis, axis

#: Most cells of a sweep: each takes a millisecond and some kilobytes before any runs.
MOST_CELLS: Final = 20_000


@dataclass(frozen=True)
class Cell:
    """One combination of values, in the order of the axes.

    `scenario` is None where it is infeasible; then `problem` says why in a sentence.
    """

    number: int
    values: tuple[str, ...]
    scenario: Scenario | None
    problem: str = ""


def read_axes(texts: Iterable[str], scenario: Scenario) -> tuple[Axis, ...]:
    """Read the axes of a sweep, see `axis`. Raises RequestError or ScenarioError."""
    axes = tuple(axis(text, scenario) for text in texts)
    if not axes:
        raise RequestError("a sweep needs something to vary, such as job.warm_standbys=0,16,32.")
    for number, one in enumerate(axes):
        other = overlap(one.path, (each.path for each in axes[:number]))
        if other == one.path:
            raise RequestError(f"{other} is varied twice: give all its values in one place.")
        if other is not None:
            raise RequestError(f"{one.path} overlaps with {other}, which is varied too: keep one.")
    count = math.prod(len(each.values) for each in axes)
    if count > MOST_CELLS:
        raise RequestError(
            f"the axes have {count:,} combinations, but a sweep takes at most {MOST_CELLS:,}: give "
            "fewer values, or sweep in parts."
        )
    return axes


def make_cells(scenario: Scenario, axes: Sequence[Axis]) -> tuple[Cell, ...]:
    """Every combination, the last axis fastest. Raises ScenarioError for a wrong value."""
    changed = overriding(scenario)
    settings = itertools.product(*(each.settings() for each in axes))
    values = itertools.product(*(each.values for each in axes))
    return tuple(
        _cell(changed, number, texts, combination)
        for number, (texts, combination) in enumerate(zip(settings, values, strict=True))
    )


def _cell(
    changed: Callable[[tuple[str, ...]], Scenario],
    number: int,
    settings: tuple[str, ...],
    values: tuple[str, ...],
) -> Cell:
    try:
        return Cell(number, values, changed(settings))
    except ScenarioError as error:
        if all(map(_is_of_several_fields, error.problems)):
            return Cell(number, values, None, error.problems[0].message)
        raise


def _is_of_several_fields(problem: Problem) -> bool:
    """Whether fields do not fit together that are right for themselves."""
    return bool(problem.others)
