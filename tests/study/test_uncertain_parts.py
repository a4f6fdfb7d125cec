"""The two parts of a spread and the causes of it: what they say of data whose truth is known.

Each interval is tried on many made-up samples; the share that holds the truth must be near 95 %.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri
from tests.results.coverage import lower_limit
from tests.results.synthetic import uniforms

from failcast.results.statistics import Floats
from failcast.study.uncertain import parts as figures
from failcast.study.uncertain.causes import Factor, causes

TRIALS = 300
LEVEL = 0.95

#: Quantile functions of beliefs with mean 0 and variance 1: short tails, long tails, and skewed.
BELIEFS = {
    "uniform": lambda u: (u - 0.5) * math.sqrt(12.0),
    "normal": ndtri,
    "skewed": lambda u: -np.log1p(-u) - 1.0,
}


def samples(
    belief: str, inputs_sd: float, draws: int, runs: int, salt: int
) -> tuple[Floats, Floats]:
    """Inputs (trials, draws), and values (trials, draws, runs) around 10 with skewed chance."""
    size = TRIALS * draws
    x = BELIEFS[belief](uniforms(size, 1, salt)).reshape(TRIALS, draws)
    chance = BELIEFS["skewed"](uniforms(size, runs, salt + 1)).reshape(TRIALS, draws, runs)
    return x, 10.0 + inputs_sd * x[:, :, None] + chance


@pytest.mark.parametrize("belief", sorted(BELIEFS))
@pytest.mark.parametrize("inputs_sd", [0.0, 0.3, 1.0, 7.0])
@pytest.mark.parametrize(("draws", "runs"), [(100, 2), (30, 4)])
def test_the_intervals_of_part_mean_and_cause_hold_the_truth(
    belief: str, inputs_sd: float, draws: int, runs: int
) -> None:
    x, values = samples(belief, inputs_sd, draws, runs, salt=7)
    truth, hits = inputs_sd**2 / (inputs_sd**2 + 1.0), np.zeros(4)
    for row, table in zip(x, values, strict=True):
        found = figures.parts(table, LEVEL)
        _, mean = figures.mean_interval(table, LEVEL)
        (cause,) = causes(table, [Factor("x", "", row[:, None], np.eye(1), 2.0)], LEVEL)
        assert found is not None
        assert mean is not None
        assert found.low is not None
        assert found.high is not None
        assert cause.swing_low is not None
        assert cause.swing_high is not None
        hits += [
            found.low <= truth <= found.high,
            mean.low <= 10.0 <= mean.high,
            cause.low <= truth <= cause.high,
            cause.swing_low <= 2.0 * inputs_sd <= cause.swing_high,
        ]
    assert (hits / TRIALS >= lower_limit(0.93, TRIALS)).all(), hits / TRIALS


def test_the_parts_are_right_on_average() -> None:
    _, values = samples("normal", 2.0, 50, 2, salt=3)
    found = [figures.parts(table, LEVEL) for table in values]
    inputs = np.array([each.inputs_sd**2 for each in found if each is not None])
    chance = np.array([each.chance_sd**2 for each in found if each is not None])
    for variances, truth in ((inputs, 4.0), (chance, 1.0)):
        assert abs(variances.mean() - truth) < 4.0 * variances.std() / math.sqrt(TRIALS)


@pytest.mark.parametrize("inputs_sd", [0.0, 1.0, 7.0])
def test_the_interval_of_a_quantile_holds_it(inputs_sd: float) -> None:
    _, values = samples("normal", inputs_sd, 100, 2, salt=11)
    u = uniforms(1_000_000, 2, 5)
    truth = 10.0 + inputs_sd * ndtri(u[:, 0]) + BELIEFS["skewed"](u[:, 1])
    for q in (0.05, 0.5, 0.95):
        wanted, hits = float(np.quantile(truth, q)), 0
        for table in values:
            found = figures.quantile_interval(table, q, LEVEL)
            assert found is not None
            hits += found.low <= wanted <= found.high
        assert hits / TRIALS >= lower_limit(0.94, TRIALS)
    assert figures.quantile_interval(values[0][:50], 0.05, LEVEL) is None


@pytest.mark.parametrize("spread", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("centre", [-2.0, 0.0, 1.0])
def test_the_interval_of_a_share_takes_draws_as_what_is_independent(
    spread: float, centre: float
) -> None:
    """Each draw has a chance of its own, from a normal spread of log-odds."""
    draws, runs = 100, 4
    odds = centre + spread * ndtri(uniforms(TRIALS, draws, 2))
    chance = 1.0 / (1.0 + np.exp(-odds))
    quantiles = centre + spread * ndtri((np.arange(100_000) + 0.5) / 100_000)
    truth = float(np.mean(1.0 / (1.0 + np.exp(-quantiles))))
    seen = uniforms(TRIALS * draws, runs, 4).reshape(TRIALS, draws, runs) < chance[:, :, None]
    hits = 0
    for table in seen.astype(float):
        found = figures.proportion(table, LEVEL)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    assert hits / TRIALS >= lower_limit(0.94, TRIALS)


def test_a_share_of_none_or_all_is_bounded_by_the_draws() -> None:
    none = figures.proportion(np.zeros((60, 5)), LEVEL)
    assert (none.value, none.low, none.count, none.runs) == (0.0, 0.0, 0, 300)
    assert none.high == pytest.approx(1.0 - 0.05 ** (1.0 / 60.0))
    every = figures.proportion(np.ones((60, 5)), LEVEL)
    assert every.low == pytest.approx(0.05 ** (1.0 / 60.0))


@pytest.mark.parametrize("size", [0.0, 0.15, 0.5, 3.5])
def test_the_interval_of_the_part_of_options_holds_it(size: float) -> None:
    """Three options that do -1, 0 and 1 times `size`, beside a number with the same variance."""
    draws, runs = 100, 2
    x, values = samples("uniform", size, draws, runs, salt=21)
    option = (uniforms(TRIALS, draws, 9) * 3.0).astype(int)
    values = values + size * (option - 1.0)[:, :, None]
    part = size**2 * 2.0 / 3.0
    truth = part / (part + size**2 + 1.0)
    covariance = np.diag([1 / 3, 1 / 3]) - 1 / 9
    hits = 0
    for row, marks, table in zip(x, option, values, strict=True):
        columns = np.column_stack([marks == 1, marks == 2]).astype(float)
        found = causes(
            table,
            [
                Factor("x", "", row[:, None], np.eye(1), None),
                Factor("o", "", columns, covariance, None),
            ],
            LEVEL,
        )
        hits += next(each.low <= truth <= each.high for each in found if each.path == "o")
    assert hits / TRIALS >= lower_limit(0.93, TRIALS)


def test_what_is_exactly_in_proportion_is_split_exactly() -> None:
    x, z = uniforms(40, 2, 1).T
    values = np.repeat((5.0 + 3.0 * x - 4.0 * z)[:, None], 2, axis=1)
    var = np.array([[1.0 / 12.0]])
    found = causes(
        values,
        [Factor("x", "", x[:, None], var, 0.9), Factor("z", "", z[:, None], var, 0.9)],
        LEVEL,
    )
    assert [each.path for each in found] == ["z", "x"]
    assert [each.share for each in found] == pytest.approx([0.64, 0.36])
    assert found[0].swing == pytest.approx(-3.6)
    assert (found[0].low, found[0].high) == pytest.approx((0.64, 0.64))
    parts = figures.parts(values, LEVEL)
    assert parts is not None
    assert (parts.share, parts.chance_sd) == (1.0, 0.0)
    assert (parts.low, parts.high) == (1.0, 1.0)


def test_without_spread_there_is_nothing_to_split() -> None:
    parts = figures.parts(np.full((20, 2), 3.0), LEVEL)
    assert parts is not None
    assert (parts.total_sd, parts.share, parts.low) == (0.0, None, None)
    assert figures.parts(np.full((2, 2), 3.0), LEVEL) is None
    assert figures.parts(np.full((20, 2), math.nan), LEVEL) is None


def test_runs_without_a_value_leave_rows_of_unequal_size() -> None:
    """The sums of squares of rows of 2, 1 and 3 values, by hand."""
    nan = math.nan
    values = np.array([[1.0, 3.0, nan], [5.0, nan, nan], [6.0, 7.0, 8.0], [nan, nan, nan]])
    found = figures.moments(values)
    assert (found.rows[0], found.runs[0], found.squares[0]) == (3, 6, 14)
    assert found.within[0] == pytest.approx(2.0 + 2.0)
    assert found.between[0] == pytest.approx(2 * 9.0 + 0.0 + 3 * 4.0)
    less = figures.moments(values, leave_one_out=True)
    for row in range(3):
        rest = figures.moments(np.delete(values, row, axis=0))
        assert less.between[row] == pytest.approx(rest.between[0])
        assert less.within[row] == pytest.approx(rest.within[0])
    mean, interval = figures.mean_interval(values, LEVEL)
    assert mean == pytest.approx(5.0)
    assert interval is not None
    assert interval.low < 5.0 < interval.high
