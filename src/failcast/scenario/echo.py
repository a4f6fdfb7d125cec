"""A scenario written out: what was understood, with units; as plain data; as a hash.

``to_dict`` and ``load`` are inverse: a written scenario reads back equal. The hash names a scenario
in results and manifests.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from failcast.scenario.blocks import Block, fields_of, joined
from failcast.scenario.rules import OFF, Plain, Rule, plain_text
from failcast.scenario.scenario import HORIZON_LENGTHS, Scenario
from failcast.scenario.units import format_duration


def to_dict(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario as a file would hold it: all fields, units as text.

    ``run.horizon`` is left out when it is the default, 1,000 × the job's length, and so is
    ``run.precision`` when it is off.
    """
    return _plain(scenario)


def _plain(block: Block) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for attribute, name, kind in fields_of(type(block)):
        value = getattr(block, attribute)
        if isinstance(kind, Rule):
            if value is not None:
                data[name] = kind.plain(value)
        else:
            data[name] = OFF if value is None else _plain(value)
    return data


def describe(scenario: Scenario) -> list[tuple[str, str]]:
    """Return (dotted path, value with its unit) of every field, in the order of the blocks."""
    return _lines(scenario, scenario, "")


def _lines(scenario: Scenario, block: Block, prefix: str) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for attribute, name, kind in fields_of(type(block)):
        value, path = getattr(block, attribute), joined(prefix, name)
        if isinstance(kind, Rule):
            plain = None if value is None else kind.plain(value)
            lines.append((path, _text(scenario, path, plain)))
        elif value is None:
            lines.append((path, OFF))
        else:
            lines += _lines(scenario, value, path)
    return lines


def _text(scenario: Scenario, path: str, plain: Plain | None) -> str:
    if plain is None and path != "run.horizon":
        return OFF
    if plain is None:
        hours = format_duration(scenario.horizon_hours)
        return f"{hours} ({HORIZON_LENGTHS:,.0f} × job.length)"
    if isinstance(plain, int) and not isinstance(plain, bool) and path != "run.seed":
        return f"{plain:,}"
    return plain_text(plain)


def scenario_hash(scenario: Scenario) -> str:
    """Return the SHA-256 (hex) of the canonical JSON of the whole scenario, name and seed too."""
    text = json.dumps(to_dict(scenario), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
