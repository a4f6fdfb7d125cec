"""Sweeps in words: between which cells training takes how long, and which axis matters.

On the map: study, beside sweep.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from failcast.results import wording
from failcast.study.sweeps.effects import Effect, sweep_effects

if TYPE_CHECKING:
    from failcast.study.sweeps.cells import Cell
    from failcast.study.sweeps.sweep import Sweep


def answer(sweep: Sweep) -> str:
    """Say in a few sentences what a sweep found about the training time."""
    times = {
        cell.number: hours
        for cell in sweep.done
        if (hours := sweep.figures[cell.number].of("training_hours")) is not None
    }
    sentences = [_range(sweep, times)] if times else [_nothing(sweep)]
    found = [each for each in sweep_effects(sweep) if each.difference.difference is not None]
    if times and found:
        sentences.append(_who_matters(found))
    sentences += _unfinished(sweep)
    if sweep.infeasible:
        sentences.append(_infeasible(sweep))
    if sweep.interrupted:
        left = len(sweep.cells) - len(sweep.infeasible) - len(sweep.done)
        verb = "is" if left == 1 else "are"
        sentences.append(f"The sweep was interrupted: {_cells(left)} {verb} missing.")
    return " ".join(sentences)


def _range(sweep: Sweep, times: dict[int, float]) -> str:
    """`Training takes from 334.2 days (…) to 411.4 days (…)`."""
    low, high = min(times, key=lambda each: times[each]), max(times, key=lambda each: times[each])
    unit = wording.time_unit(times[high])
    decimals = wording.decimals_for_value(times[high] / unit.hours, digits=4)
    shown = [wording.number(times[each] / unit.hours, decimals) for each in (low, high)]
    if low == high:
        return f"Training takes {shown[0]} {unit.name} ({named(sweep, sweep.cells[low])})."
    if shown[0] == shown[1]:
        return f"Training takes {shown[0]} {unit.name} in each of {_cells(len(times))}."
    return (
        f"Training takes from {shown[0]} {unit.name} ({named(sweep, sweep.cells[low])}) to "
        f"{shown[1]} {unit.name} ({named(sweep, sweep.cells[high])})."
    )


def named(sweep: Sweep, cell: Cell) -> str:
    """`job.warm_standbys=16, recovery.time=10 min`."""
    pairs = zip(sweep.axes, cell.values, strict=True)
    return ", ".join(f"{axis.path}={value}" for axis, value in pairs)


def _unfinished(sweep: Sweep) -> list[str]:
    """How many runs did not finish: what is told of training times is of the luckier ones."""
    left = {
        cell.number: sweep.replications - sweep.figures[cell.number].finished for cell in sweep.done
    }
    some = [number for number, count in left.items() if count]
    if not some or (len(some) == len(left) and all(left[n] == sweep.replications for n in some)):
        return []
    worst = max(some, key=lambda number: left[number])
    return [
        f"In {_cells(len(some))} not all runs finish, and means are over those that do, which are "
        f"the luckier ones: with {named(sweep, sweep.cells[worst])}, "
        f"{sweep.figures[worst].finished:,} of {sweep.replications:,} finish."
    ]


def _nothing(sweep: Sweep) -> str:
    if not sweep.done:
        return "No cell is complete."
    return f"No run finishes in any of {_cells(len(sweep.done))}."


def _who_matters(found: list[Effect]) -> str:
    shown = [each for each in found if each.difference.shown]
    silent = [each.path for each in found if not each.difference.shown]
    parts = [effect_words(each) for each in shown]
    if silent:
        parts.append(f"no difference is shown for {', '.join(silent)}")
    text = "; ".join(parts) + "."
    return text[0].upper() + text[1:] if not shown else text


def effect_words(effect: Effect) -> str:
    """`recovery.time=30 min instead of 10 min costs 152 days (95 % interval …)`."""
    gap = effect.difference
    mean, low, high = gap.difference or 0.0, gap.low or 0.0, gap.high or 0.0
    unit = wording.time_unit(max(abs(mean), abs(low), abs(high)))
    decimals = wording.decimals_for_error((high - low) / 2.0 / unit.hours or 1.0, digits=1)
    ends = sorted((abs(low) / unit.hours, abs(high) / unit.hours))
    verb = "saves" if mean < 0.0 else "costs"
    return (
        f"{effect.path}={effect.other} instead of {effect.base} {verb} "
        f"{wording.number(abs(mean) / unit.hours, decimals)} {unit.name} "
        f"({wording.number(ends[0], decimals)} to {wording.number(ends[1], decimals)})"
    )


def _infeasible(sweep: Sweep) -> str:
    verb = "is" if len(sweep.infeasible) == 1 else "are"
    return f"{_cells(len(sweep.infeasible))} {verb} infeasible and left out."


def _cells(count: int) -> str:
    return f"{count:,} cell{'s' * (count != 1)}"
