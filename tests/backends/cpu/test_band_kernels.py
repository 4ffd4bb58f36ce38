"""Links and sweeps of some points; the sweeps meet plain loops in tests/segmentation/test_band.py."""

import numpy as np

from graphwell.backends.cpu import stencil as band_kernels
from graphwell.backends.cpu import stencil as stencil_kernels


def test_links_of_some_points_are_those_of_the_whole_grid():
    size, steps = 60, np.array([1, 7])
    values, inside = np.random.default_rng(0).random((2, size)).astype(np.float32), np.ones(size, np.float32)
    nearness, stored = np.array([0.9, 0.4], dtype=np.float32), np.zeros((2, size), dtype=np.uint16)
    stencil_kernels.link(0, 1, 7, 53, values, inside, steps, nearness, 3.0, 1e-4, stored)
    points = np.array([20, 31, 40])
    weights, sums = np.zeros((3, 4), dtype=np.uint16), np.zeros(3, dtype=np.float32)
    band_kernels.link_some(0, 1, points, values, inside, steps, nearness, 3.0, 1e-4, weights, sums)
    both = np.concatenate([stored[:, points], [stored[s, points - steps[s]] for s in range(2)]])
    assert (abs(weights.astype(int) - both.T.astype(int)) <= 1).all()
    assert (sums == weights.sum(axis=1)).all()


def test_an_isolated_point_keeps_its_class():
    labels, r = np.array([0, 1, 0], dtype=np.int16), np.array([0.5, 0.3, 0.5], dtype=np.float32)
    after, after_r = labels.copy(), r.copy()
    changes, energies = np.zeros(1, dtype=np.int64), np.zeros(1)
    links, sums = np.zeros((1, 2), dtype=np.uint16), np.zeros(1, dtype=np.float32)
    evidence = np.full((1, 2), 0.5, dtype=np.float32)
    arguments = (np.array([1]), np.array([1]), links, sums, evidence, 0.0)
    band_kernels.sweep_some(0, 1, *arguments, labels, r, after, after_r, 0.3, 0.4, changes, energies)
    assert after.tolist() == [0, 1, 0]
    assert changes[0] == 0
    assert 0 < after_r[1] < 0.5
