"""Every fenced block of the documentation does what the page says; links lead somewhere.

    ```python    runs, one namespace for each page; a ```text block right after it is its output
    ```bash      every line runs and succeeds; of `make` only the targets are looked up
    ```console   lines after `$` run, the others are what they print (`…`: any lines)
    ```yaml      is a scenario; `# file.yaml` as its first line is its name for commands;
                 marked `refused`, it is none

The blocks of a page share one folder and run in order. Other fences are not run.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import (
    PAGES,
    ROOT,
    Block,
    anchors,
    blocks,
    links,
    make_targets,
    name_of,
    prose_lines,
)
from tests.docs.shell import Shell, matches, tidy

import failcast as fc

LANGUAGES = ("python", "bash", "console", "yaml", "json", "text")
WIDTH = 100
WITH_BLOCKS = [page for page in PAGES if blocks(page)]


class Story:
    """The blocks of one page, told in order."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page = page
        self.shell = Shell(folder)
        self.names: dict[str, Any] = {"__name__": "page"}
        self.printed = ""
        self.before = ""

    def tell(self, block: Block) -> None:
        """Run one block."""
        where = f"{name_of(self.page)}:{block.line}"
        if block.language == "text" and block.follows and self.before == "python":
            assert tidy(block.text) == tidy(self.printed), where
        elif block.language in ("python", "bash", "console", "yaml"):
            getattr(self, block.language)(block, where)
        self.before = block.language

    def python(self, block: Block, where: str) -> None:
        """Execute the block, with the line numbers of the page."""
        code = compile("\n" * (block.line - 1) + block.text, where, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(code, self.names)
        self.printed = output.getvalue()

    def bash(self, block: Block, where: str) -> None:
        """Run each line; all of them succeed. Of `make` the targets have to exist, no more."""
        for command in commands(block.text):
            if command.startswith("make "):
                assert set(command.split()[1:]) <= set(make_targets()), where
                continue
            output = self.shell.run(command)
            assert self.shell.code == 0, "\n".join([where, command, *output])

    def console(self, block: Block, where: str) -> None:
        """Run each line after `$` and compare what it prints."""
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, *rest = part.replace("\\\n", " ").split("\n")
            real = self.shell.run(command)
            shown = tidy("\n".join(rest))
            assert matches(shown, real), "\n".join([where, command, *real])

    def yaml(self, block: Block, where: str) -> None:
        """Load the block as a file, or see that it is refused."""
        named = re.match(r"# (\S+\.yaml)\n", block.text)
        file = self.shell.folder / (named[1] if named else f"line-{block.line}.yaml")
        file.write_text(block.text + "\n", encoding="utf-8")
        if "refused" in block.words:
            with pytest.raises(fc.ScenarioError):
                fc.load(file)
        else:
            assert fc.load(file), where


def commands(text: str) -> list[str]:
    """The commands of a bash block: lines, with those that end in a backslash joined."""
    lines = text.replace("\\\n", " ").split("\n")
    return [line for line in lines if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_every_block_does_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    story = Story(page, tmp_path)
    for block in blocks(page):
        story.tell(block)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_says_what_it_holds(page: Path) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{name_of(page)}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        target, _, anchor = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{name_of(page)}: {link}"
        assert not anchor or anchor in anchors(file), f"{name_of(page)}: {link}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, new = set[Path](), {ROOT / "README.md"}
    while new:
        reached |= new
        targets = {
            (page.parent / link.partition("#")[0]).resolve() for page in new for link in links(page)
        }
        new = {file for file in targets if file.suffix == ".md" and file.is_file()} - reached
    assert set(PAGES) <= reached


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_prose_is_wrapped(page: Path) -> None:
    """Tables and links cannot be wrapped; everything else ends by column 100."""
    for number, line in prose_lines(page):
        wrappable = not line.startswith("|") and "](" not in line
        assert len(line) <= WIDTH or not wrappable, f"{name_of(page)}:{number}"


def test_the_readme_tests_as_the_checks_of_a_change_do() -> None:
    called = re.search(r"\bmake [a-z ]+", (ROOT / ".ci/run").read_text(encoding="utf-8"))
    assert called
    readme = [block for block in blocks(ROOT / "README.md") if block.language == "bash"]
    assert any(called[0].strip() in commands(block.text) for block in readme)


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        (["a", "b", "c"], True),
        (["a", "…"], True),
        (["…", "c"], True),
        (["a", "…", "c"], True),
        (["a", "…", "b", "c"], True),
        (["…"], True),
        (["a", "b"], False),
        (["a", "…", "d"], False),
        ([], False),
        (["a.", "b", "c"], False),
    ],
)
def test_an_ellipsis_stands_for_any_lines_and_nothing_else_does(
    shown: list[str], same: bool
) -> None:
    assert matches(shown, ["a", "b", "c"]) is same


def test_a_wrong_block_is_seen(tmp_path: Path) -> None:
    """Output that is not that of the code, a command that fails, a scenario that is none."""
    story = Story(ROOT / "README.md", tmp_path)
    story.tell(Block("python", (), 1, "print(1 + 1)", False))
    story.tell(Block("text", (), 2, "2", True))
    wrong = [
        Block("console", (), 3, "$ echo a\nb", False),
        Block("console", (), 4, "$ make tea", False),
        Block("bash", (), 5, "true\nfalse", False),
        Block("bash", (), 5, "make check tea", False),
        Block("yaml", ("refused",), 6, "name: fine", False),
    ]
    for block in wrong:
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            story.tell(block)
    with pytest.raises(fc.ScenarioError):
        story.tell(Block("yaml", (), 7, "nome: odd", False))
    story.tell(Block("python", (), 8, "print(3)", False))
    with pytest.raises(AssertionError):
        story.tell(Block("text", (), 9, "2", True))
