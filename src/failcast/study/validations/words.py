"""The cells of a validation's table, for the terminal and for notebooks.

On the map: study, beside validation.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from failcast.results import wording

if TYPE_CHECKING:
    from failcast.study.validations.validation import Validated

HEAD: Final = ("figure", "class", "measured", "simulated", "interval", "formula", "verdict")
_NONE: Final = "-"


def cells(line: Validated) -> tuple[str, ...]:
    """What, class, measured, simulated, its interval, closed form and verdict, `-` for none.

    The simulated mean has the digits that its interval supports.
    """
    figure, found = line.figure, line.simulated
    simulated = interval = _NONE
    if found is not None:
        decimals = wording.decimals_for_mean(found.value, found.low, found.high)
        simulated = wording.number(found.value, decimals)
        if found.low != found.high:
            interval = wording.interval(found.low, found.high, decimals, unknown=_NONE)
    closed = _NONE if line.closed_form is None else _plain(line.closed_form)
    what = figure.what + (f", {figure.unit}" if figure.unit else "")
    verdict = _NONE if figure.reason else line.verdict
    return what, figure.kind, measured(line), simulated, interval, closed, verdict


def measured(line: Validated) -> str:
    """The published figure; `≥ 0.9` where it is a bound, `-` where nothing is published."""
    figure = line.figure
    if figure.measured is None:
        return _NONE
    bound = "≥ " if figure.high is None and figure.low == figure.measured else ""
    return bound + _plain(figure.measured)


def _plain(value: float) -> str:
    """A number to at most five digits, as it would be written in a text."""
    return wording.number(value, wording.decimals_for_value(value, digits=5))
