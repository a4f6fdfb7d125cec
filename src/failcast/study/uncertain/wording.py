"""Predictions with uncertain inputs in words.

On the map: study, beside prediction.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from failcast.results import wording

if TYPE_CHECKING:
    from failcast.results.statistics import Summary
    from failcast.study.uncertain.causes import Cause
    from failcast.study.uncertain.prediction import Prediction

#: An input whose part is below this is not named as what decides.
_WORTH_TELLING = 0.05


def answer(prediction: Prediction) -> str:
    """Say how long training takes, between which ends, and what the spread comes from."""
    found = prediction.summary("training_hours")
    if found.mean is None:
        return f"No run finished in any of {len(prediction.draws):,} draws of the inputs."
    sentences = [_training(prediction, found, found.mean)]
    unfinished = prediction.replications - prediction.finished
    if unfinished:
        sentences.append(
            f"That is over the runs that finished: {unfinished:,} of "
            f"{prediction.replications:,} did not."
        )
    return " ".join([*sentences, *_spread(prediction)])


def _training(prediction: Prediction, found: Summary, mean: float) -> str:
    """`Training takes 411 days (…), between 371 and 468 days in 9 of 10 cases, for 256 days …`."""
    unit = wording.time_unit(mean)
    low, high = found.p5 or 0.0, found.p95 or 0.0
    work = wording.quantity(prediction.scenario.job.length, unit)
    if found.low is None or found.high is None or found.low == found.high:
        return f"Training takes {wording.quantity(mean, unit)} for {work} of work."
    half = (found.high - found.low) / 2.0 / unit.hours
    decimals = wording.decimals_for_error(half, digits=1)
    numbers = [
        wording.number(hours / unit.hours, decimals)
        for hours in (mean, found.low, found.high, low, high)
    ]
    level = f"{100.0 * prediction.confidence:g} %"
    return (
        f"Training takes {numbers[0]} {unit.name} ({level} interval {numbers[1]} to {numbers[2]}), "
        f"between {numbers[3]} and {numbers[4]} {unit.name} in 9 of 10 cases, for {work} of work."
    )


def _spread(prediction: Prediction) -> list[str]:
    """`98 % of the variance (97 to 99 %) comes from what is not known about …, 2 % from chance.`"""
    found = prediction.parts("training_hours")
    if found is None or found.share is None:
        return ["All runs take the same time, so neither inputs nor chance make a difference."]
    names = _listed([belief.path for belief in prediction.beliefs])
    ends = ""
    if found.low is not None and found.high is not None and found.low < found.high:
        ends = f" ({wording.percent_range(found.low, found.high)})"
    sentence = (
        f"{wording.percent(found.share)} of the variance{ends} comes from what is not known about "
        f"{names}, {wording.percent(1.0 - found.share)} from chance."
    )
    return [sentence, *_first(prediction.causes(), found.low or 0.0)]


def _first(causes: Sequence[Cause], low: float) -> list[str]:
    """Which input to learn about first, where there are several and one is clearly first."""
    if len(causes) < 2 or low == 0.0 or causes[0].share < _WORTH_TELLING:
        return []
    first, second = causes[0], causes[1]
    if first.low > second.high:
        part = wording.percent(first.share)
        return [f"Learn {first.path} first: it alone makes {part} of the variance."]
    return [f"No single input is shown to matter most: {first.path} and {second.path} lead."]


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
