"""YAML, TOML and JSON text -> plain data and the line of every key.

YAML is read by the rules of YAML 1.2 (see ``scalars.py``) and as far as scenarios need it: aliases,
tags, a second document and a key given twice are refused. Whatever is wrong is a ScenarioError,
with its line where one is known.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from failcast.scenario.blocks import joined
from failcast.scenario.errors import ScenarioError, refuse, shown
from failcast.scenario.scalars import plain_scalar, real_number

#: Deepest nesting of blocks and lists; a scenario needs four.
MOST_LEVELS = 20

#: Stand for the tags of nodes without one of their own. Being no text, no file can spell them.
_PLAIN: Any = object()
_QUOTED: Any = object()
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_TOML_TWICE = re.compile(r"Cannot overwrite|Cannot (?:declare|mutate|redefine)|Duplicate")
#: An empty key in a table's head, or before a dot or an equals sign.
_TOML_EMPTY_KEY = re.compile(
    r"""^[ \t]*\[[^]=\n]*(?:""|'')[ \t]*[].]|(?:^|[\s.{,])(?:""|'')[ \t]*[.=]""", re.MULTILINE
)
#: The beginning of an expression at the beginning of a value.
_EXPRESSION = re.compile(r"[:,{\[-]\s+([A-Za-z_]\w*)\s*\(")
_KEEP_ONE = ": keep one of them."
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class Parsed:
    """The data of a file, and the line (from 1) of each dotted path where it is known."""

    data: Any
    lines: dict[str, int] = field(default_factory=dict)


def parse_yaml(text: str) -> Parsed:
    """Return the data of a YAML text with all lines. Raises ScenarioError."""
    try:
        node = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        hint = "" if mark is None else _quotes_hint(text[: mark.index])
        raise refuse(f"this is not valid YAML: {_reason(error)}{hint}.", line=line) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        sentence = "this is not valid YAML: it holds a character that YAML does not allow."
        raise refuse(sentence, line=line) from None
    except (ValueError, OverflowError) as error:
        if isinstance(error, ScenarioError):
            raise
        # An escape such as "\UFFFFFFFF" in quotes names no character.
        raise refuse("this is not valid YAML: it holds an escape of no character.") from None
    parsed = Parsed(None)
    parsed.data = None if node is None else _value(node, "", parsed.lines)
    return parsed


def parse_json(text: str) -> Parsed:
    """Return the data of a JSON text; lines where the YAML reader can tell them."""
    try:
        raw = json.loads(
            text, object_pairs_hook=_Pairs, parse_constant=_no_constant, parse_float=real_number
        )
        # A tab can only stand between the words of JSON; YAML takes spaces there.
        lines, placed = _lines_of(text.replace("\t", " "))
        return Parsed(_data(raw, "", placed), lines)
    except json.JSONDecodeError as error:
        raise refuse(f"this is not valid JSON: {error.msg}.", line=error.lineno) from None
    except RecursionError:
        raise refuse("this is nested too deeply for a scenario.") from None
    except ScenarioError:
        raise
    except ValueError:
        raise refuse("this holds a number of too many digits.") from None


def parse_toml(text: str) -> Parsed:
    """Return the data of a TOML text; its errors carry lines, its keys do not."""
    empty = _TOML_EMPTY_KEY.search(text)
    placed = None
    if empty is not None:
        placed = _bad_name("", "", text.count("\n", 0, empty.end()) + 1)
    try:
        return Parsed(_data(tomllib.loads(text, parse_float=real_number), "", placed))
    except tomllib.TOMLDecodeError as error:
        raise _toml_refusal(text, str(error)) from None
    except ScenarioError:
        raise
    except RecursionError:
        raise refuse("this is nested too deeply for a scenario.") from None
    except ValueError:
        raise refuse("this holds a number of too many digits or no such date.") from None


#: The reader of each file name's ending.
PARSERS: dict[str, Callable[[str], Parsed]] = {
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
    ".toml": parse_toml,
    ".json": parse_json,
}


class _Loader(yaml.SafeLoader):
    """Composes nodes only: it marks unquoted words, and stops at aliases and deep nesting."""

    levels = 0

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        return _QUOTED if kind is yaml.ScalarNode and not implicit[0] else _PLAIN

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            name = shown(event.anchor, quote=False)
            raise refuse(f"aliases (*{name}) are not read here: write the value out.", line=line)
        self.levels += 1
        if self.levels > MOST_LEVELS:
            raise refuse("this is nested too deeply for a scenario.", line=line)
        node = super().compose_node(parent, index)
        if node is not None and event.tag is not None:
            # The bare tag "!" would be resolved like a missing one; so it is kept here.
            node.tag = event.tag
        self.levels -= 1
        return node


def _reason(error: yaml.MarkedYAMLError) -> str:
    parts = [part for part in (error.context, error.problem) if part]
    return shown(", ".join(parts), quote=False, most=200)


def _quotes_hint(before: str) -> str:
    """Return what ends the sentence if an expression is still open where YAML stumbled."""
    found = list(_EXPRESSION.finditer(before))
    if not found:
        return ""
    begun = found[-1]
    if before.count("(", begun.start()) <= before.count(")", begun.start()):
        return ""
    return f"; put the whole expression {shown(begun[1], quote=False)}(…) in quotes"


def _value(node: yaml.Node, path: str, lines: dict[str, int]) -> Any:
    """Return the data below a node and note the line of each key."""
    _refuse_tag(node, path)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, path, {}) for item in node.value]
    return plain_scalar(node.value) if node.tag == _PLAIN else node.value


def _refuse_tag(node: yaml.Node, path: str) -> None:
    if isinstance(node.tag, str):
        line = node.start_mark.line + 1
        sentence = f"the tag {shown(node.tag)} is not read here: write the value alone."
        raise refuse(sentence, field=path, line=line)


def _mapping(node: yaml.MappingNode, path: str, lines: dict[str, int]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise refuse("a key must be the name of a field.", field=path, line=line)
        _refuse_tag(key, path)
        if _is_bad_name(key.value):
            raise _bad_name(path, key.value, line)
        inner = joined(path, key.value)
        if key.value in data:
            where = f" (first in line {lines[inner]})" if inner in lines else ""
            raise _twice(inner, where, line)
        lines[inner] = line
        data[key.value] = _value(value, inner, lines)
    return data


def _twice(path: str, where: str = "", line: int | None = None) -> ScenarioError:
    sentence = f"{shown(path, quote=False)} is given twice{where}{_KEEP_ONE}"
    return refuse(sentence, field=path, line=line)


def _is_bad_name(name: str) -> bool:
    return not name.strip() or _SURROGATE.search(name) is not None


def _bad_name(path: str, name: str, line: int | None = None) -> ScenarioError:
    return refuse(f"{shown(name)} cannot be the name of a field.", field=path, line=line)


class _Pairs(list[tuple[str, Any]]):
    """The names and values of a JSON object, before names that occur twice are lost."""


def _lines_of(text: str) -> tuple[dict[str, int], ScenarioError | None]:
    """Return the lines of a JSON text's keys as the YAML reader sees them, or what it refuses."""
    try:
        return parse_yaml(text).lines, None
    except ScenarioError as error:
        return {}, error


def _data(raw: Any, path: str, placed: ScenarioError | None) -> Any:
    """Return data with each name once and none that is no name; else raise ScenarioError.

    ``placed`` is what another reader says of the text. Where it says the same, it knows the line.
    """
    if isinstance(raw, list) and not isinstance(raw, _Pairs):
        return [_data(item, path, placed) for item in raw]
    if not isinstance(raw, dict | _Pairs):
        return raw
    data: dict[str, Any] = {}
    for name, value in raw.items() if isinstance(raw, dict) else raw:
        inner = joined(path, name)
        if _is_bad_name(name) or name in data:
            error = _bad_name(path, name) if _is_bad_name(name) else _twice(inner)
            said = error.message.removesuffix(_KEEP_ONE)
            raise placed if placed is not None and placed.message.startswith(said) else error
        data[name] = _data(value, inner, placed)
    return data


def _toml_refusal(text: str, message: str) -> ScenarioError:
    """Return our sentence for what the reader of TOML says, with the line that it knows."""
    found = _TOML_PLACE.search(message)
    line = None
    if found is not None:
        line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    if _TOML_TWICE.match(message):
        return refuse(f"a key or a block is given twice{_KEEP_ONE}", line=line)
    reason = shown(_TOML_PLACE.sub("", message), quote=False, most=200)
    return refuse(f"this is not valid TOML: {reason}.", line=line)


def _no_constant(name: str) -> Any:
    raise refuse(f"{name} is not a number that JSON or a scenario knows.")
