"""Lists of neighbours made symmetric, and the parts of a graph: against SciPy."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from graphwell.graph.adjacency import number_parts
from graphwell.graph.weights import symmetric_affinity


def by_scipy(indices, weights):
    n, k = indices.shape
    starts = np.arange(0, n * k + 1, k)
    chosen = sparse.csr_array((weights.astype(np.float32).ravel(), indices.ravel(), starts), shape=(n, n))
    found = chosen.maximum(chosen.T.tocsr()).tocsr()
    found.sort_indices()
    return found


def chosen_at_random(n, k, rng, hub=False):
    """Each row chooses `k` others; all choose the first if it is a hub."""
    indices = np.stack([rng.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)]).astype(np.int32)
    if hub:
        for i in range(1, n):
            if 0 not in indices[i]:
                indices[i, 0] = 0
    return indices


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(("n", "k", "hub"), [(2, 1, False), (30, 5, False), (300, 7, True), (40, 39, False)])
def test_either_choice_joins(n, k, hub, n_threads):
    rng = np.random.default_rng(n)
    indices, weights = chosen_at_random(n, k, rng, hub), rng.random((n, k))
    found, expected = symmetric_affinity(indices, weights, n_threads), by_scipy(indices, weights)
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)
    assert found.indices.dtype == found.indptr.dtype == np.int32


@pytest.mark.parametrize("edges", [0, 3, 40, 400])
def test_parts_are_numbered_as_they_are_met(edges):
    rng = np.random.default_rng(edges)
    W = sparse.coo_array((np.ones(edges), rng.integers(100, size=(2, edges))), shape=(100, 100)).tocsr()
    W = (W + W.T).tocsr()
    numbers = np.full(100, -1, dtype=np.int32)
    count = number_parts(W.indptr, W.indices, numbers, np.empty_like(numbers))
    expected_count, expected = csgraph.connected_components(W, directed=False)
    assert count == expected_count
    np.testing.assert_array_equal(numbers, expected)
