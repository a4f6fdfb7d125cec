"""AIReSim's own flat parameter file -> our blocks, with the same meaning.

The flat file counts minutes and failures per minute. It is rewritten with units into block form and
then passes the same rules as every scenario; messages name the flat fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from failcast.scenario.distributions import Shape, Sigma
from failcast.scenario.errors import (
    MOST_PROBLEMS,
    Problem,
    Refused,
    ScenarioError,
    and_more,
    did_you_mean,
    nearest,
    refuse,
    shown,
)
from failcast.scenario.lives import LIVES
from failcast.scenario.rules import AT_THE_DOOR, Choice, Count, Flag, Real, Rule
from failcast.scenario.scalars import vanishes
from failcast.scenario.scenario import MOST_SERVERS, Confidence, Scenario


@dataclass(frozen=True)
class Minutes(Rule):
    """A plain number of minutes, kept as text with its unit."""

    def read(self, value: Any, *, units_required: bool) -> str:
        _refuse_text(value, "minutes")
        number = Real(0.0, 1e12).read(value, units_required=False)
        return f"{number!r} min"


@dataclass(frozen=True)
class PerMinute(Rule):
    """A plain number of failures per minute, kept as text with its unit."""

    def read(self, value: Any, *, units_required: bool) -> str:
        _refuse_text(value, "failures per minute")
        number = Real(0.0, 1e6).read(value, units_required=False)
        return f"{number!r} / min"


@dataclass(frozen=True)
class Unused(Rule):
    """A number that has no effect here: refused only if AIReSim refuses it too, or if it is NaN."""

    positive: bool = True

    def read(self, value: Any, *, units_required: bool) -> Any:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and (value > 0 or (value <= 0 and not self.positive)):
            return value
        raise Refused("it must be a number above 0" if self.positive else "it must be a number")


def _refuse_text(value: Any, counted: str) -> None:
    if isinstance(value, str):
        if vanishes(value):
            raise Refused("it is too close to 0: write 0 if that is what you mean")
        raise Refused(f"it must be a plain number: AIReSim's files count {counted}")


def _rule(annotated: Any) -> Rule:
    """Return the rule of an annotated type, so that both kinds of file share its limits."""
    return next(item for item in annotated.__metadata__ if isinstance(item, Rule))


_SERVERS = Count(0, MOST_SERVERS)
_PROBABILITY = Real(0.0, 1.0)
_FAMILIES: Final = {name: name for name in ("exponential", "weibull", "lognormal")}
#: AIReSim turns this share of the fraction of good servers at each regeneration (its own constant).
_REGENERATION_SHARE: Final = 0.1


@dataclass(frozen=True)
class _Field:
    """One flat field: its rule, AIReSim's default, and the field of ours that it becomes.

    Fields without a path are read by themselves: the shape of lives, regeneration, run control.
    ``template`` wraps the value into an expression. ``only_with`` names another field and the value
    of it without which this one has no effect, and ``unused`` is its rule then.
    """

    rule: Rule
    default: Any
    path: str = ""
    template: str = ""
    only_with: tuple[str, Any] | None = None
    unused: Rule = Unused()

    def rule_in(self, data: Mapping[str, Any]) -> Rule:
        """Return the rule of this field in a file that holds ``data``."""
        if self.only_with is not None:
            other, wanted = self.only_with
            if data.get(other, FLAT_FIELDS[other].default) != wanted:
                return self.unused
        return self.rule


#: AIReSim's repairs are exponential.
_EXPONENTIAL: Final = "exponential(mean={})"


#: AIReSim's parameters. Defaults are those of its ``Params`` (arXiv 2603.07041, Table 1).
FLAT_FIELDS: Final[dict[str, _Field]] = {
    "job_size": _Field(Count(1, MOST_SERVERS), 4096, "job.servers"),
    "warm_standbys": _Field(_SERVERS, 16, "job.warm_standbys"),
    "working_pool_size": _Field(_SERVERS, 4160, "cluster.working_pool"),
    "spare_pool_size": _Field(_SERVERS, 200, "cluster.spare_pool"),
    "job_length": _Field(Minutes(), 368640, "job.length"),
    "random_failure_rate": _Field(PerMinute(), 0.01 / 1440, "failures.random.rate"),
    "systematic_failure_rate_multiplier": _Field(
        Real(0.0, 1e6), 5.0, "failures.systematic.multiplier"
    ),
    "systematic_failure_fraction": _Field(_PROBABILITY, 0.15, "failures.systematic.fraction"),
    "failure_distribution": _Field(Choice(_FAMILIES), "exponential"),
    "weibull_shape": _Field(_rule(Shape), 1.0, only_with=("failure_distribution", "weibull")),
    "lognormal_sigma": _Field(_rule(Sigma), 1.0, only_with=("failure_distribution", "lognormal")),
    "diagnosis_probability": _Field(_PROBABILITY, 1.0, "diagnosis.probability"),
    "diagnosis_uncertainty": _Field(_PROBABILITY, 0.0, "diagnosis.wrong_server"),
    "recovery_time": _Field(Minutes(), 20, "recovery.time"),
    "host_selection_time": _Field(Minutes(), 3, "selection.time"),
    "preemption_wait_time": _Field(Minutes(), 20, "preemption.wait"),
    "auto_repair_time": _Field(Minutes(), 120, "repair.automated.time", _EXPONENTIAL),
    "manual_repair_time": _Field(Minutes(), 2880, "repair.manual.time", _EXPONENTIAL),
    "prob_auto_to_manual": _Field(_PROBABILITY, 0.8, "repair.automated.escalate"),
    "auto_repair_fail_prob": _Field(_PROBABILITY, 0.4, "repair.automated.silent_failure"),
    "manual_repair_fail_prob": _Field(_PROBABILITY, 0.2, "repair.manual.silent_failure"),
    "bad_server_regeneration": _Field(Flag(), False),
    "bad_server_regen_interval": _Field(
        Minutes(),
        43200,
        only_with=("bad_server_regeneration", True),
        unused=Unused(positive=False),
    ),
    "seed": _Field(Count(0, 2**63 - 1), 42, "run.seed"),
    "num_replications": _Field(Count(1, 10_000_000), 30, "run.replications"),
    "confidence_level": _Field(_rule(Confidence), 0.95, "run.confidence"),
    "adaptive_replications": _Field(Flag(), False),
    "relative_accuracy": _Field(Unused(), 0.05),
    "max_replications": _Field(Unused(), 500),
    "enable_topology": _Field(Flag(), False),
    "rack_size": _Field(Unused(), 8),
}


def is_flat(data: Mapping[str, Any]) -> bool:
    """Tell whether the top-level keys are AIReSim's. Raises ScenarioError for a mixture."""
    flat = [name for name in data if name in FLAT_FIELDS]
    blocks = [name for name in data if name in Scenario.model_fields]
    if flat and blocks:
        raise refuse(
            f"{flat[0]} belongs to AIReSim's flat parameter file and {blocks[0]} to a scenario "
            "in blocks: use one form in a file.",
            field=flat[0],
            value=data[flat[0]],
        )
    return bool(flat)


def from_flat(data: Mapping[str, Any]) -> tuple[Scenario, tuple[str, ...]]:
    """Return the scenario that AIReSim's parameters mean, and notes on what differs.

    Missing fields take AIReSim's defaults. Raises ScenarioError that names the flat fields.
    """
    values = _read(data)
    blocks: dict[str, Any] = {}
    for name, known in FLAT_FIELDS.items():
        if known.path:
            value = values[name]
            _put(blocks, known.path, known.template.format(value) if known.template else value)
    _put(blocks, "failures.life", _life(values))
    if values["bad_server_regeneration"]:
        interval = values["bad_server_regen_interval"]
        regeneration = {"interval": interval, "share": _REGENERATION_SHARE}
        _put(blocks, "failures.regeneration", regeneration)
    _put(blocks, "selection.policy", "pool_order")
    try:
        scenario = Scenario.model_validate(blocks, context=AT_THE_DOOR)
    except ScenarioError as error:
        raise ScenarioError(_in_flat_words(item, data) for item in error.problems) from None
    return scenario, _notes(values)


def _read(data: Mapping[str, Any]) -> dict[str, Any]:
    """Check every flat field by itself and fill in the defaults."""
    unknown = [name for name in data if name not in FLAT_FIELDS]
    problems = [_unknown(name, data[name]) for name in unknown[:MOST_PROBLEMS]]
    problems += and_more(len(unknown) - MOST_PROBLEMS)
    values = {}
    for name, known in FLAT_FIELDS.items():
        value = data.get(name, known.default)
        try:
            values[name] = known.rule_in(data).read(value, units_required=False)
        except Refused as refused:
            problems.append(Problem(name, value, refused.rule))
    if values.get("enable_topology"):
        sentence = "enable_topology is true, but racks are not modelled yet: set it to false."
        problems.append(Problem("enable_topology", True, "", sentence))
    if problems:
        raise ScenarioError(problems)
    return values


def _unknown(name: str, value: Any) -> Problem:
    hint = did_you_mean(nearest(name, FLAT_FIELDS)) or "."
    sentence = f"{shown(name, quote=False)} is not a parameter of AIReSim{hint}"
    return Problem(name, value, "", sentence)


def _put(blocks: dict[str, Any], path: str, value: Any) -> None:
    *around, last = path.split(".")
    for name in around:
        blocks = blocks.setdefault(name, {})
    blocks[last] = value


def _life(values: Mapping[str, Any]) -> str:
    name = values["failure_distribution"]
    argument = {"weibull": "weibull_shape", "lognormal": "lognormal_sigma"}.get(name)
    if argument is None:
        return str(LIVES[name]().expression())
    return f"{name}({values[argument]!r})"


#: Where each field of our blocks comes from in a flat file.
_ORIGINS: Final = {
    **{known.path: name for name, known in FLAT_FIELDS.items() if known.path},
    "failures.life": "failure_distribution",
    "failures.regeneration.interval": "bad_server_regen_interval",
}


def _in_flat_words(problem: Problem, data: Mapping[str, Any]) -> Problem:
    """Return the problem of a block's field as one of the flat field it came from."""
    name = _ORIGINS.get(problem.field, problem.field)
    sentence = problem.sentence
    for path, flat in _ORIGINS.items():
        sentence = sentence.replace(path, flat)
    others = tuple(_ORIGINS.get(path, path) for path in problem.others)
    value = data.get(name, problem.value)
    return replace(problem, field=name, value=value, sentence=sentence, others=others)


def _notes(values: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [
        "Read as AIReSim's parameter file: minutes, failures per minute, host selection in pool "
        "order."
    ]
    if values["adaptive_replications"]:
        notes.append(
            "adaptive_replications is read, but this version runs num_replications "
            f"({values['num_replications']}) replications; relative_accuracy and "
            "max_replications have no effect."
        )
    return tuple(notes)
