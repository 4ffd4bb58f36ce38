"""The graph in blocks is the graph of one machine, whatever the number of blocks."""

import pickle

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from tests.helpers import random_graph


def test_a_fingerprint_changes_with_any_weight(client):
    graph = random_graph(np.random.default_rng(0), 40, 0.2)
    before = DaskGraph.from_graph(Tasks(client), graph, 3).fingerprint
    W = graph.W.copy()
    i, j = W.tocoo().row[0], W.tocoo().col[0]
    W[i, j] = W[j, i] = np.nextafter(W[i, j], 2)
    assert DaskGraph.from_graph(Tasks(client), Graph.from_affinity(W), 3).fingerprint != before


@pytest.mark.parametrize("density", [0.0, 0.01, 0.02, 0.2])
@pytest.mark.parametrize("n_blocks", [1, 4])
def test_components_are_found_across_blocks(client, density, n_blocks):
    graph = random_graph(np.random.default_rng(1), 120, density)
    order = np.random.default_rng(2).permutation(120)
    many = DaskGraph.from_graph(Tasks(client), graph, n_blocks, order)
    assert many.n_components == graph.n_components
    assert len(set(zip(many.components, graph.components, strict=True))) == graph.n_components


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_matrices_are_fetched_in_the_order_of_the_user(client, n_blocks):
    graph = random_graph(np.random.default_rng(3), 50, 0.1)
    order = np.random.default_rng(4).permutation(50)
    many = DaskGraph.from_graph(Tasks(client), graph, n_blocks, order)
    np.testing.assert_array_equal(many.W.toarray(), graph.W.toarray())
    np.testing.assert_array_equal(many.sharpened(2).W.toarray(), graph.sharpened(2).W.toarray())
    np.testing.assert_allclose(many.S.toarray(), graph.S.toarray(), rtol=1e-12)
    stored = pickle.loads(pickle.dumps(many))
    assert type(stored) is Graph
    np.testing.assert_array_equal(stored.W.toarray(), graph.W.toarray())


def test_what_moves_between_blocks_is_the_boundary_alone(client):
    chain = np.diag(np.ones(99), 1)
    many = DaskGraph.from_graph(Tasks(client), Graph.from_affinity(chain + chain.T), 4)
    assert many.halos == [((1,), 1), ((0, 2), 2), ((1, 3), 2), ((2,), 1)]
    boundaries = many.tasks.results(many.boundaries)
    assert [b.tolist() for b in boundaries] == [[24], [0, 24], [0, 24], [0]]
