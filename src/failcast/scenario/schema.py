"""The JSON Schema of a scenario file in blocks, for editors and other programs.

On the map: scenario. It is made from the models, their rules and `meanings.py`. It says what a
single field may hold; what several fields must be together, and the limits of durations, only
``load`` checks. AIReSim's flat files are not described.
"""

from __future__ import annotations

import re
from typing import Any, Final

from failcast.scenario.ages import Age
from failcast.scenario.blocks import Block, fields_of, joined, may_be_off
from failcast.scenario.distributions import Mixed
from failcast.scenario.expressions import Expression, Family
from failcast.scenario.meanings import FIELDS, introduction, unit_of
from failcast.scenario.measurements import Measured
from failcast.scenario.recovering import INTERVALS, Interval
from failcast.scenario.repair import INF, UNLIMITED, Concentration, Crews
from failcast.scenario.replay import OrOff, Replay
from failcast.scenario.rules import (
    OFF,
    Choice,
    Count,
    Duration,
    Flag,
    Percentage,
    Rate,
    Real,
    Rule,
    Text,
)
from failcast.scenario.scenario import Scenario
from failcast.scenario.uncertain import MOST_CHARACTERS, Uncertain
from failcast.scenario.units import UNITS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_ABOVE_ZERO = r"(?![0.]*(?:[eE]|\s*%))"
_PERCENTAGE = _ABOVE_ZERO + r"(?:0*[0-9]{1,2}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]-[0-9]{1,3})?\s*%"
_ZERO = r"[-+]?(?:0+(?:\.0*)?|\.0+)"

#: Paths, flat or nested, to the texts of beliefs, which are left to ``load``.
_TREE: Final = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS},
            {"type": ["object", "null"]},
        ]
    },
}


def json_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) as data for JSON."""
    return {
        "$schema": DIALECT,
        "title": "failcast scenario",
        **_block(Scenario, ""),
        "minProperties": 1,
    }


def _block(block: type[Block], prefix: str) -> dict[str, Any]:
    properties = {}
    for attribute, name, kind in fields_of(block):
        path, default = joined(prefix, name), block.model_fields[attribute].default
        if isinstance(kind, Rule):
            properties[name] = _described(path, kind, default)
        else:
            properties[name] = _inner(path, kind, default, may_be_off(block, attribute))
    return {
        "description": introduction(block),
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def _inner(path: str, block: type[Block], default: Any, is_switch: bool) -> dict[str, Any]:
    """A block, or what may stand in its place."""
    schema = _block(block, path)
    if is_switch:
        description = schema.pop("description") if default else FIELDS[path][1]
        return {"description": description, "anyOf": [{"enum": [OFF, None]}, schema]}
    for _, name, rule in fields_of(block):
        if name == block.short_form and isinstance(rule, Rule):
            description = schema.pop("description")
            return {"description": description, "anyOf": [_rule(rule), schema]}
    return schema


def _described(path: str, rule: Rule, default: Any) -> dict[str, Any]:
    given, meaning = FIELDS[path]
    unit = unit_of(rule, given)
    description = f"{meaning} Unit: {unit}." if unit else meaning
    schema = {"description": description, **_rule(rule)}
    return schema if default is None else {**schema, "default": rule.plain(default)}


def _rule(rule: Rule) -> dict[str, Any]:
    """What one field may hold. Raises TypeError for a rule that has no schema."""
    if isinstance(rule, Crews):
        number = {"type": "integer", "minimum": rule.least, "maximum": rule.most}
        return {"anyOf": [number, {"const": UNLIMITED}]}
    if isinstance(rule, Count):
        return {"type": "integer", "minimum": rule.least, "maximum": rule.most}
    if isinstance(rule, Concentration):
        number = {"type": "number", "minimum": rule.least, "maximum": rule.most}
        return {"anyOf": [number, {"const": INF}]}
    if isinstance(rule, Real):
        low = "exclusiveMinimum" if rule.least_excluded else "minimum"
        high = "exclusiveMaximum" if rule.most_excluded else "maximum"
        return {"type": "number", low: rule.least, high: rule.most}
    if isinstance(rule, Percentage):
        share = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
        return {"anyOf": [share, _text(_PERCENTAGE), {"enum": [OFF, None]}]}
    if isinstance(rule, Age):
        return {"anyOf": [{"enum": list(rule.registry)}, *_duration(rule)["anyOf"]]}
    if isinstance(rule, Duration):
        return _duration(rule)
    if isinstance(rule, Rate):
        per = rf"(?:{_unit()}|{_sum()})"
        pattern = rf"{_NUMBER}\s*(?:/|per\b)\s*{per}|{_ZERO}"
        return {"anyOf": [{"const": 0}, _text(pattern)]}
    if isinstance(rule, Flag):
        return {"type": "boolean"}
    if isinstance(rule, Choice):
        return {"enum": list(rule.registry)}
    if isinstance(rule, Text):
        line = {} if rule.lines else {"pattern": r"^[^\n\r\t]*$"}
        return {"type": "string", "maxLength": rule.most, **line}
    if isinstance(rule, Expression):
        return _expression(rule)
    if isinstance(rule, Uncertain):
        return {"anyOf": [{"enum": [OFF, None]}, _TREE]}
    raise TypeError(f"no schema for the rule {rule!r}")


def _duration(rule: Duration) -> dict[str, Any]:
    zero = "" if rule.positive else rf"|{_ZERO}"
    parts: list[dict[str, Any]] = [_text(f"{_sum()}{zero}")]
    if not rule.positive:
        parts.insert(0, {"const": 0})
    if isinstance(rule, Interval):
        parts.append({"enum": list(INTERVALS)})
    if rule.may_be_off:
        parts.append({"enum": [OFF, None]})
    if rule.optional:
        parts.append({"type": "null"})
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _expression(rule: Expression) -> dict[str, Any]:
    calls = _text("|".join(map(_call, rule.registry.values())))
    if isinstance(rule, OrOff):
        return {"anyOf": [{"enum": [OFF, None]}, calls]}
    if rule.bare is None:
        return calls
    return {"anyOf": [calls, *_duration(Duration())["anyOf"]]}


def _call(family: type[Family]) -> str:
    """The pattern of a family's name with its arguments, which may all be optional.

    Values, names of files and distributions inside it are left to ``load``.
    """
    if issubclass(family, Measured | Replay):
        return rf"{family.family}\s*\(\s*[^\s,][\s\S]*\)"
    if issubclass(family, Mixed):
        return rf"{family.family}\s*\(\s*{_NUMBER}\s*:[\s\S]*[^\s,:][\s\S]*\)"
    arguments = list(fields_of(family))
    if not arguments:
        return rf"{family.family}(?:\s*\(\s*\))?"
    needed = any(family.model_fields[attribute].is_required() for attribute, _, _ in arguments)
    inside = r"\s*\([^()]*[^()\s][^()]*\)"
    return family.family + (inside if needed else r"(?:\s*\([^()]*\))?")


def _text(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": rf"^\s*(?:{pattern})\s*$"}


def _sum() -> str:
    """One part or more, each a number and a unit: "1 d 12 h"."""
    return rf"{_NUMBER}\s*{_unit()}(?:\s*{_NUMBER}\s*{_unit()})*"


def _unit() -> str:
    """A unit of time in capitals or not; patterns of a schema have no flag for that."""
    longest_first = sorted(UNITS, key=len, reverse=True)
    return "(?:" + "|".join(map(_any_case, longest_first)) + ")"


def _any_case(word: str) -> str:
    return "".join(f"[{c.upper()}{c}]" if c.isalpha() else re.escape(c) for c in word)
