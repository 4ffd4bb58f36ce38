"""Loops over a grid, against plain matrices."""

import numpy as np

from graphwell.backends.cpu import stencil as kernels

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
