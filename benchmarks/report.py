"""What a benchmark prints: figures, ratios beside their limits and those of the last release.

Milliseconds of two machines say nothing about each other. So releases are compared by ratios, and a
ratio that is worse by more than a fifth is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TOLERANCE = 0.2
BUSY = 0.5


def lines(found: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """All that is printed, line by line."""
    return [*figure_lines(found), "", *ratio_lines(found, before), *verdicts(found, before)]


def figure_lines(found: dict[str, Any]) -> list[str]:
    """The figures of this machine: median, least, greatest, limit."""
    rows = [("figure", "median", "least", "greatest", "unit", "limit")]
    for name, figure in found["figures"].items():
        rows.append((name, *_three(figure), figure["unit"], _limit(figure, "lower")))
    return _aligned(rows)


def ratio_lines(found: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """The ratios, and where there is a release before, what they were and how they changed."""
    head = ("ratio", "median", "least", "greatest", "better", "limit")
    rows = [head if before is None else (*head, f"in {before['version']}", "change")]
    for name, figure in found["ratios"].items():
        row = (name, *_three(figure), figure["better"], _limit(figure, figure["better"]))
        rows.append(row if before is None else (*row, *_past(name, figure, before)))
    return _aligned(rows)


def _past(name: str, figure: dict[str, Any], before: dict[str, Any]) -> tuple[str, str]:
    then = before["ratios"].get(name)
    if then is None:
        return "-", "-"
    return _number(then["value"]), f"{100.0 * (figure['value'] / then['value'] - 1.0):+.0f} %"


def verdicts(found: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """A sentence for each limit that is passed and each ratio that has become worse."""
    said = [
        f"{name} is {_number(figure['value'])}; its limit is {_number(figure['limit'])}."
        for name, figure in (found["figures"] | found["ratios"]).items()
        if figure["limit"] is not None and _passes(figure)
    ]
    if before is not None:
        said += [
            f"{name} is {100.0 * loss:.0f} % worse than in {before['version']}."
            for name, loss in losses(found, before).items()
            if loss > TOLERANCE
        ]
        if found["machine"]["cpu"] != before["machine"]["cpu"]:
            cpu = before["machine"]["cpu"]
            said.append(f"{before['version']} was measured on another processor ({cpu}).")
    if (load := found["machine"]["load"][0]) > BUSY:
        said.append(f"Other work was on the machine (load {load:g}): wall times are too long.")
    return ["", *said] if said else []


def losses(found: dict[str, Any], before: dict[str, Any]) -> dict[str, float]:
    """How much worse each ratio is than before: 0.25 is a quarter worse, below 0 is better."""
    changes = {}
    for name, figure in found["ratios"].items():
        if name in before["ratios"]:
            growth = figure["value"] / before["ratios"][name]["value"]
            changes[name] = (growth if figure["better"] == "lower" else 1.0 / growth) - 1.0
    return changes


def _passes(figure: dict[str, Any]) -> bool:
    if figure["better"] == "higher":
        return bool(figure["value"] < figure["limit"])
    return bool(figure["value"] > figure["limit"])


def _limit(figure: dict[str, Any], better: str) -> str:
    if figure["limit"] is None:
        return "-"
    return f"{'≥' if better == 'higher' else '≤'} {_number(figure['limit'])}"


def _three(figure: dict[str, Any]) -> tuple[str, str, str]:
    return _number(figure["value"]), _number(figure["low"]), _number(figure["high"])


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
