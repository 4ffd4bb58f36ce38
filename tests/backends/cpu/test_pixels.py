"""Pictures on the CPU, against NumPy."""

import numpy as np
import pytest

from graphwell.backends.cpu import stencil as band_kernels
from graphwell.backends.cpu import stencil as kernels
from graphwell.backends.cpu import stencil as stencil_kernels
from graphwell.backends.cpu.pixels import ROWS, Pixels, log_likelihoods
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


SIZE, STEPS = 40, np.array([1, 6])
BEGIN, END = 6, 34


def weights():
    found = np.zeros((2, SIZE), dtype=np.uint16)
    found[:, BEGIN : END - 6] = np.random.default_rng(0).integers(1, 65535, (2, END - 6 - BEGIN))
    return found


def matrix(stored):
    W = np.zeros((SIZE, SIZE))
    for s, step in enumerate(STEPS):
        for i in range(SIZE - step):
            W[i, i + step] = W[i + step, i] = stored[s, i] * float(kernels.UNIT)
    return W


def test_products_and_steps_of_conjugate_gradients():
    rng, stored = np.random.default_rng(1), weights()
    W, inner = matrix(stored), slice(BEGIN, END)
    p = np.zeros((2, SIZE), dtype=np.float32)
    p[:, inner] = rng.random((2, END - BEGIN))
    out, dots = np.zeros_like(p), np.zeros((1, 2))
    kernels.multiply(0, 1, BEGIN, END, STEPS, stored, p, out)
    np.testing.assert_allclose(out[:, inner], (p @ W)[:, inner], rtol=1e-5)
    degrees, free = W.sum(axis=1).astype(np.float32), (rng.random(SIZE) < 0.8).astype(np.float32)
    image = np.zeros_like(p)
    kernels.apply(0, 1, BEGIN, END, STEPS, stored, degrees, free, p, image, dots)
    expected = free * (degrees * p - p @ W)
    np.testing.assert_allclose(image[:, inner], expected[:, inner], atol=1e-5)
    np.testing.assert_allclose(dots[0], (p * image).sum(axis=1), rtol=1e-4)
    x, r, inverse = np.zeros_like(p), p.copy(), free / 2
    kernels.advance(0, 1, BEGIN, END, inverse, x, r, p, image, np.array([2.0, 3.0]), dots)
    np.testing.assert_allclose(x[1], 3 * p[1])
    np.testing.assert_allclose(r[0], p[0] - 2 * image[0], atol=1e-5)
    np.testing.assert_allclose(dots[0], (r * r * inverse).sum(axis=1), rtol=1e-4)
    before = p.copy()
    kernels.turn(0, 1, BEGIN, END, inverse, r, p, np.array([0.5, 0.25]))
    np.testing.assert_allclose(p[1], inverse * r[1] + 0.25 * before[1], atol=1e-6)


def test_links_fall_with_the_difference_and_end_at_the_margin():
    values, inside = np.zeros((1, SIZE), dtype=np.float32), np.ones(SIZE, dtype=np.float32)
    values[0, 20:], inside[30:] = 1.0, 0.0
    stored = np.zeros((2, SIZE), dtype=np.uint16)
    nearness = np.array([1.0, 0.5], dtype=np.float32)
    kernels.link(0, 1, BEGIN, END, values, inside, STEPS, nearness, 4.0, 1e-4, stored)
    assert stored[0, 10] == 65535
    assert abs(stored[0, 19] - 65535 * np.exp(-4.0)) <= 1
    assert stored[1, 10] in (32767, 32768)
    assert stored[0, 29] == stored[1, 24] == stored[0, 32] == 0


def test_joined_points_have_one_root():
    stored, parents = np.zeros((2, SIZE), dtype=np.uint16), np.arange(SIZE)
    stored[0, 8:11], stored[1, 10] = 50, 50
    kernels.join(BEGIN, END, STEPS, stored, np.array([7, 7], dtype=np.uint16), parents)
    assert set(parents[[8, 9, 10, 11, 16]]) == {8}
    assert parents[12] == 12


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


def test_a_density_by_hand():
    values = np.array([[0.0, 1.0]], dtype=np.float32)
    logs, means = np.log([0.5, 0.25]).astype(np.float32), np.array([[0.0], [3.0]], dtype=np.float32)
    roots, out = np.array([[[1.0]], [[2.0]]], dtype=np.float32), np.zeros(2, dtype=np.float32)
    log_likelihoods(0, 1, values, logs, means, roots, out)
    expected = [0.5 + 0.25 * np.exp(-18.0), 0.5 * np.exp(-0.5) + 0.25 * np.exp(-8.0)]
    np.testing.assert_allclose(np.exp(out), expected, rtol=1e-5)


def test_parts_make_up_the_whole():
    rng = np.random.default_rng(0)
    values = rng.random((3, 2 * ROWS + 5)).astype(np.float32)
    model = (
        np.zeros(2, np.float32),
        rng.random((2, 3)).astype(np.float32),
        np.tile(np.eye(3, dtype=np.float32), (2, 1, 1)),
    )
    whole, parts = np.zeros(values.shape[1], np.float32), np.zeros(values.shape[1], np.float32)
    log_likelihoods(0, 3, values, *model, whole)
    for part in range(3):
        log_likelihoods(part, part + 1, values, *model, parts)
    assert (whole == parts).all()
    assert (whole != 0).all()
