"""Which numbers of a scenario are ranked, and over which ranges.

On the map: study, below rank.py. Ranges are declared, or the main numbers of the scenario are
halved and doubled. That no combination of values is one that a scenario refuses is found out before
anything runs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from failcast.results import RequestError
from failcast.scenario import Distribution, Scenario, ScenarioError
from failcast.scenario.recovering import PHASES
from failcast.scenario.rules import plain_text
from failcast.scenario.scenario import overlap
from failcast.scenario.units import format_duration, format_rate
from failcast.study.axes import Span, span

#: The main numbers of a scenario, halved and doubled where nobody says what to vary.
MAIN: Final = (
    "failures.random.rate",
    "failures.systematic.fraction",
    "failures.systematic.multiplier",
    "recovery.time.mean",
    "selection.time.mean",
    "preemption.wait.mean",
    "repair.automated.time.mean",
    "repair.automated.escalate",
    "repair.automated.silent_failure",
    "repair.manual.time.mean",
    "job.warm_standbys",
    "cluster.spare_pool",
)
#: Numbers of what is off by default: they are ranked as well where they are on.
OPTIONAL: Final = (
    "checkpoint.interval",
    "checkpoint.write.mean",
    *(f"recovery.{phase}.mean" for phase in PHASES),
    "failures.exposure.standby",
    "failures.exposure.idle",
    "failures.exposure.spare",
    "repair.automated.crews",
    "repair.manual.crews",
    "repair.manual.parts.stock",
    "repair.manual.parts.lead_time.mean",
    "repair.requalification.time.mean",
    "repair.relapse.probability",
)
_SHARES: Final = (
    *("failures.systematic.fraction", "escalate", "silent_failure"),
    "relapse.probability",
)


def declared(
    texts: Sequence[str], scenario: Scenario, *, together: bool = True
) -> tuple[Span, ...]:
    """The ranges of `path=low..high`, checked in all combinations that will run; see `refusal`.

    Raises RequestError or ScenarioError with the nearest right name.
    """
    spans = tuple(span(text, scenario) for text in texts)
    for number, each in enumerate(spans):
        twice = overlap(each.path, (other.path for other in spans[:number]))
        if twice is not None:
            raise RequestError(f"{each.path} and {twice} vary the same field: keep one of them.")
    refused = refusal(spans, scenario, together=together)
    if refused is not None:
        raise RequestError(refused)
    return spans


def main_numbers(
    scenario: Scenario, *, together: bool = True
) -> tuple[tuple[Span, ...], dict[str, str]]:
    """The main numbers of the scenario, each from half of what it is to its double.

    Those of checkpoints, phases, reserves and the repair shop are among them where they are on.

    Those that are zero, that have no mean to be changed, or whose double the scenario refuses in
    some combination are left out: they come second, each with the reason in a sentence. Raises
    RequestError where none is left.
    """
    spans: tuple[Span, ...] = ()
    left_out: dict[str, str] = {}
    for path in (*MAIN, *(each for each in OPTIONAL if _is_on(each, scenario))):
        found = _range_of(path, scenario)
        refused = found if isinstance(found, str) else None
        if isinstance(found, Span):
            counts = (each for each in spans if each.whole)
            refused = refusal((*counts, found), scenario, together=together)
        if isinstance(found, Span) and refused is None:
            spans += (found,)
        elif refused is not None:
            left_out[path] = refused
    if not spans:
        raise RequestError(
            "none of the main numbers of this scenario can be halved and doubled: declare ranges, "
            "such as --vary recovery.time.mean=10min..40min."
        )
    return spans, left_out


def _is_on(path: str, scenario: Scenario) -> bool:
    """Whether a field is in use: neither off, nor zero, nor a word such as `unlimited`."""
    value = _value_of(path, scenario)
    if path.startswith("checkpoint.write") and not scenario.checkpoint.are_written:
        return False
    if isinstance(value, Distribution):
        return value.mean_hours > 0.0
    return isinstance(value, int | float) and 0.0 < value < math.inf


def half_to_double(path: str, scenario: Scenario) -> Span | None:
    """The range of a main number from half of what it is to its double; None where it has none."""
    found = _range_of(path, scenario)
    return found if isinstance(found, Span) else None


def _value_of(path: str, scenario: Scenario) -> Any:
    """What stands in a field, the whole distribution for its mean; None within what is off."""
    value: Any = scenario
    for name in path.removesuffix(".mean").split("."):
        value = getattr(value, name, None)
    return value


def _range_of(path: str, scenario: Scenario) -> Span | str:
    """The range of a main number from half to double, or why it has none."""
    value = _value_of(path, scenario)
    number = value.mean_hours if isinstance(value, Distribution) else float(value)
    if number == 0.0:
        return "it is zero, so there is nothing to halve or to double."
    ends = [number / 2.0, number * 2.0]
    if path.endswith(_SHARES):
        ends[1] = min(1.0, ends[1])
    is_time = path.endswith((".mean", ".interval"))
    write: Callable[[float], str] = format_duration if is_time else plain_text
    if path.endswith(".rate"):
        write = format_rate
    if isinstance(value, int):
        ends = [float(round(end)) for end in ends]
        write = _whole
        if ends[0] == 0.0:
            return "half of it is less than one."
    try:
        return span(f"{path}={write(ends[0])}..{write(ends[1])}:log", scenario)
    except (RequestError, ScenarioError) as error:
        return str(error)


def _whole(number: float) -> str:
    return str(int(number))


def refusal(spans: Sequence[Span], scenario: Scenario, *, together: bool) -> str | None:
    """The sentence with which the scenario refuses a combination of ends; None if it takes all.

    Inputs move `together`, or one at a time. What a scenario refuses of several fields together is
    about counts (servers that do not fit a cluster, blames that do not fit memory), and the more of
    one the likelier. So the corners of the counts stand for all combinations; of any other number
    the ends are looked at alone.
    """
    whole = [each for each in spans if each.whole]
    groups = [[each] for each in spans if not (each.whole and together)]
    groups += [whole] if together else []
    for group in groups:
        for ends in itertools.product(*((each.low, each.high) for each in group)):
            try:
                varied(scenario, group, ends)
            except ScenarioError as error:
                settings = (each.setting(end) for each, end in zip(group, ends, strict=True))
                return f"the ranges hold {', '.join(settings)}, but {error}"
    return None


def number_of(each: Span, value: float) -> float | int:
    """The number as a scenario takes it: whole where it counts something."""
    return int(value) if each.whole else value


def varied(scenario: Scenario, spans: Sequence[Span], values: Sequence[float]) -> Scenario:
    """The scenario with a value for each range."""
    return scenario.with_(
        **{each.path: number_of(each, value) for each, value in zip(spans, values, strict=True)}
    )
