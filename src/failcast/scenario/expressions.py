"""Expressions such as ``weibull(mean=100 d, shape=0.8)``: one grammar for all families.

A family is a small block whose fields are the arguments. Distributions, lives and retirement rules
are families in a literal registry; a new one is a class and one line. Arguments may be expressions
themselves, and a text in quotes may hold any sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, TypeVar

from failcast.scenario.blocks import Block, fields_of
from failcast.scenario.errors import Problem, Refused, ScenarioError, did_you_mean, nearest, shown
from failcast.scenario.rules import AT_THE_DOOR, Context, Plain, Rule, one_of, plain_text
from failcast.scenario.scalars import plain_scalar

_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_BEGUN = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*\(")
_ARGUMENT = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\s*=(.*)", re.DOTALL)
_MARK = re.compile(r"[(),'\"]")
#: Longest text of an expression: that of a scenario file.
MOST_CHARACTERS: Final = 1_000_000
#: Deepest nesting of parentheses inside those of an expression.
MOST_LEVELS: Final = 10
#: Arguments that exclude each other: each fixes how large the values are.
SAME_IN_OTHER_WORDS: Final = ("mean", "scale", "median")

F = TypeVar("F", bound="Family")


class Family(Block):
    """One member of a registry: a name and its arguments."""

    #: The name in expressions.
    family: ClassVar[str]
    #: The arguments that may be given without their names, in order.
    positional: ClassVar[tuple[str, ...]] = ()
    #: How it is written, where that is more than the names of its arguments.
    usage: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def from_text(cls, text: str, context: Context) -> Self:
        """Build the member from what stands between its parentheses. Raises Refused."""
        return build(cls, _arguments(cls, text), context)

    def expression(self) -> str:
        """Return the text that reads back to this object."""
        arguments = [
            f"{name}={plain_text(rule.plain(getattr(self, attribute)))}"
            for attribute, name, rule in fields_of(type(self))
            if isinstance(rule, Rule) and getattr(self, attribute) is not None
        ]
        return f"{self.family}({', '.join(arguments)})" if arguments else self.family

    def with_argument(self, name: str, value: Any, context: Context) -> Self:
        """Return the member with another argument, the others as they are. Raises Refused.

        The argument takes the place of those that say the same, such as ``scale`` for ``mean``.
        """
        arguments: dict[str, Any] = {
            known: rule.plain(getattr(self, attribute))
            for attribute, known, rule in fields_of(type(self))
            if isinstance(rule, Rule) and getattr(self, attribute) is not None
        }
        if name in SAME_IN_OTHER_WORDS:
            for other in SAME_IN_OTHER_WORDS:
                arguments.pop(other, None)
        return build(type(self), {**arguments, name: value}, context)

    def _instead(self, path: str) -> str:
        return f"make a new {type(self).__name__} and put it in its place"


@dataclass(frozen=True)
class Adjusted:
    """A member with another value of one argument, not yet read: ``repair.manual.time.mean=1 d``.

    ``current`` is the member, or what one is read from.
    """

    current: Any
    argument: str
    value: Any

    def __str__(self) -> str:
        current = self.current.expression() if isinstance(self.current, Family) else self.current
        return f"{current} with {self.argument}={self.value}"


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
        return self.read_at(value, AT_THE_DOOR if units_required else {})

    def read_at(self, value: Any, context: Context) -> Family:
        if isinstance(value, Adjusted):
            current = self.read_at(value.current, context)
            return current.with_argument(value.argument, value.value, context)
        if isinstance(value, Family) and value.family in self.registry:
            if type(value) is self.registry[value.family]:
                return value
        if isinstance(value, str) and len(value) <= MOST_CHARACTERS:
            match = _CALL.fullmatch(value)
            if match is not None:
                return self._call(match[1], match[2], context)
            begun = _BEGUN.match(value)
            if begun is not None and begun[1] in self.registry:
                raise Refused("its parentheses do not match")
        if self.bare is not None and not isinstance(value, Family | Mapping | list | None):
            return build(self.bare, {self.bare.positional[0]: value}, context)
        raise Refused(f"it must be a {self.noun} such as {self.example}")

    def plain(self, value: Any) -> Plain:
        return str(value.expression())

    def _call(self, name: str, arguments: str | None, context: Context) -> Family:
        family = self.registry.get(name)
        if family is None:
            hint = did_you_mean(nearest(name, self.registry))
            raise Refused(f"'{name}' is no {self.noun} here: write {one_of(self.registry)}{hint}")
        return family.from_text(arguments or "", {**context, **AT_THE_DOOR})


def split(text: str) -> list[str]:
    """Return the parts of a text between its commas, but for those in parentheses and quotes.

    Quotes count where an argument begins. Raises Refused where parentheses or quotes stay open.
    """
    parts, start, depth, quote = [], 0, 0, ""
    for match in _MARK.finditer(text):
        mark = match[0]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "'\"":
            quote = mark if _begins(text, match.start()) else ""
        elif mark == ",":
            if depth == 0:
                parts.append(text[start : match.start()])
                start = match.end()
        else:
            depth += 1 if mark == "(" else -1
            if depth > MOST_LEVELS:
                raise Refused("it is nested too deeply")
            if depth < 0:
                break
    if depth != 0 or quote:
        raise Refused(f"its {'quotes' if quote else 'parentheses'} do not match")
    return [*parts, text[start:]]


def _begins(text: str, position: int) -> bool:
    """Tell whether an argument begins here: nothing but space since a sign that opens one."""
    position -= 1
    while position >= 0 and text[position].isspace():
        position -= 1
    return position < 0 or text[position] in "(,=:"


def named(part: str) -> tuple[str, str] | None:
    """Return name and value of a part such as "mean=2 h", or None if it has no name."""
    match = _ARGUMENT.fullmatch(part.strip())
    return None if match is None else (match[1], match[2].strip())


def _arguments(family: type[Family], text: str) -> dict[str, Any]:
    """Split "a, name=b" into the family's named arguments."""
    found: dict[str, Any] = {}
    parts = split(text) if text.strip() else []
    unnamed = list(family.positional)
    for part in parts:
        pair = named(part)
        if pair is not None:
            name, value = pair
            unnamed = []
        elif unnamed:
            name, value = unnamed.pop(0), part.strip()
        else:
            raise Refused(f"{shown(part.strip())} in it has no name: write name=value")
        if name in found:
            raise Refused(f"it gives '{name}' twice")
        found[name] = plain_scalar(value)
    return found


def build(family: type[F], arguments: dict[str, Any], context: Context) -> F:
    """Build a family member; its problems become one rule about the whole expression."""
    try:
        return family.model_validate(arguments, context=dict(context))
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
