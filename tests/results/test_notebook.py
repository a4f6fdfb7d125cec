"""Results show themselves in a notebook: sound HTML, the answer first, all text escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.results.synthetic import days_of_training

import failcast as fc
from failcast.engine.notebook import trace_html, trace_line

VOID = ("br", "hr", "img")


class Page(HTMLParser):
    """The text and the cells of a page; fails where a tag is not closed or a script is run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.rows: list[list[str]] = []
        self.feed(page)
        self.close()
        assert self.open == []
        assert not self.tags & {"script", "link", "img", "iframe", "style"}
        assert "http" not in page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in VOID
        assert not any(name.startswith("on") for name, _ in attrs)
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def shown(thing: object) -> Page:
    """What a notebook shows for an object, as IPython finds it."""
    return Page(thing._repr_html_())  # type: ignore[attr-defined]


def test_a_notebook_from_scenario_to_verdict() -> None:
    """The cells of a short notebook: each ends in an object, and each shows itself."""
    scenario = fc.load("small").with_(job__length="5 d")
    page = shown(scenario)
    assert page.text.startswith("small: job of 256 servers for 5 d")
    assert ["job.warm_standbys", "8"] in page.rows

    sample = fc.simulate(scenario, replications=20, seed=1)
    page = shown(sample)
    assert page.text.startswith(sample.answer())
    assert page.rows[0] == ["metric", "unit", "mean", "95 % interval", "p5", "p50", "p95"]
    names = [row[0] for row in page.rows[1:]]
    assert names[:2] == ["training_hours", "ettr"]
    assert names[-1] == "mtbf_hours"
    assert {tuple(row[:2]) for row in page.rows[1:3]} == {
        ("training_hours", "h"),
        ("ettr", "share"),
    }
    assert all(" to " in row[3] for row in page.rows[1:])

    assert shown(sample.summary("ettr")).rows[0][:3] == ["mean", "low", "high"]
    assert shown(sample.mtbf_hours()).rows[0][0] == "value"
    assert shown(sample.finished_by(200.0)).rows[1][-1] == "20"
    kept, failed = (fc.Goal.parse(text).judge(sample) for text in ("ettr < 0", "ettr < 2"))
    assert shown(kept).text == f"✓ {kept.sentence}"
    assert shown(failed).text == f"✗ {failed.sentence}"


def test_metrics_that_are_always_zero_share_a_line() -> None:
    page = shown(days_of_training([900.0, 1000.0]))
    rows = {row[0] for row in page.rows}
    line = re.search(r"Zero in every run: (.*?)\.", page.text)
    assert line
    zero = set(line[1].split(", "))
    assert rows.isdisjoint(zero)
    assert rows | zero == {*fc.METRICS, "metric", "mtbf_hours"} - {"cost"}  # nothing has a price


def test_the_parts_of_the_bar_are_those_of_the_balance() -> None:
    sample = fc.simulate(fc.load("small"), replications=5, seed=1)
    html = sample._repr_html_()
    widths = [float(width) for width in re.findall(r"flex:([\d.]+) 0 0", html)]
    assert widths == pytest.approx([b.share for b in sample.balance() if b.hours > 0.0], abs=1e-6)


def test_a_sample_without_a_finished_run_says_so_and_has_no_means() -> None:
    sample = days_of_training([900.0], status=[fc.Status.DEPLETED])
    page = shown(sample)
    assert page.text.startswith("Training does not finish")
    assert page.rows == []


def test_quantiles_have_their_intervals_where_there_are_enough_runs() -> None:
    page = shown(days_of_training([float(hours) for hours in range(1, 101)]))
    assert page.rows[1][3:] == ["44.7 to 56.3", "6.0", "50.5", "95.0"]
    assert "95 % intervals of training_hours: p5 1 to 11; p50 40 to 61; p95 90 to 100" in page.text


def test_one_run_has_no_interval() -> None:
    row = shown(days_of_training([900.0])).rows[1]
    assert row[0] == "training_hours"
    assert row[3] == "–"


def test_a_name_is_text_and_never_markup() -> None:
    scenario = fc.load("small").with_(
        name="<script>alert(1)</script>", description='<b title="x">&amp;', job__length="1 d"
    )
    assert "<script>alert(1)</script>" in shown(scenario).text
    assert '<b title="x">&amp;' in shown(scenario).text
    assert "<script>" in shown(fc.simulate(scenario, replications=2)).text


@pytest.mark.parametrize("length", ["1 h", "60 d"])
def test_a_trace_shows_its_first_and_last_events(length: str) -> None:
    trace = fc.trace(fc.load("small").with_(job__length=length), seed=1)
    page = Page(trace_html(trace))
    assert page.text.startswith(f"{len(trace.lines):,} events, until the run was finished.")
    assert page.rows[1][1] == "selecting"
    assert page.rows[-1][1] == "finished"
    assert len(page.rows) <= 1 + 8 + 1 + 3
    if len(trace.lines) > 11:
        assert page.rows[9] == ["…", f"{len(trace.lines) - 11:,} more", "", ""]
    assert trace_line(trace).startswith("<Trace of replication 0, seed 1: ")


def test_the_text_form_of_a_sample_is_one_line() -> None:
    sample = days_of_training([900.0] * 5)
    text = repr(sample)
    assert text.startswith("<Sample of ")
    assert "5 runs" in text
    assert len(text.splitlines()) == 1
    assert len(text) < 120
