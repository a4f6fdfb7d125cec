"""What may stand next on the command line: presets and files, fields, goals, folders.

On the map: cli, asked by the shell each time TAB is pressed (see completion.py). Each function gets
what has been typed of the word, and returns the whole words that it can become.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from failcast.scenario.blocks import Block


Candidates = list[tuple[str, str]]

_SCENARIO_FILES = (".yaml", ".yml", ".toml", ".json")


def scenarios(incomplete: str) -> Candidates:
    """Presets with what they are, then files that can hold a scenario, and folders to look into."""
    from failcast.scenario import PRESETS

    presets = [(name, text) for name, text in PRESETS.items() if name.startswith(incomplete)]
    return presets + _paths(incomplete, _SCENARIO_FILES)


def overrides(incomplete: str) -> Candidates:
    """Fields as `path=` with their meaning; after the `=`, the values of a field that has names."""
    from failcast.scenario import Scenario
    from failcast.scenario.ages import Age
    from failcast.scenario.meanings import FIELDS
    from failcast.scenario.rules import Choice, Flag

    path, given, _ = incomplete.partition("=")
    if not given:
        return [(f"{name}=", meaning) for name, (_, meaning) in FIELDS.items()]
    rule = dict(_rules(Scenario)).get(path)
    if isinstance(rule, Choice | Age):
        return [(f"{path}={name}", meaning) for name, meaning in rule.registry.items()]
    return [(f"{path}={name}", "") for name in ("true", "false") if isinstance(rule, Flag)]


def goals(incomplete: str) -> Candidates:
    """Metrics; where only one is left or it is written out, its figures too."""
    import failcast as fc
    from failcast.results.goals import KNOWN, SAMPLE_STATS, STATS

    metric, dotted, _ = incomplete.partition(".")
    names = [name for name in KNOWN if name.startswith(metric)]
    if metric in KNOWN:
        names = [metric]
    if not dotted and len(names) != 1:
        return [(name, "") for name in names]
    found = [(name, "") for name in names]
    for name in names:
        stats = STATS if name in fc.METRICS else SAMPLE_STATS
        found += [(f"{name}.{stat}", "") for stat in stats]
    return found


def metrics(incomplete: str) -> Candidates:
    """Metrics."""
    import failcast as fc

    return [(name, "") for name in fc.METRICS if name.startswith(incomplete)]


def measures(incomplete: str) -> Candidates:
    """Metrics and probabilities."""
    from failcast.results.measure import KNOWN

    return [(name, "") for name in KNOWN if name.startswith(incomplete)]


def aims(incomplete: str) -> Candidates:
    """What a plan can make small."""
    own = [("servers", "Servers of both pools.")] if "servers".startswith(incomplete) else []
    return own + measures(incomplete)


def studies(incomplete: str) -> Candidates:
    """Published studies."""
    import failcast as fc

    return [
        (name, study.title) for name, study in fc.STUDIES.items() if name.startswith(incomplete)
    ]


def anchors(incomplete: str) -> Candidates:
    """Published systems to validate against."""
    import failcast as fc

    return [
        (name, anchor.title) for name, anchor in fc.anchors().items() if name.startswith(incomplete)
    ]


def executors(incomplete: str) -> Candidates:
    """Who may do the work; an address has to be typed."""
    from failcast.results.workers import EXECUTORS

    return [(name, text) for name, text in EXECUTORS.items() if name.startswith(incomplete)]


def files(incomplete: str) -> Candidates:
    """Files and folders."""
    return _paths(incomplete, ("",))


def folders(incomplete: str) -> Candidates:
    """Folders, each with the slash behind which one goes on."""
    return _paths(incomplete, ())


def _paths(incomplete: str, endings: tuple[str, ...]) -> Candidates:
    """Folders, and files with one of the endings; hidden ones only where a dot is typed."""
    typed, start = os.path.split(incomplete)
    try:
        with os.scandir(Path(typed or ".").expanduser()) as listing:
            entries = sorted((entry.name, entry.is_dir()) for entry in listing)
    except (OSError, RuntimeError, ValueError):
        return []
    return [
        (os.path.join(typed, name) + ("/" if is_folder else ""), "")
        for name, is_folder in entries
        if name.startswith(start) and (start or not name.startswith("."))
        if is_folder or (endings and name.lower().endswith(endings))
    ]


def _rules(block: type[Block], prefix: str = "") -> Iterator[tuple[str, object]]:
    """The dotted path and the rule of every field."""
    from failcast.scenario.blocks import fields_of, joined

    for _, name, kind in fields_of(block):
        path = joined(prefix, name)
        if isinstance(kind, type):
            yield from _rules(kind, path)
        else:
            yield path, kind
