"""Distributions and lives: what engines draw from has the mean and the shape that was asked for.

Means are checked by integrating the engines' own formula (code, a, b), at shapes where a wrong
formula would show. On the map: tests of scenario/distributions.py, lives.py, policies.py and
expressions.py; measured values and mixtures are in test_measurements.py and test_mixtures.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from failcast.scenario import (
    DISTRIBUTIONS,
    LIVES,
    RETIREMENTS,
    Constant,
    ConstantLife,
    Distribution,
    Exponential,
    ExponentialLife,
    Gamma,
    GammaLife,
    Life,
    Lognormal,
    LognormalLife,
    Never,
    Scenario,
    ScenarioError,
    ScoreFloor,
    Threshold,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
)
from failcast.scenario import drawn as d


def quantile(kernel: tuple[int, float, float], p: float) -> float:
    """The p-quantile of what an engine draws: its formula at the quantile of E, Z or U."""
    code, a, b = kernel
    e = -math.log1p(-p) if p < 1.0 else math.inf
    return {
        d.CONSTANT: lambda: a,
        d.EXPONENTIAL: lambda: a * e,
        d.WEIBULL: lambda: a * e**b,
        d.LOGNORMAL: lambda: a * math.exp(b * stats.norm.ppf(p)),
        d.UNIFORM: lambda: a + (b - a) * p,
        d.GAMMA: lambda: a * stats.gamma.ppf(p, b),
    }[code]()


def integrated_mean(kernel: tuple[int, float, float]) -> float:
    """The mean of what an engine draws, by numerical integration over E, Z, U or G."""
    code, a, b = kernel
    if code == d.GAMMA:
        mean, _ = integrate.quad(lambda p: a * special.gammaincinv(b, p), 0, 1, epsrel=1e-9)
        return float(mean)
    if code == d.LOGNORMAL:
        mean, _ = integrate.quad(lambda z: a * math.exp(b * z) * stats.norm.pdf(z), -15, 15)
    elif code in (d.EXPONENTIAL, d.WEIBULL):
        power = b if code == d.WEIBULL else 1.0
        mean, _ = integrate.quad(lambda e: a * e**power * math.exp(-e), 0, np.inf, epsabs=1e-12)
    else:
        mean, _ = integrate.quad(lambda p: quantile(kernel, p), 0, 1)
    return float(mean)


DURATIONS: list[tuple[Distribution, float]] = [
    (Constant(value=0.3), 0.3),
    (Exponential(mean=2.0), 2.0),
    (Weibull(mean=100.0, shape=0.5), 100.0),
    (Weibull(mean=100.0, shape=2.5), 100.0),
    (Weibull(scale=10.0, shape=0.5), 20.0),
    (Weibull(scale=10.0, shape=2.0), 10.0 * math.sqrt(math.pi) / 2.0),
    (Lognormal(median=20.0, sigma=1.5), 20.0 * math.exp(1.125)),
    (Lognormal(mean=20.0, sigma=1.5), 20.0),
    (Uniform(low=1.0, high=4.0), 2.5),
    (Gamma(mean=100.0, shape=0.5), 100.0),
    (Gamma(scale=10.0, shape=2.5), 25.0),
]


@pytest.mark.parametrize(("distribution", "mean"), DURATIONS, ids=str)
def test_the_engines_draw_from_the_mean_that_was_asked_for(
    distribution: Distribution, mean: float
) -> None:
    assert distribution.mean_hours == pytest.approx(mean, rel=1e-12)
    assert integrated_mean(distribution.kernel()) == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize(
    ("distribution", "oracle"),
    [
        (Weibull(scale=10.0, shape=0.5), stats.weibull_min(0.5, scale=10.0)),
        (Weibull(scale=10.0, shape=3.0), stats.weibull_min(3.0, scale=10.0)),
        (Lognormal(median=20.0, sigma=2.5), stats.lognorm(2.5, scale=20.0)),
        (Exponential(mean=7.0), stats.expon(scale=7.0)),
        (Uniform(low=1.0, high=4.0), stats.uniform(1.0, 3.0)),
        (Gamma(scale=10.0, shape=0.3), stats.gamma(0.3, scale=10.0)),
        (Gamma(mean=10.0, shape=2.5), stats.gamma(2.5, scale=4.0)),
    ],
)
def test_the_engines_draw_from_the_shape_that_was_asked_for(
    distribution: Distribution, oracle: stats.rv_continuous
) -> None:
    for p in (0.01, 0.3, 0.5, 0.9, 0.999):
        assert quantile(distribution.kernel(), p) == pytest.approx(oracle.ppf(p), rel=1e-9)


@pytest.mark.parametrize(
    "life",
    [
        ExponentialLife(),
        WeibullLife(shape=0.5),
        WeibullLife(shape=2.0),
        WeibullLife(shape=7.0),
        LognormalLife(sigma=1.0),
        LognormalLife(sigma=0.0),
        ConstantLife(),
        UniformLife(),
        UniformLife(spread=0.25),
        GammaLife(shape=0.4),
        GammaLife(shape=7.0),
    ],
    ids=str,
)
def test_every_life_has_mean_1_so_that_the_rate_alone_sets_the_mean(life: Life) -> None:
    assert integrated_mean(life.kernel()) == pytest.approx(1.0, rel=1e-6)


def test_a_uniform_life_lies_within_its_spread() -> None:
    kernel = UniformLife(spread=0.25).kernel()
    assert (quantile(kernel, 0.0), quantile(kernel, 1.0)) == (0.75, 1.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exponential(mean=2 d)", Exponential(mean=48.0)),
        ("exponential(2 d)", Exponential(mean=48.0)),
        (" weibull ( mean = 100 d , shape = 0.8 ) ", Weibull(mean=2400.0, shape=0.8)),
        ("weibull(100 d, 0.8)", Weibull(mean=2400.0, shape=0.8)),
        ("weibull(scale=1 d 12 h, shape=2)", Weibull(scale=36.0, shape=2.0)),
        ("lognormal(median=20 h, sigma=2.5)", Lognormal(median=20.0, sigma=2.5)),
        ("lognormal(mean=20 h, sigma=0)", Lognormal(mean=20.0, sigma=0.0)),
        ("gamma(mean=2 h, shape=0.5)", Gamma(mean=2.0, shape=0.5)),
        ("gamma(2 h, 0.5)", Gamma(mean=2.0, shape=0.5)),
        ("gamma(scale=2 h, shape=3)", Gamma(scale=2.0, shape=3.0)),
        ("constant(20 min)", Constant(value=20 / 60)),
        ("20 min", Constant(value=20 / 60)),
        ("uniform(1 min, 3 min)", Uniform(low=1 / 60, high=3 / 60)),
        ("0", Constant(value=0.0)),
    ],
)
def test_an_expression_of_a_duration_is_read(text: str, expected: Distribution) -> None:
    assert Scenario().with_(selection__time=text).selection.time == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("weibul(mean=1 d, shape=2)", "did you mean 'weibull'?"),
        ("pareto(mean=1 d, shape=2)", "gamma, constant, uniform, empirical or mixture"),
        ("threshold(3, 7 d)", "'threshold' is no distribution here"),
        ("gamma(mean=1 d)", "its shape is missing"),
        ("gamma(shape=2)", "takes either mean or scale"),
        ("gamma(mean=1 d, shape=0.01)", "its shape, here 0.01, must be a number from 0.05"),
        ("gamma(mean=1 d, shape=2", "its parentheses do not match"),
        ("gamma(mean=(1 d, shape=2)", "its parentheses do not match"),
        ("gamma(mean=1 d), shape=2)", "its parentheses do not match"),
        ("gamma('1 d, shape=2)", "its quotes do not match"),
        ("gamma" + "(" * 30 + ")" * 30, "it is nested too deeply"),
        ("weibull(mean=1 d)", "its shape is missing"),
        ("weibull(shape=2)", "takes either mean or scale"),
        ("weibull(mean=1 d, scale=1 d, shape=2)", "takes either mean or scale"),
        ("lognormal(sigma=2)", "takes either median or mean"),
        ("weibull(mean=1 d, shpe=2, shape=1)", "weibull takes mean, scale or shape"),
        ("weibull(mean=1 d, shape=0)", "its shape, here 0, must be a number from 0.05"),
        ("weibull(mean=1 d, 0.8)", "'0.8' in it has no name"),
        ("weibull(mean=1 d, mean=2 d, shape=1)", "gives 'mean' twice"),
        ("exponential(20)", "write '20 min' or '20 h'"),
        ("exponential(mean=-1 h)", "must not be negative"),
        ("exponential(1 h, 2 h)", "has no name"),
        ("uniform(3 h, 1 h)", "low must not be longer than high"),
        ("exponential()", "its mean is missing"),
        ("exponential(mean=nan)", "such as '20 min'"),
        ("exponential(mean=.nan)", "such as '20 min'"),
    ],
)
def test_a_wrong_expression_is_told_what_would_be_right(text: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario().with_(recovery__time=text)
    assert hint in str(caught.value)
    assert str(caught.value).startswith(f"recovery.time is '{text}', but ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exponential", ExponentialLife()),
        ("weibull(0.8)", WeibullLife(shape=0.8)),
        ("weibull(shape=0.8)", WeibullLife(shape=0.8)),
        ("lognormal(sigma=1)", LognormalLife(sigma=1.0)),
        ("gamma(0.8)", GammaLife(shape=0.8)),
        ("gamma(shape=3)", GammaLife(shape=3.0)),
        ("constant", ConstantLife()),
        ("uniform", UniformLife(spread=1.0)),
        ("uniform(spread=0.5)", UniformLife(spread=0.5)),
    ],
)
def test_the_shape_of_lives_is_read(text: str, expected: Life) -> None:
    assert Scenario().with_(failures__life=text).failures.life == expected


@pytest.mark.parametrize(
    "text",
    ["weibull(mean=3 d, shape=2)", "20 min", "exponential(mean=1 d)", "gamma(mean=1 d, shape=2)"],
)
def test_a_life_has_no_mean_of_its_own(text: str) -> None:
    with pytest.raises(ScenarioError, match=r"failures.life is"):
        Scenario().with_(failures__life=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("never", Never()),
        ("threshold(3, 7 d)", Threshold(failures=3, window=168.0)),
        ("threshold(failures=3, window=7 d)", Threshold(failures=3, window=168.0)),
        ("score", ScoreFloor(floor=0.0)),
        ("score(floor=-5.5)", ScoreFloor(floor=-5.5)),
        ("score(20)", ScoreFloor(floor=20.0)),
    ],
)
def test_a_retirement_rule_is_read(text: str, expected: object) -> None:
    assert Scenario().with_(retirement=text).retirement == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("thresold(3, 7 d)", "did you mean 'threshold'?"),
        ("threshold(0, 7 d)", "its failures, here 0, must be a whole number from 1 to 1,000"),
        ("threshold(3, 7)", "write '7 min' or '7 h'"),
        ("threshold(3, 0 d)", "longer than 0"),
        ("never(3)", "has no name"),
        ("never(days=3)", "never takes no arguments"),
    ],
)
def test_a_wrong_retirement_rule_is_told_what_would_be_right(text: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario().with_(retirement=text)
    assert hint in str(caught.value)


def test_a_number_in_python_is_hours_and_text_carries_its_unit() -> None:
    assert Exponential(mean=2.0) == Exponential.model_validate({"mean": "120 min"})
    assert Scenario().with_(selection__time=2).selection.time == Constant(value=2.0)


def test_a_distribution_of_durations_is_no_shape_of_lives_and_the_other_way_round() -> None:
    with pytest.raises(ScenarioError):
        Scenario().with_(failures__life=Exponential(mean=2.0))
    with pytest.raises(ScenarioError):
        Scenario().with_(recovery__time=ExponentialLife())


def test_every_registered_family_is_known_by_its_own_name() -> None:
    for registry in (DISTRIBUTIONS, LIVES, RETIREMENTS):
        assert {name: member.family for name, member in registry.items()} == {
            name: name for name in registry
        }
