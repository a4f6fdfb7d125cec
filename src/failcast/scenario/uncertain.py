"""The field `uncertain`: which inputs are not known for certain, and what is believed of each.

On the map: scenario, below scenario.py. Here the texts are read from files, overrides and Python;
what they mean is the business of beliefs.py, which knows the fields they are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from failcast.scenario.blocks import joined
from failcast.scenario.errors import Refused, ScenarioError, shown
from failcast.scenario.rules import OFF, Plain, Rule

#: Most uncertain inputs of a scenario, and the longest text of what is believed of one.
MOST_BELIEFS: Final = 100
MOST_CHARACTERS: Final = 10_000
FIELD: Final = "uncertain"

#: Dotted path of a field and what is believed of it, in the order of the paths.
Texts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Believed:
    """The beliefs of a scenario with one more, not yet read; None takes one away."""

    current: Any
    path: str
    value: Any

    def __str__(self) -> str:
        return f"{self.path}: {self.value}"


@dataclass(frozen=True)
class Uncertain(Rule):
    """A mapping from dotted paths, flat or nested, to texts such as `10 min..30 min`."""

    def read(self, value: Any, *, units_required: bool) -> Texts:
        found: dict[str, str] = {}
        for path, text in _pairs(value):
            _refuse_clash(path, found)
            if text is not None:
                found[path] = text
        if len(found) > MOST_BELIEFS:
            raise Refused(f"it must have at most {MOST_BELIEFS} inputs")
        return tuple(sorted(found.items()))

    def plain(self, value: Texts) -> Plain:
        return dict(value)


def _pairs(value: Any) -> Iterator[tuple[str, str | None]]:
    """Each path with its text, None for one that is taken away. Raises Refused."""
    if isinstance(value, Believed):
        path = _path(value.path)
        yield from ((other, text) for other, text in _pairs(value.current) if other != path)
        yield path, _text(path, value.value)
    elif isinstance(value, tuple) and all(map(_is_pair, value)):
        yield from ((_path(path), _text(path, text)) for path, text in value)
    elif isinstance(value, Mapping):
        for path, inner in _leaves(value, ""):
            known = _path(path)
            yield known, _text(known, inner)
    elif value is not None and value != OFF:
        raise Refused("it must be a block of fields, such as recovery.time: 10 min..30 min")


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _leaves(data: Mapping[Any, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if not isinstance(name, str) or not name.strip() or depth > 10:
            raise _refused(prefix, f"{shown(name)} cannot be the name of a field.")
        path = joined(prefix, name.strip())
        if isinstance(value, Mapping):
            yield from _leaves(value, path, depth + 1)
        else:
            yield path, value


def _path(path: str) -> str:
    """The path of the field in files. Raises Refused with the nearest right name."""
    from failcast.scenario.scenario import place_of

    try:
        place = place_of(path)
        if isinstance(place.kind, type) and place.kind.short_form:
            place = place_of(f"{place.path}.{place.kind.short_form}")
    except ScenarioError as error:
        raise _refused(path, error.message) from None
    if isinstance(place.kind, type):
        raise _refused(path, f"{path} is a block of fields: name the one that is uncertain.")
    inside = place.names[0] in (FIELD, "run", "name", "description")
    if inside:
        raise _refused(path, f"{path} is no input of the model, so nothing is believed of it.")
    return place.path


def _text(path: str, value: Any) -> str | None:
    if value is None or value == OFF:
        return None
    if not isinstance(value, str):
        raise _refused(
            path,
            f"{FIELD}.{path} is {shown(value)}, but it must be a range such as "
            "'10 min..30 min', a distribution such as 'normal(20 min, 3 min)', or 'unknown'.",
        )
    text = " ".join(value.split())
    if not text.isprintable() or not 0 < len(text) <= MOST_CHARACTERS:
        raise _refused(path, f"{FIELD}.{path} is {shown(text)}, but it must be a short text.")
    return text


def _refuse_clash(path: str, others: Mapping[str, str]) -> None:
    from failcast.scenario.scenario import overlap

    other = overlap(path, others)
    if other is not None:
        clash = "is given twice" if other == path else f"overlaps with {other}"
        raise _refused(path, f"{FIELD}.{path} {clash}: keep one of them.")


def _refused(path: str, sentence: str) -> Refused:
    return Refused("", sentence=sentence, fields=(joined(FIELD, path),))
