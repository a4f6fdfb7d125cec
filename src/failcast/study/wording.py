"""Comparisons in words.

On the map: study, beside comparison.py. A difference that is not shown is said to be none shown,
with the range it may have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from failcast.results import wording
from failcast.results.wording import Unit

if TYPE_CHECKING:
    from failcast.study.comparison import Comparison
    from failcast.study.differences import Difference

#: Pairing that saves less than this is not worth a sentence.
_WORTH_TELLING = 1.5
#: How many changes a name tells, and how long a value may be in it.
_MOST_CHANGES, _MOST_CHARACTERS = 3, 40


def changes_in_words(changes: Mapping[str, tuple[str, str]]) -> str:
    """`recovery.time=10 min, job.warm_standbys=32 and 2 more changes`."""
    if not changes:
        return "the same scenario"
    shown = [f"{path}={_short(new)}" for path, (_, new) in changes.items()][:_MOST_CHANGES]
    more = len(changes) - len(shown)
    rest = f" and {more} more change{'s' * (more > 1)}" if more else ""
    return f"{', '.join(shown)}{rest}"


def answer(comparison: Comparison) -> str:
    """Say what the other scenario changes about the training time, and what pairing saved."""
    gap = comparison.difference("training_hours")
    cut_short = (
        [
            "The comparison was interrupted: these are its first "
            f"{comparison.base.replications:,} pairs."
        ]
        if comparison.interrupted
        else []
    )
    if gap.difference is None:
        none = "No replication finishes in both scenarios"
        return " ".join([f"{none}, so their training times cannot be compared.", *cut_short])
    base = comparison.base.scenario.name
    alike = comparison.other.scenario.name == base and not comparison.label
    subject = "the change" if alike and len(comparison.changes) != 1 else comparison.name
    than = "" if alike else f" compared with {base}"
    sentences = [training(gap, subject, than, comparison.base.confidence)]
    if gap.saved is not None and gap.saved >= _WORTH_TELLING:
        sentences.append(
            f"Pairs share their chance: without that it would take {times(gap.saved)} as many runs "
            "to be as sure."
        )
    if comparison.base.replications > gap.pairs:
        sentences.append(
            f"This is over the {gap.pairs:,} of {comparison.base.replications:,} replications that "
            "finish in both scenarios, which are the luckier ones."
        )
    return " ".join([*sentences, *cut_short])


def times(factor: float) -> str:
    """`14 times`, to one decimal below ten."""
    return f"{wording.number(factor, 0 if factor >= 10.0 else 1)} times"


def training(gap: Difference, subject: str, than: str, confidence: float) -> str:
    """What `subject` makes of the training time, with the interval of the difference.

    `than` follows the subject's doing, such as ` compared with small`.
    """
    mean, low, high = gap.difference or 0.0, gap.low, gap.high
    unit = wording.time_unit(max(abs(mean), abs(low or 0.0), abs(high or 0.0)))
    does = "saves" if mean < 0.0 else "costs"
    if low is None or high is None:
        amount = wording.quantity(abs(mean), unit)
        return _sentence(f"{subject} {does} {amount}{than} (one pair: no interval).")
    if low == high == 0.0:
        return f"No difference{than}: every run takes exactly as long."
    if low == high:
        amount = wording.quantity(abs(mean), unit)
        return _sentence(
            f"{subject} {does} {amount} of training time{than}, the same in every pair."
        )
    level = f"{100.0 * confidence:g} % interval"
    decimals = wording.decimals_for_error((high - low) / 2.0 / unit.hours, digits=1)
    if gap.shown:  # no end may read as the zero that the interval excludes
        nearest = min(abs(low), abs(high)) / unit.hours
        decimals = max(decimals, wording.decimals_for_error(nearest, digits=1))
    ends = [wording.number(abs(end) / unit.hours, decimals) for end in (low, high)]
    if not gap.shown:
        return (
            f"No difference shown{than}: {subject} may save up to {ends[0]} or cost up to "
            f"{ends[1]} {unit.name} of training time ({level})."
        )
    lesser, greater = ends if low > 0.0 else ends[::-1]
    amount = _amount(abs(mean), unit, decimals)
    share = wording.percent(abs(mean) / gap.base) if gap.base else "all"
    return _sentence(
        f"{subject} {does} {amount} of training time{than} ({level} {lesser} to {greater}), "
        f"{share} of it: {_instead(gap.base or 0.0, gap.other or 0.0)}."
    )


def _short(text: str) -> str:
    """A value, or the beginning of a long one such as hundreds of measured values."""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"


def _sentence(text: str) -> str:
    """The text with a capital where it begins with a word of ours; names stay as they are."""
    return text.replace("the change", "The change", 1) if text.startswith("the change") else text


def _amount(hours: float, unit: Unit, decimals: int) -> str:
    return f"{wording.number(hours / unit.hours, decimals)} {unit.name}"


def _instead(base: float, other: float) -> str:
    """`334.1 instead of 411.4 days`, with the digits that tell them apart."""
    unit = wording.time_unit(max(base, other))
    apart = wording.decimals_for_error(abs(base - other) / unit.hours, digits=1)
    decimals = max(apart, wording.decimals_for_value(max(base, other) / unit.hours, digits=4))
    shown = wording.number(other / unit.hours, decimals)
    return f"{shown} instead of {_amount(base, unit, decimals)}"
