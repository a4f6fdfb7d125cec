"""Sweeps: every cell on the same chance, figures like a sample's, what is infeasible kept apart."""

from __future__ import annotations

import itertools
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import failcast as fc
from failcast.engine import METRICS, Runs, Status
from failcast.study.sweeps import work
from failcast.study.sweeps.figures import FIGURES, figures_of

SMALL = fc.load("small").with_(job__length="20 d", run__replications=40, run__seed=3)
VARY = ("recovery=10 min,20 min", "job.warm_standbys=0,2,8")


def test_each_cell_is_the_sample_of_its_scenario() -> None:
    found = fc.sweep(SMALL, VARY, threads=2)
    assert [cell.values for cell in found.cells] == list(
        itertools.product(("10 min", "20 min"), ("0", "2", "8"))
    )
    for cell in found.done:
        alone = fc.simulate(
            SMALL.with_(recovery__time=cell.values[0], job__warm_standbys=int(cell.values[1]))
        )
        assert np.array_equal(found.sample(cell).runs.values, alone.runs.values)
        figures = found.figures[cell.number]
        assert dict(zip(Status, figures.counts, strict=True)) == {
            status: alone.status_counts()[status.label] for status in Status
        }
        for metric in METRICS:
            summary = alone.summary(metric).to_dict()
            for name in FIGURES:
                assert figures.of(metric, name) == pytest.approx(summary[name], rel=1e-12), metric


def test_threads_and_mappings_change_nothing() -> None:
    one = fc.sweep(SMALL, VARY).table()
    assert one.equals(fc.sweep(SMALL, VARY, threads=3).table())
    mapping = {"recovery": ["10 min", "20 min"], "job.warm_standbys": [0, 2, 8]}
    assert one.equals(fc.sweep(SMALL, mapping).table())


def test_figures_of_few_runs_are_unknown_rather_than_wrong() -> None:
    runs = fc.simulate(SMALL, replications=2).runs
    one = figures_of(runs.leading(1), 0.95)
    assert one.of("ettr") == runs.values[0, METRICS.index("ettr")]
    assert [one.of("ettr", name) for name in ("low", "high", "sd")] == [None] * 3
    assert one.of("ettr", "p95") == one.of("ettr")
    none = Runs(runs.values, np.full(2, Status.DEPLETED, np.uint8), runs.server_hours, 3)
    assert figures_of(none, 0.95).of("ettr") is None
    assert figures_of(none, 0.95).finished == 0


def test_the_effect_of_an_axis_is_the_paired_mean_over_the_other_axes() -> None:
    found = fc.sweep(SMALL, VARY)
    recovery, standbys = fc.sweep_effects(found)
    assert (recovery.path, recovery.base, recovery.other) == ("recovery.time", "10 min", "20 min")
    assert recovery.cells == 3
    wall = METRICS.index("training_hours")
    columns = [found.sample(number).runs.values[:, wall] for number in range(6)]
    gaps = np.mean(columns[3:], axis=0) - np.mean(columns[:3], axis=0)
    assert recovery.difference.difference == pytest.approx(gaps.mean())
    assert recovery.difference.sd == pytest.approx(gaps.std(ddof=1))
    assert recovery.difference.shown
    means = [float(np.mean([columns[k], columns[3 + k]])) for k in range(3)]
    order = sorted((means.index(min(means)), means.index(max(means))))
    assert (standbys.base, standbys.other) == tuple(("0", "2", "8")[k] for k in order)


def test_an_interval_of_an_axis_holds_for_all_pairs_of_its_values() -> None:
    """Coverage under selection: the largest of 28 differences that are noise is seldom shown."""
    spares = ["cluster.spare_pool=" + ",".join(str(100 + k) for k in range(8))]
    base = SMALL.with_(job__length="5 d", run__replications=20)
    studies, shown = 100, 0
    for seed in range(studies):
        (effect,) = fc.sweep_effects(fc.sweep(base, spares, seed=seed))
        shown += effect.difference.shown
    assert shown / studies <= 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / studies)


def test_ends_are_chosen_among_cells_that_differ_in_nothing_else() -> None:
    """A value that only has the dear cells is not dear for that."""
    few = SMALL.with_(job__warm_standbys=2)
    found = fc.sweep(few, ["job.servers=256,276", "cluster.spare_pool=0,10,40"])
    assert [cell.values for cell in found.infeasible] == [("276", "0")]
    effect = next(e for e in fc.sweep_effects(found) if e.path == "cluster.spare_pool")
    gaps = {}
    for base, other in itertools.combinations(("0", "10", "40"), 2):
        pairs = [
            (found.at(servers, base).number, found.at(servers, other).number)
            for servers in ("256", "276")
            if {found.at(servers, base).number, found.at(servers, other).number}
            <= set(found.figures)
        ]
        gaps[base, other] = np.mean(
            [
                found.figures[b].of("training_hours") - found.figures[a].of("training_hours")
                for a, b in pairs
            ]
        )
    assert (effect.base, effect.other) == max(gaps, key=lambda ends: abs(gaps[ends]))


def test_runs_that_do_not_finish_are_told() -> None:
    hours = float(np.median(fc.simulate(SMALL).values("training_hours")))
    base = SMALL.with_(run__horizon=hours)
    found = fc.sweep(base, ["recovery=1 min,20 min,2 h"])
    assert 0 < found.figures[1].finished < 40
    assert "not all runs finish" in found.answer()
    assert "the luckier ones" in found.answer()


def test_an_axis_that_changes_nothing_has_no_effect() -> None:
    found = fc.sweep(SMALL, ["run.max_events=1000000,2000000"])
    (effect,) = fc.sweep_effects(found)
    assert effect.difference.difference == 0.0
    assert not effect.difference.shown
    assert "o difference is shown for run.max_events" in found.answer()


def test_probabilities_are_measures_too() -> None:
    found = fc.sweep(SMALL, VARY)
    hours = float(np.median(found.sample(1).values("training_hours")))
    measure = fc.Measure("finished_by", hours)
    for cell in found.done:
        share = found.sample(cell).finished_by(hours)
        assert found.mean(cell, measure) == (share.value, (share.low, share.high))
    effect = fc.sweep_effects(found, measure)[0]
    assert effect.path == "recovery.time"
    assert effect.difference.difference is not None
    assert effect.difference.difference < -0.3
    by_hand = [
        fc.Comparison(found.sample(k), found.sample(3 + k)).finished_by(hours) for k in range(3)
    ]
    for figure in ("difference", "low", "high"):
        mean = np.mean([getattr(each, figure) for each in by_hand])
        assert getattr(effect.difference, figure) == pytest.approx(mean)
    document = found.to_dict(["finished_by(20 d)", "depleted"])
    assert document["cells"][0]["metrics"]["depleted"]["mean"] == 0.0


def test_a_share_that_changes_in_every_run_is_not_known_exactly() -> None:
    found = fc.sweep(SMALL, ["recovery=10 min,5 h"])
    (effect,) = fc.sweep_effects(found, fc.Measure("finished_by", 24.0 * 21.5))
    assert effect.difference.difference == -1.0
    assert effect.difference.high is not None
    assert -1.0 < effect.difference.high < -0.8


def test_what_no_cluster_could_have_is_kept_apart() -> None:
    """B31: a bad combination does not lose the sweep."""
    found = fc.sweep(SMALL, ["cluster.working_pool=250,260,300", "cluster.spare_pool=0,20"])
    assert [cell.values for cell in found.infeasible] == [("250", "0"), ("260", "0")]
    assert all("together need 264 servers" in cell.problem for cell in found.infeasible)
    assert len(found.done) == 4
    assert "2 cells are infeasible and left out." in found.answer()
    with pytest.raises(fc.RequestError, match=r"cell 0 has no runs: job\.servers"):
        found.sample(0)
    rows = found.table().filter(fc_column("problem").is_not_null())
    assert rows["training_hours"].to_list() == [None, None]


def fc_column(name: str):  # type: ignore[no-untyped-def]  # a polars expression
    """A column of a table."""
    import polars

    return polars.col(name)


def test_t1_a_cell_that_needs_its_spares_runs() -> None:
    """T1: 32 standbys with a working pool of 4,112: the original's own sweep crashes there."""
    found = fc.sweep(
        fc.load("airesim-table1"),
        {"job.warm_standbys": [32], "cluster.working_pool": [4112], "cluster.spare_pool": [0, 200]},
        replications=2,
    )
    assert [cell.number for cell in found.infeasible] == [0]
    assert found.figures[1].finished == 2


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ([], "needs something to vary"),
        (["job.warm_standby=1,2"], "did you mean 'job.warm_standbys'?"),
        (["job.warm_standbys=1,two"], "job.warm_standbys is 'two', but it must be a whole number"),
        (["recovery=10 min,5"], "it has no unit: write '5 min' or '5 h'"),
        (["recovery=10 min,-5 min"], "it must not be negative"),
        (["retirement=never|treshold(3, 7 d)"], "did you mean 'threshold'?"),
        (["job.warm_standbys=1,2", "job.warm_standbys=3,4"], "job.warm_standbys is varied twice"),
        (["run.confidence=0.9,0.95"], "does not change what is simulated"),
        (["job.servers=5000,6000"], "no cluster could have any of these cells: job.servers (5000)"),
        ({"job.warm_standbys": 8}, "job.warm_standbys needs a list of values"),
        ({"recovery": "10min,20min"}, "recovery needs a list of values"),
        ({"recovery": [None]}, "recovery has the value None: give a number, or a text"),
        (None, "what is varied is a list of texts"),
        (["job.warm_standbys=0..400", "cluster.spare_pool=0..400"], "160,801 combinations"),
    ],
)
def test_b31_wrong_input_is_refused_before_anything_runs(vary: Any, words: str) -> None:
    with pytest.raises((fc.RequestError, fc.ScenarioError)) as refusal:
        fc.sweep(SMALL, vary, on_progress=lambda more: pytest.fail("something ran"))
    assert words in str(refusal.value)


def test_the_document_is_strict_json_and_the_table_has_every_figure() -> None:
    found = fc.sweep(SMALL, ["recovery=10 min,20 min"])
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["schema"] == "failcast.sweep/1"
    assert document["cells"][1]["values"] == {"recovery.time": "20 min"}
    figures = document["cells"][1]["metrics"]["training_hours"]
    table = found.table()
    for name, value in figures.items():
        column = "training_hours" if name == "mean" else f"training_hours_{name}"
        assert table[column][1] == value
    assert set(document["effects"]) == set(METRICS)


def test_long_cells_are_split_into_tasks_and_joined_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fc.sweep(SMALL, VARY)
    monkeypatch.setattr("failcast.engine.simulate.MOST_WORK_IN_BLOCK", 1.0)
    steps: list[int] = []
    assert fc.sweep(SMALL, VARY, on_progress=steps.append).table().equals(whole.table())
    assert steps == [1] * 240


TINY = SMALL.with_(
    job__length="1 d", job__servers=2, job__warm_standbys=0, cluster__working_pool=3
).with_(cluster__spare_pool=0)


def most_memory(cells: int, store: Path | None) -> tuple[int, int]:
    """The bytes that a sweep held at most, and those of its runs' metrics and server-hours."""
    tracemalloc.start()
    try:
        found = fc.sweep(TINY, [f"recovery=1 min..9 min:{cells}"], replications=4000, store=store)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    runs = found.sample(0).runs
    return most, cells * (runs.values.nbytes + runs.server_hours.nbytes)


def test_memory_grows_by_the_runs_and_with_a_store_by_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "RUNS_IN_BLOCK", 4000)
    fc.sweep(TINY, ["recovery=1 min,2 min"], store=tmp_path / "first")  # imports take memory, too
    few, many = (most_memory(cells, tmp_path / f"{cells}") for cells in (6, 24))
    assert many[0] < min(1.2 * few[0], 0.5 * many[1])
    few, many = (most_memory(cells, None) for cells in (6, 24))
    assert many[0] - few[0] < 1.2 * (many[1] - few[1])
