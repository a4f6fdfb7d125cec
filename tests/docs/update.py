"""Write the real output into the pages: `python -m tests.docs.update`, then read the difference.

For when a change of the program rightly changes what it prints. What `…` stands for stays open;
lines that differ only in times and threads stay as they are. A block with text between two `…`
that has changed is named, and left to a person.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import PAGES, Block, blocks, name_of
from tests.docs.shell import matches, tidy
from tests.docs.test_pages import Story


def renewed(shown: str, real: list[str]) -> str | None:
    """Return the lines that a page shows, renewed from the real ones; None if a person must."""
    old = shown.split("\n")
    if matches(tidy(shown), real):
        return shown
    gaps = [number for number, line in enumerate(old) if line.strip() == "…"]
    if len(gaps) > 1:
        return None
    head = old[: gaps[0]] if gaps else old
    tail = old[gaps[0] + 1 :] if gaps else []
    first = real[: len(head)] if gaps else real
    last = real[len(real) - len(tail) :] if tail else []
    lines = _kept(head, first) + (["…"] if gaps else []) + _kept(tail, last)
    return "\n".join(lines)


def _kept(old: list[str], real: list[str]) -> list[str]:
    """Return the real lines, in the old spelling where only times and threads differ."""
    spelling = {"".join(tidy(line)): line for line in old}
    return [spelling.get(line, line) for line in real]


def told(story: Story, block: Block) -> str | None:
    """Run a block and return its text with renewed output; None if a person must do it."""
    if block.language == "console":
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        text = parts[0]
        for part in parts[1:]:
            lines = part.split("\n")
            size = 1 + next(i for i, line in enumerate(lines) if not line.endswith("\\"))
            command, shown = lines[:size], "\n".join(lines[size:])
            real = story.shell.run("\n".join(command).replace("\\\n", " "))
            new = renewed(shown.rstrip("\n"), real)
            if new is None:
                return None
            end = "\n" if shown.endswith("\n") else ""
            text += "$ " + "\n".join([*command, *([new] if new else [])]) + end
        return text
    if block.language == "text" and block.follows and story.before == "python":
        story.before = "text"
        return renewed(block.text, tidy(story.printed))
    story.tell(block)
    return block.text


def update(page: Path) -> None:
    """Rewrite one page in place."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        story = Story(page, Path(folder))
        for block in blocks(page):
            new = told(story, block)
            story.before = block.language
            if new is None:
                sys.stdout.write(f"{name_of(page)}:{block.line}: renew this block by hand\n")
            elif new != block.text:
                text = text.replace(f"\n{block.text}\n```", f"\n{new}\n```", 1)
    if text != page.read_text(encoding="utf-8"):
        page.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name_of(page)}: renewed\n")


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    for each in PAGES:
        if blocks(each):
            update(each)
