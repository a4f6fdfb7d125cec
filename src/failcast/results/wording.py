"""Numbers in words: how many digits a figure deserves, and which unit a duration.

On the map: results, below answer.py and the tables of the command line. A mean is shown to the
digits that its interval supports; a share never rounds to a false 0 % or 100 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from failcast.engine.model import COST

DECIMALS_MAX = 6


class Unit(NamedTuple):
    """A unit of time for people: its plural name and its length in hours."""

    name: str
    hours: float


DAYS, HOURS, MINUTES = Unit("days", 24.0), Unit("hours", 1.0), Unit("minutes", 1.0 / 60.0)
SECONDS = Unit("seconds", 1.0 / 3600.0)


def time_unit(hours: float) -> Unit:
    """The unit in which a duration reads well: days from 48 h on, minutes below 2 h."""
    if hours >= 48.0:
        return DAYS
    return HOURS if hours >= 2.0 else MINUTES


def decimals_for_error(half_width: float, digits: int = 2) -> int:
    """Decimals that show `digits` significant digits of an interval's half-width."""
    if half_width <= 0.0:
        return DECIMALS_MAX
    return _clamp(digits - 1 - math.floor(math.log10(half_width)))


def decimals_for_value(value: float, digits: int = 4) -> int:
    """Decimals that show `digits` significant digits of a value, without zeros at the end."""
    if value == 0.0:
        return 0
    most = _clamp(digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{most}f}".rstrip("0")
    return len(text.partition(".")[2])


def number(value: float, decimals: int) -> str:
    """A number with commas between thousands, never a negative zero."""
    text = f"{value:,.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def quantity(hours: float, unit: Unit, digits: int = 4) -> str:
    """A duration in `unit` to `digits` significant digits: `256 days`, `1 day`, `1.5 hours`."""
    value = hours / unit.hours
    text = number(value, decimals_for_value(value, digits))
    return f"{text} {unit.name[:-1] if text == '1' else unit.name}"


def exact_time(hours: float) -> str:
    """A duration that somebody chose, in the largest unit that holds it in four digits.

    `87 days`, `100 hours` (4.167 days would be another time), `1.5 hours`, `1 hour`. The shortest
    times are in seconds, and what no unit holds is in that of `time_unit`.
    """
    for unit, least in ((DAYS, 2.0), (HOURS, 1.0), (MINUTES, 1.0), (SECONDS, 0.0)):
        value = hours / unit.hours
        shown = round(value, decimals_for_value(value))
        if value >= least and math.isclose(shown, value, rel_tol=1e-12):
            return quantity(hours, unit)
    return quantity(hours, time_unit(hours))


def percent(share: float) -> str:
    """A share as a percentage with a digit that tells it from 0 and from 100: 62 %, 99.97 %."""
    value = 100.0 * share
    edge = min(value, 100.0 - value)
    if edge <= 0.0:
        return f"{value:.0f} %"
    if edge < 1e-4:
        return "under 0.0001 %" if value < 50.0 else "over 99.9999 %"
    decimals = 0 if edge >= 10.0 else 1 if edge >= 1.0 else -math.floor(math.log10(edge))
    return f"{value:.{decimals}f} %"


def percent_range(low: float, high: float) -> str:
    """Two shares as percentages with the digits that their distance deserves: 82 to 91 %."""
    decimals = decimals_for_error(50.0 * (high - low), digits=1)
    ends = []
    for share in (low, high):
        text = f"{100.0 * share:.{decimals}f}"
        false_edge = float(text) in (0.0, 100.0) and 0.0 < share < 1.0
        ends.append(percent(share) if false_edge else f"{text} %")
    return f"{ends[0].removesuffix(' %')} to {ends[1]}"


def _clamp(decimals: int) -> int:
    return max(0, min(DECIMALS_MAX, decimals))


def decimals_for_mean(mean: float | None, low: float | None, high: float | None) -> int:
    """Decimals of a mean to the digits that its interval supports; six digits without one."""
    if low is None or high is None or low == high:
        return decimals_for_value(mean or 0.0, digits=6)
    return decimals_for_error((high - low) / 2.0)


def decimals_for_mtbf(value: float, low: float | None) -> int:
    """Decimals of an MTBF to the digits that the lower end of its interval supports."""
    if low is None or not low < value:
        return decimals_for_value(value, digits=6)
    return decimals_for_error(value - low)


def interval(low: float | None, high: float | None, decimals: int, unknown: str) -> str:
    """`1.2 to 3.4`, `over 1.2` where the upper end is open, or `unknown`."""
    if low is None:
        return unknown
    if high is None:
        return f"over {number(low, decimals)}"
    return f"{number(low, decimals)} to {number(high, decimals)}"


def zeros(metrics: Sequence[str]) -> str:
    """Metrics that are zero in every run, in a line; the cost, zero without prices, is no news."""
    return ", ".join(name for name in metrics if name != COST)


def quantile_intervals(name: str, figures: Mapping[str, float | None], confidence: float) -> str:
    """`95 % intervals of training_hours: p5 1,496 to 1,500; …`; nothing where it never varies.

    `figures` are those of a `Summary` by name. There is at most one decimal more than the mean has.
    """
    ends = {q: (figures[f"{q}_low"], figures[f"{q}_high"]) for q in ("p5", "p50", "p95")}
    known = {q: (low, high) for q, (low, high) in ends.items() if low is not None and high}
    halves = [(high - low) / 2.0 for low, high in known.values() if high > low]
    if not halves:
        return ""
    most = 1 + decimals_for_mean(figures["mean"], figures["low"], figures["high"])
    decimals = min(most, decimals_for_error(min(halves), digits=1))
    shown = [f"{q} {interval(low, high, decimals, unknown='')}" for q, (low, high) in known.items()]
    return f"{100.0 * confidence:g} % intervals of {name}: {'; '.join(shown)}"
