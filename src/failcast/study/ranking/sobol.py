"""Sobol's indices of a model with chance: which share of the variance an input explains.

On the map: study, a method of ranking; pure functions over arrays. g(x) is the mean of the output
over chance at the inputs x, and the indices are those of g: what chance adds to the variance is
kept apart. Each point of the design runs twice. The same two replications serve A and all that is
made from it in a row; B has its own. A square of an effect is estimated by the product of what both
runs saw, so that noise, which does not repeat, cancels in the mean; a square of one run would count
it as effect.
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
#: Fewer rows are too few to be resampled.
LEAST_ROWS: Final = 64


@dataclass(frozen=True)
class Indices:
    """What a design says of one output; the figures of inputs are in their order.

    `total` and `first` are shares of the variance that the inputs cause, the `variance` here;
    `trend` is the change of the output from the low to the high end of an input, as a straight
    line has it, in the output's unit. `chance` is the share of the whole variance that chance has.
    `shown` says which inputs have an effect, by their variance or their trend, all at once with the
    confidence; `bound` is the trend at that strictness, so that it holds zero where none is shown.
    `places` holds for
    each input that is shown the best and the worst place that it may have by total order. `rows`
    are those of which every run has the output.
    """

    mean: float
    variance: Estimate
    chance: Estimate
    total: tuple[Estimate, ...]
    first: tuple[Estimate, ...]
    trend: tuple[Estimate, ...]
    bound: tuple[Estimate, ...]
    shown: tuple[bool, ...]
    places: tuple[tuple[int, int] | None, ...]
    rows: int


def design(seed: int, inputs: int, rows: int) -> tuple[Floats, Floats]:
    """The points A and B in [0, 1), each of shape (rows, inputs), drawn by chance."""
    points = uniforms(seed, DESIGN, rows, 2 * inputs)
    return points[:, ::2], points[:, 1::2]


def stacked(a: Floats, b: Floats) -> Floats:
    """All points of the design: A, B, then A with the column of each input from B.

    Shape (2 + inputs, rows, inputs); the values may be shares, or the numbers of a scenario.
    """
    pages = np.repeat(a[np.newaxis], 2 + a.shape[1], axis=0)
    pages[1] = b
    for column in range(a.shape[1]):
        pages[2 + column, :, column] = b[:, column]
    return pages


def indices(a: Floats, b: Floats, outputs: Floats, seed: int, confidence: float) -> Indices:
    """The indices from the outputs of the points of `stacked`, shape (2 + inputs, rows, REPEATS).

    First order by the estimator of A. Saltelli et al., total order by that of M. Jansen, both as in
    Saltelli et al., Variance based sensitivity analysis of model output, Computer Physics
    Communications 181 (2010), table 2 (b) and (f), with products of two runs for squares. A row
    with an output that is NaN is left out.
    """
    rows, count = a.shape
    whole = np.asarray(np.isfinite(outputs).all(axis=(0, 2)))
    centre = float(outputs[:2, whole].mean()) if whole.any() else 0.0
    clean = np.where(whole[:, np.newaxis], outputs - centre, 0.0)
    terms = _terms(a, b, clean) * whole[:, np.newaxis]
    drawn = _figures(resampling.resampled_means(terms, seed))
    point = _figures(terms.mean(axis=0))
    low, high = resampling.interval(drawn, rows, confidence)
    estimates = resampling.estimates(point, low, high)
    squares, slopes = slice(2, 2 + count), slice(2 + 3 * count, 2 + 4 * count)
    strict = resampling.strict(confidence, 2 * count)
    least, most = resampling.spread_interval(point, drawn, rows, strict)
    shown = (least[squares] > 0.0) | (least[slopes] > 0.0) | (most[slopes] < 0.0)
    return Indices(
        mean=centre if whole.any() else np.nan,
        variance=estimates[0],
        chance=estimates[1],
        total=estimates[2 + count : 2 + 2 * count],
        first=estimates[2 + 2 * count : 2 + 3 * count],
        trend=estimates[slopes],
        bound=resampling.estimates(point[slopes], least[slopes], most[slopes]),
        shown=tuple(map(bool, shown)),
        places=resampling.places(drawn[:, squares], shown, rows, confidence),
        rows=int(whole.sum()),
    )


def _terms(a: Floats, b: Floats, outputs: Floats) -> Floats:
    """What the figures are means of, one row for each row of the design."""
    base, other, changes = outputs[0], outputs[1], outputs[2:] - outputs[0]
    steps, both = (b - a).T, changes.mean(axis=2)
    return np.column_stack(
        [
            np.ones(len(base)),
            (base.mean(axis=1) + other.mean(axis=1)) / 2.0,
            (base[:, 0] * base[:, 1] + other[:, 0] * other[:, 1]) / 2.0,
            ((base[:, 0] - base[:, 1]) ** 2 + (other[:, 0] - other[:, 1]) ** 2) / 4.0,
            *(changes[:, :, 0] * changes[:, :, 1] / 2.0),
            *(other.mean(axis=1) * both),
            *both,
            *(both * steps),
            *(steps**2),
        ]
    )


def _figures(means: Floats) -> Floats:
    """Variance and chance; then of all inputs variance, total, first order, trend."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = means[..., 1:] / means[..., :1]
        centre, products, noise = (means[..., k, np.newaxis] for k in range(3))
        total, crossed, change, slopes, squares = np.split(means[..., 3:], 5, axis=-1)
        variance = products - centre**2
        return np.concatenate(
            [
                variance,
                noise / (variance + noise),
                total,
                total / variance,
                (crossed - centre * change) / variance,
                slopes / squares,
            ],
            axis=-1,
        )
