"""Break-even: where goals stop holding, against what is known on paper, and its interval."""

from __future__ import annotations

import json
import math

import pytest
from tests.results.coverage import lower_limit

import failcast as fc
from failcast.scenario.beliefs import beliefs_of

#: One server whose standby takes over at once: training takes L + N recoveries, and N is the number
#: of failures in L hours of computing, Poisson with mean rate × L.
RENEWAL = fc.Scenario(
    job={"servers": 1, "warm_standbys": 8, "length": 1000.0},
    cluster={"working_pool": 9, "spare_pool": 0},
    failures={"random": {"rate": 0.01}, "systematic": {"fraction": 0.0}},
    selection={"time": 0.0},
    repair={"automated": {"time": 1.0, "escalate": 0.0}},
)
#: The same with lives of exactly 100 h: 9 failures.
CLOCKWORK = RENEWAL.with_(failures__life="constant")
SMALL = fc.load("small")


def test_without_chance_it_is_exact() -> None:
    found = fc.break_even(CLOCKWORK, "recovery.time=0h..10h", "training_hours > 1045 h")
    (crossing,) = found.crossings
    assert crossing.value == pytest.approx(5.0)
    assert (crossing.low, crossing.high) == pytest.approx((5.0, 5.0))
    assert crossing.fails_above
    assert found.sentence() == (
        "the goal 'training_hours > 1045 h' fails above recovery.time 5 h (95 % interval 5 to 5 h)."
    )


@pytest.mark.parametrize("spacing", ["", ":log"])
def test_the_interval_holds_the_break_even(spacing: str) -> None:
    """E[training] = 1,000 + 10 R exceeds 1,030 h from R = 3 h on."""
    trials, hits = 150, 0
    for seed in range(trials):
        found = fc.break_even(
            RENEWAL,
            f"recovery.time=1h..8h{spacing}",
            "training_hours > 1030 h",
            points=5,
            replications=40,
            seed=seed,
        )
        (crossing,) = found.crossings
        assert crossing.low is not None
        assert crossing.high is not None
        hits += crossing.low <= 3.0 <= crossing.high
        assert 2.0 < crossing.value < 4.5
    assert lower_limit(0.95, trials) <= hits / trials


def test_a_probability_has_a_break_even_too() -> None:
    """Finished within 1,030 h: at most 3 / R × 10 failures; a step between two numbers of them."""
    found = fc.break_even(
        RENEWAL, "recovery.time=1h..8h", "finished_by(1030 h) < 0.5", replications=400
    )
    (crossing,) = found.crossings
    # The median of Poisson(10) is 10: 10 recoveries take 30 h at 3 h each, 11 at 2.73 h.
    assert 2.5 < crossing.value < 3.2
    assert crossing.fails_above


def test_where_the_goal_holds_everywhere_or_nowhere_it_says_so() -> None:
    never = fc.break_even(CLOCKWORK, "recovery.time=0h..1h", "training_hours > 1045 h")
    assert never.crossings == ()
    assert never.sentence().endswith("is kept at every recovery.time from 0 h to 1 h.")
    always = fc.break_even(CLOCKWORK, "recovery.time=6h..10h", "training_hours > 1045 h")
    assert always.sentence().endswith("fails at every recovery.time from 6 h to 10 h.")


def test_a_figure_that_turns_round_has_two() -> None:
    found = fc.break_even(
        SMALL, "job.warm_standbys=0..24", "training_hours > 1506 h", replications=200
    )
    first, *_, last = found.crossings
    assert (first.fails_above, last.fails_above) == (False, True)
    assert found.sentence().count("job.warm_standbys") == len(found.crossings)


def test_an_interval_that_leaves_the_range_has_an_open_end() -> None:
    found = fc.break_even(
        RENEWAL, "recovery.time=2.95h..3.05h", "training_hours > 1030 h", replications=10, seed=3
    )
    for crossing in found.crossings:
        assert crossing.low is None
        assert crossing.high is None
        assert "wider than the range" in found.sentence()


def test_a_figure_that_is_an_end_itself_has_no_interval() -> None:
    for goal in ("training_hours.high > 1030 h", "training_hours.p95_high > 1030 h"):
        found = fc.break_even(RENEWAL, "recovery.time=1h..8h", goal, replications=100)
        (crossing,) = found.crossings
        assert (found.bounded, crossing.low, crossing.high) == (False, None, None)
        assert "interval" not in found.sentence()
    few = fc.break_even(
        RENEWAL, "recovery.time=1h..8h", "training_hours.p95 > 1030 h", replications=20
    )
    assert not few.bounded


def test_numbers_that_no_cluster_could_have_are_left_out() -> None:
    made = fc.curve(SMALL, "cluster.working_pool=100..400", replications=20)
    assert [point.result is None for point in made.points] == [True] * 5 + [False] * 4
    assert made.points[0].problem.startswith("job.servers (256)")
    found = fc.break_even_of(made, fc.Goal.parse("training_hours > 1 h"))
    assert found.fails[0] is None
    assert found.sentence().endswith(f"from {made.points[5].text} to 400.")
    with pytest.raises(fc.RequestError, match="no number of cluster"):
        fc.curve(SMALL, "cluster.working_pool=10..20", replications=20).answer()


def test_other_inputs_may_be_uncertain() -> None:
    """Rate 0.005 to 0.015: E[training] = 1,000 + 1,000 × rate × R has the same mean as above."""
    scenario = RENEWAL.with_(uncertain={"failures.random.rate": "0.12/day..0.36/day"})
    found = fc.break_even(
        scenario, "recovery.time=1h..8h", "training_hours > 1030 h", replications=400
    )
    (crossing,) = found.crossings
    assert crossing.low is not None
    assert crossing.high is not None
    assert crossing.low < 3.0 < crossing.high
    alone = fc.break_even(
        RENEWAL, "recovery.time=1h..8h", "training_hours > 1030 h", replications=400
    ).crossings[0]
    assert alone.low is not None
    assert alone.high is not None
    assert crossing.high - crossing.low > alone.high - alone.low


def test_the_unknown_input_gives_the_range() -> None:
    scenario = SMALL.with_(uncertain={"recovery.time": "unknown(10 min..3 h:log)"})
    span = fc.span_of(scenario)
    assert (span.path, span.low, span.high, span.spacing) == ("recovery.time", 1 / 6, 3.0, "log")
    made = fc.curve(scenario, points=4, replications=20)
    assert [point.text for point in made.points] == ["10 min", "26 min", "1.1 h", "3 h"]
    sample = fc.simulate(SMALL.with_(recovery__time="26 min"), replications=20)
    assert made.points[1].result is not None
    assert made.points[1].result.mean("training_hours") == sample.mean("training_hours")
    assert "training takes 61." in made.answer()


@pytest.mark.parametrize(
    ("uncertain", "words"),
    [
        ({}, "has no unknown input"),
        ({"recovery.time": "unknown"}, "uncertain.recovery.time=unknown(10 min..40 min)"),
        ({"job.warm_standbys": "unknown"}, "=unknown(4..16)"),
        (
            {"recovery.time": "unknown(1 h..2 h)", "job.warm_standbys": "unknown(0..4)"},
            "job.warm_standbys and recovery.time are unknown, but a curve is over one input",
        ),
    ],
)
def test_what_has_no_curve_is_refused_in_a_sentence(uncertain: dict[str, str], words: str) -> None:
    scenario = SMALL.with_(uncertain=uncertain)
    assert len(beliefs_of(scenario)) == len(uncertain)
    with pytest.raises(fc.RequestError) as refusal:
        fc.curve(scenario)
    assert words in str(refusal.value)


def test_the_documents_are_strict_json() -> None:
    made = fc.curve(SMALL, "recovery.time=10min..3h", points=3, replications=20)
    goals = [fc.break_even_of(made, fc.Goal.parse("training_hours > 70 d")).to_dict()]
    document = made.to_dict(by=[1500.0], goals=goals)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["goals"][0]["crossings"][0]["fails"] == "above"
    assert math.isclose(document["goals"][0]["crossings"][0]["value"], 1.24, rel_tol=0.05)
