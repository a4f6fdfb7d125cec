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


def test_a_reproduction_shows_its_findings() -> None:
    found = fc.reproduce("airesim", replications=2, threads=2)
    page = shown(found)
    assert [row[1] for row in page.rows[1:]] == [each.statement for each in found.findings]


@pytest.mark.parametrize("name", ["<b>bold</b>", "a & b"])
def test_names_are_escaped(name: str) -> None:
    page: Page = shown(fc.sweep(SMALL.with_(name=name), ["job.warm_standbys=0,2"]))
    assert name in page.text
