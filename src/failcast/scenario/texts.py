"""YAML, TOML and JSON text -> plain data and the line of every key.

YAML is read by the rules of YAML 1.2 (see ``scalars.py``) and as far as scenarios need it: no
aliases, no tags, one document, no key twice. Whatever is wrong is a ScenarioError with its line.
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
from failcast.scenario.scalars import plain_scalar

#: Deepest nesting of blocks and lists; a scenario needs four.
MOST_LEVELS = 20

_PLAIN = "plain"
_QUOTED = "tag:yaml.org,2002:str"
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")


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
        raise refuse(f"this is not valid YAML: {_reason(error)}.", line=line) from None
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
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise refuse(f"this is not valid JSON: {error.msg}.", line=error.lineno) from None
    except RecursionError:
        raise refuse("this is nested too deeply for a scenario.") from None
    except ScenarioError:
        raise
    except ValueError:
        raise refuse("this holds a number of too many digits.") from None
    try:
        return Parsed(data, parse_yaml(text).lines)
    except ScenarioError:
        return Parsed(data)


def parse_toml(text: str) -> Parsed:
    """Return the data of a TOML text; its errors carry lines, its keys do not."""
    try:
        return Parsed(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        reason = _TOML_LINE.sub("", str(error)).strip()
        line = int(found[1]) if found else None
        raise refuse(
            f"this is not valid TOML: {shown(reason, quote=False, most=200)}.", line=line
        ) from None
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
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _QUOTED
        return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]

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
        self.levels -= 1
        return node


def _reason(error: yaml.MarkedYAMLError) -> str:
    parts = [part for part in (error.context, error.problem) if part]
    return shown(", ".join(parts), quote=False, most=200)


def _value(node: yaml.Node, path: str, lines: dict[str, int]) -> Any:
    """Return the data below a node and note the line of each key."""
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, path, {}) for item in node.value]
    if node.tag == _PLAIN:
        return plain_scalar(node.value)
    if node.tag == _QUOTED:
        return node.value
    line = node.start_mark.line + 1
    sentence = f"the tag {shown(node.tag)} is not read here: write the value alone."
    raise refuse(sentence, field=path, line=line)


def _mapping(node: yaml.MappingNode, path: str, lines: dict[str, int]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise refuse("a key must be the name of a field.", field=path, line=line)
        inner = joined(path, key.value)
        if key.value in data:
            where = f" (first in line {lines[inner]})" if inner in lines else ""
            raise _twice(inner, where, line)
        lines[inner] = line
        data[key.value] = _value(value, inner, lines)
    return data


def _twice(path: str, where: str = "", line: int | None = None) -> ScenarioError:
    sentence = f"{shown(path, quote=False)} is given twice{where}: keep one of them."
    return refuse(sentence, field=path, line=line)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in pairs:
        if name in data:
            raise _twice(name)
        data[name] = value
    return data


def _no_constant(name: str) -> Any:
    raise refuse(f"{name} is not a number that JSON or a scenario knows.")
