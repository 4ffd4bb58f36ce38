"""The loops between two products against plain arrays."""

import numpy as np

from graphwell.backends.cpu.cg_kernels import advance, products


def test_products_and_steps_are_those_of_plain_arrays():
    rng = np.random.default_rng(0)
    x, r, p, w = rng.normal(size=(4, 50, 3)).astype(np.float32)
    sums = products(p, r, w)
    expected = [(a.astype(float) * b).sum(axis=0) for a, b in ((p, w), (r, w), (w, w), (r, r))]
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
    step, ratio, moving = np.array([[0.5, 0.0, -1.0], [0.1, 2.0, 0.0], [1.0, 1.0, 0.0]], dtype=np.float32)
    wanted_x, wanted_r = x + step * p, r - step * w
    wanted_p = ratio * p + moving * wanted_r
    advance(x, r, p, w, step, ratio, moving)
    for found, wanted in ((x, wanted_x), (r, wanted_r), (p, wanted_p)):
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert (p[:, 2] == 0).all()
