"""Comparisons in words.

On the map: study, beside comparison.py. A difference that is not shown is said to be none shown,
with the range it may have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from failcast.results import wording
from failcast.results.wording import Unit

if TYPE_CHECKING:
    from failcast.study.comparison import Comparison
    from failcast.study.differences import Difference

#: Pairing that saves less than this is not worth a sentence.
_WORTH_TELLING = 1.5


def answer(comparison: Comparison) -> str:
    """Say what the other scenario changes about the training time, and what pairing saved."""
    gap = comparison.difference("training_hours")
    if gap.difference is None:
        return (
            "No replication finishes in both scenarios, so their training times cannot be compared."
        )
    sentences = [_training(comparison, gap)]
    if gap.saved is not None and gap.saved >= _WORTH_TELLING:
        factor = wording.number(gap.saved, 0 if gap.saved >= 10.0 else 1)
        sentences.append(
            f"Pairs share their chance: without that it would take {factor} times as many runs to "
            "be as sure."
        )
    if comparison.base.replications > gap.pairs:
        sentences.append(
            f"This is over the {gap.pairs:,} of {comparison.base.replications:,} replications that "
            "finish in both scenarios, which are the luckier ones."
        )
    return " ".join(sentences)


def _training(comparison: Comparison, gap: Difference) -> str:
    """What becomes of the training time, with the interval of the difference."""
    mean, low, high = gap.difference or 0.0, gap.low, gap.high
    base, other = (each.scenario.name for each in (comparison.base, comparison.other))
    subject, than = ("the change", "") if other == base else (other, f" compared with {base}")
    unit = wording.time_unit(max(abs(mean), abs(low or 0.0), abs(high or 0.0)))
    does = "saves" if mean < 0.0 else "costs"
    if low is None or high is None:
        amount = wording.quantity(abs(mean), unit)
        return _sentence(f"{subject} {does} {amount}{than} (one pair: no interval).")
    if low == high == 0.0:
        return f"No difference{than}: every run takes exactly as long."
    confidence = f"{100.0 * comparison.base.confidence:g} % interval"
    decimals = wording.decimals_for_error((high - low) / 2.0 / unit.hours, digits=1)
    ends = [wording.number(abs(end) / unit.hours, decimals) for end in (low, high)]
    if not gap.shown:
        return (
            f"No difference shown{than}: {subject} may save up to {ends[0]} or cost up to "
            f"{ends[1]} {unit.name} of training time ({confidence})."
        )
    lesser, greater = ends if low > 0.0 else ends[::-1]
    amount = _amount(abs(mean), unit, decimals)
    share = wording.percent(abs(mean) / gap.base) if gap.base else "all"
    return _sentence(
        f"{subject} {does} {amount} of training time{than} ({confidence} {lesser} to {greater}), "
        f"{share} of it: {_instead(gap.base or 0.0, gap.other or 0.0)}."
    )


def _sentence(text: str) -> str:
    """The text with a capital where it begins with a word of ours; names stay as they are."""
    return text.replace("the change", "The change", 1) if text.startswith("the change") else text


def _amount(hours: float, unit: Unit, decimals: int) -> str:
    return f"{wording.number(hours / unit.hours, decimals)} {unit.name}"


def _instead(base: float, other: float) -> str:
    """`334.1 instead of 411.4 days`."""
    unit = wording.time_unit(max(base, other))
    decimals = wording.decimals_for_value(max(base, other) / unit.hours, digits=4)
    shown = wording.number(other / unit.hours, decimals)
    return f"{shown} instead of {_amount(base, unit, decimals)}"
