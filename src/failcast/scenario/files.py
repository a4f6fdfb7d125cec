"""The door: presets, files and overrides in, one valid Scenario out.

``load`` takes the name of a preset or the path of a YAML, TOML or JSON file, in our blocks or in
AIReSim's flat form. Everything that can be wrong with either is a ScenarioError that names file,
line, field, value and what would be right.
"""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from failcast.scenario.airesim import from_flat, is_flat
from failcast.scenario.echo import editable
from failcast.scenario.errors import (
    PATH_CHARACTERS,
    Problem,
    ScenarioError,
    did_you_mean,
    nearest,
    refuse,
    shown,
)
from failcast.scenario.rules import AT_THE_DOOR, one_of
from failcast.scenario.scalars import plain_scalar
from failcast.scenario.scenario import Scenario, overlap, place_of, set_path
from failcast.scenario.texts import PARSERS, Parsed

#: The scenarios that come with the package, and what they are.
PRESETS: Final = {
    "airesim-table1": "AIReSim's Table 1: a job of 4096 servers for 256 days.",
    "small": "A job of 256 servers for 60 days, the rest as in Table 1.",
    "llama3-405b": "Llama 3 405B at Meta: a job of 2048 servers for 50 days.",
    "meta-rsc1": "Meta's cluster RSC-1: a job of 1000 of 2000 servers for 14 days.",
    "meta-rsc2": "Meta's cluster RSC-2: a job of 500 of 1000 servers for 14 days.",
    "frontier-100k": "A job of 98,304 GPUs on a cluster of 100,000 for 30 days.",
}
#: Largest scenario file.
MOST_BYTES: Final = 1_000_000


def load(source: str | os.PathLike[str], overrides: str | Iterable[str] = ()) -> Scenario:
    """Return the scenario of a preset or file, with ``path=value`` overrides applied.

    Durations and rates carry units here, in files and overrides alike. Measured values are read
    from files beside the scenario's, in an override from the current folder. A single override may
    stand alone. Raises ScenarioError.
    """
    return load_with_notes(source, overrides)[0]


def load_with_notes(
    source: str | os.PathLike[str], overrides: str | Iterable[str] = ()
) -> tuple[Scenario, tuple[str, ...]]:
    """Return the scenario and sentences on how the file was read, and what has no effect.

    Such notes exist for AIReSim's flat files. Otherwise as ``load``.
    """
    name = _name_of(source)
    text, ending = _read(name)
    parsed = Parsed(None)
    try:
        parsed = PARSERS[ending](text)
        scenario, notes = _build(parsed.data, os.path.dirname(name))
    except ScenarioError as error:
        raise error.found_in(name, parsed.lines) from None
    return override(_named(scenario, parsed.data, name), overrides), notes


def _name_of(source: Any) -> str:
    name = os.fspath(source) if isinstance(source, os.PathLike) else source
    if not isinstance(name, str):
        what = "nothing" if source is None else shown(source)
        sentence = f"{what} cannot be loaded: give the name of a preset or the path of a file."
        raise refuse(sentence, value=source)
    return name


def _named(scenario: Scenario, data: Any, source: str) -> Scenario:
    """Give a scenario without a name that of its file, if it can be one."""
    if "name" in data:
        return scenario
    try:
        return scenario.with_(name=Path(source).stem)
    except ScenarioError:
        return scenario


def override(scenario: Scenario, overrides: str | Iterable[str]) -> Scenario:
    """Return the scenario with texts such as ``job.warm_standbys=32`` applied together.

    Values read as in a YAML file; durations and rates carry units. No two may set the same field.
    Raises ScenarioError.
    """
    return overriding(scenario)(overrides)


def overriding(scenario: Scenario) -> Callable[[str | Iterable[str]], Scenario]:
    """Return ``override`` of this scenario, for many: it is written out once, not for each."""
    data = editable(scenario)
    return lambda overrides: _overridden(scenario, _copied(data), overrides)


def _copied(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _copied(v) if isinstance(v, dict) else v for name, v in data.items()}


def _overridden(
    scenario: Scenario, data: dict[str, Any], overrides: str | Iterable[str]
) -> Scenario:
    """Apply the overrides to the scenario as ``editable`` has it."""
    sources = dict[str, str]()
    for text in _texts(overrides):
        path, _, value = text.partition("=")
        source = f"-s {shown(text, quote=False)}"
        try:
            path = set_path(data, path.strip(), override_value(value.strip()))
            _refuse_overlap(path, sources)
        except ScenarioError as error:
            raise error.found_in(source, {}) from None
        sources[path] = source
    if not sources:
        return scenario
    try:
        return Scenario.model_validate(data, context=AT_THE_DOOR)
    except ScenarioError as error:
        raise ScenarioError(_blame(problem, sources) for problem in error.problems) from None


def _texts(overrides: Any) -> list[str]:
    """Return the overrides, each of the form path=value; a lone text is one of them."""
    texts = [overrides] if isinstance(overrides, str) else overrides
    if not isinstance(texts, Iterable):
        raise refuse(f"overrides are texts of the form path=value, not {shown(texts)}.")
    texts = list(texts)
    for text in texts:
        path, equals, _ = text.partition("=") if isinstance(text, str) else ("", "", "")
        if not equals or not path.strip():
            sentence = f"the override {shown(text)} is not of the form path=value."
            raise refuse(sentence, value=text)
    return texts


def _refuse_overlap(path: str, sources: dict[str, str]) -> None:
    other = overlap(path, sources)
    if other is not None:
        clash = "is given twice, first by" if other == path else f"overlaps with {other}, given by"
        raise refuse(f"{path} {clash} {sources[other]}: keep one of them.", field=path)


def override_value(text: str) -> Any:
    """Return what the text behind the ``=`` of an override stands for; in quotes it is text."""
    for quote in "'\"":
        if len(text) >= 2 and text[0] == text[-1] == quote:
            return text[1:-1]
    return plain_scalar(text)


def _blame(problem: Problem, sources: dict[str, str]) -> Problem:
    """Name the override that a problem comes from as its file."""
    for path in (problem.field, *problem.others):
        below = next((source for found, source in sources.items() if _is_argument(found, path)), "")
        if below:
            return replace(problem, file=below)
        while path:
            if path in sources:
                return replace(problem, file=sources[path])
            path = path.rpartition(".")[0]
    return problem


def _is_argument(path: str, field: str) -> bool:
    """Tell whether a path is that of an argument of what ``field`` holds."""
    return bool(field) and path.rpartition(".")[0] == field and bool(place_of(path).argument)


def _build(data: Any, folder: str = "") -> tuple[Scenario, tuple[str, ...]]:
    if data is None or data == {}:
        raise refuse("the file is empty: a scenario is a set of blocks such as 'job:'.")
    if not isinstance(data, dict):
        raise refuse("the file must hold blocks such as 'job:' at its top level.", value=data)
    if is_flat(data):
        return from_flat(data)
    return Scenario.model_validate(data, context={**AT_THE_DOOR, "folder": folder}), ()


def _read(name: str) -> tuple[str, str]:
    """Return the text of a preset or a file and the ending that says its format."""
    if name in PRESETS:
        folder = importlib.resources.files("failcast.scenario") / "presets"
        return (folder / f"{name}.yaml").read_text(encoding="utf-8"), ".yaml"
    path = Path(name)
    ending = path.suffix.lower()
    if ending not in PARSERS:
        raise _unknown_source(name, ending)
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise refuse(f"this {what}.", value=name, file=name)
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, ScenarioError):
            raise
        reason = getattr(error, "strerror", None) or "the name is not one of a file"
        raise refuse(f"this cannot be read: {reason}.", value=name, file=name) from None
    if len(content) > MOST_BYTES:
        sentence = f"this is larger than {MOST_BYTES:,} bytes: no scenario is."
        raise refuse(sentence, value=name, file=name)
    try:
        return content.decode("utf-8-sig"), ending
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refuse("this is not UTF-8 text.", value=name, file=name, line=line) from None


def _unknown_source(name: str, ending: str) -> ScenarioError:
    hint = did_you_mean(nearest(name, PRESETS)) or "."
    endings = one_of(dict.fromkeys(PARSERS))
    source = shown(name, most=PATH_CHARACTERS)
    if ending or os.sep in name:
        sentence = f"{source} does not end in {endings}{hint}"
    else:
        sentence = f"{source} is neither a preset ({one_of(PRESETS)}) nor a file in {endings}{hint}"
    return refuse(sentence, value=name)
