"""The base of all scenario objects: frozen, closed, and refused in our own sentences.

A block is a pydantic model. What differs is the exception: building one wrongly raises
``ScenarioError`` with dotted paths and nearest names instead of pydantic's ``ValidationError``.
The walk over a block's fields serves the hints, the echo and the tests.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from failcast.scenario.errors import (
    MOST_PROBLEMS,
    Problem,
    Refused,
    ScenarioError,
    and_more,
    did_you_mean,
    nearest_path,
    refuse,
    shown,
)
from failcast.scenario.rules import OFF, Rule


class Block(BaseModel):
    """A frozen group of fields. Raises ScenarioError when built from anything wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    #: Dotted path of the block within a scenario: the prefix of its fields in messages.
    place: ClassVar[str] = ""
    #: Whether a written scenario leaves the block out as long as it is as it is by default.
    optional: ClassVar[bool] = False
    #: The field that a bare value in the place of the block stands for; empty: it needs its fields.
    short_form: ClassVar[str] = ""

    def __init__(self, /, **data: Any) -> None:
        __tracebackhide__ = True
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise _refusal(type(self), error) from None

    # Without this mark pydantic would build nested blocks one by one through the method above,
    # and the first wrong block would hide the problems of the others.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Build the block from a mapping. ``context=AT_THE_DOOR`` demands units. Raises
        ScenarioError."""
        __tracebackhide__ = True
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise _refusal(cls, error) from None

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Build the block from JSON text. Otherwise as ``model_validate``."""
        __tracebackhide__ = True
        try:
            return super().model_validate_json(json_data, **options)
        except ValidationError as error:
            raise _refusal(cls, error) from None

    @classmethod
    def model_validate_strings(cls, obj: Any, **options: Any) -> Self:
        """Build the block from a mapping whose values are all texts. Otherwise as
        ``model_validate``."""
        __tracebackhide__ = True
        try:
            return super().model_validate_strings(obj, **options)
        except ValidationError as error:
            raise _refusal(cls, error) from None

    if not TYPE_CHECKING:
        # Hidden from type checkers, which would otherwise take every assignment for allowed.
        def __setattr__(self, name: str, value: Any) -> None:
            raise self._frozen(name, value)

        def __delattr__(self, name: str) -> None:
            raise self._frozen(name, None)

    def _frozen(self, name: str, value: Any) -> ScenarioError:
        """Return the refusal of an assignment, with what to do instead."""
        names = {attribute: name_in_files for attribute, name_in_files, _ in fields_of(type(self))}
        path = joined(self.place, names.get(name, name))
        if name not in names:
            return ScenarioError([unknown_field(path, value, _known_paths(type(self), path))])
        sentence = f"{path} cannot be changed, because a {type(self).__name__} is frozen"
        return refuse(f"{sentence}: {self._instead(path)}.", field=path, value=value)

    def _instead(self, path: str) -> str:
        return f"make a changed copy with scenario.with_({path.replace('.', '__')}=…)"

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; what ``update`` changes is validated like everything else."""
        return type(self)(**{**dict(self), **(update or {})})


#: A field: its attribute, its name in files, and its rule or nested block.
Field: TypeAlias = tuple[str, str, "Rule | type[Block]"]


def off_or_block(fields: str) -> Callable[[Any], Any]:
    """Return what reads ``off`` as None in the place of a block that has these ``fields``."""

    def read(value: Any) -> Any:
        if value is None or (isinstance(value, str) and value == OFF):
            return None
        if isinstance(value, str | bool):
            raise Refused(f"it must be off, or a block with {fields}")
        return value

    return read


def may_be_off(block: type[Block], attribute: str) -> bool:
    """Say whether None may stand in the place of a nested block."""
    return type(None) in typing.get_args(block.model_fields[attribute].annotation)


def fields_of(block: type[Block]) -> tuple[Field, ...]:
    """Return attribute name, name in files, and rule or nested block of each field, in order."""
    return _fields(block)


@cache
def _fields(block: type[Block]) -> tuple[Field, ...]:
    return tuple(
        (attribute, _file_name(attribute, field), _kind_of(block, attribute, field))
        for attribute, field in block.model_fields.items()
    )


def paths_of(block: type[Block], prefix: str = "") -> list[str]:
    """Return the dotted paths of all fields below ``block``, nested blocks included."""
    paths = []
    for _, name, kind in fields_of(block):
        path = joined(prefix, name)
        paths.append(path)
        if isinstance(kind, type):
            paths += paths_of(kind, path)
    return paths


def joined(prefix: str, name: str) -> str:
    """Return the dotted path of ``name`` below ``prefix``."""
    return f"{prefix}.{name}" if prefix and name else prefix or name


def unknown_field(path: str, value: Any, paths: list[str]) -> Problem:
    """Return the problem of a path that no field has, with the nearest right one."""
    hint = did_you_mean(nearest_path(path, paths)) or "."
    sentence = f"{shown(path, quote=not path)} is not a field of a scenario{hint}"
    return Problem(path, value, "", sentence)


def _file_name(attribute: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    return alias if isinstance(alias, str) else attribute


def _kind_of(block: type[Block], attribute: str, field: FieldInfo) -> Rule | type[Block]:
    for item in field.metadata:
        if isinstance(item, Rule):
            return item
    for item in (field.annotation, *typing.get_args(field.annotation)):
        if isinstance(item, type) and issubclass(item, Block):
            return item
    raise TypeError(f"{block.__name__}.{attribute} has neither a rule nor a block")


def _refusal(block: type[Block], error: ValidationError) -> ScenarioError:
    """Translate pydantic's list of errors into our sentences."""
    items = error.errors(include_url=False)
    problems = [_problem(block, dict(item)) for item in items[:MOST_PROBLEMS]]
    return ScenarioError(problems + and_more(len(items) - MOST_PROBLEMS))


def _problem(block: type[Block], item: dict[str, Any]) -> Problem:
    wanted = [str(name) for name in item["loc"]]
    names = _in_files(block, wanted)
    path = joined(block.place, ".".join(names))
    value, cause = item["input"], item.get("ctx", {}).get("error")
    if isinstance(cause, Refused):
        first, *others = cause.fields or (path,)
        return Problem(first, value, cause.rule, cause.sentence, tuple(others))
    if item["type"] == "extra_forbidden":
        return _extra(block, path, wanted[-1], value)
    if item["type"] == "missing":
        sentence = f"{block.__name__} needs {path}: it has no default."
        return Problem(path, None, "", sentence)
    where = path or block.__name__.lower()
    if item["type"] in ("invalid_key", "string_unicode"):
        return Problem(path, value, "", f"{shown(value)} cannot be the name of a field.")
    if item["type"] == "json_invalid":
        return Problem(where, None, "", f"this is not valid JSON: {cause}.")
    return Problem(where, value, f"it must be a block with {_names_below(block, names)}")


def _extra(block: type[Block], path: str, name: str, value: Any) -> Problem:
    """Return the problem of a key that is too much: what it may have been meant for."""
    known = _known_paths(block, path)
    if not name.strip():
        return Problem(path, value, "", f"{shown(name)} cannot be the name of a field.")
    if "(" in name or ")" in name:
        sentence = (
            f"{shown(path, quote=False)} is a piece of an expression: put all of it in quotes."
        )
        return Problem(path, value, "", sentence)
    if "." in name:
        meant = path if path in known else nearest_path(path, known)
        if meant is not None and "." in meant:
            sentence = (
                f"{shown(path, quote=False)} is not read with a dot in one name: nest it, as in "
                f"{_nested_form(meant, value)}."
            )
            return Problem(path, value, "", sentence)
    if path in known:
        last = path.rpartition(".")[2]
        sentence = f"{path} is given twice, as {last} and as {last}_: keep one of them."
        return Problem(path, value, "", sentence)
    return unknown_field(path, value, known)


def _nested_form(path: str, value: Any) -> str:
    """Return a dotted path as nested blocks: "job: {servers: 3}"."""
    text = shown(value, quote=False)
    # Longer values may need quotes inside braces, which would hide the point of the example.
    inside = text if re.fullmatch(r"[\w ./-]+", text) and not isinstance(value, Mapping) else "…"
    *around, last = path.split(".")
    return "".join(f"{name}: {{" for name in around) + f"{last}: {inside}" + "}" * len(around)


def _known_paths(block: type[Block], path: str) -> list[str]:
    """Return the paths a wrong name is compared with: its siblings first, then all others."""
    paths = [joined(block.place, name) for name in paths_of(block)]
    around = path.rpartition(".")[0]
    return sorted(paths, key=lambda name: name.rpartition(".")[0] != around)


def _in_files(block: type[Block], names: list[str]) -> list[str]:
    """Return a path of attributes by its names in files: ``return_`` is ``return`` there."""
    path: list[str] = []
    kind: Rule | type[Block] | None = block
    for wanted in names:
        inner = fields_of(kind) if isinstance(kind, type) else ()
        found = ((name, below) for attribute, name, below in inner if attribute == wanted)
        name, kind = next(found, (wanted, None))
        path.append(name)
    return path


def _names_below(block: type[Block], names: list[str]) -> str:
    for wanted in names:
        kind = next((kind for _, name, kind in fields_of(block) if name == wanted), None)
        if isinstance(kind, type):
            block = kind
    return "the fields " + ", ".join(name for _, name, _ in fields_of(block))
