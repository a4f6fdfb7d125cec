"""Studies show themselves in a notebook: sound HTML, the answer first, what was found in tables."""

from __future__ import annotations

import pytest
from tests.results.test_notebook import Page, shown

import failcast as fc

SMALL = fc.load("small").with_(job__length="10 d", run__replications=20)


def test_a_sweep_shows_its_cells_and_what_each_axis_does() -> None:
    found = fc.sweep(SMALL, ["job.warm_standbys=0,2", "recovery=10 min,20 min"])
    page = shown(found)
    assert page.text.startswith(found.answer())
    assert page.rows[0] == ["job.warm_standbys", "recovery.time", "training_hours", "ettr"]
    assert [row[:2] for row in page.rows[1:5]] == [list(cell.values) for cell in found.cells]
    assert {row[0] for row in page.rows[6:]} == {"job.warm_standbys", "recovery.time"}


def test_a_plan_shows_the_setting_its_neighbours_and_the_frontier() -> None:
    found = fc.plan(SMALL, ["cluster.spare_pool=8..20"], ["ettr >= 0.9"])
    assert found.chosen is not None
    page = shown(found)
    assert page.text.startswith(found.answer())
    assert page.rows[1][:2] == ["chosen", *found.chosen.setting.values()]
    tables = (1 + len(found.less), len(found.frontier), len(found.assumptions))
    assert len(page.rows) == sum(1 + rows for rows in tables)


def test_a_prediction_shows_its_metrics_and_what_makes_the_spread() -> None:
    believed = {"recovery.time": "10min..30min", "selection.policy": "one_of(random, pool_order)"}
    found = fc.predict(SMALL.with_(uncertain=believed, run__replications=60), seed=3)
    page = shown(found)
    assert page.text.startswith(found.answer())
    head, *metrics = page.rows[:-4]
    assert page.rows[-4] == ["input", "believed", "share of the variance of training_hours"]
    assert head == ["metric", "mean", "95 % interval", "p5", "p50", "p95", "inputs"]
    assert [row[0] for row in metrics] == [name for name in fc.METRICS if found.values(name).any()]
    assert [row[:2] for row in page.rows[-3:]] == [
        *([cause.path, cause.believed] for cause in found.causes()),
        ["chance", ""],
    ]
    assert page.text.endswith(
        "small: 30 draws of 2 uncertain inputs, 2 runs of each, 60 finished, seed 3, kernel engine"
    )
    none = fc.predict(SMALL.with_(uncertain=believed, run__horizon="1 d"))
    assert shown(none).rows == []


def test_a_curve_shows_a_row_for_each_number() -> None:
    found = fc.curve(SMALL, "recovery.time=10min..30min", points=3)
    page = shown(found)
    assert page.text.startswith(found.answer())
    assert page.rows[0] == ["recovery.time", "training_hours", "ettr"]
    assert [row[0] for row in page.rows[1:]] == ["10 min", "20 min", "30 min"]
    assert all(" to " in row[1] for row in page.rows[1:])
    assert page.text.endswith("small: 20 runs at each of 3 numbers, seed 1, kernel engine")
    part = shown(fc.curve(SMALL, "job.servers=250..500", points=3))
    assert "Infeasible: job.servers = 375: job.servers (375) and " in part.text
    none = shown(fc.curve(SMALL, "job.servers=300..500", points=3))
    assert none.text.startswith("No number of job.servers in its range makes a scenario: job.serv")
    assert none.rows == []
    never = shown(fc.curve(SMALL.with_(run__horizon="1 d"), "recovery.time=1min..2min", points=2))
    assert [row[1:] for row in never.rows[1:]] == [["–", "–"]] * 2


def test_a_break_even_shows_its_sentence_and_the_numbers() -> None:
    found = fc.break_even(SMALL, "recovery.time=10min..30min", "training_hours > 251h", points=3)
    (crossing,) = found.crossings
    assert crossing.low is not None
    assert crossing.high is not None
    page = shown(found)
    assert page.text.startswith("The goal 'training_hours > 251h' fails above recovery.time ")
    assert page.rows == [
        ["recovery.time", "from", "to", "'training_hours > 251h' fails"],
        [*map(found.written, (crossing.value, crossing.low, crossing.high)), "above"],
    ]
    assert "From and to are a 95 % interval." in page.text
    kept = fc.break_even(SMALL, "recovery.time=10min..30min", "training_hours > 999d", points=3)
    assert shown(kept).rows == []
    assert "is kept at every recovery.time from 10 min to 30 min." in shown(kept).text


def test_a_reproduction_shows_its_findings() -> None:
    found = fc.reproduce("airesim", replications=2, threads=2)
    page = shown(found)
    assert [row[1] for row in page.rows[1:]] == [each.statement for each in found.findings]


@pytest.mark.parametrize("name", ["<b>bold</b>", "a & b"])
def test_names_are_escaped(name: str) -> None:
    page: Page = shown(fc.sweep(SMALL.with_(name=name), ["job.warm_standbys=0,2"]))
    assert name in page.text
