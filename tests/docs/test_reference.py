"""The committed reference pages are what the generator writes, and it misses no name."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest
from tests.docs.pages import DOCS


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The generator, as `python docs/generate.py` finds it."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("generate")


def test_the_pages_are_up_to_date(generate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """If not: run `python docs/generate.py`."""
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_a_page_is_written_only_where_it_differs(
    generate: ModuleType, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "REFERENCE", tmp_path)
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("FIELDS", "job.warm_standbys"),
        ("METRICS", "ettr"),
        ("STATUSES", "depleted"),
        ("SERVER_STATES", "idle"),
        ("JOB_PHASES", "stalled"),
        ("STREAMS", "life"),
        ("EXIT_CODES", 2),
        ("CAUSES", "waiting_hours"),
        ("PUBLIC_VALUES", "METRICS"),
    ],
)
def test_a_name_without_a_meaning_stops_the_generator(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch, table: str, name: object
) -> None:
    meanings = importlib.import_module("reference_pages.meanings")
    markdown = importlib.import_module("reference_pages.markdown")
    words = getattr(meanings, table)
    for changed in ({k: v for k, v in words.items() if k != name}, words | {"no such name": "?"}):
        monkeypatch.setattr(meanings, table, changed)
        with pytest.raises(markdown.MissingMeaningError):
            [write() for write in generate.PAGES.values()]
