"""Pictures on the CPU, against NumPy."""

from types import SimpleNamespace

import numpy as np

from graphwell.backends.cpu.pixels import Pixels


def lattice(size, margin, steps, nearness=(1.0, 0.5), pieces=None):
    """A flat grid of few points."""
    pieces = np.ones(size, dtype=np.float32) if pieces is None else pieces
    reach = SimpleNamespace(steps=np.array(steps), nearness=np.array(nearness, dtype=np.float32))
    return SimpleNamespace(size=size, begin=margin, end=size - margin, pieces=pieces, **vars(reach))


def test_links_of_some_points_are_those_of_the_whole_grid():
    grid, points = lattice(60, 7, [1, 7], nearness=(0.9, 0.4)), np.array([20, 31, 40])
    values = np.random.default_rng(0).random((2, 60)).astype(np.float32)
    stored = Pixels(1).link(grid, values, 3.0, 1e-4)
    movers = Pixels(1).movers(grid, values, points, np.ones((3, 1)), 3.0, 1e-4)
    both = np.concatenate([stored[:, points], [stored[s, points - grid.steps[s]] for s in range(2)]])
    assert (abs(movers.weights.astype(int) - both.T.astype(int)) <= 1).all()
    assert (movers.sums == movers.weights.sum(axis=1)).all()
