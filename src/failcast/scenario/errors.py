"""What is wrong with a scenario, said in sentences.

Every refusal of a scenario, from a file, from Python or from an override, is one ``ScenarioError``
with one sentence per problem. ``Refused`` is what a single validator raises: it knows the rule,
not the place; the block or file around it adds the place.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

#: Longest piece of a user's text that a sentence repeats.
SHOWN_CHARACTERS = 80
#: A path is shown whole, for a user to find the file by.
PATH_CHARACTERS = 4096
#: Most problems of one scenario that are told; a file of another kind may have thousands.
MOST_PROBLEMS = 50


class Refused(ValueError):
    """A value breaks a rule. ``rule`` continues "X is V, but …"; ``sentence`` replaces it all."""

    def __init__(self, rule: str, *, sentence: str = "", fields: tuple[str, ...] = ()) -> None:
        super().__init__(sentence or rule)
        self.rule = rule
        self.sentence = sentence
        self.fields = fields


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it stands, the value found, and what would be right.

    ``field`` is the dotted path, ``others`` are further fields that take part in the problem.
    """

    field: str
    value: Any
    rule: str
    sentence: str = ""
    others: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None

    @property
    def message(self) -> str:
        """The sentence without file and line."""
        if self.sentence:
            return self.sentence
        end = "" if self.rule.endswith("?") else "."
        return f"{shown(self.field, quote=False)} is {shown(self.value)}, but {self.rule}{end}"

    def __str__(self) -> str:
        place = "" if self.file is None else shown(self.file, quote=False, most=PATH_CHARACTERS)
        if self.line is not None:
            place = f"{place}, line {self.line}" if place else f"line {self.line}"
        return f"{place}: {self.message}" if place else self.message

    def found_in(self, file: str, lines: Mapping[str, int]) -> Problem:
        """Return the problem with its file and, where ``lines`` knows it, its line."""
        if self.file is not None:
            return self
        line = self.line
        if line is None:
            found = (line_of(path, lines) for path in (self.field, *self.others))
            line = next((number for number in found if number is not None), None)
        return replace(self, file=file, line=line)


class ScenarioError(ValueError):
    """A scenario is refused. ``str()`` gives one sentence per problem, one per line.

    ``problems`` holds them all; ``file``, ``line``, ``field``, ``value`` and ``message`` are those
    of the first one.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)

    @property
    def file(self) -> str | None:
        """File, preset or override that holds the first problem; None for Python objects."""
        return self.problems[0].file

    @property
    def line(self) -> int | None:
        """Line of the first problem, counted from 1; None where no line is known."""
        return self.problems[0].line

    @property
    def field(self) -> str:
        """Dotted path of the first field that is wrong, such as ``job.warm_standbys``."""
        return self.problems[0].field

    @property
    def value(self) -> Any:
        """The value that was refused first."""
        return self.problems[0].value

    @property
    def message(self) -> str:
        """The first sentence, without file and line."""
        return self.problems[0].message

    def found_in(self, file: str, lines: Mapping[str, int]) -> ScenarioError:
        """Return the same error with the places of its problems filled in, in their order."""
        found = [problem.found_in(file, lines) for problem in self.problems]
        return ScenarioError(sorted(found, key=lambda each: (each.line is None, each.line or 0)))


def refuse(
    sentence: str,
    *,
    field: str = "",
    value: Any = None,
    file: str | None = None,
    line: int | None = None,
) -> ScenarioError:
    """Return the error for one problem that already is a whole sentence."""
    return ScenarioError([Problem(field, value, "", sentence, file=file, line=line)])


def and_more(count: int) -> list[Problem]:
    """Return the last sentence of a list that was cut short by ``count`` problems."""
    return [Problem("", None, "", f"there are {count} more problems.")] if count > 0 else []


def line_of(path: str, lines: Mapping[str, int]) -> int | None:
    """Return the line of ``path`` or of the nearest block around it that has a line."""
    while path:
        if path in lines:
            return lines[path]
        path = path.rpartition(".")[0]
    return None


def shown(value: Any, *, quote: bool = True, most: int = SHOWN_CHARACTERS) -> str:
    """Return a value as a sentence may repeat it: short, on one line, printable."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a block of fields"
    if isinstance(value, list | tuple | set):
        return "a list"
    text = _text_of(value)
    if len(text) > most:
        text = text[: most - 1] + "…"
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return f"'{text}'" if quote and isinstance(value, str) else text


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except ValueError:
        # Python refuses to write out integers of more than a few thousand digits.
        return "a number of thousands of digits"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the known name that looks most like ``name``, or None when none is close."""
    found = difflib.get_close_matches(name[:SHOWN_CHARACTERS].lower(), list(names), n=1)
    return found[0] if found else None


def nearest_path(path: str, paths: Iterable[str]) -> str | None:
    """Return the dotted path that is most likely meant.

    A right last name in the wrong place counts more than a similar spelling: ``warm_standbys``
    leads to ``job.warm_standbys``.
    """
    path = path[:SHOWN_CHARACTERS].lower()
    known = list(paths)
    leaf = path.rpartition(".")[2]
    same_leaf = [name for name in known if name.rpartition(".")[2] == leaf]
    if same_leaf:
        return difflib.get_close_matches(path, same_leaf, n=1, cutoff=0.0)[0]
    found = nearest(path, known)
    if found is not None:
        return found
    similar_leaf = nearest(leaf, {name.rpartition(".")[2]: None for name in known})
    return next((name for name in known if name.rpartition(".")[2] == similar_leaf), None)


def did_you_mean(found: str | None) -> str:
    """Return the hint that ends a sentence, or nothing."""
    return "" if found is None else f"; did you mean '{found}'?"
