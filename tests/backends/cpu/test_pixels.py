"""Pictures on the processor: no verb depends on the number of threads."""

import numpy as np
import pytest

from graphwell.backends.cpu.pixels import Pixels
from graphwell.segmentation.stencil import Grid

SHAPE = (90, 97)


@pytest.fixture(params=[2, 3])
def engines(request):
    return Pixels(1), Pixels(request.param)


def planes_of(grid, n, seed=0):
    return grid.pads(np.random.default_rng(seed).random((n, *SHAPE)).astype(np.float32))


def test_links_products_and_steps(engines):
    grid = Grid(SHAPE, 3, engines[0])
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


def test_sweeps_and_densities(engines):
    rng, grid = np.random.default_rng(3), Grid(SHAPE, 3, engines[0])
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
