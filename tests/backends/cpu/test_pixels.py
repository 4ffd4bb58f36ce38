"""Pictures on the CPU, against NumPy."""

from types import SimpleNamespace

import numpy as np
import pytest

from graphwell.backends.cpu.pixels import ROWS, Pixels
from graphwell.segmentation.stencil import PixelGrid

SHAPE = (90, 97)


@pytest.fixture(params=[2, 3])
def engines(request):
    return Pixels(1), Pixels(request.param)


def planes_of(grid, n, seed=0):
    return grid.pads(np.random.default_rng(seed).random((n, *SHAPE)).astype(np.float32))


def test_threads_change_no_bit_of_links_products_and_steps(engines):
    grid = PixelGrid(SHAPE, 3, engines[0])
    values, x, r = (planes_of(grid, 3, seed) for seed in (0, 1, 2))
    weights, others = (engine.link(grid, values, 4.0, 1e-4) for engine in engines)
    np.testing.assert_array_equal(weights, others)
    found = []
    for engine in engines:
        degrees = engine.product(grid, weights, grid.inside[None])[0]
        p, image, left = x.copy(), np.zeros_like(x), r.copy()
        curvature = engine.apply(grid, weights, degrees, grid.inside, p, image)
        rest = engine.advance(grid, grid.inside, x.copy(), left, p, image, (np.ones(3), curvature))
        engine.turn(grid, grid.inside, left, p, (rest, np.array([1.0, 0.0, 2.0])))
        found.append((degrees, curvature, rest, left, p))
        np.testing.assert_array_equal(p[1], left[1])  # nothing is added where the divisor is 0
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_threads_change_no_bit_of_sweeps_and_densities(engines):
    rng, grid = np.random.default_rng(3), PixelGrid(SHAPE, 3, engines[0])
    points = grid.places(np.nonzero(rng.random(SHAPE) < 0.8))
    evidence, values = rng.dirichlet(np.ones(4), len(points)), planes_of(grid, 2)
    labels, r = grid.pad(rng.integers(4, size=SHAPE).astype(np.int16)), planes_of(grid, 1)[0] / 2
    found = []
    for engine in engines:
        movers = engine.movers(grid, values, points, evidence, 4.0, 1e-4)
        now, spare = (labels.copy(), r.copy()), (labels.copy(), r.copy())
        told = engine.sweep(grid, movers, 0.1, now, spare, 0.7, 0.4, 3)
        logs = engine.log_likelihoods(values, np.zeros(2), np.zeros((2, 2)), np.stack([np.eye(2)] * 2))
        found.append((*now, *told, engine.shares(grid, movers, *now), logs))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    assert found[0][3] > 0
    assert (found[0][0] != labels).any()


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


def test_a_density_by_hand_and_parts_that_make_up_the_whole():
    logs, means = np.log([0.5, 0.25]), np.array([[0.0], [3.0]])
    roots, values = np.array([[[1.0]], [[2.0]]]), np.zeros((1, 2 * ROWS + 5), dtype=np.float32)
    values[0, ROWS + 1] = values[0, -1] = 1.0
    out = np.exp(Pixels(2).log_likelihoods(values, logs, means, roots))
    expected = [0.5 + 0.25 * np.exp(-18.0), 0.5 * np.exp(-0.5) + 0.25 * np.exp(-8.0)]
    np.testing.assert_allclose(out, np.where(values[0] == 0, *expected), rtol=1e-5)
