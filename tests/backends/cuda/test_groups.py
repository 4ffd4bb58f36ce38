"""Groups of vertices on a GPU: every bit as on the host."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph
from graphwell.backends.aggregation import merged_matrix
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda.engine import CudaEngine
from graphwell.backends.cuda.graph import CudaGraph
from graphwell.backends.cuda.groups import condensed, some_rows
from graphwell.backends.cuda.matrix import GpuMatrix


def assert_same(found, expected):
    assert found.shape == expected.shape
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))


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
        assert_same(found, expected)
        values = rng.random((n, 3)).astype(np.float32)
        means = there.group_means(gpu.asarray(values), groups, n_groups)
        np.testing.assert_array_equal(means, here.group_means(values, groups, n_groups))


@pytest.mark.parametrize("rows", [[], [0], [3, 4, 17, 299], range(300)])
def test_some_rows_and_sums_between_groups_are_those_of_the_host(library, rows):
    rng = np.random.default_rng(0)
    W = sparse.random_array((300, 300), density=0.03, rng=rng, format="csr")
    W = sparse.csr_array(W + W.T)
    matrix = GpuMatrix(*(library.asarray(part) for part in (W.indptr, W.indices, W.data)))
    rows = np.array(rows, dtype=np.int64)
    assert_same(some_rows(matrix, rows), W[rows])
    groups = rng.integers(9, size=300)
    assert_same(condensed(matrix, groups, 10), merged_matrix(W, groups, 10))


def test_a_graph_without_edges_has_no_sums(gpu):
    graph = Graph.from_affinity(sparse.csr_array((3, 3)))
    engine = CudaEngine(CudaGraph.of(graph))
    assert engine.condensed(np.zeros(3, dtype=int), 2).nnz == 0
    np.testing.assert_array_equal(engine.heaviest(), [-1, -1, -1])
