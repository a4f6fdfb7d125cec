"""Goals: what can be read, what a sample says to them, and what it cannot say."""

from __future__ import annotations

import pytest
from tests.results.synthetic import DEPLETED, FINISHED, days_of_training, sample_of

import failcast as fc

HOURS = [100.0, 110.0, 120.0, 130.0, 140.0]


@pytest.mark.parametrize(
    ("text", "metric", "stat", "comparison", "limit"),
    [
        ("ettr < 0.95", "ettr", "mean", "<", 0.95),
        ("ettr.low<0.95", "ettr", "low", "<", 0.95),
        (" failures.p95 >= 1e3 ", "failures", "p95", ">=", 1000.0),
        ("training_hours > 420 d", "training_hours", "mean", ">", 10080.0),
        ("training_hours.sd <= 1 d 12 h", "training_hours", "sd", "<=", 36.0),
        ("training_hours.high > 36", "training_hours", "high", ">", 36.0),
        ("stalled_hours>.5", "stalled_hours", "mean", ">", 0.5),
        ("mtbf_hours < 5 h", "mtbf_hours", "mean", "<", 5.0),
        ("finished.low < 0.99", "finished", "low", "<", 0.99),
        ("failures > -1", "failures", "mean", ">", -1.0),
        ("ettr < 95%", "ettr", "mean", "<", 0.95),
        ("depleted.high > 0.1 %", "depleted", "high", ">", 0.001),
    ],
)
def test_a_goal_is_read(text: str, metric: str, stat: str, comparison: str, limit: float) -> None:
    assert fc.Goal.parse(text) == fc.Goal(text.strip(), metric, stat, comparison, limit)


def test_a_goal_on_a_time_is_read() -> None:
    goal = fc.Goal.parse("finished_by( 1 d 12 h ).low < 0.9")
    assert (goal.metric, goal.hours, goal.stat, goal.limit) == ("finished_by", 36.0, "low", 0.9)
    assert fc.Goal.parse("finished_by(1.5 d)<0.9").hours == 36.0
    assert fc.Goal.parse("ettr < 0.9").hours is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("etr < 1", r"unknown metric 'etr': did you mean 'ettr'\?$"),
        ("0.9 > ettr", r"the metric comes first, as in 'ettr\.low < 0\.95'\.$"),
        ("finishd < 1", r"unknown metric 'finishd': did you mean 'finished'\?$"),
        ("ettr.hihg < 1", r"unknown figure of ettr 'hihg': did you mean 'high'\?$"),
        ("finished.sd < 1", r"unknown figure of finished 'sd': known are: mean, low, high\.$"),
        ("mtbf_hours.p5 < 9", r"unknown figure of mtbf_hours 'p5': known are: mean, low, high\.$"),
        ("ettr < 5 d", r"'5 d', but ettr is compared with a number or a percentage, such as 0.95"),
        ("failures < 5 %", r"its number is '5 %', but failures is compared with a bare number"),
        ("ettr < %", r"its number is '%', but ettr is compared with a number or a percentage"),
        ("ettr < 9 % %", r"its number is '9 % %', but ettr is compared with"),
        ("training_hours < 5 dy", r"'5 dy', but 'dy' is not a unit of time; did you mean 'day'\?$"),
        ("training_hours < 5 m", r"but 'm' may be minutes or months"),
        ("training_hours < -5 d", r"but it must not be negative\.$"),
        ("ettr < nan", r"its number is 'nan', but"),
        ("ettr < 1e999", r"its number is '1e999', but it is too large\.$"),
        ("ettr < ١", r"its number is '١', but"),
        ("depletd > 0", r"unknown metric 'depletd': did you mean 'depleted'\?$"),
        ("depleted.p95 > 0", r"unknown figure of depleted 'p95': known are: mean, low, high\.$"),
        ("finished_by < 1", r"finished_by needs a time in brackets, as in finished_by\(420 d\)\.$"),
        ("finished_by(5) < 1", r"its time is '5', but it has no unit: write '5 min' or '5 h'\.$"),
        ("finished_by() < 1", r"its time is '', but it must be a duration such as"),
        ("finished_by(5 dy) < 1", r"'5 dy', but 'dy' is not a unit of time; did you mean 'day'\?$"),
        ("ettr(5 d) < 1", r"ettr takes no time in brackets\.$"),
        ("finished_by(5 d < 1", "cannot be read: write METRIC OP NUMBER"),
        ("ettr == 1", "cannot be read: write METRIC OP NUMBER"),
        ("ettr = 1", "cannot be read: write METRIC OP NUMBER"),
        ("ettr < 1 < 2", "cannot be read: write METRIC OP NUMBER"),
        ("ettr.low.low < 1", "cannot be read: write METRIC OP NUMBER"),
        ("ettr <", "cannot be read: write METRIC OP NUMBER"),
        ("< 1", "cannot be read: write METRIC OP NUMBER"),
        ("", "cannot be read: write METRIC OP NUMBER"),
        ("ettr < " + "9" * 1000, "cannot be read: write METRIC OP NUMBER"),
    ],
)
def test_a_goal_that_cannot_be_read_is_told_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(fc.RequestError, match=sentence) as caught:
        fc.Goal.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("stat", ["mean", "low", "high", "sd", "p5", "p50", "p95"])
def test_every_figure_is_that_of_the_summary(stat: str) -> None:
    sample = days_of_training(HOURS)
    expected = sample.summary("training_hours").to_dict()[stat]
    assert expected is not None
    verdict = fc.Goal.parse(f"training_hours.{stat} > {expected!r}").judge(sample)
    assert (verdict.value, verdict.failed) == (expected, False)
    assert fc.Goal.parse(f"training_hours.{stat} >= {expected!r}").judge(sample).failed


def test_the_ends_of_a_quantile_are_figures_too() -> None:
    many = days_of_training([float(value) for value in range(1, 101)])
    for stat, value in (("p95_low", 90.0), ("p95_high", 100.0), ("p50_low", 40.0)):
        verdict = fc.Goal.parse(f"training_hours.{stat} > 4 d").judge(many)
        assert (verdict.value, verdict.failed) == (value, value > 96.0)
    verdict = fc.Goal.parse("training_hours.p95_high > 4 d").judge(days_of_training(HOURS))
    assert (verdict.value, verdict.failed) == (None, True)
    assert verdict.sentence.endswith(
        "there is no training_hours.p95_high, because the sample of 5 finished runs is too small "
        "to bound it."
    )


@pytest.mark.parametrize(
    ("comparison", "fails"),
    [
        ("<", (False, False, True)),
        ("<=", (False, True, True)),
        (">", (True, False, False)),
        (">=", (True, True, False)),
    ],
)
def test_the_comparison_is_taken_at_its_word(
    comparison: str, fails: tuple[bool, bool, bool]
) -> None:
    sample = days_of_training(HOURS)
    told = [
        fc.Goal.parse(f"training_hours.p50 {comparison} {limit}").judge(sample).failed
        for limit in (119, 120, 121)
    ]
    assert tuple(told) == fails


def test_the_share_of_finished_runs_has_a_mean_and_an_interval() -> None:
    sample = days_of_training(HOURS, status=[FINISHED] * 4 + [DEPLETED])
    share = sample.share_of("finished")
    for stat, value in (("mean", 0.8), ("low", share.low), ("high", share.high)):
        verdict = fc.Goal.parse(f"finished.{stat} < 1").judge(sample)
        assert (verdict.value, verdict.failed) == (value, True)
    none = days_of_training(HOURS, status=[DEPLETED] * 5)
    assert fc.Goal.parse("finished < 0.99").judge(none).value == 0.0


def test_shares_of_other_ends_and_by_a_time_have_goals_too() -> None:
    sample = days_of_training(HOURS, status=[FINISHED] * 4 + [DEPLETED])
    for name, share in (
        ("depleted", sample.share_of("depleted")),
        ("out_of_time", sample.share_of("out_of_time")),
        ("finished_by(110 h)", sample.finished_by(110.0)),
    ):
        for stat, value in (("mean", share.value), ("low", share.low), ("high", share.high)):
            verdict = fc.Goal.parse(f"{name}.{stat} >= {value!r}").judge(sample)
            assert (verdict.value, verdict.failed) == (value, True)
            assert f"{name}.{stat} is " in verdict.sentence
    assert sample.share_of("out_of_time").count == 0
    assert not fc.Goal.parse("out_of_time.high > 0.46").judge(sample).failed


def test_mtbf_is_that_of_the_sample_and_has_a_bound_without_failures() -> None:
    sample = days_of_training(HOURS)
    mtbf = sample.mtbf_hours()
    for stat, value in (("mean", mtbf.value), ("low", mtbf.low), ("high", mtbf.high)):
        assert value is not None
        verdict = fc.Goal.parse(f"mtbf_hours.{stat} < {value!r}").judge(sample)
        assert (verdict.value, verdict.failed) == (value, False)
    quiet = sample_of({"training_hours": [10.0] * 5, "productive_hours": [10.0] * 5})
    bound = quiet.mtbf_hours().lower_bound
    assert fc.Goal.parse("mtbf_hours.low < 1").judge(quiet).value == bound
    for stat in ("mean", "high"):
        verdict = fc.Goal.parse(f"mtbf_hours.{stat} < 1").judge(quiet)
        assert (verdict.value, verdict.failed) == (None, True)
        assert verdict.sentence.endswith("because no failure was seen.")


@pytest.mark.parametrize(
    ("sample", "goal", "why"),
    [
        (days_of_training([100.0]), "ettr.low < 0.1", "only 1 run finished"),
        (days_of_training([100.0]), "mtbf_hours.high < 1", "the sample is too small to bound it"),
        (days_of_training([100.0]), "training_hours.sd > 1 d", "only 1 run finished"),
        (days_of_training(HOURS, status=[DEPLETED] * 5), "ettr < 0.1", "no run finished"),
        (days_of_training(HOURS, status=[DEPLETED] * 5), "ettr.p5 > 0.1", "no run finished"),
    ],
)
def test_a_figure_that_is_not_known_fails_the_goal(sample: fc.Sample, goal: str, why: str) -> None:
    verdict = fc.Goal.parse(goal).judge(sample)
    assert (verdict.value, verdict.failed) == (None, True)
    assert verdict.sentence.endswith(f", because {why}.")
    assert goal in verdict.sentence


def test_a_verdict_tells_goal_and_figure() -> None:
    sample = days_of_training(HOURS)
    failed = fc.Goal.parse("training_hours > 4 d").judge(sample)
    assert (
        failed.sentence == "the goal 'training_hours > 4 d' failed: training_hours.mean is 120 h."
    )
    kept = fc.Goal.parse("ettr < 0.5").judge(sample)
    assert kept.sentence == "the goal 'ettr < 0.5' is kept: ettr.mean is 0.6."
    assert kept.to_dict() == {"goal": "ettr < 0.5", "value": 0.6, "failed": False}


def test_a_figure_next_to_the_limit_is_shown_in_full() -> None:
    sample = days_of_training([100.0000001, 100.0000001])
    sentence = fc.Goal.parse("training_hours.p50 > 100").judge(sample).sentence
    assert sentence.endswith("training_hours.p50 is 100.0000001 h.")


def test_the_document_holds_the_verdicts() -> None:
    sample = days_of_training(HOURS)
    assert sample.to_dict()["goals"] == []
    verdicts = [fc.Goal.parse(text).judge(sample) for text in ("ettr < 0.95", "ettr > 0.95")]
    goals = sample.to_dict(goals=verdicts)["goals"]
    assert [(goal["goal"], goal["failed"]) for goal in goals] == [
        ("ettr < 0.95", True),
        ("ettr > 0.95", False),
    ]
