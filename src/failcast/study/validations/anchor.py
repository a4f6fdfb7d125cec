"""What an anchor is: published figures with their sources, and the scenarios that are run for them.

On the map: study, below the checks. The anchors themselves are data, `anchors.yaml`.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from failcast.scenario import Scenario, load

#: The classes of a comparison, and what agreement is worth in each.
KINDS: Final = {
    "calibrated": "the figure set a parameter: the model holds it, but foretold nothing",
    "emergent": "no parameter was set by the figure: agreement is evidence",
    "sanity": "arithmetic of the inputs, or figures of another model",
    "declined": "not held against the model, for a reason",
}
DECLINED: Final = "declined"


@dataclass(frozen=True)
class AnchorFigure:
    """A published figure, and how it is compared.

    `measured` is None where nothing is published, only a closed form. The simulated mean agrees
    from `low` to `high` (None: open on that side); `tolerance` says where they come from. `kind` is
    one of `KINDS`; `sets` names what a calibrated figure set, `reason` why one is declined.
    """

    name: str
    what: str
    kind: str
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    tolerance: str = ""
    sets: str = ""
    reason: str = ""
    note: str = ""
    source: str = ""


@dataclass(frozen=True)
class Case:
    """A scenario that is run for an anchor: a preset and what is changed in it."""

    preset: str
    changes: tuple[str, ...]
    replications: int

    def scenario(self) -> Scenario:
        """The scenario. Raises ScenarioError where a change does not fit."""
        return load(self.preset, self.changes)


@dataclass(frozen=True)
class Anchor:
    """The published figures of one system, with their source."""

    name: str
    title: str
    source: str
    note: str
    cases: Mapping[str, Case]
    figures: tuple[AnchorFigure, ...]

    def figure(self, name: str) -> AnchorFigure:
        """The figure of this name. Raises KeyError."""
        return {each.name: each for each in self.figures}[name]


def anchors() -> Mapping[str, Anchor]:
    """The published systems that `validate` knows, by name, in the order of the file."""
    return _read()


@cache
def _read() -> Mapping[str, Anchor]:
    import yaml

    text = (importlib.resources.files(__package__) / "anchors.yaml").read_text(encoding="utf-8")
    found = {name: _anchor(name, data) for name, data in yaml.safe_load(text).items()}
    return MappingProxyType(found)


def _anchor(name: str, data: dict[str, Any]) -> Anchor:
    cases = {
        case: Case(given["from"], tuple(given.get("set", ())), given["replications"])
        for case, given in data.get("scenarios", {}).items()
    }
    shared = {"tolerance": data.get("tolerance", "")}
    figures = tuple(_figure(each, shared | given) for each, given in data["figures"].items())
    return Anchor(
        name, data["title"], data["source"], data.get("note", ""), MappingProxyType(cases), figures
    )


def _figure(name: str, given: dict[str, Any]) -> AnchorFigure:
    kind = given.pop("class")
    return AnchorFigure(name=name, kind=kind, **given)
