"""Levers: each main knob halved and doubled, checked against comparisons made by hand."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from tests.results.test_notebook import shown

import failcast as fc
from failcast.study import lever as module

SMALL = fc.load("small").with_(job__length="20 d", run__replications=60, run__seed=3)


@pytest.fixture(scope="module")
def sample() -> fc.Sample:
    """The base of most tests."""
    return fc.simulate(SMALL)


@pytest.fixture(scope="module")
def found(sample: fc.Sample) -> fc.Levers:
    """All levers of the base."""
    return fc.levers(sample)


def one(levers: fc.Levers | tuple[fc.Lever, ...], knob: str, factor: float) -> fc.Lever:
    """The lever of a knob and a factor."""
    (lever,) = [each for each in levers if (each.knob, each.factor) == (knob, factor)]
    return lever


#: Knob, factor, the change made by hand, the value now and then.
BY_HAND = [
    ("recovery time", 0.5, {"recovery__time": "10 min"}, "20 min", "10 min"),
    ("recovery time", 2.0, {"recovery__time": "40 min"}, "20 min", "40 min"),
    ("failure rate", 0.5, {"failures__random__rate": "0.005 / day"}, "0.01 / day", "0.005 / day"),
    (
        "repair time",
        2.0,
        {
            "repair__automated__time": "exponential(4 h)",
            "repair__manual__time": "exponential(4 d)",
        },
        "2 h, 2 d",
        "4 h, 4 d",
    ),
    ("warm standbys", 0.5, {"job__warm_standbys": 4}, "8", "4"),
    ("spare pool", 2.0, {"cluster__spare_pool": 20}, "10", "20"),
    ("idle servers", 0.5, {"cluster__working_pool": 267}, "6", "3"),
    ("idle servers", 2.0, {"cluster__working_pool": 276}, "6", "12"),
    ("wait for spares", 2.0, {"preemption__wait": "40 min"}, "20 min", "40 min"),
    ("selection time", 0.5, {"selection__time": "1.5 min"}, "3 min", "1.5 min"),
]


@pytest.mark.parametrize(("knob", "factor", "change", "now", "then"), BY_HAND)
def test_a_lever_is_the_comparison_made_by_hand(
    sample: fc.Sample,
    found: fc.Levers,
    knob: str,
    factor: float,
    change: dict[str, object],
    now: str,
    then: str,
) -> None:
    lever = one(found, knob, factor)
    changed = fc.simulate(SMALL.with_(**change))
    gaps = changed.values("training_hours") - sample.values("training_hours")
    assert (lever.now, lever.then, lever.reason) == (now, then, "")
    assert lever.scenario == SMALL.with_(**change)
    assert lever.difference is not None
    assert lever.difference.difference == pytest.approx(gaps.mean(), abs=1e-12)
    assert lever.difference.sd == pytest.approx(np.std(gaps, ddof=1), abs=1e-12)
    (hand,) = fc.compare(sample, SMALL.with_(**change))
    assert lever.difference == hand.difference("training_hours")
    assert lever.finished == hand.share_of("finished")


def test_every_knob_is_turned_both_ways_once(found: fc.Levers) -> None:
    assert sorted((each.knob, each.factor) for each in found) == sorted(
        (knob.name, factor) for knob in module.KNOBS for factor in (0.5, 2.0) if knob.applies(SMALL)
    )


def test_checkpoints_and_phases_are_levers_where_there_are_any() -> None:
    """The optimal interval counts as its number of hours, the recovery as the sum of its phases."""
    scenario = SMALL.with_(
        checkpoint__interval="optimal",
        checkpoint__write="1 min",
        recovery__time="0 h",
        recovery__detect="5 min",
        recovery__restart="10 min",
    )
    planned = {(each.knob, each.factor): each for each in module.planned_levers(scenario)}
    recovery = planned["recovery time", 0.5]
    assert (recovery.now, recovery.then) == ("15 min", "450 s")
    assert recovery.paths == ("recovery.detect", "recovery.restart")
    interval = planned["checkpoint interval", 2.0].scenario
    assert interval is not None
    assert interval.checkpoint.interval == 2.0 * fc.scenario.optimum(scenario).interval
    write = planned["checkpoint write", 0.5]
    assert (write.now, write.then) == ("60 s", "30 s")


def test_the_lever_that_saves_most_comes_first_and_is_named(found: fc.Levers) -> None:
    means = [each.difference.difference for each in found if each.difference is not None]
    assert len(means) == 16
    assert all(a <= b for a, b in pairwise(m for m in means if m is not None))
    assert found[0].knob == "recovery time"
    assert found[0].saves
    assert found.answer().startswith(
        "The best lever: half the recovery time (10 min instead of 20 min) saves "
    )


def test_the_base_is_not_run_again(found: fc.Levers, sample: fc.Sample) -> None:
    runs: list[int] = []
    again = fc.levers(sample, threads=2, on_progress=runs.append)
    assert sum(runs) == 16 * sample.replications
    assert again == found
    assert fc.levers(SMALL) == found
    assert fc.levers(SMALL, replications=5, seed=8) == fc.levers(
        fc.simulate(SMALL, replications=5, seed=8)
    )


def test_what_cannot_be_turned_is_reported_with_the_reason() -> None:
    """No spares, and as many servers as the job and its standbys need."""
    tight = SMALL.with_(cluster__spare_pool=0, job__warm_standbys=14, recovery__time=0.0)
    found = fc.levers(tight, replications=3)
    for knob in ("spare pool", "idle servers", "recovery time"):
        for factor in (0.5, 2.0):
            lever = one(found, knob, factor)
            assert (lever.reason, lever.then, lever.difference) == ("it is zero.", None, None)
    doubled = one(found, "warm standbys", 2.0)
    assert "together need 284 servers" in doubled.reason
    assert doubled.scenario is None
    assert one(found, "warm standbys", 0.5).then == "7"
    assert [each.difference is None for each in found] == [False] * 9 + [True] * 7


def test_half_of_one_server_is_none() -> None:
    odd = SMALL.with_(job__warm_standbys=1, cluster__spare_pool=5)
    planned = fc.planned_levers(odd)
    halves = {each.knob: each.then for each in planned if each.factor == 0.5}
    assert (halves["warm standbys"], halves["spare pool"]) == ("0", "2")
    assert all(each.difference is None for each in planned)


def test_durations_are_told_by_their_means_in_a_few_digits() -> None:
    odd = SMALL.with_(
        repair__automated__time="lognormal(mean=31.234567 h, sigma=1)",
        repair__manual__time="uniform(1 h, 2 h)",
        failures__random__rate=1 / 7001.3,
    )
    planned = fc.planned_levers(odd)
    assert one(planned, "repair time", 2.0).then == "2.603 d, 3 h"
    assert one(planned, "failure rate", 0.5).then == "0.001714 / day"


def test_no_lever_may_be_shown_to_save() -> None:
    """Where nothing fails, only the first host selection can be shortened."""
    calm = SMALL.with_(failures__random__rate=0.0, selection__time=0.0)
    found = fc.levers(calm, replications=3)
    tried = [each for each in found if each.difference is not None]
    assert found.answer() == f"None of {len(tried)} levers is shown to save training time."
    assert fc.Levers().answer() == "There was no lever to try."


def test_where_few_finish_the_answer_says_with_what_more_do() -> None:
    late = SMALL.with_(run__horizon="501 h")
    found = fc.levers(late)
    shares = [each.finished.other for each in found if each.finished is not None]
    assert 0.0 < fc.simulate(late).finished / 60 < 1.0
    assert max(share for share in shares if share is not None) == 1.0
    assert found.answer().startswith("Most runs finish with half the ")
    assert ": 100 % instead of " in found.answer()
    never = fc.levers(SMALL.with_(run__horizon="495 h"), replications=20)
    assert never[0].difference is not None
    assert never[0].difference.difference is None
    order = [each.finished.other for each in never if each.finished is not None]
    assert order == sorted(order, key=lambda share: -(share or 0.0))
    assert (order[0] or 0.0) > 0.0


def test_ctrl_c_keeps_the_levers_that_are_done(
    sample: fc.Sample, found: fc.Levers, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def interrupted(*a: object, **k: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return fc.compare(*a, **k)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "compare", interrupted)
    kept = fc.levers(sample, keep_on_interrupt=True)
    assert calls == 3
    assert [each.difference is None for each in kept] == [False] * 2 + [True] * 14
    assert {each.reason for each in kept[2:]} == {"it was interrupted before it ran."}
    assert set(kept[:2]) <= set(found)
    calls = 2
    with pytest.raises(KeyboardInterrupt):
        fc.levers(sample)


def test_the_levers_are_strict_json(found: fc.Levers) -> None:
    first = json.loads(json.dumps(found.to_list(), allow_nan=False))[0]
    assert first["knob"] == "recovery time"
    assert first["paths"] == ["recovery.time"]
    assert (first["factor"], first["now"], first["then"]) == (0.5, "20 min", "10 min")
    assert first["training_hours"]["shown"] is True
    assert first["finished"]["difference"] == 0.0
    assert first["reason"] is None


def test_a_notebook_shows_the_best_lever_and_all_others(found: fc.Levers) -> None:
    page = shown(found)
    assert page.text.startswith(found.answer())
    assert page.rows[1][:3] == ["half the recovery time", "20 min", "10 min"]
    assert len(page.rows) == 17
    bare = fc.levers(SMALL.with_(cluster__spare_pool=0), replications=2)
    assert "Not tried: half the spare pool: it is zero." in shown(bare).text


def test_a_sample_has_its_replications_and_its_seed() -> None:
    with pytest.raises(fc.RequestError, match="give neither"):
        fc.levers(fc.simulate(SMALL, replications=2), seed=4)
    with pytest.raises(fc.RequestError, match="replications must be"):
        fc.levers(SMALL, replications=0)
