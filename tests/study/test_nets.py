"""Scrambled nets: evenly filled in every coordinate, uniform in every point, each its own."""

from __future__ import annotations

import numpy as np

from failcast.study.ranking.nets import net


def test_each_coordinate_has_one_point_in_each_strip() -> None:
    points = net(3, 0, 64, 24)
    assert points.shape == (64, 24)
    assert np.array_equal(np.sort(np.floor(points * 64), axis=0)[:, 7], np.arange(64))
    assert all(set(np.floor(column * 64)) == set(range(64)) for column in points.T)


def test_the_first_two_coordinates_fill_every_box() -> None:
    """Scrambling keeps what makes a net a net: 4 × 4 boxes hold one of 16 points each."""
    points = np.floor(net(3, 5, 16, 2) * 4)
    assert len({tuple(point) for point in points}) == 16


def test_a_point_is_uniform_over_nets() -> None:
    """Over independent nets, any one coordinate of any one point has mean 1/2 and variance 1/12."""
    values = np.array([net(3, number, 4, 2)[2, 1] for number in range(2000)])
    assert abs(values.mean() - 0.5) < 4.0 * np.sqrt(1.0 / 12.0 / 2000.0)
    assert abs(values.var() - 1.0 / 12.0) < 4.0 * np.sqrt(1.0 / 180.0 / 2000.0)


def test_nets_differ_by_number_and_by_seed() -> None:
    nets = [net(1, 0, 32, 3), net(1, 1, 32, 3), net(2, 0, 32, 3)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not np.isin(nets[one], nets[other]).any()
    assert np.array_equal(nets[0], net(1, 0, 32, 3))
