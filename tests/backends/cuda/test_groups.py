"""Groups of vertices on a GPU: every bit as on the host."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda.engine import CudaEngine
from graphwell.backends.cuda.graph import CudaGraph


@pytest.mark.parametrize("n", [2, 300, 5000])
def test_groups_are_those_of_the_host_in_every_bit(gpu, n):
    rng = np.random.default_rng(n)
    W = sparse.random_array((n, n), density=min(0.5, 8 / n), rng=rng, format="csr")
    graph = Graph.from_affinity(sparse.csr_array(W + W.T))
    here, there = NumbaEngine(graph), CudaEngine(CudaGraph.of(graph))
    np.testing.assert_array_equal(there.heaviest(), here.heaviest())
    for n_groups in (1, 7, n + 3):
        groups = rng.integers(n_groups, size=n)
        expected, found = here.condensed(groups, n_groups), there.condensed(groups, n_groups)
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
        values = rng.random((n, 3)).astype(np.float32)
        means = there.group_means(gpu.asarray(values), groups, n_groups)
        np.testing.assert_array_equal(means, here.group_means(values, groups, n_groups))


def test_a_graph_without_edges_has_no_sums(gpu):
    graph = Graph.from_affinity(sparse.csr_array((3, 3)))
    engine = CudaEngine(CudaGraph.of(graph))
    assert engine.condensed(np.zeros(3, dtype=int), 2).nnz == 0
    np.testing.assert_array_equal(engine.heaviest(), [-1, -1, -1])
