"""What may be asked for: the limits of counts, seeds and names, each told in a sentence.

On the map: results, below run.py. `simulate` and `trace` pass the same checks, so that the same
mistake reads the same everywhere. Any whole number that Python can use as an index will do,
numpy's too; True and False will not.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, TypeVar

from failcast.engine import ENGINES, METRICS, Policies, Status
from failcast.results.errors import RequestError, unknown_name
from failcast.results.precision import StoppingRule
from failcast.results.statistics import is_number
from failcast.scenario import Run, Scenario
from failcast.scenario.blocks import fields_of
from failcast.scenario.errors import Refused, shown
from failcast.scenario.rules import Count, Percentage, Real
from failcast.scenario.units import parse_duration, parse_percentage

Limits = TypeVar("Limits", Count, Percentage, Real)

THREADS_MAX = 256
"""Most threads of one sample. The scenario has no such field, so this is the limit's only home."""

REPLICATION_MAX = 2**32 - 1
"""Highest number of a replication: chance is addressed by 32 bits of it."""

#: Figures of a whole sample, which a goal may name: no run has one of its own.
WITHOUT_MEAN = ("mtbf_hours", "finished_by", *(status.label for status in Status))


def check_request(
    scenario: Scenario,
    *,
    replications: object = None,
    precision: object = None,
    precision_of: object = None,
    min_replications: object = None,
    max_replications: object = None,
    seed: object = None,
    threads: object = None,
    engine: object = "kernel",
) -> tuple[int, int]:
    """Raise RequestError, in a sentence, unless `simulate` can use these arguments.

    Returns the least and the most replications that the sample will have.
    """
    check_scenario(scenario)
    range_ = (min_replications, max_replications)
    size = size_of(scenario.run, replications, precision, precision_of, range_)
    seed_of(scenario.run.seed if seed is None else seed)
    threads_of(1 if threads is None else threads)
    check_engine(engine)
    return (size.least, size.most) if isinstance(size, StoppingRule) else (size, size)


def replications_of(value: object) -> int:
    """The number of replications, within the limits of `run.replications`."""
    limits = _limits_of("replications", Count)
    return whole("replications", value, limits.least, limits.most)


def size_of(
    run: Run,
    replications: object = None,
    precision: object = None,
    precision_of: object = None,
    range_: tuple[object, object] = (None, None),
) -> int | StoppingRule:
    """How large a sample is to be: a number of replications, or the rule that ends it.

    `range_` holds the least and the most replications of the rule. What is None is taken from
    `run`, but `replications` and `precision` replace each other.
    """
    if replications is not None and precision is not None:
        raise RequestError(
            "replications and precision exclude each other: a sample has either a number of runs "
            "or as many as it needs. Keep one of them."
        )
    wanted = run.precision if precision is None else precision_from(precision)
    if replications is not None or wanted is None:
        given = {
            "precision_of": precision_of,
            "min_replications": range_[0],
            "max_replications": range_[1],
        }
        for name, value in given.items():
            if value is not None:
                raise RequestError(f"{name} has no effect without precision: give that, too.")
        return replications_of(run.replications if replications is None else replications)
    least, most = _range_of(run, *range_)
    return StoppingRule(_metric_of(precision_of), wanted, least, most)


def precision_from(value: object) -> float:
    """A relative half-width above 0 and below 1, from a number or a text such as `1 %`."""
    try:
        share = _limits_of("precision", Percentage).read(value, units_required=False)
        if share is None:
            raise Refused("it must be above 0 and below 100 %, such as '1 %' or 0.01")
    except Refused as refused:
        raise RequestError(f"precision is {shown(value)}, but {refused.rule}.") from None
    return float(share)


def _range_of(run: Run, least: object, most: object) -> tuple[int, int]:
    """The least and the most runs of a sample with a wanted precision; the most wins."""
    limits = _limits_of("min_replications", Count)
    low, high = (
        default if value is None else whole(name, value, limits.least, limits.most)
        for name, value, default in (
            ("min_replications", least, run.min_replications),
            ("max_replications", most, run.max_replications),
        )
    )
    if least is not None and most is not None and low > high:
        raise RequestError(f"min_replications ({low:,}) is above max_replications ({high:,}).")
    return min(low, high), high


def _metric_of(value: object) -> str:
    """The metric whose mean is to be precise: the training time unless another is named."""
    if value is None:
        return "training_hours"
    if isinstance(value, str) and value.partition("(")[0] in WITHOUT_MEAN:
        raise RequestError(
            f"precision_of is {shown(value)}, but that is no mean over runs: name a metric that "
            "each run has, such as training_hours or ettr."
        )
    if not isinstance(value, str) or value not in METRICS:
        raise unknown_name("metric", value, METRICS)
    return value


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


def confidence_from(value: object) -> float:
    """The confidence of an interval, from a number or a text such as `95 %`."""
    if isinstance(value, str):
        share = parse_percentage(value)
        return confidence_of(value if share is None else share)
    return confidence_of(value)


def hours_from(name: str, text: str) -> float:
    """The hours of a duration such as `420 d`, given as `name`."""
    try:
        return parse_duration(text)
    except Refused as refused:
        end = "" if refused.rule.endswith("?") else "."
        raise RequestError(f"{name} is {shown(text)}, but {refused.rule}{end}") from None


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


def texts_of(name: str, values: object) -> tuple[str, ...]:
    """The texts of a list; one text alone would be taken for a list of letters.

    Raises RequestError.
    """
    if isinstance(values, str):
        raise RequestError(f"{name} is a list of texts: write [{values!r}].")
    if not isinstance(values, Iterable):
        raise RequestError(f"{name} is a list of texts; got {values!r:.80}.")
    found = tuple(values)
    for each in found:
        if not isinstance(each, str):
            raise RequestError(f"{name} is a list of texts, but {each!r:.80} is none.")
    return found


def check_engine(engine: object) -> None:
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
