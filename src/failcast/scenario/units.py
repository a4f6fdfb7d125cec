"""Units at the door, hours inside: durations and rates as text, read and written.

Conversion is exact arithmetic rounded once, so ``20 min`` is the float nearest to a third of an
hour, and what ``format_duration`` writes is read back to the same float, bit for bit.
"""

from __future__ import annotations

import re
from fractions import Fraction

from failcast.scenario.errors import Refused, did_you_mean, nearest

_SECOND = Fraction(1, 3600)
#: Hours per unit. A year is 365 days (8760 h), as reliability figures count it.
UNITS: dict[str, Fraction] = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), _SECOND / 1000),
    **dict.fromkeys(("s", "sec", "second", "seconds"), _SECOND),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), Fraction(1, 60)),
    **dict.fromkeys(("h", "hr", "hour", "hours"), Fraction(1)),
    **dict.fromkeys(("d", "day", "days"), Fraction(24)),
    **dict.fromkeys(("week", "weeks"), Fraction(168)),
    **dict.fromkeys(("year", "years"), Fraction(8760)),
}
#: Names people write that have no single meaning, and what to write instead.
_UNCLEAR = {
    **dict.fromkeys(("month", "months"), "a month has no fixed length: write days"),
    "m": "'m' may be minutes or months: write 'min' or days",
}
_NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?|\.[0-9]+(?:[eE][-+]?[0-9]{1,3})?"
_PART = re.compile(rf"\s*({_NUMBER})\s*([A-Za-zµ]+)")
_BARE_NUMBER = re.compile(rf"\s*[-+]?(?:{_NUMBER})\s*")
_RATE = re.compile(rf"\s*({_NUMBER})\s*(?:/|\bper\b)\s*(.*)", re.DOTALL)
#: Longest text of a duration or a rate.
_MOST_CHARACTERS = 100
_DURATION_FORM = "it must be a duration such as '20 min', '2 d' or '1 d 12 h'"
_PERCENTAGE = re.compile(rf"\s*([-+]?)({_NUMBER})\s*%\s*")
_RATE_FORM = "it must be a rate such as '0.01 / day' or '1 / 100 d'"
_SHOW_DURATION = ("d", "h", "min", "s", "ms")
_SHOW_RATE = ("day", "h", "min", "s", "year")


def parse_duration(text: str) -> float:
    """Return the hours of a text such as ``20 min``, ``1.5 h`` or ``1 d 12 h``.

    Raises Refused when the text is no duration; ``0`` alone needs no unit.
    """
    text = _short(text.strip(), _DURATION_FORM)
    _refuse_negative(text)
    if _BARE_NUMBER.fullmatch(text):
        if Fraction(text) == 0:
            return 0.0
        raise Refused(f"it has no unit: write '{text} min' or '{text} h'")
    return _to_float(_parse_parts(text, _DURATION_FORM))


def parse_rate(text: str) -> float:
    """Return the rate per hour of a text such as ``0.01 / day`` or ``1 / 100 d``.

    Raises Refused when the text is no rate; ``0`` alone needs no unit.
    """
    text = _short(text.strip(), _RATE_FORM)
    _refuse_negative(text)
    if _BARE_NUMBER.fullmatch(text):
        if Fraction(text) == 0:
            return 0.0
        raise Refused(f"it has no unit: write '{text} / day' or '{text} / h'")
    match = _RATE.fullmatch(text)
    if match is None:
        raise Refused(_RATE_FORM)
    per = match[2].strip()
    hours = _hours_of(per) if per.isalpha() else _parse_parts(per, _RATE_FORM)
    if hours == 0:
        raise Refused("it must be a rate per a time that is longer than 0")
    return _to_float(Fraction(match[1]) / hours)


def parse_percentage(text: str) -> float | None:
    """Return the share of a text such as ``1 %``: 0.01. None when the text is no percentage."""
    match = _PERCENTAGE.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
    if match is None:
        return None
    return _to_float(Fraction(match[1] + match[2]) / 100)


def _parse_parts(text: str, form: str) -> Fraction:
    """Return the exact hours of a sum of parts, each a number and a unit.

    ``form`` says what the whole text should look like.
    """
    _refuse_negative(text)
    total, position = Fraction(0), 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None:
            raise Refused(form)
        total += Fraction(match[1]) * _hours_of(match[2])
        position = match.end()
    if position == 0:
        raise Refused(form)
    return total


def _hours_of(unit: str) -> Fraction:
    name = unit.lower()
    if name in _UNCLEAR:
        raise Refused(_UNCLEAR[name])
    if name not in UNITS:
        hint = did_you_mean(nearest(name, UNITS)) or "; units are s, min, h, d, week and year"
        raise Refused(f"'{unit}' is not a unit of time{hint}")
    return UNITS[name]


def _short(text: str, form: str) -> str:
    if len(text) > _MOST_CHARACTERS:
        raise Refused(form)
    return text


def _refuse_negative(text: str) -> None:
    if text.startswith("-"):
        raise Refused("it must not be negative")


def _to_float(value: Fraction) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise Refused("it is too large") from None
    if number == 0 and value != 0:
        raise Refused("it is too close to 0: write 0 if that is what you mean")
    return number


def format_duration(hours: float) -> str:
    """Return hours as the text a person would write: ``20 min``, ``256 d``.

    ``parse_duration`` of the text is exactly ``hours`` again.
    """
    if hours == 0:
        return "0 h"
    exact = Fraction(hours)
    numbers = {unit: exact / UNITS[unit] for unit in _SHOW_DURATION}
    whole = [f"{n} {unit}" for unit, n in numbers.items() if n.denominator == 1 and n < 100_000]
    rounded = [f"{float(n):.6g} {unit}" for unit, n in numbers.items() if n >= 1]
    for text in (*whole, *rounded, f"{float(numbers['min']):.6g} min"):
        if parse_duration(text) == hours:
            return text
    return f"{hours!r} h"


def format_percentage(share: float) -> str | float:
    """Return a share as the percentage a person would write: ``1 %``.

    A share that no short percentage is read back to exactly comes back as the number it is.
    """
    text = f"{float(100 * Fraction(share)):.6g} %"
    return text if parse_percentage(text) == share else share


def format_rate(per_hour: float) -> str:
    """Return a rate per hour as a readable text: ``0.01 / day``.

    ``parse_rate`` of the text is exactly ``per_hour`` again.
    """
    if per_hour == 0:
        return "0 / day"
    exact = Fraction(per_hour)
    for unit in _SHOW_RATE:
        text = f"{float(exact * UNITS[unit]):.6g} / {unit}"
        if parse_rate(text) == per_hour:
            return text
    return f"{per_hour!r} / h"
