"""Comparisons on shared chance: what a change does, pair by pair, and in words."""

from __future__ import annotations

import json

import numpy as np
import pytest

import failcast as fc
from failcast.study import compare

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
    assert found.answer().startswith("The change saves ")
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
    assert found.answer().startswith(("No difference", "No difference shown: the change may save"))


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


def test_the_document_is_strict_json() -> None:
    (found,) = compare(SMALL, FASTER, replications=5)
    document = json.loads(json.dumps(found.to_dict(by=[500.0]), allow_nan=False))
    assert set(document["metrics"]) == set(fc.METRICS)
    assert document["finished_by"][0]["pairs"] == 5


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
