"""Ages in a scenario: how they are read and written, and the sentence of one that cannot be.

On the map: tests of scenario/ages.py. That engines draw what it means is tests/theory's matter.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generated import lives
from tests.strategies import MIXED

import failcast as fc
from failcast.engine.plan import NUMBER_DTYPE, lay_out
from failcast.engine.random import LIFE, Chance
from failcast.scenario import override
from failcast.scenario.ages import LEAST_SURVIVAL, survival
from failcast.study.axes import span


def refused(**changes: Any) -> str:
    """The one sentence that a change is refused with."""
    with pytest.raises(fc.ScenarioError) as caught:
        fc.Scenario().with_(**changes)
    assert len(caught.value.problems) == 1
    return str(caught.value)


@pytest.mark.parametrize(
    ("given_as", "hours", "written"),
    [
        ("new", "new", "new"),
        ("stationary", "stationary", "stationary"),
        ("30 d", 720.0, "30 d"),
        (5, 5.0, "5 h"),
        (0, 0.0, "0 h"),
        ("0", 0.0, "0 h"),
    ],
)
def test_an_age_is_a_name_or_a_duration(given_as: Any, hours: Any, written: str) -> None:
    scenario = fc.Scenario().with_(failures__initial_age=given_as)
    assert scenario.failures.initial_age == hours
    assert fc.to_dict(scenario)["failures"]["initial_age"] == written
    assert dict(fc.describe(scenario))["failures.initial_age"] == written
    assert override(fc.Scenario(), f"failures.initial_age={written}") == scenario


def test_a_scenario_with_an_age_is_written_and_read_back(tmp_path: Path) -> None:
    text = "failures: {initial_age: 30 d, life: weibull(0.7)}\nrepair: {restores: age_kept}\n"
    (tmp_path / "old.yaml").write_text(text, encoding="utf-8")
    scenario = fc.load(tmp_path / "old.yaml")
    assert (scenario.failures.initial_age, scenario.repair.restores) == (720.0, "age_kept")
    assert fc.Scenario.model_validate(fc.to_dict(scenario)) == scenario


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("stationry", "it must be new, stationary or a duration such as '30 d'; did you mean 'sta"),
        ("old", "it must be new, stationary or a duration such as '30 d'"),
        ("3", "it has no unit: write '3 min' or '3 h'"),
        ("3 months", "a month has no fixed length"),
        ("-3 d", "it must not be negative"),
        (-1, "it must not be negative"),
        (True, "it must be a duration"),
        (None, "it must be a duration"),
        (float("nan"), "it must be a duration"),
    ],
)
def test_what_is_no_age_is_refused(value: Any, hint: str) -> None:
    assert hint in refused(failures__initial_age=value)


def test_an_age_that_hardly_anybody_reaches_is_refused() -> None:
    sentence = refused(failures__initial_age="400 d", failures__life="weibull(2)")
    assert sentence == (
        "failures.initial_age is 400 d, but of 1,000 good servers fewer than one would get so old: "
        "with failures.life weibull(shape=2) and 0.01 / day for a good server lives last 100 d on "
        "average. Choose a shorter age, or stationary."
    )


def test_the_defective_servers_must_reach_it_too() -> None:
    old = {"failures__initial_age": "60 d", "failures__life": "weibull(2)"}
    assert "of 1,000 defective servers" in refused(**old)
    assert "lives last 16.67 d on average" in refused(**old)
    for change in (
        {"failures__systematic__fraction": 0.0},
        {"failures__systematic__multiplier": 0.5},
        {"failures__life": "exponential"},
        {"failures__random__rate": 0.0},
        {"failures__initial_age": "stationary"},
    ):
        assert fc.Scenario().with_(**(old | change))
    only_bad = {"failures__systematic__fraction": 1.0, "failures__systematic__multiplier": 0.0}
    assert fc.Scenario().with_(**(old | only_bad))


@pytest.mark.parametrize("life", ["constant", "uniform(0.5)", "empirical(1 h, 2 h)"])
def test_lives_that_all_end_by_then_are_refused(life: str) -> None:
    good = {"failures__systematic__fraction": 0.0, "failures__life": life}
    assert "fewer than one would get so old" in refused(failures__initial_age="151 d", **good)
    assert fc.Scenario().with_(failures__initial_age="99 d", **good)


@pytest.mark.parametrize(
    "life",
    ["gamma(2)", "lognormal(1)", "constant", "uniform", "empirical(1 h, 2 h)", "mixture(1: 1 h)"],
)
def test_only_exponential_and_weibull_lives_keep_an_age(life: str) -> None:
    sentence = refused(repair__restores="age_kept", failures__life=life)
    assert sentence.startswith(f"repair.restores is age_kept, but failures.life is {life[:6]}")
    assert sentence.endswith("Choose one of these, or repair.restores: new.")
    for other in ("exponential", "weibull(0.5)"):
        assert fc.Scenario().with_(repair__restores="age_kept", failures__life=other)
    assert "did you mean 'age_kept'?" in refused(repair__restores="age_keep")


def test_a_sentence_names_the_override_that_it_comes_from() -> None:
    with pytest.raises(fc.ScenarioError, match=r"-s repair.restores=age_kept"):
        fc.load("small", ["failures.life=gamma(2)", "repair.restores=age_kept"])


def test_ages_can_be_varied() -> None:
    old = fc.Scenario().with_(failures__life="weibull(0.7)", failures__initial_age="10 d")
    found = span("failures.initial_age=10d..20d", old)
    assert (found.low, found.high) == (240.0, 480.0)


@given(lives(), st.floats(0.05, 3.0))
def test_survival_is_the_share_of_draws_that_are_longer(life: Any, age: float) -> None:
    count = 400
    numbers = np.zeros(len(life.table()), NUMBER_DTYPE)
    law = lay_out(life, numbers)
    draws = [Chance(1, 0).sample(law, LIFE, 0, n) for n in range(count)]
    share = sum(draw > age for draw in draws) / count
    expected = survival(life, age)
    assert 0.0 <= expected <= 1.0
    assert abs(share - expected) <= 6.0 * (expected * (1.0 - expected) / count) ** 0.5 + 1.0 / count


def test_survival_of_a_mixture_is_that_of_its_parts() -> None:
    life = fc.MixtureLife(parts=((0.5, fc.Constant(value=1.0)), (0.5, fc.Exponential(mean=3.0))))
    assert survival(life, 0.6) == pytest.approx(0.5 * 2.718281828459045 ** (-0.4))
    assert survival(fc.MixtureLife(parts=MIXED), 1e6) < LEAST_SURVIVAL
