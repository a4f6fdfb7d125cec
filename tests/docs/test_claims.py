"""What pages claim and no block shows: the picture is real output, each difference has its test."""

from __future__ import annotations

import html
import re
import runpy

from tests.docs.pages import DOCS, ROOT, blocks
from tests.regressions.test_ids import IDS


def lines_of_picture() -> list[str]:
    """The lines of text that the README's picture shows, without the space around them."""
    drawn = (DOCS / "images" / "balance.svg").read_text(encoding="utf-8")
    lines: dict[float, str] = {}
    for y, text in re.findall(r'<text [^>]*? y="([\d.]+)"[^>]*>([^<]*)</text>', drawn):
        lines[float(y)] = lines.get(float(y), "") + html.unescape(text).replace("\xa0", " ")
    return [lines[y].strip() for y in sorted(lines)]


def test_the_picture_shows_what_the_readme_shows() -> None:
    """Its first run is that of `make run`. If not: run `python docs/picture.py`."""
    shown = next(b for b in blocks(ROOT / "README.md") if b.language == "console").text
    answer, _, balance, _ = shown.split("\n\n")
    command, *answer_lines = answer.splitlines()
    assert command == "$ make run"
    picture = lines_of_picture()
    assert picture[0] == "$ failcast run airesim-table1"
    first = [line.strip() for line in [*answer_lines, *balance.splitlines()]]
    assert [line for line in picture[1:] if line][: len(first)] == first


def test_the_picture_is_what_the_program_draws_today() -> None:
    drawn = runpy.run_path(str(DOCS / "picture.py"))["screen"]()
    texts = [line.plain.strip() for line in drawn]
    assert [line for line in lines_of_picture() if line] == [text for text in texts if text]


def test_the_picture_asks_the_network_for_nothing() -> None:
    drawn = (DOCS / "images" / "balance.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"\w+://[^\s\"')]+", drawn)) == {"http://www.w3.org/2000/svg"}


def test_every_difference_has_a_regression_test_of_its_id_and_the_reverse() -> None:
    page = (DOCS / "explanation" / "differences-from-airesim.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| ([BT]\d+) \|", page, re.MULTILINE)
    assert sorted(told) == sorted(error.upper() for error in IDS)
