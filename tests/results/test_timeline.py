"""Series: the grid, figures over the runs that go on, tables, files, notebook, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars
import pytest
from tests.results.synthetic import FINISHED, OUT_OF_TIME, sample_of
from tests.results.test_notebook import shown

import failcast as fc
from failcast.engine import SERIES_STATES
from failcast.results.timeline import PLAIN_STEPS, POINTS
from failcast.results.timeline_file import FORMATS
from failcast.results.timeline_words import series_rows


@pytest.fixture(scope="module")
def small() -> fc.Series:
    return fc.series(fc.load("small"), replications=30, seed=3)


def synthetic() -> fc.Series:
    """Four runs of 1, 2, 3 and 4 hours; in each hour one more server is in repair."""
    columns = {"training_hours": [1.0, 2.0, 3.0, 4.0]}
    sample = sample_of(columns, status=[FINISHED, OUT_OF_TIME, FINISHED, FINISHED])
    counts = np.zeros((4, 4, len(SERIES_STATES)), dtype=np.int32)
    counts[:, :, SERIES_STATES.index("in_repair")] = (
        np.arange(4)[None, :] + 10 * np.arange(4)[:, None]
    )
    return fc.Series(sample, 1.0, counts)


def test_runs_leave_the_figures_when_they_end() -> None:
    found = synthetic()
    assert found.hours.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert found.running.tolist() == [4, 3, 2, 1]
    assert found.mean("in_repair").tolist() == [15.0, 21.0, 27.0, 33.0]
    low, high = found.band("in_repair")
    assert low.tolist() == pytest.approx([1.5, 12.0, 22.5, 33.0])
    assert high.tolist() == pytest.approx([28.5, 30.0, 31.5, 33.0])
    assert found.quantile("in_repair", 0.5).tolist() == found.mean("in_repair").tolist()
    values = found.values("in_repair")
    assert np.isnan(values).sum() == 0 + 1 + 2 + 3
    assert values[3].tolist() == [30.0, 31.0, 32.0, 33.0]


def test_a_grid_has_so_many_times_or_a_step() -> None:
    scenario = fc.load("small").with_(job__length="5 d")
    longest = fc.simulate(scenario, replications=5).values("training_hours").max()
    for points in (1, 7, 100):
        found = fc.series(scenario, replications=5, points=points)
        assert len(found.hours) == points
        assert found.step == pytest.approx(longest / points)
        assert found.running.min() >= 1
    for step in (6, "6 h", "0.25 d"):
        assert fc.series(scenario, replications=5, step=step).step == 6.0
    assert len(fc.series(scenario, replications=5, step=6.0).hours) == math.ceil(longest / 6.0)
    assert fc.series(scenario, replications=5, step="900 d").hours.tolist() == [0.0]


@pytest.mark.parametrize("length", ["2 min", "3 h", "60 d", "4000 d"])
def test_a_step_that_nobody_asked_for_reads_well(length: str) -> None:
    quiet = fc.load("small").with_(job__length=length, failures__random__rate=0.0)
    found = fc.series(quiet, replications=1)
    assert POINTS / 4 <= len(found.hours) <= POINTS
    assert found.step in PLAIN_STEPS or length in ("2 min", "4000 d")


def test_a_sample_is_counted_as_it_is() -> None:
    sample = fc.simulate(fc.load("small"), replications=4, seed=9)
    of_sample = fc.series(sample, points=20, threads=2)
    assert of_sample.sample is sample
    of_scenario = fc.series(fc.load("small"), replications=4, seed=9, points=20)
    assert np.array_equal(of_sample.counts, of_scenario.counts)


def test_both_engines_give_the_same_series() -> None:
    scenario = fc.load("small").with_(job__length="2 d")
    kernel, reference = (
        fc.series(scenario, replications=3, points=50, engine=name)  # type: ignore[arg-type] # names
        for name in ("kernel", "reference")
    )
    assert np.array_equal(kernel.counts, reference.counts)
    assert kernel.step == reference.step


def test_own_policies_are_needed_again() -> None:
    class LastFirst(fc.Policies):
        """Takes the servers that entered the pool last."""

        def select(self, servers, hosts, standbys, pick, tie):  # type: ignore[no-untyped-def]
            numbers = [server.number for server in reversed(servers)]
            return numbers[:hosts], numbers[hosts : hosts + standbys]

    scenario = fc.load("small").with_(job__length="5 d")
    how = {"engine": "reference", "policies": LastFirst}
    sample = fc.simulate(scenario, replications=2, **how)  # type: ignore[arg-type]
    with pytest.raises(fc.RequestError, match="with policies of your own, give the same ones"):
        fc.series(sample)
    assert len(fc.series(sample, points=5, policies=LastFirst).hours) == 5


def test_the_table_has_one_row_per_time(small: fc.Series) -> None:
    frame = small.frame()
    assert frame.columns[:5] == ["hours", "running", "active_mean", "active_p5", "active_p95"]
    assert len(frame.columns) == 2 + 3 * len(small.states)
    assert frame["hours"].to_list() == small.hours.tolist()
    total = frame.select(f"{state}_mean" for state in small.states).sum_horizontal()
    assert total.to_list() == pytest.approx([280.0] * len(frame))
    for state in small.states:
        assert (frame[f"{state}_p5"] <= frame[f"{state}_p95"]).all()


def test_files_hold_the_same_whichever_way_they_are_written(
    small: fc.Series, tmp_path: Path
) -> None:
    paths = {end: fc.write_series(small, tmp_path / f"series{end}") for end in FORMATS}
    frame = small.frame()
    assert polars.read_parquet(paths[".parquet"]).equals(frame)
    assert polars.read_csv(paths[".csv"]).equals(frame)
    document = json.loads(paths[".json"].read_text())
    assert document["schema"] == "failcast.series/1"
    assert document["running"] == frame["running"].to_list()
    assert document["states"]["idle"]["p95"] == frame["idle_p95"].to_list()
    assert document["manifest"]["replications"] == 30
    again = fc.series(fc.Scenario.model_validate(document["scenario"]), step=document["step_hours"])
    assert np.array_equal(again.counts, small.counts)
    fc.write_series(synthetic(), paths[".csv"])
    assert len(polars.read_csv(paths[".csv"])) == 4
    assert len(list(tmp_path.iterdir())) == len(FORMATS)


@pytest.mark.parametrize("name", ["series", "series.txt", "series.csv.gz", ".csv"])
def test_a_file_whose_name_says_nothing_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(fc.RequestError, match=r"must end in \.csv, \.parquet or \.json, which"):
        fc.check_series_path(tmp_path / name)
    assert fc.check_series_path(tmp_path / "S.CSV").name == "S.CSV"


def test_a_notebook_shows_what_varies(small: fc.Series) -> None:
    page = shown(small)
    assert page.text.startswith("Servers by state over time: 189 times until 62.67 days")
    assert "svg" in page.tags
    assert page.rows[0][:2] == ["state", "start"]
    assert [row[0] for row in page.rows[1:3]] == ["active", "standby"]
    assert page.rows[-1] == ["runs", *page.rows[-1][1:]]
    assert repr(small) == "<Series of small: 189 times every 8 h, 30 runs, seed 3>"
    one = shown(fc.series(fc.load("small"), replications=1, points=1))
    assert "(one run)" in one.text
    assert one.rows[0] == ["state", "start"]


def test_the_small_table_ends_where_half_of_the_runs_do() -> None:
    head, row, runs = series_rows(synthetic())
    assert head == ("state", "start", "1 hour", "2 hours")
    assert row == ("in_repair", "15.0 (1.5 to 28.5)", "21.0 (12 to 30)", "27.0 (22.5 to 31.5)")
    assert runs == ("runs", "4", "3", "2")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"points": 0}, "points must be a whole number from 1 to 100,000; got 0"),
        ({"points": 2.5}, "points must be a whole number"),
        ({"step": 0}, "step must be a time above 0, such as 6 or '6 h'; got 0"),
        ({"step": -1.0}, "step must be a time above 0"),
        ({"step": math.nan}, "step must be a time above 0"),
        ({"step": math.inf}, "step must be a time above 0"),
        ({"step": "6"}, "step is '6', but"),
        ({"step": "0 h"}, "step must be a time above 0"),
        ({"step": 1.0, "points": 5}, "points and step exclude each other"),
        ({"step": 1e-9}, "take a longer step, fewer points or fewer replications"),
        ({"step": "1 s"}, "but a series has at most 100,000 times"),
        ({"policies": 5}, "policies must be a subclass of Policies"),
        ({"policies": fc.Policies}, "the kernel is compiled"),
    ],
)
def test_what_cannot_be_used_is_refused(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(fc.RequestError, match=sentence):
        fc.series(fc.load("small"), replications=2, **wrong)  # type: ignore[arg-type] # on purpose


def test_what_a_series_does_not_have_is_refused(small: fc.Series) -> None:
    with pytest.raises(
        fc.RequestError, match=r"unknown state 'in_repir': did you mean 'in_repair'"
    ):
        small.mean("in_repir")
    with pytest.raises(fc.RequestError, match="q must be a number from 0 to 1"):
        small.quantile("idle", 1.5)
    with pytest.raises(fc.RequestError, match="a sample has its replications and its seed"):
        fc.series(small.sample, seed=4)
    nothing = sample_of({"training_hours": [0.0]})
    with pytest.raises(fc.RequestError, match="no time passes in any run"):
        fc.series(nothing)
