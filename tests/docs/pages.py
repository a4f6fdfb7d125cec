"""The pages of the documentation, their fenced blocks and links, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))

_FENCE = re.compile(r"^```(.*)$")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, further words of its info string, its first line, its text."""

    language: str
    words: tuple[str, ...]
    line: int
    text: str
    #: Whether only blank lines stand between this block and the one before it.
    follows: bool


def name_of(page: Path) -> str:
    """The page's path from the root, for the names of tests."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    found: list[Block] = []
    info: list[str] | None = None
    start, inside, between = 0, [""], ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if info is None and fence:
            info, start, inside = fence[1].split(), number, []
        elif info is not None and fence:
            language = info[0] if info else ""
            follows = bool(found) and not between.strip()
            found.append(Block(language, tuple(info[1:]), start + 1, "\n".join(inside), follows))
            info, between = None, ""
        elif info is not None:
            inside.append(line)
        else:
            between += line
    assert info is None, f"{name_of(page)}:{start}: the fence is not closed"
    return found


def prose_lines(page: Path) -> Iterator[tuple[int, str]]:
    """Number and text of every line outside fences."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def links(page: Path) -> list[str]:
    """The targets of all links and pictures of a page that are no web addresses."""
    text = "\n".join(line for _, line in prose_lines(page))
    return [target for target in _LINK.findall(text) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings give, as GitHub makes them."""
    text = "\n".join(line for _, line in prose_lines(page))
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(text))
    return {heading.strip().replace(" ", "-") for heading in plain}


def make_targets() -> dict[str, str]:
    """Target -> recipe of every target of the Makefile that a person may ask for."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    assert phony
    recipes = re.findall(r"^(\w+):[^\n=]*\n((?:\t[^\n]*\n)*)", text, re.MULTILINE)
    return {target: recipe for target, recipe in recipes if target in phony[1].split()}
