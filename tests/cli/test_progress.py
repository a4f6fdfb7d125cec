"""Progress on stderr: lines without a terminal, a bar on one; an estimated total says so."""

from __future__ import annotations

import io

import pytest

from failcast.cli import output, progress
from failcast.cli.output import PlainConsole


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show progress at once."""
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)


def test_every_tenth_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Progress(2000, quiet=False) as shown:
        for _ in range(4):
            shown.show(150)
    assert capsys.readouterr().err.splitlines() == [
        "300 of 2,000 replications done",
        "450 of 2,000 replications done",
        "600 of 2,000 replications done",
    ]


def test_a_total_that_grows_is_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Progress(200, quiet=False) as shown:
        shown.show(200)
        shown.expect(2000)
        shown.show(200)
        shown.expect(1000)
        shown.show(50)
        shown.show(50)
    assert capsys.readouterr().err.splitlines() == [
        "200 of 200 replications done",
        "400 of about 2,000 replications done",
        "500 of about 1,000 replications done",
    ]


def test_a_terminal_has_a_bar_with_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(output, "notices", lambda: PlainConsole(stream))
    with progress.Progress(200, quiet=False) as shown:
        shown.show(200)
        shown.expect(2000)
        shown.show(100)
    text = stream.getvalue()
    assert "Simulating" in text
    assert "300 of about 2,000" in text
    assert " left" in text


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Progress(200, quiet=True) as shown:
        shown.show(200)
        shown.expect(300)
        shown.show(100)
    assert capsys.readouterr().err == ""
