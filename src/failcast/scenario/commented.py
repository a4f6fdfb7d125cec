"""The commented scenario that `failcast init` writes: every field with unit, default and meaning.

On the map: scenario. The text is made from the models, their rules and `meanings.py`, so it cannot
fall behind them. It is YAML that loads unchanged and equals ``Scenario()``.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from failcast.scenario.blocks import Block, fields_of, joined
from failcast.scenario.expressions import Expression
from failcast.scenario.meanings import FIELDS, UNSET, in_words, introduction
from failcast.scenario.replay import Replay
from failcast.scenario.rules import OFF, Choice, Plain, Rule, plain_text
from failcast.scenario.scalars import plain_scalar
from failcast.scenario.scenario import HORIZON_LENGTHS, Scenario

#: Where editors look for the schema, seen from the scenario file.
SCHEMA_FILE: Final = "failcast.schema.json"
#: Comments end here; a block that is commented out as a whole then still ends by column 100.
WIDTH: Final = 92

_HEAD = f"""\
# yaml-language-server: $schema={SCHEMA_FILE}
# A scenario for failcast. Every value below is the default: change what differs, delete the rest.
# A duration or a rate carries its unit: 20 min, 1.5 h, 1 d 12 h; 0.01 / day, 1 / 100 d.
# The first line lets an editor check this file, once 'failcast schema > {SCHEMA_FILE}'
# has written the schema beside it.
"""
#: What is shown in the place of a field that is left without a value by default.
_EXAMPLES: Final[dict[str, Any]] = {
    "failures.health_check": 1.0,
    "failures.replay": Replay(failures=((12.0, 3), (20.0, 17))),
    "run.precision": 0.01,
    "run.horizon": HORIZON_LENGTHS * Scenario().job.length,
}
#: Characters that need no quotes in YAML, whatever stands before or after them here.
_PLAIN_CHARACTERS = frozenset("_ ./()=-")


def commented_yaml() -> str:
    """Return the default scenario as YAML, each field below a comment that explains it."""
    return _HEAD + "".join(f"{line}\n" for line in _block(Scenario, "", ""))


def _block(block: type[Block], prefix: str, indent: str) -> Iterator[str]:
    for attribute, name, kind in fields_of(block):
        path, default = joined(prefix, name), block.model_fields[attribute].default
        if not indent:
            yield ""
        if isinstance(kind, Rule):
            yield from _comment(FIELDS[path][1], indent)
            yield from _comment(_facts(path, kind, default), indent)
            yield from _field(path, kind, default, indent)
        elif default is None:
            yield from _comment(FIELDS[path][1], indent)
            yield from _comment(
                f"`{OFF}`, or a block such as the one below. Default: {OFF}.", indent
            )
            for line in [f"{name}:", *_block(kind, path, "  ")]:
                yield f"{indent}#   {line}"
            yield f"{indent}{name}: {OFF}"
        else:
            yield from _comment(introduction(kind), indent)
            yield f"{indent}{name}:"
            yield from _block(kind, path, f"{indent}  ")


def _field(path: str, rule: Rule, default: Any, indent: str) -> Iterator[str]:
    """The line of a field; one without a default of its own is commented out."""
    name = path.rpartition(".")[2]
    if default is None:
        yield f"{indent}# {name}: {_scalar(rule.plain(_EXAMPLES[path]))}"
    else:
        yield f"{indent}{name}: {_scalar(rule.plain(default))}"


def _facts(path: str, rule: Rule, default: Any) -> str:
    """Unit, kind, limits and default of a field: "Unit: servers. Whole number, 0 to 9. Default: 1."

    A duration or a rate brings its unit with it.
    """
    unit = f"Unit: {FIELDS[path][0]}. " if FIELDS[path][0] else ""
    kind, limits = in_words(rule)
    if isinstance(rule, Expression):
        limits += f", such as {rule.example}"
    between = ": " if isinstance(rule, Choice | Expression) else ", "
    told = UNSET[path] if default is None else _scalar(rule.plain(default))
    return f"{unit}{kind.capitalize()}{between}{limits}. Default: {told}."


def _comment(text: str, indent: str) -> list[str]:
    lead = f"{indent}# "
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _scalar(plain: Plain) -> str:
    """A value as YAML writes it, in quotes where it would not be read as the text that it is."""
    text = plain_text(plain)
    if not isinstance(plain, str):
        return text
    bare = text[:1].isalnum() and all(c.isalnum() or c in _PLAIN_CHARACTERS for c in text)
    if bare and text == text.strip() and plain_scalar(text) == text:
        return text
    return json.dumps(text, ensure_ascii=False)
