"""Products of the layout, for widths that are fast and others."""

import numpy as np
import pytest

from graphwell.backends.cpu.engine import NumbaEngine
from tests.helpers import random_graph


@pytest.mark.parametrize("width", [1, 2, 4, 5, 8, 13])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_width_is_multiplied(width, dtype):
    rng = np.random.default_rng(width)
    graph = random_graph(rng, 90, 0.1)
    block = rng.normal(size=(90, width))
    found = NumbaEngine(graph, dtype=dtype).product(block)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, graph.S.toarray() @ block, atol=1e-5 if dtype == np.float32 else 1e-13)
