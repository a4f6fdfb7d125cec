"""Morris's screening: how much the output changes when one input moves, from many places.

On the map: study, a method of ranking; pure functions over arrays. A trajectory starts anywhere on
a grid and moves one input after the other. All its points run with the same two replications, so
each effect is seen twice: a square of it is estimated by the product of both, in which noise, which
does not repeat, cancels. Source: M. D. Morris, Factorial sampling plans for preliminary
computational experiments, Technometrics 33 (1991).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from failcast.engine.uniforms import DESIGN, uniforms
from failcast.results.statistics import Floats
from failcast.study.ranking import resampling
from failcast.study.ranking.resampling import Estimate

#: Runs of each point: two replications.
REPEATS: Final = 2
#: With fewer trajectories a bootstrap says little.
LEAST_ROWS: Final = 16
#: The grid of each input, in shares of its range, and how far a move goes.
LEVELS: Final = 4
MOVE: Final = LEVELS / (2.0 * (LEVELS - 1))


@dataclass(frozen=True)
class Effects:
    """What trajectories say of one output; the figures of inputs are in their order.

    An effect is the change of the output over a move, divided by the move as a share of the range,
    in the output's unit. `mu` is its mean, `mu_star` the mean of its size, and `sigma` its standard
    deviation over the trajectories, all without what chance adds. `shown` says which inputs have an
    effect, by its mean square or by `mu`, all at once with the confidence; `bound` is `mu` at that
    strictness, so that it holds zero where none is shown. `places` holds for each input that is
    shown the best and the worst place that it may have by `mu_star`.
    """

    mean: float
    mu: tuple[Estimate, ...]
    mu_star: tuple[Estimate, ...]
    sigma: tuple[Estimate, ...]
    bound: tuple[Estimate, ...]
    shown: tuple[bool, ...]
    places: tuple[tuple[int, int] | None, ...]
    rows: int


def design(seed: int, inputs: int, trajectories: int) -> Floats:
    """The points of trajectories in [0, 1], shape (trajectories, inputs + 1, inputs).

    An input starts at any of the LEVELS and moves by MOVE up or down, whichever stays in the range;
    inputs move in any order.
    """
    draws = uniforms(seed, DESIGN, trajectories, 2 * inputs)
    start = np.floor(draws[:, :inputs] * LEVELS) / (LEVELS - 1)
    move = np.where(start < 0.5, MOVE, -MOVE)
    turn = np.argsort(np.argsort(draws[:, inputs:], axis=1), axis=1)
    moved = np.arange(inputs + 1)[np.newaxis, :, np.newaxis] > turn[:, np.newaxis, :]
    points = start[:, np.newaxis, :] + moved * move[:, np.newaxis, :]
    return np.clip(points, 0.0, 1.0)


def elementary(points: Floats, outputs: Floats) -> Floats:
    """The effects, shape (trajectories, inputs, REPEATS), from the outputs of the points.

    `outputs` has the shape (trajectories, inputs + 1, REPEATS).
    """
    steps = np.diff(points, axis=1)
    mover = np.abs(steps).argmax(axis=2)
    size = np.take_along_axis(steps, mover[:, :, np.newaxis], axis=2)
    changes = np.diff(outputs, axis=1) / size
    order = np.argsort(mover, axis=1)[:, :, np.newaxis]
    return np.take_along_axis(changes, order, axis=1)


def effects(points: Floats, outputs: Floats, seed: int, confidence: float) -> Effects:
    """What the trajectories say, by inputs; shapes as in `elementary`."""
    each = elementary(points, outputs)
    rows, count = each.shape[:2]
    one, two = each[:, :, 0], each[:, :, 1]
    # The size of an effect, by the sign that the other run saw: noise has no sign in common.
    sizes = (np.sign(one) * two + np.sign(two) * one) / 2.0
    terms = np.concatenate([one, two, one * two, sizes], axis=1)
    again = resampling.resampled_means(terms, seed)
    point, drawn = _figures(terms.mean(axis=0), rows), _figures(again, rows)
    low, high = resampling.interval(drawn, rows, confidence)
    estimates = resampling.estimates(point, low, high)
    level = resampling.strict(confidence, 2 * count)
    squares, _ = resampling.interval(again[:, 2 * count : 3 * count], rows, level)
    least, most = resampling.interval(drawn[:, :count], rows, level)
    shown = (squares > 0.0) | (least > 0.0) | (most < 0.0)
    return Effects(
        mean=float(outputs.mean()),
        mu=estimates[:count],
        mu_star=estimates[count : 2 * count],
        sigma=estimates[2 * count :],
        bound=resampling.estimates(point[:count], least, most),
        shown=tuple(map(bool, shown)),
        places=resampling.places(drawn[:, count : 2 * count], shown, rows, confidence),
        rows=rows,
    )


def _figures(means: Floats, rows: int) -> Floats:
    """Of all inputs mu, then mu_star, then sigma, from the means of the terms."""
    one, two, products, sizes = np.split(means, 4, axis=-1)
    variance = (products - one * two) * rows / (rows - 1)
    return np.concatenate([(one + two) / 2.0, sizes, np.sqrt(np.maximum(0.0, variance))], axis=-1)
