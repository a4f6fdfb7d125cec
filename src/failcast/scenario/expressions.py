"""Expressions such as ``weibull(mean=100 d, shape=0.8)``: one grammar for all families.

A family is a small block whose fields are the arguments. Distributions, lives and retirement rules
are families in a literal registry; a new one is a class and one line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from failcast.scenario.blocks import Block, fields_of
from failcast.scenario.errors import Problem, Refused, ScenarioError, did_you_mean, nearest, shown
from failcast.scenario.rules import AT_THE_DOOR, Plain, Rule, one_of, plain_text
from failcast.scenario.scalars import plain_scalar

_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\s*=(.*)", re.DOTALL)
#: Longest text of an expression.
MOST_CHARACTERS = 200

F = TypeVar("F", bound="Family")


class Family(Block):
    """One member of a registry: a name and its arguments."""

    #: The name in expressions.
    family: ClassVar[str]
    #: The arguments that may be given without their names, in order.
    positional: ClassVar[tuple[str, ...]] = ()

    def expression(self) -> str:
        """Return the text that reads back to this object."""
        arguments = [
            f"{name}={plain_text(rule.plain(getattr(self, attribute)))}"
            for attribute, name, rule in fields_of(type(self))
            if isinstance(rule, Rule) and getattr(self, attribute) is not None
        ]
        return f"{self.family}({', '.join(arguments)})" if arguments else self.family

    def _instead(self, path: str) -> str:
        return f"make a new {type(self).__name__} and put it in its place"


@dataclass(frozen=True)
class Expression(Rule):
    """A field that holds a member of ``registry``, given as an object or as text.

    ``noun`` names the kind in messages, ``example``, with its quotes, is shown for anything else.
    ``bare`` is the family of a lone duration, where one may stand.
    """

    registry: Mapping[str, type[Family]]
    noun: str
    example: str
    bare: type[Family] | None = None

    def read(self, value: Any, *, units_required: bool) -> Family:
        if isinstance(value, Family) and value.family in self.registry:
            if type(value) is self.registry[value.family]:
                return value
        if isinstance(value, str):
            match = _CALL.fullmatch(value[:MOST_CHARACTERS])
            if match is not None and len(value) <= MOST_CHARACTERS:
                return self._call(match[1], match[2])
        if self.bare is not None and not isinstance(value, Family | Mapping | list | None):
            argument = {self.bare.positional[0]: value}
            return _build(self.bare, argument, AT_THE_DOOR if units_required else None)
        raise Refused(f"it must be a {self.noun} such as {self.example}")

    def plain(self, value: Any) -> Plain:
        return str(value.expression())

    def _call(self, name: str, arguments: str | None) -> Family:
        family = self.registry.get(name)
        if family is None:
            hint = did_you_mean(nearest(name, self.registry))
            raise Refused(f"'{name}' is no {self.noun} here: write {one_of(self.registry)}{hint}")
        return _build(family, _arguments(family, arguments or ""), AT_THE_DOOR)


def _arguments(family: type[Family], text: str) -> dict[str, Any]:
    """Split "a, name=b" into the family's named arguments."""
    found: dict[str, Any] = {}
    parts = text.split(",") if text.strip() else []
    unnamed = list(family.positional)
    for part in parts:
        match = _ARGUMENT.fullmatch(part.strip())
        if match is not None:
            name, value = match[1], match[2].strip()
            unnamed = []
        elif unnamed:
            name, value = unnamed.pop(0), part.strip()
        else:
            raise Refused(f"{shown(part.strip())} in it has no name: write name=value")
        if name in found:
            raise Refused(f"it gives '{name}' twice")
        found[name] = plain_scalar(value)
    return found


def _build(family: type[F], arguments: dict[str, Any], context: dict[str, bool] | None) -> F:
    """Build a family member; its problems become one rule about the whole expression."""
    try:
        return family.model_validate(arguments, context=context)
    except ScenarioError as error:
        raise Refused(_rule_of(family, error.problems[0])) from None


def _rule_of(family: type[Family], problem: Problem) -> str:
    names = [name for _, name, _ in fields_of(family)]
    if problem.rule:
        if family.positional[:1] == (problem.field,) and len(names) == 1:
            # A lone duration: the value is the whole text, so naming the argument would confuse.
            return problem.rule
        where = f"its {problem.field}, here {shown(problem.value)},"
        if problem.rule.startswith("it "):
            return f"{where} {problem.rule.removeprefix('it ')}"
        return f"{where} is wrong: {problem.rule}"
    if problem.field and problem.field not in names:
        allowed = (
            f"{family.family} takes {one_of(dict.fromkeys(names))}"
            if names
            else (f"{family.family} takes no arguments")
        )
        return f"'{problem.field}' is no argument of it: {allowed}"
    if problem.field:
        return f"its {problem.field} is missing"
    return problem.sentence.rstrip(".")
