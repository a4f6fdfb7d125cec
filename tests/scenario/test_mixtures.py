"""Mixtures: weights and parts, how they are written, and what a wrong one is told.

On the map: tests of ``Mixture`` and ``MixtureLife``, and of expressions inside YAML.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from tests.generated import distributions, lives
from tests.strategies import MIXED

import failcast as fc
from failcast.scenario.distributions import MOST_PARTS


def mixture(text: str) -> Any:
    """The distribution that an expression means."""
    return fc.Scenario().with_(repair__manual__time=text).repair.manual.time


def refused(text: str, field: str = "repair__manual__time") -> str:
    """The one sentence that a text is refused with."""
    with pytest.raises(fc.ScenarioError) as caught:
        fc.Scenario().with_(**{field: text})
    assert str(caught.value).isprintable()
    return str(caught.value)


FAST, SLOW = fc.Exponential(mean=2.0), fc.Lognormal(median=20.0, sigma=2.5)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "mixture(0.7: exponential(mean=2 h), 0.3: lognormal(median=20 h, sigma=2.5))",
            ((0.7, FAST), (0.3, SLOW)),
        ),
        (
            " mixture ( .5 :2 h ,0.5: exponential(2 h))",
            ((0.5, fc.Constant(value=2.0)), (0.5, FAST)),
        ),
        ("mixture(1: 0)", ((1.0, fc.Constant(value=0.0)),)),
        (
            "mixture(0.5: empirical(1 h, 2 h), 5e-1: 1 d 12 h)",
            ((0.5, fc.Empirical(values=(1, 2))), (0.5, fc.Constant(value=36.0))),
        ),
        (
            "mixture(0.5: mixture(0.25: 1 h, 0.75: exponential(2 h)), 0.5: 3 h)",
            ((0.125, fc.Constant(value=1.0)), (0.375, FAST), (0.5, fc.Constant(value=3.0))),
        ),
    ],
)
def test_a_mixture_is_read(text: str, parts: tuple[tuple[float, Any], ...]) -> None:
    found = mixture(text)
    assert found == fc.Mixture(parts=parts)
    assert found.parts == parts
    assert found.mean_hours == pytest.approx(sum(w * part.mean_hours for w, part in parts))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("mixture()", "it must have at least one part"),
        ("mixture", "it must have at least one part"),
        ("mixture(1 h)", "'1 h' in it is no weight and distribution: write 0.7: 20 min"),
        ("mixture(1: 1 h,)", "'' in it is no weight and distribution"),
        ("mixture(0.7: 1 h, 0.2: 2 h)", "its weights must add up to 1, not to 0.9"),
        ("mixture(0.7: 1 h, 0.30000001: 2 h)", "its weights must add up to 1, not to 1.00000001"),
        ("mixture(70: 1 h, 30: 2 h)", "its weight 1, here 70, must be a number above 0 and"),
        ("mixture(70 %: 1 h, 30 %: 2 h)", "its weight 1, here '70 %', must be a number"),
        ("mixture(0: 1 h, 1: 2 h)", "its weight 1, here 0, must be a number above 0"),
        ("mixture(-1: 1 h, 2: 2 h)", "its weight 1, here -1, must be a number above 0"),
        ("mixture(.nan: 1 h)", "its weight 1, here nan, must be a number above 0"),
        ("mixture(: 1 h)", "its weight 1, here empty, must be a number above 0"),
        ("mixture(0.5: 1 h, 0.5: 20)", "its part 2, here '20', is wrong: it has no unit: write"),
        ("mixture(0.5: 1 h, 0.5:)", "its part 2, here '', is wrong: it must be a duration"),
        ("mixture(1: weibul(1 h, 2))", "is wrong: 'weibul' is no distribution here"),
        ("mixture(1: weibull(1 h, 0))", "is wrong: its shape, here 0, must be a number from 0.05"),
        ("mixture(1: empirical(a.csv))", "is wrong: a.csv does not exist"),
        ("mixture(1: 1: 1 h)", "its part 1, here '1: 1 h', is wrong: it must be a duration"),
        ("mixture(1: exponential(1 h)", "its parentheses do not match"),
        ("mixture(" + "0.04: 1 h, " * 24 + "0.04: 1 h)", "it must have at most 20 parts"),
        ("mixture(" + ", ".join(["0.1: mixture(0.5: 1 h, 0.25: 1 h, 0.25: 1 h)"] * 10) + ")",
         "it must have at most 20 parts"),
        ("mixture(1: " * 500 + "1 h" + ")" * 500, "it is nested too deeply"),
    ],
    ids=lambda text: text[:50],
)  # fmt: skip
def test_a_wrong_mixture_is_told_what_would_be_right(text: str, hint: str) -> None:
    sentence = refused(text)
    assert sentence.startswith("repair.manual.time is 'mixture")
    assert hint in sentence


def test_a_mixture_of_lives_needs_a_length() -> None:
    assert "a mixture of lives must have a mean longer than 0" in refused(
        "mixture(0.5: 0, 0.5: 0)", "failures__life"
    )
    life = fc.Scenario().with_(failures__life="mixture(0.5: 0, 0.5: 3 h)").failures.life
    assert life.table()[2::4] == (0.0, 2.0)
    assert "'weibull(shape=2)', is wrong: it takes" not in refused(
        "mixture(1: weibull(shape=2))", "failures__life"
    )
    assert "weibull takes either mean or scale" in refused(
        "mixture(1: weibull(shape=2))", "failures__life"
    )


def test_weights_may_miss_1_by_rounding_alone() -> None:
    assert fc.Mixture(parts=[(1 / 3, "1 h")] * 3).mean_hours == pytest.approx(1.0)
    assert fc.Mixture(parts=[(0.1, n) for n in range(10)]).mean_hours == pytest.approx(4.5)
    nearly = fc.Mixture(parts=[(0.5, "1 h"), (0.5 + 9e-10, "2 h")])
    twice = fc.Mixture(parts=[(0.5, nearly), (0.5 + 9e-10, nearly)])
    assert mixture(twice.expression()) == twice
    assert nearly.table()[::4] == pytest.approx((0.5, 1.0), abs=1e-9)


@given(distributions())
def test_a_duration_is_written_so_that_it_reads_back(part: Any) -> None:
    assert mixture(part.expression()) == part
    assert pickle.loads(pickle.dumps(part)) == part
    assert hash(mixture(part.expression())) == hash(part)
    assert part.mean_hours >= 0.0


@given(lives())
def test_a_life_is_written_so_that_it_reads_back(life: Any) -> None:
    read = fc.Scenario().with_(failures__life=life.expression()).failures.life
    assert read == life
    assert hash(read) == hash(life)
    assert pickle.loads(pickle.dumps(life)) == life


def test_the_largest_mixture_reads_back() -> None:
    values = [1.0 + n / 7 for n in range(1000)]
    parts = [(1 / MOST_PARTS, fc.Empirical(values=values[n:] + values[:n])) for n in range(20)]
    largest = fc.Mixture(parts=parts)
    assert mixture(largest.expression()) == largest


# --- in a YAML file ---------------------------------------------------------------------------


def load(folder: Path, text: str) -> fc.Scenario:
    """Load a YAML text."""
    (folder / "plan.yaml").write_text(text)
    return fc.load(folder / "plan.yaml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("recovery: mixture(0.7: 1 h, 0.3: 2 h)", 1),
        ("name: x\nrecovery:\n  time: mixture(0.7: 1 h, 0.3: 2 h)", 3),
        ("recovery: mixture(0.7: exponential(1 h),\n   0.3: 2 h)", 1),
        ("recovery: {time: mixture(0.7: 1 h, 0.3: 2 h)}", 1),
        ("recovery:\n  mixture(0.7: 1 h, 0.3: 2 h)", 2),
        ("recovery:\n  mixture(1: 1 h)", 2),
        ("recovery: {time: weibull(mean=1 d, shape=2)}", 1),
        ("failures: {life: empirical(1 d, 2 d)}", 1),
    ],
)
def test_an_expression_without_its_quotes_is_told_so(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(fc.ScenarioError) as caught:
        load(tmp_path, text)
    told = [problem for problem in caught.value.problems if "in quotes." in str(problem)]
    assert told
    assert told[0].line == line


@pytest.mark.parametrize("text", ["job: a: b", "x: (a\ny: : z", "job: [1", "a: call(b)\nb: c: d"])
def test_other_wrong_yaml_is_told_nothing_of_quotes(tmp_path: Path, text: str) -> None:
    with pytest.raises(fc.ScenarioError) as caught:
        load(tmp_path, text)
    assert "in quotes" not in str(caught.value)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_in_quotes_it_is_read(tmp_path: Path, quote: str) -> None:
    text = f"recovery: {quote}mixture(0.7: 1 h, 0.3: 2 h){quote}"
    assert load(tmp_path, text).recovery.time.mean_hours == pytest.approx(1.3)
    assert load(tmp_path, "recovery: >-\n  mixture(0.7: 1 h,\n  0.3: 2 h)").recovery.time == (
        load(tmp_path, text).recovery.time
    )


def test_what_is_written_as_yaml_has_its_quotes(tmp_path: Path) -> None:
    scenario = fc.Scenario().with_(
        recovery__time=fc.Mixture(parts=MIXED), failures__life=fc.MixtureLife(parts=MIXED)
    )
    assert load(tmp_path, yaml.safe_dump(fc.to_dict(scenario))) == scenario
