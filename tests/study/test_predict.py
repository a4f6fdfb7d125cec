"""Prediction with uncertain inputs: the draws, the runs, and figures whose truth is known."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import failcast as fc
from failcast.engine import draw
from failcast.engine.address import draw_plainly
from failcast.results.measure import Measure
from failcast.scenario.units import parse_duration

SMALL = fc.load("small")

#: One server with a standby, lives of exactly 100 h: 9 failures in 1,000 h, and no chance at all.
CLOCKWORK = fc.Scenario(
    job={"servers": 1, "warm_standbys": 3, "length": 1000.0},
    cluster={"working_pool": 4, "spare_pool": 0},
    failures={"random": {"rate": 0.01}, "systematic": {"fraction": 0.0}, "life": "constant"},
    repair={"automated": {"time": 1.0, "escalate": 0.0}},
)


def believed(scenario: fc.Scenario, **beliefs: str) -> fc.Scenario:
    """The scenario with beliefs; `__` stands for the dot."""
    return scenario.with_(uncertain={k.replace("__", "."): text for k, text in beliefs.items()})


SPREAD = believed(SMALL, recovery__time="10 min..30 min", job__warm_standbys="2..8")


_WORDS = st.integers(0, 2**32 - 1)


@given(st.tuples(st.integers(0, 2**63 - 1), _WORDS, st.integers(1, 30), _WORDS, _WORDS))
def test_the_plain_draw_is_the_draw_of_the_engine(address: tuple[int, ...]) -> None:
    assert draw_plainly(*address) == draw(*address)


def test_what_is_exactly_linear_is_split_exactly() -> None:
    """Training takes selection + 1,000 h + 9 recoveries: the truth is on paper."""
    base = fc.simulate(CLOCKWORK, replications=2)
    failures = base.mean("failures")
    assert failures == 9.0
    selections = base.mean("host_selections")
    scenario = believed(CLOCKWORK, recovery__time="0 h..2 h", selection__time="0 h..6 h")
    found = fc.predict(scenario, draws=60, replications=120, seed=3)
    parts = found.parts("training_hours")
    assert parts is not None
    assert (parts.chance_sd, parts.share, parts.low) == (0.0, 1.0, 1.0)
    first, second = found.causes()
    assert (first.path, second.path) == ("recovery.time", "selection.time")
    variances = np.array([(9.0 * 2.0) ** 2 / 12.0, (selections * 6.0) ** 2 / 12.0])
    shares = variances / variances.sum()
    # Values have six digits, and hours of a run are sums of many parts.
    assert [first.share, second.share] == pytest.approx(shares, rel=1e-4)
    assert first.swing == pytest.approx(9.0 * 0.9 * 2.0, rel=1e-3)
    hours = np.array([[parse_duration(text) for text in values] for values in _values(found)])
    measured = found.values("training_hours")[:, 0]
    assert measured == pytest.approx(1000.0 + hours @ [9.0, selections], rel=1e-9)


def _values(found: fc.Prediction) -> list[tuple[str, ...]]:
    return [draw.values for draw in found.draws]


def test_the_draws_follow_what_is_believed_whatever_else_is_uncertain() -> None:
    found = fc.predict(SPREAD, replications=400, seed=5)
    assert [each.path for each in found.beliefs] == ["job.warm_standbys", "recovery.time"]
    minutes = [float(recovery.split()[0]) for _, recovery in _values(found)]
    assert scipy.stats.kstest((np.array(minutes) - 10.0) / 20.0, "uniform").pvalue > 1e-4
    counts = np.bincount([int(standbys) for standbys, _ in _values(found)])[2:]
    assert scipy.stats.chisquare(counts).pvalue > 1e-4
    alone = fc.predict(believed(SMALL, recovery__time="10 min..30 min"), replications=40, seed=5)
    assert [v for (v,) in _values(alone)] == [v for _, v in _values(found)][:20]
    assert alone.draws[0].scenario.uncertain == ()


def test_each_draw_has_runs_of_its_own() -> None:
    found = fc.predict(SPREAD, draws=10, replications=35, seed=2)
    assert (found.runs_per_draw, found.replications) == (3, 30)
    for number in (0, 7):
        sample = fc.simulate(found.draws[number].scenario, replications=30, seed=2)
        rows = slice(3 * number, 3 * number + 3)
        assert (found.runs.values[rows] == sample.runs.values[rows]).all()
    threads = fc.predict(SPREAD, draws=10, replications=35, seed=2, threads=3)
    assert (threads.runs.values == found.runs.values).all()


def test_figures_are_those_of_all_runs() -> None:
    found = fc.predict(SPREAD, replications=200)
    hours = found.values("training_hours")
    assert hours.shape == (100, 2)
    summary = found.summary("training_hours")
    assert summary.mean == pytest.approx(hours.mean())
    assert summary.p95 == pytest.approx(np.quantile(hours, 0.95))
    parts = found.parts("training_hours")
    assert parts is not None
    assert summary.sd == pytest.approx(math.hypot(parts.inputs_sd, parts.chance_sd))
    within = found.finished_by(1500.0)
    assert within.count == int((hours <= 1500.0).sum())
    assert (found.values(Measure("finished_by", 1500.0)) == (hours <= 1500.0)).all()
    assert found.share_of("depleted").count == 0
    assert found.mtbf_hours().failures == int(found.values("failures").sum())
    naive = fc.simulate(SMALL, replications=200).summary("training_hours")
    assert summary.low is not None
    assert naive.low is not None
    assert summary.mean - summary.low > 3.0 * (naive.mean - naive.low)


def test_the_answer_says_what_the_spread_comes_from() -> None:
    answer = fc.predict(SPREAD, replications=200).answer()
    assert answer.startswith("Training takes 62.")
    assert " days in 9 of 10 cases, for 60 days of work. " in answer
    assert "comes from what is not known about job.warm_standbys and recovery.time, " in answer
    assert "Learn recovery.time first: it alone makes " in answer
    alone = fc.predict(believed(CLOCKWORK, recovery__time="0 h..2 h"), replications=20)
    assert "100 % of the variance comes from" in alone.answer()
    same = believed(CLOCKWORK, cluster__gpus_per_server="1..8")
    assert "neither inputs nor chance" in fc.predict(same, replications=20).answer()


def test_the_document_is_strict_json_with_all_parts() -> None:
    found = fc.predict(SPREAD, replications=100)
    goal = fc.Goal.parse("training_hours.p50 > 1")
    verdict = goal.judge(found)
    assert verdict.failed
    document = found.to_dict(by=[1500.0], goals=[verdict])
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["schema"], document["draws"]) == ("failcast.predict/1", 50)
    assert document["scenario"]["uncertain"] == dict(SPREAD.uncertain)
    hours = document["metrics"]["training_hours"]
    assert hours["parts"]["share"] > 0.5
    assert hours["causes"][0]["path"] == "recovery.time"
    assert len(document["inputs"]["recovery.time"]["values"]) == 50


def test_runs_that_do_not_finish_are_told() -> None:
    scenario = SMALL.with_(run__horizon="1500 h")
    found = fc.predict(believed(scenario, recovery__time="10 min..30 min"), replications=100)
    assert 0 < found.finished < 100
    assert f"{100 - found.finished} of 100 did not." in found.answer()
    assert found.share_of("out_of_time").count == 100 - found.finished


@pytest.mark.parametrize(
    ("scenario", "how", "words"),
    [
        (SMALL, {}, "has no uncertain inputs"),
        (believed(SMALL, recovery__time="unknown"), {}, "recovery.time is unknown"),
        (SPREAD, {"replications": 19}, "need at least 20 replications"),
        (SPREAD, {"draws": 5}, "draws must be a whole number from 10 to 100"),
        (SPREAD, {"draws": 150}, "draws must be a whole number from 10 to 100"),
        (SPREAD, {"threads": 0}, "threads must be"),
        (
            believed(SMALL, cluster__working_pool="10..300"),
            {},
            "which no scenario has: job.servers",
        ),
    ],
)
def test_what_cannot_be_predicted_is_refused_in_a_sentence(
    scenario: fc.Scenario, how: dict[str, int], words: str
) -> None:
    with pytest.raises(fc.RequestError) as refusal:
        fc.predict(scenario, **how)
    assert words in str(refusal.value)
