"""Sobol's indices: Ishigami's on paper, two other packages, coverage, and noise without a place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from SALib.analyze import sobol as salib
from scipy.stats import sobol_indices
from tests.study.functions import FIRST, TOTAL, VARIANCE, ishigami, seen_twice

from failcast.results.statistics import Floats
from failcast.study.ranking import sobol
from failcast.study.ranking.resampling import Estimate
from failcast.study.ranking.sobol import Indices
from failcast.study.ranking.wording import share

INPUTS = 4
CONFIDENCE = 0.95


def studied(seed: int, rows: int, sd: float = 0.0) -> tuple[Indices, Floats]:
    """The indices of Ishigami's function with noise, and its outputs."""
    a, b = sobol.design(seed, INPUTS, rows)
    outputs = seen_twice(ishigami(sobol.stacked(a, b)), seed, sd)
    return sobol.indices(a, b, outputs, seed, CONFIDENCE), outputs


def test_indices_of_ishigami() -> None:
    """Within four standard errors, which are as small as 8,192 rows make them."""
    found, _ = studied(1, 8192)
    figures = (*found.total, *found.first, found.variance)
    for each, true in zip(figures, (*TOTAL, *FIRST, VARIANCE), strict=True):
        error = (each.high - each.low) / 2.0 / 1.96
        assert error <= 0.02 * max(1.0, VARIANCE * (true == VARIANCE))
        assert each.value == pytest.approx(true, abs=4.0 * error + 1e-12)
    assert found.mean == pytest.approx(3.5, abs=4.0 * np.sqrt(VARIANCE / 16384))
    assert found.chance == (0.0, 0.0, 0.0)
    assert found.shown == (True, True, True, False)
    assert found.places == ((1, 1), (2, 2), (3, 3), None)


def test_noise_leaves_the_indices_of_the_mean_alone() -> None:
    """A variance of noise as large as that of the inputs; chance is told apart."""
    found, _ = studied(2, 8192, sd=float(np.sqrt(VARIANCE)))
    assert found.chance.value == pytest.approx(0.5, abs=0.02)
    assert [each.value for each in found.total] == pytest.approx(TOTAL, abs=0.05)
    assert [each.value for each in found.first] == pytest.approx(FIRST, abs=0.05)


def test_scipy_gives_the_same_where_nothing_is_left_to_chance() -> None:
    found, outputs = studied(3, 256)
    pages: Any = outputs[..., 0].copy()
    func = {"f_A": pages[:1], "f_B": pages[1:2], "f_AB": pages[2:, np.newaxis]}
    other = sobol_indices(func=func, n=256)
    assert [each.value for each in found.total] == pytest.approx(other.total_order.ravel())
    assert [each.value for each in found.first] == pytest.approx(other.first_order.ravel())


def test_salib_gives_the_same_where_nothing_is_left_to_chance() -> None:
    """Its first order is centred at the mean of all outputs, ours at that of A and B."""
    found, outputs = studied(4, 4096)
    pages = outputs[..., 0]
    by_row = np.column_stack([pages[0], *pages[2:], pages[1]]).ravel()
    problem = {"num_vars": INPUTS, "names": list("abcd"), "bounds": [[0.0, 1.0]] * INPUTS}
    other = salib.analyze(problem, by_row, calc_second_order=False, num_resamples=2, seed=1)
    assert [each.value for each in found.total] == pytest.approx(other["ST"], rel=1e-9)
    assert [each.value for each in found.first] == pytest.approx(other["S1"], abs=0.003)


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0.0, 3.0])
def test_every_interval_holds_with_its_confidence(sd: float) -> None:
    """95 % intervals: over 200 studies each holds in at least 90 %, all in 93 %."""
    studies = 200
    chance = sd**2 / (sd**2 + VARIANCE)
    held = np.zeros((4, INPUTS))
    for seed in range(studies):
        found, _ = studied(1000 + seed, 256, sd)
        held[0] += [e.low <= true <= e.high for e, true in zip(found.total, TOTAL, strict=True)]
        held[1] += [e.low <= true <= e.high for e, true in zip(found.first, FIRST, strict=True)]
        held[2] += found.chance.low <= chance <= found.chance.high
        held[3] += found.variance.low <= VARIANCE <= found.variance.high
    assert held.min() / studies > 0.90
    assert held.mean() / studies > 0.93


@pytest.mark.slow
def test_trend_has_its_interval_too() -> None:
    """A plane with noise, whose trends are its slopes."""
    slopes, held, studies = np.array([3.0, -1.0, 0.0]), np.zeros(3), 200
    for seed in range(studies):
        a, b = sobol.design(seed, 3, 64)
        outputs = seen_twice(sobol.stacked(a, b) @ slopes, seed, 1.0)
        found = sobol.indices(a, b, outputs, seed, CONFIDENCE)
        held += [e.low <= true <= e.high for e, true in zip(found.trend, slopes, strict=True)]
    assert held.min() / studies > 0.90


@pytest.mark.slow
def test_an_inert_input_seldom_has_a_place_and_the_naive_way_ranks_it_always() -> None:
    """Nine inputs without an effect, in 200 studies: in at most 5 % has any of them a place."""
    false, naive, studies = 0, 0, 200
    for seed in range(studies):
        a, b = sobol.design(seed, 12, 64)
        outputs = seen_twice(ishigami(sobol.stacked(a, b)), seed, 3.0)
        found = sobol.indices(a, b, outputs, seed, CONFIDENCE)
        false += any(found.shown[3:])
        one_run = outputs[:, :, 0]
        squares = ((one_run[2:] - one_run[0]) ** 2).mean(axis=1) / 2.0 / one_run[:2].var()
        naive += squares[3:].min() > 0.1
    assert false / studies < 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / studies)
    assert naive == studies


def test_inputs_that_matter_alike_share_their_places() -> None:
    a, b = sobol.design(6, 3, 64)
    outputs = seen_twice(sobol.stacked(a, b) @ np.array([1.0, 1.0, 5.0]), 6, 0.5)
    found = sobol.indices(a, b, outputs, 6, CONFIDENCE)
    assert found.places == ((2, 3), (2, 3), (1, 1))


def test_rows_without_an_output_are_left_out() -> None:
    a, b = sobol.design(7, INPUTS, 256)
    outputs = seen_twice(ishigami(sobol.stacked(a, b)), 7, 0.0)
    outputs[3, ::4, 1] = np.nan
    found = sobol.indices(a, b, outputs, 7, CONFIDENCE)
    kept = np.arange(256) % 4 > 0
    alone = sobol.indices(a[kept], b[kept], outputs[:, kept], 7, CONFIDENCE)
    assert found.rows == 192
    assert [e.value for e in found.total] == pytest.approx([e.value for e in alone.total])
    assert [e.value for e in found.trend] == pytest.approx([e.value for e in alone.trend])


def test_a_share_below_zero_has_the_digits_that_its_interval_deserves() -> None:
    """Noise takes the first order of what hardly matters below zero; it showed as 0.000000 %."""
    assert share(Estimate(-0.0245, -0.043, -0.007)) == "0 % (0 to 0 %)"
    assert share(Estimate(0.58, 0.54, 0.62)) == "58 % (54 to 62 %)"
    assert share(Estimate(-0.0001, -0.002, 0.0018)) == "0.0 % (0.0 to 0.2 %)"
