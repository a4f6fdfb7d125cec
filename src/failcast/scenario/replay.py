"""Replayed failures: which server fails when, from a CSV file, in the place of drawn lives.

On the map: scenario, beside measurements.py, whose reading of files it shares. A file is read once,
when the scenario is, and its hash stays with the failures. Times are hours since the job's start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeAlias

from pydantic import model_validator

from failcast.scenario.drawn import EMPIRICAL, Kernel
from failcast.scenario.errors import Refused, refuse, shown
from failcast.scenario.expressions import Adjusted, Expression, Family, build, named, split
from failcast.scenario.measurements import (
    HASH_DIGITS,
    MOST_INLINE,
    MOST_SHOWN,
    MOST_VALUES,
    Column,
    Origin,
    Source,
    is_file_name,
    open_file,
    quoted,
    unquoted,
)
from failcast.scenario.rules import OFF, Context, Count, Duration, Rule, one_of
from failcast.scenario.scalars import plain_scalar

if TYPE_CHECKING:
    from failcast.scenario.scenario import Scenario

#: The columns of a file, where it is not said what they are called.
TIME: Final = "time"
SERVER: Final = "server"
_ARGUMENTS: Final = ("file", "time", "server", "unit", "sha256")
_MOST_SERVERS: Final = 10_000_000
_SERVER_NUMBER: Final = Count(0, _MOST_SERVERS)

#: Hours since the start, and the number of the server.
Failure: TypeAlias = tuple[float, int]


@dataclass(frozen=True)
class Log(Source):
    """Where replayed failures come from; ``column`` is that of the times."""

    #: The column of the servers.
    server: str = SERVER
    #: The line of each failure.
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Struck(Rule):
    """Pairs of a time and the number of a server, in order of time."""

    def read(self, value: Any, *, units_required: bool) -> tuple[Failure, ...]:
        wrong_kinds = (str, bytes, bytearray, Mapping, set, frozenset)
        if isinstance(value, wrong_kinds) or not isinstance(value, Iterable):
            raise Refused("it must be pairs such as ('12 h', 3): a time and the number of a server")
        pairs = list(islice(value, MOST_VALUES + 1))
        if not pairs:
            raise Refused("it must hold at least one failure")
        if len(pairs) > MOST_VALUES:
            raise Refused(f"it must hold at most {MOST_VALUES:,} failures")
        found: list[Failure] = []
        for number, pair in enumerate(pairs, start=1):
            found.append(self._failure(f"its failure {number}", pair, units_required))
            if len(found) > 1 and found[-1][0] < found[-2][0]:
                raise Refused(f"its failure {number} is earlier than the one before it: sort them")
        return tuple(sorted(found))

    def _failure(self, which: str, pair: Any, units_required: bool) -> Failure:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise Refused(f"{which} must be a time and the number of a server")
        try:
            hours = Duration().read(pair[0], units_required=units_required)
        except Refused as refused:
            raise Refused(_wrong(f"{which} is wrong: its time", pair[0], refused)) from None
        try:
            server = _SERVER_NUMBER.read(pair[1], units_required=False)
        except Refused as refused:
            raise Refused(_wrong(f"{which} is wrong: its server", pair[1], refused)) from None
        assert hours is not None  # these durations are not optional
        return hours, server


def _wrong(what: str, value: Any, refused: Refused) -> str:
    """Return a rule that a part of a value breaks."""
    rule = refused.rule
    words = rule.removeprefix("it ") if rule.startswith("it must ") else f"is wrong: {rule}"
    return f"{what}, here {shown(value)}, {words}"


class Replay(Family):
    """Failures at given times of given servers, from a CSV file or in the expression itself."""

    family: ClassVar[str] = "replay"
    usage: ClassVar[tuple[str, ...]] = (
        "replay(failures.csv, time=hours, server=node, unit=h)",
        "replay(12 h: 3, 20 h: 17)",
    )
    failures: Annotated[tuple[Failure, ...], Struck()]
    source: Annotated[Log | None, Origin()] = None

    @classmethod
    def from_file(
        cls,
        file: str | os.PathLike[str],
        *,
        time: str = TIME,
        server: str = SERVER,
        unit: str | None = None,
    ) -> Self:
        """Return the failures in a CSV file: a line for each, with the names in its first line.

        ``time`` and ``server`` are the names of columns, ``unit`` is that of bare numbers. A
        relative path counts from the current folder. Raises ScenarioError with file and line.
        """
        try:
            name = os.fsdecode(file)
        except TypeError:
            raise refuse(f"{shown(file)} is not the name of a file.", value=file) from None
        try:
            return cls._read({"file": name, "time": time, "server": server, "unit": unit}, {})
        except Refused as refused:
            raise refuse(f"{refused.rule}.", value=name) from None

    @classmethod
    def from_text(cls, text: str, context: Context) -> Self:
        """Build it from pairs such as "12 h: 3", or from the name of a file. Raises Refused."""
        arguments: dict[str, Any] = {}
        pairs: list[tuple[Any, Any]] = []
        for number, part in enumerate(map(str.strip, split(text) if text.strip() else [])):
            is_quoted = unquoted(part)[1]
            pair = None if is_quoted else named(part)
            if number == 0 and (is_quoted or (pair is None and is_file_name(part))):
                pair = ("file", part)
            if pair is None:
                time, colon, server = part.partition(":")
                if not colon:
                    raise Refused(f"{shown(part)} in it is no time and server: write 12 h: 3")
                pairs.append((plain_scalar(time.strip()), plain_scalar(server.strip())))
            elif pair[0] in arguments:
                raise Refused(f"it gives '{pair[0]}' twice")
            else:
                arguments[pair[0]] = unquoted(pair[1])[0]
        return cls._of(pairs, arguments, context)

    @classmethod
    def _of(cls, pairs: list[tuple[Any, Any]], arguments: dict[str, Any], context: Context) -> Self:
        wrong = next((name for name in arguments if name not in _ARGUMENTS), None)
        if wrong is not None:
            known = one_of(dict.fromkeys(_ARGUMENTS))
            raise Refused(f"'{wrong}' is no argument of it: replay takes {known}")
        if "file" in arguments:
            if pairs:
                raise Refused("it names a file, which holds all failures, and gives others beside")
            return cls._read(arguments, context)
        if arguments:
            raise Refused(f"its {next(iter(arguments))} belongs to a file, and none is named")
        if not pairs:
            raise Refused("it needs the name of a CSV file, or failures such as 12 h: 3")
        return build(cls, {"failures": Struck().read(pairs, units_required=True)}, {})

    @classmethod
    def _read(cls, arguments: Mapping[str, Any], context: Context) -> Self:
        failures, source = read_log(
            arguments["file"],
            arguments.get("time", TIME),
            arguments.get("server", SERVER),
            arguments.get("unit"),
            folder=context.get("folder", ""),
            sha256=arguments.get("sha256"),
        )
        return build(cls, {"failures": failures, "source": source}, {})

    @model_validator(mode="after")
    def _fits_in_an_expression(self) -> Self:
        if self.source is None and len(self.failures) > MOST_INLINE:
            sentence = (
                f"{len(self.failures):,} failures are more than the {MOST_INLINE:,} that may stand "
                "in an expression: put them into a CSV file and name that."
            )
            raise Refused("", sentence=sentence)
        return self

    def expression(self) -> str:
        """Return the failures, or the file's name and the beginning of its hash."""
        source = self.source
        if source is None:
            pairs = (f"{Duration().plain(hours)}: {server}" for hours, server in self.failures)
            return f"{self.family}({', '.join(pairs)})"
        arguments = [
            quoted(source.file, file=True),
            f"time={quoted(source.column or TIME)}",
            f"server={quoted(source.server)}",
        ]
        arguments += [] if source.unit is None else [f"unit={source.unit}"]
        return f"{self.family}({', '.join(arguments)}, sha256={source.sha256[:HASH_DIGITS]})"

    def with_argument(self, name: str, value: Any, context: Context) -> Self:
        """Refuse to change a part: it is given as a whole."""
        raise Refused(f"its {name} cannot be changed alone: write replay(…) as a whole")

    def kernel(self) -> Kernel:
        """Return (EMPIRICAL, 0, number of failures): a table as that of measured values."""
        return EMPIRICAL, 0.0, float(len(self.failures))

    def table(self) -> tuple[float, ...]:
        """Return the time in hours and the server of each failure, one after the other."""
        return tuple(float(number) for failure in self.failures for number in failure)

    def sources(self) -> tuple[Source, ...]:
        """Return the file that the failures were read from, if there is one."""
        return () if self.source is None else (self.source,)

    def where(self, number: int) -> str:
        """Say where the failure of this number stands, for messages."""
        source = self.source
        if source is None:
            return f"its failure {number + 1}"
        return f"line {source.lines[number]} of {shown(source.path, quote=False)}"

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Show a few failures of many."""
        few = len(self.failures) <= MOST_SHOWN
        yield "failures", self.failures if few else f"{len(self.failures):,} failures"
        yield "source", self.source


def read_log(
    file: str, time: str, server: str, unit: str | None, *, folder: str, sha256: str | None
) -> tuple[tuple[Failure, ...], Log]:
    """Return the failures in a CSV file, in order, and their source; see ``Replay.from_file``.

    A relative name is looked for in ``folder``; ``sha256`` is what the file's hash must begin with.
    Raises Refused with file and line.
    """
    path, name, text, found = open_file(
        {"file": file, "time": time, "server": server}, unit, folder=folder, sha256=sha256
    )
    times = Column(name, time, unit, Duration())
    rows = times.rows(text)
    head = next(rows, None)
    failures: list[tuple[float, int, int]] = []
    if head is not None:
        first = head[1]
        at, who = times.place(*head), Column(name, server, None, Duration()).place(*head)
        known: dict[str, float] = {}
        for line, row in islice(rows, MOST_VALUES + 1):
            times.check_width(line, row, first)
            cell = row[at].strip()
            if cell not in known:
                known[cell] = times.hours(line, cell)
            if failures and known[cell] < failures[-1][0]:
                raise Refused(
                    f"line {line} of {name} holds {shown(cell)}, which is earlier than the line "
                    "before it: sort the file by time"
                )
            failures.append((known[cell], _server(name, line, row[who].strip()), line))
    if not failures:
        raise Refused(f"{name} holds no failures: it must hold at least one, below a line of names")
    if len(failures) > MOST_VALUES:
        raise Refused(f"{name} holds more than {MOST_VALUES:,} failures: take a part of them")
    failures.sort()  # those of one time by server, as ties are broken
    lines = tuple(line for _, _, line in failures)
    log = Log(file, time, unit, found, path, server=server, lines=lines)
    return tuple((hours, number) for hours, number, _ in failures), log


def _server(name: str, line: int, cell: str) -> int:
    if cell.isascii() and cell.isdigit() and len(cell) < 10 and int(cell) <= _MOST_SERVERS:
        return int(cell)
    what = shown(cell) if cell else "an empty cell"
    raise Refused(
        f"line {line} of {name} holds {what} for a server: it must be its number, a whole one from "
        "0 on"
    )


@dataclass(frozen=True)
class OrOff(Expression):
    """An expression, or None, which is written as off."""

    def read_at(self, value: Any, context: Context) -> Any:
        """Return the member, or None. Raises Refused."""
        if value is None or value == OFF:
            return None
        if isinstance(value, Adjusted) and (value.current is None or value.current == OFF):
            raise Refused(f"it is {OFF}, which has no {value.argument}: write {self.example}")
        return super().read_at(value, context)


#: How failures are given, by names in expressions.
REPLAYS: Final[dict[str, type[Family]]] = {"replay": Replay}
#: A field that holds replayed failures, or None.
ReplayField = Annotated[
    Replay | None,
    OrOff(REPLAYS, "replay", "'replay(failures.csv, time=hours, server=node, unit=h)' or off"),
]


def refuse_unknown_servers(scenario: Scenario) -> None:
    """Raise Refused where a failure is that of a server that the cluster does not have."""
    replay, cluster = scenario.failures.replay, scenario.cluster
    total = cluster.working_pool + cluster.spare_pool
    if replay is None:
        return
    number = next((n for n, (_, server) in enumerate(replay.failures) if server >= total), None)
    if number is None:
        return
    sentence = (
        f"failures.replay names server {replay.failures[number][1]:,} ({replay.where(number)}), "
        f"but cluster.working_pool ({cluster.working_pool}) and cluster.spare_pool "
        f"({cluster.spare_pool}) hold servers 0 to {total - 1:,}: correct it or enlarge a pool."
    )
    fields = ("failures.replay", "cluster.working_pool", "cluster.spare_pool")
    raise Refused("", sentence=sentence, fields=fields)
