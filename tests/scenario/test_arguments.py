"""Arguments of what a field holds, by path: `repair.manual.time.mean=1 d` keeps the family."""

from __future__ import annotations

import pytest
from tests.scenario.test_scaled import MEMBERS

from failcast import Scenario, ScenarioError
from failcast.scenario import Distribution, override


def _time(text: str, change: str) -> str:
    changed = override(
        Scenario(repair={"manual": {"time": text}}), [f"repair.manual.time.{change}"]
    )
    return changed.repair.manual.time.expression()


@pytest.mark.parametrize(
    ("text", "change", "result"),
    [
        ("20 min", "mean=1 h", "1 h"),
        ("20 min", "value=1 h", "1 h"),
        ("exponential(2 d)", "mean=1 d", "exponential(mean=1 d)"),
        ("weibull(scale=2 d, shape=0.7)", "mean=1 d", "weibull(mean=1 d, shape=0.7)"),
        ("weibull(scale=2 d, shape=0.7)", "shape=2", "weibull(scale=2 d, shape=2)"),
        ("lognormal(median=2 h, sigma=1)", "mean=3 h", "lognormal(mean=3 h, sigma=1)"),
        ("lognormal(mean=2 h, sigma=1)", "median=3 h", "lognormal(median=3 h, sigma=1)"),
        ("gamma(2 d, 0.7)", "scale=1 d", "gamma(scale=1 d, shape=0.7)"),
        ("uniform(1 h, 3 h)", "mean=4 h", "uniform(low=2 h, high=6 h)"),
        ("uniform(1 h, 3 h)", "high=4 h", "uniform(low=1 h, high=4 h)"),
    ],
)
def test_one_argument_changes_and_the_family_stays(text: str, change: str, result: str) -> None:
    assert _time(text, change) == result


@pytest.mark.parametrize("before", MEMBERS, ids=lambda each: each.expression())
def test_every_family_takes_a_mean(before: Distribution) -> None:
    scenario = Scenario(repair={"manual": {"time": before}})
    after = override(scenario, ["repair.manual.time.mean=5 h"]).repair.manual.time
    assert type(after) is type(before)
    assert after.mean_hours == pytest.approx(5.0, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("repair.manual.time.mean=3", "it has no unit: write '3 min' or '3 h'"),
        ("repair.manual.time.shape=3", "'shape' is no argument of it: exponential takes mean"),
        ("retirement.failures=3", "never takes no arguments"),
        ("failures.life.mean=3 d", "exponential takes no arguments"),
        ("repair.manual.tim.mean=3 d", "did you mean 'repair.manual.time'?"),
        ("repair.manual.time.mean.mean=3 d", "is not a field of a scenario"),
        ("repair.manual.time.=3 d", "is not a field of a scenario"),
    ],
)
def test_a_wrong_argument_is_refused_in_a_sentence(change: str, words: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        override(Scenario(), [change])
    assert words in str(refusal.value)
    assert str(refusal.value).startswith(f"-s {change}: ")


def test_a_field_and_its_argument_are_not_given_together() -> None:
    with pytest.raises(ScenarioError, match="overlaps"):
        override(Scenario(), ["repair.manual.time=3 d", "repair.manual.time.mean=2 d"])


def test_a_mean_of_zero_has_no_shape_to_keep() -> None:
    zero = Scenario(repair={"manual": {"time": "uniform(0 h, 0 h)"}})
    with pytest.raises(ScenarioError, match="its mean is 0, which no factor changes"):
        override(zero, ["repair.manual.time.mean=2 d"])


def test_python_sets_arguments_in_hours() -> None:
    assert Scenario().with_(repair__manual__time__mean=3).repair.manual.time.mean_hours == 3.0
