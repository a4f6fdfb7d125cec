"""What may be asked for: the limits of counts, seeds and names, each told in a sentence.

On the map: results, below run.py. `simulate` and `trace` pass the same checks, so that the same
mistake reads the same everywhere. Any whole number that Python can use as an index will do,
numpy's too; True and False will not.
"""

from __future__ import annotations

import operator
from typing import Any, TypeVar

from failcast.engine import ENGINES, Policies
from failcast.results.errors import RequestError, unknown_name
from failcast.results.statistics import is_number
from failcast.scenario import Run, Scenario
from failcast.scenario.blocks import fields_of
from failcast.scenario.errors import shown
from failcast.scenario.rules import Count, Real

Limits = TypeVar("Limits", Count, Real)

THREADS_MAX = 256
"""Most threads of one sample. The scenario has no such field, so this is the limit's only home."""

REPLICATION_MAX = 2**32 - 1
"""Highest number of a replication: chance is addressed by 32 bits of it."""


def check_request(*, replications: int, seed: int, threads: int, engine: str) -> None:
    """Raise RequestError, in a sentence, unless all four can be used."""
    replications_of(replications)
    seed_of(seed)
    threads_of(threads)
    check_engine(engine)


def replications_of(value: object) -> int:
    """The number of replications, within the limits of `run.replications`."""
    limits = _limits_of("replications", Count)
    return whole("replications", value, limits.least, limits.most)


def seed_of(value: object) -> int:
    """The seed, within the limits of `run.seed`."""
    limits = _limits_of("seed", Count)
    return whole("seed", value, limits.least, limits.most)


def threads_of(value: object) -> int:
    """The number of threads, from 1 to THREADS_MAX."""
    return whole("threads", value, 1, THREADS_MAX)


def replication_of(value: object) -> int:
    """The number of one replication, counted from 0."""
    return whole("replication", value, 0, REPLICATION_MAX)


def confidence_of(value: Any) -> float:
    """The confidence of an interval, within the limits of `run.confidence`."""
    limits = _limits_of("confidence", Real)
    if not is_number(value) or not limits.least <= value <= limits.most:
        least, most = limits.least, limits.most
        text = "None" if value is None else shown(value)
        raise RequestError(f"confidence must be a number from {least} to {most}; got {text}.")
    return float(value)


def whole(name: str, value: Any, least: int, most: int) -> int:
    """`value` as an int if it is a whole number from `least` to `most`; RequestError if not."""
    if not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            number = least - 1
        if least <= number <= most:
            return number
    text = "None" if value is None else shown(value)
    raise RequestError(f"{name} must be a whole number from {least:,} to {most:,}; got {text}.")


def check_engine(engine: str) -> None:
    """Raise RequestError, with the nearest right name, unless there is such an engine."""
    if engine not in ENGINES:
        raise unknown_name("engine", engine, ENGINES)


def check_scenario(scenario: object) -> None:
    """Raise RequestError unless `scenario` is one: names and files have to be loaded first."""
    if not isinstance(scenario, Scenario):
        raise RequestError(
            f"scenario must be a Scenario, such as load('small') returns; got {scenario!r:.80}."
        )


def check_policies(policies: object) -> None:
    """Raise RequestError unless `policies` is None or a subclass of Policies (not an object)."""
    if policies is None or (isinstance(policies, type) and issubclass(policies, Policies)):
        return
    raise RequestError(f"policies must be a subclass of Policies; got {policies!r:.80}.")


def check_callable(name: str, value: object) -> None:
    """Raise RequestError unless `value` is None or can be called."""
    if value is not None and not callable(value):
        raise RequestError(f"{name} must be a function of one number; got {value!r:.80}.")


def _limits_of(field: str, kind: type[Limits]) -> Limits:
    """The rule of a field of the block `run`: its limits hold for an argument of that name too."""
    for name, _, rule in fields_of(Run):
        if name == field and isinstance(rule, kind):
            return rule
    raise KeyError(f"run.{field} has no limits")
