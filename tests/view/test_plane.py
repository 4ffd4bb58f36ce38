"""Where rows are drawn."""

import numpy as np

from graphwell.view.plane import plane_of


def test_the_widest_direction_comes_first():
    points = np.random.default_rng(0).normal(size=(50, 3)) * [1, 9, 0.1]
    assert plane_of(points).std(axis=0)[0] > 5
    assert plane_of(points).shape == (50, 2)
