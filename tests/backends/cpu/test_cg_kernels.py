"""The loops of conjugate gradients on a block against plain arrays."""

import numpy as np

from graphwell.backends.blocks.programs import rounding_magnet
from graphwell.backends.cpu.cg_kernels import advance, apply
from graphwell.backends.cpu.layout import SlicedRows
from tests.helpers import random_graph


def test_a_step_is_that_of_plain_arrays():
    rng = np.random.default_rng(0)
    x, r, p, w = rng.normal(size=(4, 50, 4)).astype(np.float32)
    before = x[40:].copy()
    step, ratio, moving = np.array([[0.5, 0, -1, 1], [0.1, 2, 0, 1], [1, 1, 0, 1]], dtype=np.float32)
    wanted_x, wanted_r = x + step * p, r - step * w
    wanted_p = ratio * p + moving * wanted_r
    advance(0, 40, x, r, p, w, step, ratio, moving)
    for found, wanted in ((x, wanted_x), (r, wanted_r), (p, wanted_p)):
        np.testing.assert_allclose(found[:40], wanted[:40], atol=1e-6)
    assert (p[:40, 2] == 0).all()
    np.testing.assert_array_equal(x[40:], before)


def test_images_and_sums_are_those_of_plain_arrays():
    rng = np.random.default_rng(1)
    graph = random_graph(rng, 48, 0.2)
    rows = SlicedRows.from_graph(graph, np.float32)
    by_vertex = rng.normal(size=(2, 48, 4)).astype(np.float32)
    p, r = (rows.placed(vectors, np.float32) for vectors in by_vertex)
    image, sums = np.zeros_like(p), np.zeros((len(rows.parts) - 1, 4, 4))
    magnets = rounding_magnet(np.full((4, 4), 500.0))
    parts = (0, len(rows.parts) - 1, rows.parts)
    apply(*parts, rows.starts, rows.columns, rows.values, p, r, image, magnets, sums)
    w = by_vertex[0] - graph.S.toarray() @ by_vertex[0]
    np.testing.assert_allclose(rows.restored(image), w, atol=1e-5)
    (a, b), w = by_vertex.astype(float), rows.restored(image).astype(float)
    expected = [(x * y).sum(axis=0) for x, y in ((a, w), (b, w), (w, w), (b, b))]
    np.testing.assert_allclose(sums.sum(axis=0), expected, atol=1e-12)
