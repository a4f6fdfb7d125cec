"""Morris's screening: effects worked out on the whole grid, another package, coverage, noise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from SALib.analyze import morris as salib
from tests.study.functions import ishigami, seen_twice

from failcast.results.statistics import Floats
from failcast.study.ranking import morris
from failcast.study.ranking.morris import LEVELS, MOVE, Effects

INPUTS = 4
CONFIDENCE = 0.95


def on_the_grid() -> dict[str, Floats]:
    """Mu, mu* and sigma of Ishigami's function from every point of the grid."""
    grid = np.array(list(itertools.product(np.arange(LEVELS) / (LEVELS - 1), repeat=INPUTS)))
    effects = []
    for column in range(INPUTS):
        move = np.where(grid[:, column] < 0.5, MOVE, -MOVE)
        moved = grid.copy()
        moved[:, column] += move
        effects.append((ishigami(moved) - ishigami(grid)) / move)
    each = np.array(effects)
    return {"mu": each.mean(axis=1), "mu_star": abs(each).mean(axis=1), "sigma": each.std(axis=1)}


def screened(seed: int, rows: int, sd: float = 0.0) -> tuple[Effects, Floats, Floats]:
    """The effects of Ishigami's function with noise, the points, and what they gave."""
    points = morris.design(seed, INPUTS, rows)
    outputs = seen_twice(ishigami(points), seed, sd)
    return morris.effects(points, outputs, seed, CONFIDENCE), points, outputs


def test_a_trajectory_moves_each_input_once() -> None:
    points = morris.design(1, INPUTS, 50)
    steps = np.diff(points, axis=1)
    assert np.allclose(abs(steps).sum(axis=(1, 2)), INPUTS * MOVE)
    assert np.allclose(abs(steps).sum(axis=1), MOVE)
    assert set(np.round(points.ravel() * (LEVELS - 1), 9)) == {0.0, 1.0, 2.0, 3.0}


def test_effects_of_ishigami() -> None:
    found, _, _ = screened(1, 5_000)
    true = on_the_grid()
    for name, values in true.items():
        figures = [each.value for each in getattr(found, name)]
        assert figures == pytest.approx(values, abs=0.3), name
    assert found.shown == (True, True, True, False)
    assert found.mu_star[3] == (0.0, 0.0, 0.0)


def test_noise_leaves_the_effects_alone() -> None:
    """Sigma of noise alone would be 3 × 1.5 = 4.5, and so much would be added to each square."""
    found, _, _ = screened(2, 5_000, sd=1.0)
    true = on_the_grid()
    assert [each.value for each in found.mu] == pytest.approx(true["mu"], abs=0.4)
    assert [each.value for each in found.sigma] == pytest.approx(true["sigma"], abs=0.5)
    assert abs(found.mu_star[3].value) < 0.2


def test_salib_gives_the_same_where_nothing_is_left_to_chance() -> None:
    found, points, outputs = screened(3, 30)
    problem = {"num_vars": INPUTS, "names": list("abcd"), "bounds": [[0.0, 1.0]] * INPUTS}
    flat = points.reshape(-1, INPUTS)
    other = salib.analyze(
        problem, flat, outputs[..., 0].ravel(), num_levels=LEVELS, num_resamples=2, seed=1
    )
    assert [each.value for each in found.mu] == pytest.approx(list(other["mu"]))
    assert [each.value for each in found.mu_star] == pytest.approx(list(other["mu_star"]))
    assert [each.value for each in found.sigma] == pytest.approx(list(other["sigma"]))


@pytest.mark.slow
def test_every_interval_holds_with_its_confidence() -> None:
    """Over 200 screenings of 64 trajectories, with noise; sigma is skewed and holds less often."""
    true, studies = on_the_grid(), 200
    held = {name: np.zeros(INPUTS) for name in true}
    for seed in range(studies):
        found, _, _ = screened(seed, 64, sd=0.2)
        for name, values in true.items():
            figures = getattr(found, name)
            held[name] += [e.low <= v <= e.high for e, v in zip(figures, values, strict=True)]
    assert held["mu"].min() / studies > 0.91
    assert held["mu_star"][:3].min() / studies > 0.90
    assert held["sigma"][:2].min() / studies > 0.88


@pytest.mark.slow
def test_an_inert_input_seldom_has_a_place_and_the_naive_way_ranks_it_always() -> None:
    false, naive, studies = 0, 0, 300
    for seed in range(studies):
        found, points, outputs = screened(seed, 32, sd=3.0)
        false += found.shown[3]
        naive += abs(morris.elementary(points, outputs)[:, 3, 0]).mean() > 1.0
    assert false / studies < 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / studies)
    assert naive == studies
