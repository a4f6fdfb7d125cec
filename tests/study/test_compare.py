"""Comparisons on shared chance: what a change does, pair by pair, and in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.results.test_notebook import shown

import failcast as fc
from failcast.study import compare
from failcast.study.differences import difference
from failcast.study.wording import training

SMALL = fc.load("small").with_(job__length="20 d", run__replications=60, run__seed=3)
FASTER = SMALL.with_(recovery__time="10 min")


def test_a_difference_is_that_of_the_two_samples_pair_by_pair() -> None:
    (found,) = compare(SMALL, FASTER, threads=2)
    apart = [fc.simulate(each, replications=60, seed=3) for each in (SMALL, FASTER)]
    gaps = apart[1].values("training_hours") - apart[0].values("training_hours")
    gap = found.difference("training_hours")
    assert gap.difference == pytest.approx(gaps.mean())
    assert gap.sd == pytest.approx(gaps.std(ddof=1))
    assert gap.pairs == found.pairs == 60
    assert gap.shown
    assert gap.saved is not None
    assert gap.saved > 2.0
    assert found.answer().startswith("recovery.time=10 min saves ")
    assert "times as many runs" in found.answer()


def test_the_same_scenario_differs_in_nothing() -> None:
    (found,) = compare(SMALL, SMALL)
    assert all(each.difference == 0.0 and not each.shown for each in found.differences().values())
    assert found.answer() == "No difference: every run takes exactly as long."


def test_no_difference_shown_is_an_answer() -> None:
    """Spares that are hardly ever asked for."""
    (found,) = compare(SMALL, SMALL.with_(selection__time="3.1 min"), replications=2)
    gap = found.difference("waiting_hours")
    assert not gap.shown
    rare = SMALL.with_(cluster__spare_pool=9)
    (found,) = compare(SMALL, rare)
    assert found.answer().startswith("No difference")


def test_only_pairs_that_finish_in_both_are_compared() -> None:
    tight = SMALL.with_(run__horizon="502 h")
    (found,) = compare(SMALL, tight)
    ended = fc.simulate(tight)
    assert found.pairs == ended.finished < 60
    assert "which are the luckier ones" in found.answer()
    share = found.share_of("finished")
    assert share.other == pytest.approx(ended.finished / 60)
    assert (share.gained, share.lost) == (0, 60 - ended.finished)
    assert share.shown


def test_shares_within_a_time() -> None:
    (found,) = compare(SMALL, FASTER)
    share = found.finished_by(505.0)
    assert share.other is not None
    assert share.base is not None
    assert share.other > share.base
    assert found.finished_by(0.0).difference == 0.0


def test_many_are_compared_with_the_first() -> None:
    changes = [SMALL.with_(job__warm_standbys=count) for count in (4, 16)]
    found = compare(SMALL, *changes, replications=20)
    assert [each.other.scenario.job.warm_standbys for each in found] == [4, 16]
    assert found[0].base is found[1].base


def test_a_change_is_called_by_the_fields_that_differ() -> None:
    (one,) = compare(SMALL, FASTER, replications=2)
    assert one.changes == {"recovery.time": ("20 min", "10 min")}
    assert one.name == "recovery.time=10 min"
    assert repr(one).startswith("<Comparison of recovery.time=10 min with small: 2 pairs of 2")
    several = FASTER.with_(
        job__warm_standbys=4,
        failures__regeneration=fc.Regeneration(),
        preemption__return="when_healed",
    )
    (two,) = compare(SMALL, several, replications=2)
    assert two.name == (
        "job.warm_standbys=4, recovery.time=10 min, preemption.return=when_healed "
        "and 2 more changes"
    )
    assert two.changes["failures.regeneration.share"] == ("off", "0.1")
    assert two.answer().startswith(("The change ", "No difference shown: the change may "))


def test_what_the_sample_is_like_is_no_change() -> None:
    """Nor is a horizon that follows from the length; one that is set is."""
    (same,) = compare(SMALL, SMALL.with_(run__seed=9, run__replications=7), replications=2)
    assert (same.changes, same.name) == ({}, "the same scenario")
    (longer,) = compare(SMALL, SMALL.with_(job__length="21 d"), replications=2)
    assert longer.changes == {"job.length": ("20 d", "21 d")}
    (ended,) = compare(SMALL, SMALL.with_(run__horizon="30 d"), replications=2)
    assert list(ended.changes) == ["run.horizon"]


def test_scenarios_with_one_name_are_told_apart() -> None:
    plan = FASTER.with_(name="plan")
    found = compare(SMALL, plan, plan.with_(job__warm_standbys=2), FASTER, replications=2)
    assert [each.name for each in found] == [
        "plan (recovery.time=10 min)",
        "plan (job.warm_standbys=2, recovery.time=10 min)",
        "recovery.time=10 min",
    ]
    assert found[0].answer().startswith("plan (recovery.time=10 min) saves ")
    assert " compared with small " in found[0].answer()


def test_a_sample_as_the_base_is_not_run_again() -> None:
    sample = fc.simulate(SMALL, replications=30, seed=5)
    (found,) = compare(sample, FASTER)
    (apart,) = compare(SMALL, FASTER, replications=30, seed=5)
    assert found.base is sample
    assert found.differences() == apart.differences()
    with pytest.raises(fc.RequestError, match="give neither"):
        compare(sample, FASTER, seed=5)


def test_progress_is_told_of_all_scenarios() -> None:
    done: list[int] = []
    compare(SMALL, FASTER, SMALL, replications=7, on_progress=done.append)
    assert sum(done) == 21
    rough = SMALL.with_(run__precision=0.01, run__min_replications=20)
    expected: list[int] = []
    found = compare(rough, FASTER, FASTER, on_estimate=expected.append)
    assert found[0].base.precision is not None
    assert found[0].pairs == found[0].base.replications
    assert all(each % 3 == 0 for each in expected)


def test_a_difference_that_never_varies_has_no_interval_to_tell() -> None:
    calm = SMALL.with_(failures__random__rate=0.0)
    (found,) = compare(calm, calm.with_(selection__time="6 min"), replications=3)
    assert found.answer() == (
        "selection.time=6 min costs 3 minutes of training time, the same in every pair."
    )
    gap = found.difference("selection_hours")
    assert (gap.zero, gap.same, gap.shown, gap.direction) == (False, False, True, "more")
    assert found.difference("productive_hours").same
    assert found.difference("failures").zero


def test_no_end_of_an_interval_that_excludes_zero_reads_as_zero() -> None:
    """Half of it is 6 minutes, which alone would be told without decimals; t is 1 at 50 %."""
    gap = difference("training_hours", np.array([1.0, 1.0]), 1.0 + np.array([0.4, 12.4]) / 60, 0.5)
    assert training(gap, "it", "", 0.5).startswith(
        "it costs 6.4 minutes of training time (50 % interval 0.4 to 12.4), "
    )


def test_both_times_are_told_with_the_digits_that_differ() -> None:
    (found,) = compare(SMALL, SMALL.with_(selection__time="2.9 min"))
    gap = found.difference("training_hours")
    assert gap.base is not None
    assert gap.other is not None
    assert 0.0 < gap.base - gap.other < 0.024
    days = [f"{hours / 24:.4f}" for hours in (gap.other, gap.base)]
    assert days[0] != days[1]
    assert found.answer().split(": ")[1].startswith(f"{days[0]} instead of {days[1]} days")


def test_the_document_is_strict_json_and_makes_its_scenarios_again() -> None:
    found = compare(SMALL, FASTER, SMALL.with_(job__warm_standbys=2), replications=5)
    text = json.dumps(fc.comparison_document(found, by=[500.0]), allow_nan=False)
    document = json.loads(text)
    assert document["schema"] == "failcast.compare/1"
    assert document["manifest"]["replications"] == 5
    assert document["base"]["scenario"] == fc.to_dict(found[0].base.scenario_as_run())
    one = document["comparisons"][0]
    assert set(one["metrics"]) == set(fc.METRICS)
    assert one["metrics"]["training_hours"] == found[0].difference("training_hours").to_dict()
    assert one["finished_by"] == [{"hours": 500.0, **found[0].finished_by(500.0).to_dict()}]
    assert one["changes"] == {"recovery.time": ["20 min", "10 min"]}
    assert one["scenario"]["recovery"]["time"] == "10 min"
    again = found[0].other.scenario_as_run()
    assert fc.simulate(again).values("ettr").tolist() == found[0].other.values("ettr").tolist()
    assert one["scenario_hash"] == fc.scenario_hash(again)
    assert document["comparisons"][1]["name"] == "job.warm_standbys=2"


def test_a_document_has_one_base_and_names_all_files(tmp_path: Path) -> None:
    file = tmp_path / "recovery.csv"
    file.write_text("minutes\n10\n12\n", encoding="utf-8")
    measured = SMALL.with_(recovery__time=fc.Empirical.from_file(file, unit="min"))
    found = compare(SMALL, measured, replications=2)
    inputs = fc.comparison_document(found)["manifest"]["inputs"]
    assert [each["path"] for each in inputs] == [str(file)]
    with pytest.raises(fc.RequestError, match="same base"):
        fc.comparison_document([*found, *compare(SMALL, FASTER, replications=2)])
    with pytest.raises(fc.RequestError, match="one or more"):
        fc.comparison_document([])


def test_a_notebook_shows_answer_and_differences() -> None:
    (found,) = compare(SMALL, FASTER, replications=20)
    page = shown(found)
    assert page.text.startswith(found.answer())
    assert page.rows[0] == [
        *("metric", "base", "other", "difference", "95 % interval", "shown", "saved")
    ]
    rows = {row[0]: row for row in page.rows}
    assert rows["recovery_hours"][5] == "less"
    assert "productive_hours" not in rows
    assert "The same in every pair: productive_hours." in page.text
    (none,) = compare(SMALL.with_(run__horizon="1 d"), FASTER.with_(run__horizon="1 d"))
    assert shown(none).rows == []


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(fc.RequestError, match="give two or more"):
        compare(SMALL)
    with pytest.raises(fc.RequestError, match="replications"):
        compare(SMALL, FASTER, replications=0)
    (found,) = compare(SMALL, FASTER, replications=2)
    with pytest.raises(fc.RequestError, match="did you mean 'ettr'"):
        found.difference("etr")
    with pytest.raises(fc.RequestError, match="did you mean 'depleted'"):
        found.share_of("depletd")
    other = fc.simulate(SMALL, replications=3)
    with pytest.raises(fc.RequestError, match="same number of replications"):
        type(found)(found.base, other)


def test_pairs_of_one_seed_are_alike() -> None:
    """B22: the original's samples of two scenarios had a correlation of 0.2 to 0.5."""
    (found,) = compare(SMALL, FASTER, replications=200)
    gap = found.difference("failures")
    assert gap.correlation is not None
    assert gap.correlation > 0.8
    assert np.isfinite(gap.correlation)
