"""Measured durations: values in an expression or in a column of a CSV file, checked one by one.

On the map: scenario, below distributions.py and lives.py, whose empirical families are made here.
A file is read once, when the scenario is. Its hash stays with the values, so that a written
scenario finds the same file again or says that it has changed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import model_validator

from failcast.scenario.drawn import Drawn
from failcast.scenario.errors import (
    PATH_CHARACTERS,
    Refused,
    did_you_mean,
    nearest,
    refuse,
    shown,
)
from failcast.scenario.expressions import build, named, split
from failcast.scenario.rules import Context, Duration, Real, Rule, one_of
from failcast.scenario.scalars import plain_scalar
from failcast.scenario.units import is_bare_number, parse_duration

#: Most values of one file: the shape of a distribution is known long before.
MOST_VALUES: Final = 100_000
#: Most values without a file: an echo and a written scenario repeat them all.
MOST_INLINE: Final = 1_000
#: Most values that a representation in Python repeats.
MOST_SHOWN: Final = 10
#: Largest file.
MOST_BYTES: Final = 50_000_000
#: Digits of a file's SHA-256 that an expression repeats.
HASH_DIGITS: Final = 16
#: Longest name of a file or a column.
MOST_NAME: Final = 1_000
#: Most columns among which the nearest name is looked for.
MOST_NAMES: Final = 1_000

_HASH: Final = re.compile(rf"[0-9a-f]{{{HASH_DIGITS},64}}")
_ENDING: Final = re.compile(r"[/\\]|\.[A-Za-z]\w*$")
_PLAIN: Final = re.compile(r"[\w./-](?:[\w ./-]*[\w./-])?")
_NO_NAMES: Final = ("", "nan", "inf", "infinity", "na", "n/a", "null", "none")


@dataclass(frozen=True)
class Source:
    """Where measured values come from; what names the file in an expression, and its hash."""

    file: str
    column: str | None
    unit: str | None
    #: SHA-256 (hex) of the file's content when it was read.
    sha256: str
    #: The path that was opened. The same file found from elsewhere is the same source.
    path: str = field(compare=False)
    #: What the values of the file were multiplied by.
    times: float = 1.0


@dataclass(frozen=True)
class Measurements(Rule):
    """Durations in any order, kept sorted. ``positive`` excludes zero."""

    positive: bool = False

    @property
    def each(self) -> Duration:
        """The rule of one value."""
        return Duration(positive=self.positive)

    def read(self, value: Any, *, units_required: bool) -> tuple[float, ...]:
        wrong_kinds = (str, bytes, bytearray, Mapping, set, frozenset)
        if isinstance(value, wrong_kinds) or not isinstance(value, Iterable):
            raise Refused("it must be a list of durations")
        hours = [
            self._one(number, each, units_required)
            for number, each in enumerate(islice(value, MOST_VALUES + 1), start=1)
        ]
        if not hours:
            raise Refused("it must hold at least one duration")
        if len(hours) > MOST_VALUES:
            raise Refused(f"it must hold at most {MOST_VALUES:,} durations")
        return tuple(sorted(hours))

    def _one(self, number: int, value: Any, units_required: bool) -> float:
        try:
            hours = self.each.read(value, units_required=units_required)
        except Refused as refused:
            wrong = _wrong(refused.rule)
            raise Refused(f"its value {number}, here {shown(value)}, {wrong}") from None
        assert hours is not None  # these durations are not optional
        return hours


@dataclass(frozen=True)
class Origin(Rule):
    """The source of measured values, which only a reader of files makes."""

    def read(self, value: Any, *, units_required: bool) -> Source | None:
        if value is None or isinstance(value, Source):
            return value
        raise Refused("it cannot be given: from_file reads a file")


def _wrong(rule: str) -> str:
    """Return a rule as it continues "its value 3, here -1, …"."""
    return rule.removeprefix("it ") if rule.startswith("it must ") else f"is wrong: {rule}"


def is_file_name(text: str) -> bool:
    """Tell whether an argument is the name of a file, and not a value: by an ending or a slash."""
    try:
        parse_duration(text)
    except Refused:
        return _ENDING.search(text) is not None
    return False


def quoted(text: str, *, file: bool = False) -> str:
    """Return a name as an expression holds it, in quotes where it would not be read as one."""
    quote = '"' if '"' not in text else "'"
    plain = _PLAIN.fullmatch(text) is not None and (is_file_name(text) or not file)
    return text if plain else f"{quote}{text}{quote}"


def unquoted(text: str) -> tuple[str, bool]:
    """Return a name without its quotes, and whether it had any."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1], True
    return text, False


def read_file(
    file: str,
    column: str | None,
    unit: str | None,
    each: Duration,
    *,
    folder: str = "",
    sha256: str | None = None,
) -> tuple[list[float], Source]:
    """Return the durations, in hours, in ``column`` of a CSV file, and their source.

    ``column`` may be None where there is but one; ``unit`` is that of bare numbers. A relative name
    is looked for in ``folder``. ``sha256`` is what the file's hash must begin with. Raises Refused.
    """
    path, name, text, found = open_file(
        {"file": file, "column": column}, unit, folder=folder, sha256=sha256
    )
    cells = Column(name, column, unit, each).values(text)
    values = list(islice(cells, MOST_VALUES + 1))
    if not values:
        raise Refused(f"{name} holds no values: it must hold at least one duration")
    if len(values) > MOST_VALUES:
        raise Refused(f"{name} holds more than {MOST_VALUES:,} values: take a sample of them")
    return values, Source(file, column, unit, found, path)


def open_file(
    names: Mapping[str, Any], unit: Any, *, folder: str, sha256: str | None
) -> tuple[str, str, str, str]:
    """Return path, name for messages, text and SHA-256 of a CSV file.

    ``names`` are what it is called by: that of the ``file`` and those of its columns. The other
    arguments are as in ``read_file``. Raises Refused.
    """
    for what, name in names.items():
        _check_name(what, name)
    if unit is not None:
        _check_unit(unit)
    if sha256 is not None and not _HASH.fullmatch(sha256.lower()):
        raise Refused(
            f"its sha256, here {shown(sha256)}, must be {HASH_DIGITS} to 64 digits 0 to f"
        )
    path = os.path.join(folder, names["file"])
    content = _content(path)
    found = hashlib.sha256(content).hexdigest()
    name = shown(path, quote=False, most=PATH_CHARACTERS)
    if sha256 is not None and not found.startswith(sha256.lower()):
        raise Refused(
            f"{name} has changed: its SHA-256 begins with {found[:HASH_DIGITS]}. Leave sha256 out "
            "to take the file as it is"
        )
    return path, name, _text(name, content), found


def _check_name(what: str, name: Any) -> None:
    if name is None:
        return
    right = isinstance(name, str) and name.strip() and len(name) <= MOST_NAME
    if not right or not name.isprintable() or ('"' in name and "'" in name):
        raise Refused(
            f"its {what}, here {shown(name)}, must be printable text of at most {MOST_NAME:,} "
            "characters without both kinds of quotes"
        )


def _check_unit(unit: Any) -> None:
    if not isinstance(unit, str) or not unit.isalpha():
        raise Refused(f"its unit, here {shown(unit)}, must be one such as 'min' or 'h'")
    try:
        parse_duration(f"1 {unit}")
    except Refused as refused:
        raise Refused(f"its unit, here {shown(unit)}, is wrong: {refused.rule}") from None


def _content(path: str) -> bytes:
    """Return the content of a regular file. Raises Refused."""
    name = shown(path, quote=False, most=PATH_CHARACTERS)
    try:
        place = Path(path)
        if not place.is_file():
            raise Refused(f"{name} {'is not a file' if place.exists() else 'does not exist'}")
        with place.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        reason = getattr(error, "strerror", None) or "the name is not one of a file"
        raise Refused(f"{name} cannot be read: {reason}") from None
    if len(content) > MOST_BYTES:
        raise Refused(f"{name} is larger than {MOST_BYTES:,} bytes: take a sample of its values")
    return content


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Refused(f"{name}, line {line}, is not UTF-8 text") from None


@dataclass(frozen=True)
class Column:
    """One column of a CSV file: the rows of a text -> hours."""

    file: str
    column: str | None
    unit: str | None
    each: Duration

    def values(self, text: str) -> Iterator[float]:
        """Go through the hours of the column. Raises Refused with file and line."""
        rows = self.rows(text)
        head = next(rows, None)
        if head is None:
            return
        first, known = head[1], dict[str, float]()
        index = self.place(*head)
        if self.column is None and not _is_name(first[0]):
            rows = chain([head], rows)
        for line, row in rows:
            self.check_width(line, row, first)
            cell = row[index].strip()
            if cell not in known:
                known[cell] = self.hours(line, cell)
            yield known[cell]

    def check_width(self, line: int, row: list[str], first: list[str]) -> None:
        """Raise Refused for a row that has not as many cells as the first one."""
        if len(row) != len(first):
            raise Refused(
                f"line {line} of {self.file} has {_counted(len(row), 'cell')}, but its first "
                f"line has {len(first)}"
            )

    def rows(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Go through line number and cells of the rows that are not blank."""
        reader = csv.reader(io.StringIO(text, newline=None), skipinitialspace=True, strict=True)
        try:
            for row in reader:
                if any(cell.strip() for cell in row):
                    yield reader.line_num, row
        except csv.Error as error:
            reason = shown(str(error), quote=False)
            raise Refused(f"line {reader.line_num} of {self.file} is no CSV: {reason}") from None

    def place(self, line: int, first: list[str]) -> int:
        """Return the number of the column, from the first line. Raises Refused."""
        names = [cell.strip() for cell in first]
        listed = shown(", ".join(names), quote=False, most=200)
        if self.column is None:
            if len(names) == 1:
                return 0
            raise Refused(
                f"line {line} of {self.file} has {len(names)} cells ({listed}): name the column "
                "that is meant, as in column=hours_down"
            )
        if names.count(self.column) != 1:
            what = "more than one column" if self.column in names else "no column"
            close = None if self.column in names else nearest(self.column, names[:MOST_NAMES])
            raise Refused(
                f"{self.file} has {what} {shown(self.column)} in its first line ({listed})"
                f"{did_you_mean(close)}"
            )
        return names.index(self.column)

    def hours(self, line: int, cell: str) -> float:
        """Return the hours that a cell holds. Raises Refused with file and line."""
        bare = is_bare_number(cell)
        try:
            hours = self.each.read(
                f"{cell} {self.unit}" if bare and self.unit else cell, units_required=True
            )
        except Refused as refused:
            rule = refused.rule
            if bare and self.unit is None and "unit" in rule:
                rule += ", or name the unit of the column, as in unit=min"
            what = shown(cell) if cell else "an empty cell"
            raise Refused(f"line {line} of {self.file} holds {what}: {rule}") from None
        assert hours is not None  # these durations are not optional
        return hours


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _is_name(cell: str) -> bool:
    """Tell whether the first cell of a lone column is its name.

    A name begins with a letter or an underscore, and is no way to write that a value is missing.
    Whatever else stands there is meant as a value, and is refused if it is none.
    """
    text = cell.strip().lower()
    return text not in _NO_NAMES and (text[0].isalpha() or text[0] == "_")


class Measured(Drawn):
    """Measured values, each as likely as the others. ``values`` are hours, kept sorted.

    They come from ``source``, a file, or stand in the expression itself. As all families do, this
    one compares by value; that the same file lies elsewhere makes no difference.
    """

    family: ClassVar[str] = "empirical"
    usage: ClassVar[tuple[str, ...]] = (
        "empirical(10 min, 20 min, 3 h)",
        "empirical(repairs.csv, column=hours_down, unit=h)",
    )
    values: Annotated[tuple[float, ...], Measurements()]
    source: Annotated[Source | None, Origin()] = None

    @classmethod
    def from_file(
        cls, file: str | os.PathLike[str], *, column: str | None = None, unit: str | None = None
    ) -> Self:
        """Return the durations in a column of a CSV file; ``unit`` is that of bare numbers.

        A lone column needs no name, in the file or here. A relative path counts from the current
        folder. Raises ScenarioError with file and line.
        """
        try:
            name = os.fsdecode(file)
        except TypeError:
            raise refuse(f"{shown(file)} is not the name of a file.", value=file) from None
        try:
            return cls._read(name, column, unit, None, {})
        except Refused as refused:
            raise refuse(f"{refused.rule}.", value=name) from None

    @classmethod
    def from_text(cls, text: str, context: Context) -> Self:
        """Build it from values, or from the name of a file. Raises Refused."""
        arguments: dict[str, str] = {}
        values: list[str] = []
        parts = split(text) if text.strip() else []
        if len(parts) > MOST_INLINE:
            raise Refused(_too_many(len(parts)))
        for number, part in enumerate(map(str.strip, parts)):
            is_quoted = unquoted(part)[1]
            pair = None if is_quoted else named(part)
            if number == 0 and (is_quoted or (pair is None and is_file_name(part))):
                pair = ("file", part)
            if pair is None:
                values.append(part)
            elif pair[0] in arguments:
                raise Refused(f"it gives '{pair[0]}' twice")
            else:
                arguments[pair[0]] = unquoted(pair[1])[0]
        return cls._of(values, arguments, context)

    @classmethod
    def _of(cls, values: list[str], arguments: dict[str, str], context: Context) -> Self:
        known = dict.fromkeys(("file", "column", "unit", "times", "sha256"))
        wrong = next((name for name in arguments if name not in known), None)
        if wrong is not None:
            raise Refused(f"'{wrong}' is no argument of it: empirical takes {one_of(known)}")
        if "file" in arguments:
            if values:
                raise Refused(f"{shown(values[0])} in it is one too many: a file holds all values")
            return cls._read(
                arguments["file"],
                arguments.get("column"),
                arguments.get("unit"),
                arguments.get("sha256"),
                context,
                arguments.get("times", 1.0),
            )
        if arguments:
            raise Refused(f"its {next(iter(arguments))} belongs to a file, and none is named")
        if not values:
            raise Refused("it needs durations, or the name of a CSV file")
        hours = cls._rule().read([plain_scalar(each) for each in values], units_required=True)
        return build(cls, {"values": hours}, {})

    @classmethod
    def _read(
        cls,
        file: str,
        column: str | None,
        unit: str | None,
        sha256: str | None,
        context: Context,
        times: str | float = 1.0,
    ) -> Self:
        factor = _factor(times)
        values, source = read_file(
            file,
            column,
            unit,
            cls._rule().each,
            folder=context.get("folder", ""),
            sha256=sha256,
        )
        scaled = [factor * value for value in values]
        return build(cls, {"values": scaled, "source": replace(source, times=factor)}, {})

    @classmethod
    def _rule(cls) -> Measurements:
        rules = cls.model_fields["values"].metadata
        return next(rule for rule in rules if isinstance(rule, Measurements))

    @model_validator(mode="after")
    def _fits_in_an_expression(self) -> Self:
        if self.source is None and len(self.values) > MOST_INLINE:
            raise Refused("", sentence=f"{_too_many(len(self.values))}.")
        return self

    def expression(self) -> str:
        """Return the values, or the file's name and the beginning of its hash."""
        source = self.source
        if source is None:
            return f"{self.family}({', '.join(str(Duration().plain(v)) for v in self.values)})"
        arguments = [quoted(source.file, file=True)]
        arguments += [] if source.column is None else [f"column={quoted(source.column)}"]
        arguments += [] if source.unit is None else [f"unit={source.unit}"]
        arguments += [] if source.times == 1.0 else [f"times={source.times!r}"]
        return f"{self.family}({', '.join(arguments)}, sha256={source.sha256[:HASH_DIGITS]})"

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; one with other values is not from the file any more."""
        changed = dict(update or {})
        if "values" in changed:
            changed.setdefault("source", None)
        return super().model_copy(update=changed, deep=deep)

    def sources(self) -> tuple[Source, ...]:
        """Return the file that the values were read from, if there is one."""
        return () if self.source is None else (self.source,)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Show a few values of many."""
        few = len(self.values) <= MOST_SHOWN
        yield "values", self.values if few else f"{len(self.values):,} values"
        yield "source", self.source


def _factor(text: str | float) -> float:
    """What measured values are multiplied by: a number above 0."""
    try:
        return float(
            Real(0.0, 1e9, least_excluded=True).read(
                plain_scalar(text) if isinstance(text, str) else text, units_required=False
            )
        )
    except Refused as refused:
        raise Refused(f"its times, here {shown(text)}, {_wrong(refused.rule)}") from None


def _too_many(count: int) -> str:
    return (
        f"{count:,} values are more than the {MOST_INLINE:,} that may stand in an expression: put "
        "them into a CSV file and name that"
    )
