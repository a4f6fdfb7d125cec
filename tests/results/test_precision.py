"""A sample with a wanted precision: when it ends, what it equals, and that its interval covers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from tests.results.coverage import Draw, coverage_of_rule, lower_limit, mean_size
from tests.results.synthetic import normals, uniforms

import failcast as fc
from failcast.results.precision import GROWTH, StoppingRule
from failcast.results.statistics import Floats

TINY = fc.Scenario().with_(
    name="tiny",
    cluster__working_pool=4,
    cluster__spare_pool=0,
    job__servers=3,
    job__warm_standbys=1,
    job__length=24.0,
    failures__random__rate=0.02,
    recovery__time="exponential(3 h)",
    repair__automated__time="exponential(4 h)",
    repair__manual__time="exponential(12 h)",
)
"""Three servers that fail about twice in a day of work: training hours are skewed to the right."""


def test_looks_are_at_sizes_that_grow_by_half() -> None:
    assert GROWTH == 1.5
    assert list(StoppingRule("ettr", 0.01, 200, 1000).sizes()) == [200, 300, 450, 675, 1000]
    assert list(StoppingRule("ettr", 0.01, 2, 9).sizes()) == [2, 3, 5, 8, 9]
    assert list(StoppingRule("ettr", 0.01, 5, 5).sizes()) == [5]


def test_the_rule_ends_a_sample_once_it_is_precise_and_has_enough_finished_runs() -> None:
    rule = StoppingRule("ettr", 0.1, 200, 1000)
    precise = fc.Precision("ettr", 0.1, 0.1, 200, 1000)
    rough = fc.Precision("ettr", 0.1, 0.11, 200, 1000)
    unknown = fc.Precision("ettr", 0.1, None, 200, 1000)
    assert rule.is_over(precise, finished=200, runs=300)
    assert not rule.is_over(precise, finished=199, runs=300)
    assert not rule.is_over(rough, finished=300, runs=300)
    assert not rule.is_over(unknown, finished=300, runs=300)
    assert rule.is_over(rough, finished=900, runs=1000)
    assert rule.is_over(unknown, finished=0, runs=200)


def test_the_estimate_is_the_look_that_will_probably_be_the_last() -> None:
    rule = StoppingRule("ettr", 0.1, 200, 1000)

    def estimate(reached: float | None, finished: int = 200) -> int:
        return rule.estimate(fc.Precision("ettr", 0.1, reached, 200, 1000), finished, 200)

    assert estimate(0.101) == 300
    assert estimate(0.1 * math.sqrt(1.51)) == 450
    assert estimate(0.01, finished=50) == 1000
    assert estimate(9.0) == 1000
    assert estimate(None) == 1000


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_a_precise_sample_is_the_one_of_as_many_replications(engine: Any) -> None:
    asked: dict[str, Any] = {"precision": "5 %", "min_replications": 20, "engine": engine}
    sample = fc.simulate(TINY, seed=3, **asked)
    assert sample.precision is not None
    assert sample.precision.met
    assert sample.precision.metric == "training_hours"
    assert 20 < sample.replications < 1000
    fixed = fc.simulate(TINY, seed=3, replications=sample.replications)
    assert fixed.precision is None
    assert np.array_equal(fixed.runs.values, sample.runs.values)
    assert np.array_equal(fixed.runs.status, sample.runs.status)
    smaller = list(StoppingRule("", 0.05, 20, 1000).sizes())
    for size in smaller[: smaller.index(sample.replications)]:
        before = fc.simulate(TINY, seed=3, replications=size).interval("training_hours")
        assert before is not None
        assert (before.high - before.low) / (before.high + before.low) > 0.05


def test_the_number_of_threads_leaves_no_mark_on_a_precise_sample() -> None:
    one, two = (fc.simulate(TINY, precision=0.05, threads=n).to_dict() for n in (1, 2))
    assert one["manifest"].pop("threads") == 1
    assert two["manifest"].pop("threads") == 2
    assert one == two


def test_the_scenario_as_run_makes_a_precise_sample_again() -> None:
    scenario = TINY.with_(run__precision="4 %", run__min_replications=50)
    sample = fc.simulate(scenario)
    document = json.loads(json.dumps(sample.to_dict(), allow_nan=False))
    again = fc.simulate(fc.Scenario.model_validate(document["scenario"])).to_dict()
    told = document.pop("precision")
    assert again.pop("precision") is None
    assert again == document
    assert told["met"]
    assert told == {
        "metric": "training_hours",
        "wanted": 0.04,
        "reached": pytest.approx(0.04, rel=0.25),
        "min_replications": 50,
        "max_replications": 100_000,
        "met": True,
    }


def test_an_argument_replaces_what_the_scenario_says() -> None:
    precise = TINY.with_(run__precision=0.05, run__max_replications=100)
    assert fc.simulate(precise, replications=3).replications == 3
    assert fc.simulate(precise, replications=3).precision is None
    assert fc.simulate(precise).replications == 100
    assert fc.simulate(precise, max_replications=40).replications == 40
    other = fc.simulate(precise, precision=0.5, precision_of="failures", min_replications=10)
    assert other.precision is not None
    assert (other.precision.metric, other.precision.wanted) == ("failures", 0.5)


def test_a_precision_that_cannot_be_met_ends_at_the_maximum() -> None:
    told: list[int] = []
    sample = fc.simulate(TINY, precision="0.1 %", max_replications=500, on_estimate=told.append)
    assert sample.replications == 500
    assert told == [500, 500, 500]
    assert sample.precision is not None
    assert sample.precision.reached is not None
    assert sample.precision.reached > 0.001
    assert not sample.to_dict()["precision"]["met"]
    assert "The precision of 0.1 % is not reached: after 500 runs" in sample.answer()


def test_a_metric_that_is_zero_in_every_run_ends_at_the_maximum() -> None:
    sample = fc.simulate(TINY, precision=0.1, precision_of="preemptions", max_replications=300)
    assert sample.replications == 300
    assert sample.precision == fc.Precision("preemptions", 0.1, None, 200, 300)
    assert "as it is zero in every run." in sample.answer()


def test_a_metric_that_never_varies_is_known_at_the_first_look() -> None:
    sample = fc.simulate(TINY, precision=1e-9, precision_of="productive_hours")
    assert sample.replications == 200
    assert sample.precision is not None
    assert (sample.precision.reached, sample.precision.met) == (0.0, True)


def test_where_no_run_finishes_the_first_look_is_the_last() -> None:
    sample = fc.simulate(TINY.with_(run__horizon=1.0), precision=0.1)
    assert sample.replications == 200
    assert sample.precision is not None
    assert sample.precision.reached is None
    assert "is not reached, as no run finishes; so there are no more than 200." in sample.answer()


def test_runs_that_do_not_finish_do_not_count_as_enough() -> None:
    """Some 40 % finish within 30 h. At the first look the interval is narrow enough at once."""
    sample = fc.simulate(TINY.with_(run__horizon=30.0), precision=0.5)
    assert sample.precision is not None
    assert sample.precision.met
    assert sample.finished >= 200
    before = fc.simulate(TINY.with_(run__horizon=30.0), replications=sample.replications * 2 // 3)
    assert before.finished < 200


# --- Coverage of the interval at which the rule stops ------------------------------------------


def near_normal(rows: int, columns: int) -> Floats:
    return 1.0 + 0.1 * normals(rows, columns, salt=11)


def exponential(rows: int, columns: int) -> Floats:
    return -np.log(uniforms(rows, columns, salt=12))


def lognormal(rows: int, columns: int) -> Floats:
    """Sigma 1: skewness 6.2. Its mean is 1."""
    return np.exp(ndtri(uniforms(rows, columns, salt=13)) - 0.5)


@pytest.mark.parametrize("need", [150, 300, 500])
@pytest.mark.parametrize(
    ("draw", "variation"), [(near_normal, 0.1), (exponential, 1.0)], ids=["normal", "exponential"]
)
def test_the_interval_covers_where_the_rule_stops(draw: Draw, variation: float, need: int) -> None:
    """`need` is the size at which a sample of the true spread would be just precise enough."""
    trials = 3000
    rule = StoppingRule("", 1.96 * variation / math.sqrt(need), 200, 1519)
    stopped = coverage_of_rule(rule, draw(trials, 1519), true_mean=1.0)
    assert stopped.coverage > lower_limit(0.94, trials)
    assert mean_size(stopped) < 1.5 * max(need, 200)


@pytest.mark.parametrize("need", [300, 500])
def test_strong_skew_costs_the_stop_little_more_than_a_fixed_sample(need: int) -> None:
    """With sigma 1 the interval of 300 runs itself covers some 93 %; the stop takes 1 % of it."""
    trials = 3000
    values = lognormal(trials, 1519)
    variation = math.sqrt(math.e - 1.0)
    rule = StoppingRule("", 1.96 * variation / math.sqrt(need), 200, 1519)
    stopped = coverage_of_rule(rule, values, true_mean=1.0).coverage
    fixed = coverage_of_rule(StoppingRule("", 0.5, need, need), values, true_mean=1.0).coverage
    two_shares = math.sqrt(2.0 * 0.93 * 0.07 / trials)
    assert stopped > fixed - 0.02 - 4.0 * two_shares
    assert stopped > lower_limit(0.91, trials)


def test_the_interval_covers_where_a_simulation_stops() -> None:
    """A thousand samples of a real scenario, cut from one long run; its own mean is the truth."""
    trials, most = 1000, 1000
    runs = fc.simulate(TINY, replications=trials * most, seed=5, threads=2)
    hours = runs.values("training_hours")
    variation = hours.std() / hours.mean()
    rule = StoppingRule("training_hours", 1.96 * variation / math.sqrt(300), 200, most)
    stopped = coverage_of_rule(rule, hours.reshape(trials, most), true_mean=hours.mean())
    assert stopped.coverage > lower_limit(0.94, trials)
    assert 200 < mean_size(stopped) < 450
    first = fc.simulate(TINY, precision=rule.wanted, max_replications=most, seed=5)
    assert first.replications == stopped.sizes[0]
