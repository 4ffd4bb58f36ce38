"""Conjugate gradients without the host: every bit as with it."""

import numpy as np
import pytest

from graphwell.backends.conjugate_gradients import conjugate_gradients
from graphwell.backends.cuda import conjugate_gradients as on_gpu
from graphwell.backends.cuda.engine import CudaEngine
from graphwell.backends.cuda.graph import CudaGraph
from tests.helpers import random_graph


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 3, 12, 64])
def test_every_bit_is_that_of_the_common_routine(gpu, width, dtype):
    rng = np.random.default_rng(width)
    graph = random_graph(rng, 600, 0.02)
    engine = CudaEngine(CudaGraph.of(graph), dtype)
    scaling = gpu.asarray(np.where(rng.random(600) < 0.1, 0.0, 1.0))
    b = gpu.asarray(rng.normal(size=(600, width)).astype(dtype))
    b[:, 0] = 0  # a column that stands still
    expected = conjugate_gradients(engine.system(scaling), b)
    found = engine.solve(scaling, b)
    np.testing.assert_array_equal(found.x.get(), expected.x.get())
    assert (found.iterations, found.residual) == (expected.iterations, expected.residual)


def test_it_stops_after_so_many_iterations(gpu):
    rng = np.random.default_rng(0)
    engine = CudaEngine(CudaGraph.of(random_graph(rng, 400, 0.02)))
    b, scaling = gpu.asarray(rng.normal(size=(400, 4)).astype(np.float32)), gpu.full(400, 0.99)
    few = on_gpu.solve_on_gpu(engine.system(scaling), b, 3)
    expected = conjugate_gradients(engine.system(scaling), b, max_iterations=3)
    assert few.iterations == 3
    np.testing.assert_array_equal(few.x.get(), expected.x.get())


def test_large_blocks_look_after_every_iteration():
    assert on_gpu.is_small(np.empty((70_000, 12)))
    assert not on_gpu.is_small(np.empty((1_000_000, 20), dtype=np.float32))
    assert not on_gpu.is_small(np.empty((10, 65)))
