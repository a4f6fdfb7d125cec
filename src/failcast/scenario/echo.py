"""A scenario written out: what was understood, with units; as plain data; as a hash.

``to_dict`` and ``load`` are inverse: a written scenario reads back equal. The hash names a scenario
in results and manifests.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from typing import Any, Final

from failcast.scenario.blocks import Block, fields_of, joined
from failcast.scenario.drawn import Drawn
from failcast.scenario.expressions import Family
from failcast.scenario.measurements import Source
from failcast.scenario.optimum import optimum
from failcast.scenario.replay import Replay
from failcast.scenario.rules import OFF, Plain, Rule, plain_text
from failcast.scenario.scenario import HORIZON_LENGTHS, Scenario
from failcast.scenario.uncertain import Uncertain
from failcast.scenario.units import format_duration


def to_dict(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario as a file would hold it: all fields, units as text.

    ``run.horizon`` is left out when it is the default, 1,000 × the job's length, and so are
    ``run.precision`` and ``failures.replay`` when they are off, ``cost`` when nothing has a price,
    and ``uncertain`` when nothing is. A file of measured values or failures keeps its name, with
    the beginning of its hash, and is read again from beside the file that the scenario is written
    to.
    """
    return _plain(scenario, keep=False)


def editable(scenario: Scenario) -> dict[str, Any]:
    """Return ``to_dict`` with distributions and the like as objects, so that no file is read."""
    return _plain(scenario, keep=True)


def measured_files(scenario: Scenario) -> tuple[Source, ...]:
    """Return the files that measured values were read from, each once."""
    return tuple(dict.fromkeys(_sources(scenario)))


def _sources(block: Block) -> Iterator[Source]:
    for attribute, _, _ in fields_of(type(block)):
        value = getattr(block, attribute)
        if isinstance(value, Drawn | Replay):
            yield from value.sources()
        elif isinstance(value, Block):
            yield from _sources(value)


def _plain(block: Block, *, keep: bool) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for attribute, name, kind in fields_of(type(block)):
        value = getattr(block, attribute)
        if isinstance(kind, Rule):
            if value is not None and value != ():
                data[name] = value if keep and isinstance(value, Family) else kind.plain(value)
        elif not (isinstance(value, Block) and value.optional and value == type(value)()):
            data[name] = OFF if value is None else _plain(value, keep=keep)
    return data


def describe(scenario: Scenario) -> list[tuple[str, str]]:
    """Return (dotted path, value with its unit) of every field, in the order of the blocks."""
    return _lines(scenario, scenario, "")


def changes(base: Scenario, other: Scenario) -> dict[str, tuple[str, str]]:
    """Return path -> (value in ``base``, value in ``other``) of every field that differs.

    What says nothing about cluster and job is left out: the name, the description, and how the
    sample is taken. A horizon that follows from the job's length is no difference of its own.
    """
    before, after = dict(describe(base)), dict(describe(other))
    found = {
        path: (before.get(path, OFF), after.get(path, OFF))
        for path in dict.fromkeys((*before, *after))
        if before.get(path, OFF) != after.get(path, OFF) and path not in _NOT_OF_THE_MODEL
    }
    if base.run.horizon is None and other.run.horizon is None:
        found.pop("run.horizon", None)
    return found


#: The fields that say how a sample is taken, and nothing about cluster and job.
OF_THE_SAMPLE: Final = (
    "run.seed",
    "run.replications",
    "run.precision",
    "run.min_replications",
    "run.max_replications",
    "run.confidence",
)
#: The fields that `changes` does not compare.
_NOT_OF_THE_MODEL: Final = ("name", "description", *OF_THE_SAMPLE)


def _lines(scenario: Scenario, block: Block, prefix: str) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for attribute, name, kind in fields_of(type(block)):
        value, path = getattr(block, attribute), joined(prefix, name)
        if isinstance(kind, Uncertain):
            lines += [(joined(path, each), text) for each, text in value] or [(path, OFF)]
        elif isinstance(kind, Rule):
            plain = None if value is None else kind.plain(value)
            lines.append((path, _text(scenario, path, plain)))
        elif value is None:
            lines.append((path, OFF))
        else:
            lines += _lines(scenario, value, path)
    return lines


#: Units of time and their hours, from the longest.
_UNITS: Final = (("d", 24.0), ("h", 1.0), ("min", 1.0 / 60.0), ("s", 1.0 / 3600.0))


def _optimal(scenario: Scenario) -> str:
    """The best interval between checkpoints, and what Young's and Daly's formulas give."""
    best = optimum(scenario)
    if math.isinf(best.interval):
        return "optimal: no checkpoints, since nothing fails that they could mend"
    unit, long = next((each for each in _UNITS if best.interval >= each[1]), _UNITS[-1])
    found, young, daly = (
        f"{hours / long:.4g} {unit}" for hours in (best.interval, best.young, best.daly)
    )
    return f"optimal: {found} (Young {young}, Daly {daly})"


def _text(scenario: Scenario, path: str, plain: Plain | None) -> str:
    if path == "checkpoint.interval" and plain == "optimal":
        return _optimal(scenario)
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
