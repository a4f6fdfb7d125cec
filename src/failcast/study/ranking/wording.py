"""Rankings in words.

On the map: study, beside rank.py. Inputs that intervals do not tell apart are named together, and
an input of which no effect is shown is never said to matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from failcast.results import wording

if TYPE_CHECKING:
    from failcast.study.ranking.methods import Influence, MetricRanking
    from failcast.study.ranking.rank import Input, Ranking
    from failcast.study.ranking.resampling import Estimate

#: Figures that are shares of a variance.
SHARES = ("total", "first")
_HEADINGS = {
    "total": "total order",
    "first": "first order",
    "trend": "low to high",
    "mu_star": "mu*",
    "mu": "mu",
    "sigma": "sigma",
    "swing": "low to high",
    "at_low": "at low",
    "at_high": "at high",
}
#: So many inputs are named as first; more are counted.
_NAMED = 3


def answer(ranking: Ranking) -> str:
    """What matters most for each metric."""
    return " ".join(sentence for one in ranking.metrics for sentence in _sentences(ranking, one))


def _sentences(ranking: Ranking, one: MetricRanking) -> list[str]:
    if not math.isfinite(one.mean):
        return [f"Nothing can be ranked for {one.metric}: there are only {_luckier(ranking, one)}."]
    first = [each for each in one.ranked if each.places and each.places[0] == 1]
    if not first:
        return [f"No effect of any input on {one.metric} is shown."]
    sentences = [_first(ranking, one, first)]
    behind = [each for each in one.ranked if each not in first]
    if behind and len(first) == 1:
        nexts = [each for each in behind if each.places and each.places[0] == 2]
        named = f"Next {'comes' if len(nexts) == 1 else 'come'} {_listed(_with_size(one, nexts))}"
        if len(nexts) > 1:
            named += ", in an order that is not shown"
        sentences.append(f"{named}.")
    if one.chance is not None:
        sentences.append(f"Chance makes {share(one.chance)} of the whole variance of {one.metric}.")
    if one.rows < one.rows_in_all:
        sentences.append(f"This is over the {_luckier(ranking, one)}, which are the luckier ones.")
    return sentences


def _first(ranking: Ranking, one: MetricRanking, first: Sequence[Influence]) -> str:
    """`recovery.time.mean matters most for training_hours: it explains 58 % (54 to 62 %) of …`."""
    if len(first) > _NAMED:
        named = _listed([each.path for each in first])
        return f"{named} matter most for {one.metric}, in an order that is not shown."
    if len(first) == 1:
        return f"{first[0].path} matters most for {one.metric}: it {_does(ranking, one, first)}."
    named = _listed([each.path for each in first])
    return (
        f"{named} matter most for {one.metric}, in an order that is not shown: they "
        f"{_does(ranking, one, first)}."
    )


def _does(ranking: Ranking, one: MetricRanking, first: Sequence[Influence]) -> str:
    alone = len(first) == 1
    sizes = _listed([size(one, each) for each in first])
    if ranking.method == "sobol":
        verb = "explains" if alone else "explain"
        return f"{verb} {sizes} of the variance that the inputs cause"
    verb = "changes" if alone else "change"
    if ranking.method == "morris":
        return f"{verb} it by {sizes} over {'its range' if alone else 'their ranges'}, on average"
    over = "its range" if alone else "their ranges"
    return f"{verb} it by {sizes} from the low to the high end of {over}"


def _with_size(one: MetricRanking, inputs: Sequence[Influence]) -> list[str]:
    return [f"{each.path} with {size(one, each)}" for each in inputs]


def _luckier(ranking: Ranking, one: MetricRanking) -> str:
    """`the 480 of 512 rows in which every run finishes`."""
    from failcast.study.ranking.methods import METHODS

    of_samples = METHODS[ranking.method].of_samples
    return f"{one.rows:,} of {one.rows_in_all:,} {of_samples} in which every run finishes"


def _listed(texts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def size(one: MetricRanking, each: Influence) -> str:
    """The figure that an input is ranked by, with its interval."""
    return figure(one, next(iter(each.figures)), each.size)


def figure(one: MetricRanking, name: str, estimate: Estimate) -> str:
    """A figure by its name, with its interval: `58 % (54 to 62 %)`, `+57 h (52 to 62)`."""
    if name in SHARES:
        return share(estimate)
    signed = name not in ("mu_star", "sigma")
    return change(estimate, one.unit, signed=signed)


def share(estimate: Estimate) -> str:
    """A share and its interval with the digits that the interval deserves: `58 % (54 to 62 %)`."""
    if not math.isfinite(estimate.high) or (estimate.low <= 0.0 and estimate.high >= 1.0):
        return "not known"
    decimals = wording.decimals_for_error(50.0 * (estimate.high - estimate.low), digits=1)
    value, low, high = (100.0 * min(1.0, max(0.0, each)) for each in estimate)
    ends = [wording.number(end, decimals) for end in (value, low, high)]
    return f"{ends[0]} % ({ends[1]} to {ends[2]} %)"


def change(estimate: Estimate, unit: str, *, signed: bool) -> str:
    """A change of a metric and its interval: `+5,735 h (5,286 to 6,212)`."""
    value, low, high = estimate
    if low == high:
        decimals = wording.decimals_for_value(value, digits=4)
    else:
        decimals = wording.decimals_for_error((high - low) / 2.0, digits=2)
    sign = "+" if signed and value > 0.0 else ""
    name = f" {unit}" if unit else ""
    ends = [wording.number(end, decimals) for end in (low, high)]
    return f"{sign}{wording.number(value, decimals)}{name} ({ends[0]} to {ends[1]})"


def place(each: Influence) -> str:
    """`1`, `2 to 4`, or nothing."""
    if each.places is None:
        return ""
    best, worst = each.places
    return f"{best}" if best == worst else f"{best} to {worst}"


def bound(one: MetricRanking, each: Influence, over: Input) -> str:
    """What an input without a shown effect may do at most: `(5 to 20): -0.6 to 1.2 h`."""
    _, low, high = each.bound
    where = f"({over.low} to {over.high})"
    if low == high == 0.0:
        return f"{where}: no difference in any run"
    if not low < high:
        return f"{where}: not known"
    decimals = wording.decimals_for_error((high - low) / 2.0, digits=1)
    ends = " to ".join(wording.number(end, decimals) for end in (low, high))
    return f"{where}: {ends}{f' {one.unit}' if one.unit else ''}"


def heading(name: str) -> str:
    """The heading of a figure in a table."""
    return _HEADINGS[name]


def what_ran(ranking: Ranking) -> str:
    """What was run, as a remark says it."""
    from failcast.study.ranking.methods import METHODS

    of_samples = METHODS[ranking.method].of_samples
    return (
        f"{ranking.runs:,} runs of {ranking.scenario.name} from seed {ranking.seed} ("
        f"{ranking.method}: {ranking.samples:,} {of_samples}, {len(ranking.inputs)} "
        f"input{'s' * (len(ranking.inputs) != 1)})"
    )


def ranges(ranking: Ranking) -> str:
    """Where the ranges come from, if nobody declared them; else nothing."""
    if ranking.declared:
        return ""
    count = len(ranking.inputs)
    return (
        f"No ranges were declared: {count} main numbers of the scenario go from half to double "
        "(shares up to 1). Declare your own with --vary, such as "
        "--vary recovery.time=10min..40min."
    )


def left_out(ranking: Ranking) -> list[str]:
    """The main numbers that have no range from half to double, each with the reason."""
    return [f"Left out: {path}: {reason}" for path, reason in ranking.left_out.items()]
