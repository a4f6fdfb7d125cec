"""Pieces of Markdown, docstrings as text, and the check that every name is explained."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

WIDTH = 100
NOTE = "<!-- Written by docs/generate.py from the package. Change that, not this page. -->"


class MissingMeaningError(Exception):
    """A name of the package is not explained, or an explanation has no name any more."""


def explained(table: Mapping[Any, Any], names: Iterable[Any], what: str) -> None:
    """Stop unless `table` explains exactly `names`."""
    known = list(names)
    missing = [str(name) for name in known if not table.get(name)]
    stale = [str(name) for name in table if name not in known]
    if missing or stale:
        raise MissingMeaningError(
            f"{what}: no meaning for {missing or 'none'}, meaning without a name: {stale or 'none'}"
        )


def page(title: str, *parts: str) -> str:
    """A whole page: title, note on where it comes from, and the parts."""
    return "\n\n".join([f"# {title}", NOTE, *parts]) + "\n"


def prose(text: str) -> str:
    """A paragraph, wrapped."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    heads = list(head)
    lines = [heads, ["---"] * len(heads), *map(list, rows)]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in x) + " |" for x in lines
    )


def code(text: str) -> str:
    """Text in code type; nothing for nothing."""
    return f"`{text}`" if text else ""


def first_sentence(thing: object) -> str:
    """The first sentence of a docstring, in Markdown."""
    paragraph = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return plain_markdown(" ".join(re.split(r"(?<=[.])\s", paragraph, maxsplit=1)[0].split()))


def all_sentences(thing: object) -> str:
    """The whole docstring as wrapped paragraphs."""
    paragraphs = (inspect.getdoc(thing) or "").split("\n\n")
    return "\n\n".join(prose(plain_markdown(part)) for part in paragraphs)


def plain_markdown(text: str) -> str:
    """Docstrings mark code with one or two backquotes; Markdown takes one."""
    return text.replace("``", "`")
