"""Arrays of draws for studies: the numbers of `draw`, at addresses that no run has."""

from __future__ import annotations

import numpy as np

from failcast.engine import draw
from failcast.engine.uniforms import DESIGN, RESAMPLE, STUDY, uniforms, words
from failcast.results.request import REPLICATION_MAX


def test_each_draw_is_the_one_at_its_address() -> None:
    found = uniforms(9, RESAMPLE, 3, 4, first=2)
    wanted = [[draw(9, STUDY, RESAMPLE, row, n) for n in range(4)] for row in (2, 3, 4)]
    assert np.array_equal(found, wanted)


def test_no_run_shares_a_draw_with_a_study() -> None:
    assert STUDY > REPLICATION_MAX
    assert DESIGN != RESAMPLE
    assert not np.intersect1d(uniforms(1, DESIGN, 50, 50), uniforms(1, RESAMPLE, 50, 50)).size


def test_draws_are_uniform() -> None:
    values = uniforms(5, RESAMPLE, 200, 500).ravel()
    counts = np.histogram(values, bins=50, range=(0.0, 1.0))[0]
    chi_square = float(np.sum((counts - 2000.0) ** 2 / 2000.0))
    assert abs(chi_square - 49.0) < 4.0 * np.sqrt(2.0 * 49.0)
    ones = np.unpackbits(
        words(5, DESIGN, *(each.astype(np.uint64) for each in np.ogrid[:100, :100])).view(np.uint8)
    ).mean()
    assert abs(ones - 0.5) < 4.0 * 0.5 / np.sqrt(640_000.0)
