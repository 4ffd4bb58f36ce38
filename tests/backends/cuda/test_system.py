"""Conjugate gradients on a GPU, step by step."""

import numpy as np
import pytest

from graphwell.backends.conjugate_gradients import System
from graphwell.backends.cuda import CudaEngine, CudaGraph
from tests.helpers import random_graph


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 3, 70, 300])
def test_steps_of_conjugate_gradients_are_those_of_plain_arrays(gpu, dtype, width):
    rng = np.random.default_rng(width)
    graph, scaling = random_graph(rng, 700, 0.02), rng.random(700)
    engine = CudaEngine(CudaGraph.of(graph), dtype=dtype)

    def product(block):
        return engine.product(gpu.asarray(block)).get()

    fused, plain = engine.system(gpu.asarray(scaling)), System(product, scaling, dtype)
    block, step = rng.normal(size=(700, width)), rng.normal(size=-(-width // 4) * 4 if width > 1 else 1)
    there, here = fused.enter(block), plain.enter(block)
    image, expected = gpu.empty_like(there), np.empty_like(here)
    np.testing.assert_allclose(fused.apply(there, image), plain.apply(here, expected), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(image.get(), expected)
    x, y = gpu.zeros_like(there), np.zeros_like(here)
    sums = fused.advance(x, there, there.copy(), image, step)
    np.testing.assert_allclose(sums, plain.advance(y, here, here.copy(), expected, step), rtol=1e-9)
    fused.turn(x, there, step)
    plain.turn(y, here, step)
    for found, wanted in ((there, here), (x, y)):
        np.testing.assert_array_equal(fused.leave(found).get(), wanted)
