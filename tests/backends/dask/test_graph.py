"""The graph in blocks is the graph of one machine, whatever the number of blocks."""

import dask.array as da
import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.blocks.cells import Cells, Scaling, grouped
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.inputs import read_input
from graphwell.backends.dask.search import build_graph
from graphwell.backends.dask.tasks import Tasks
from tests.helpers import random_graph


def points(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[5:9] = X[4]  # duplicates have no scale of their own
    X[-1] += 1e4  # a far-away point keeps its neighbours
    return X


def graph_of(client, X, chunk, n_blocks, metric="euclidean"):
    tasks = Tasks(client)
    source = read_input(tasks, da.from_array(X, chunks=(chunk, X.shape[1])), metric)
    return build_graph(tasks, source, 6, 8, n_blocks)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_features_give_the_graph_of_one_machine(client, metric):
    X = points(700, 10)
    one = Graph.from_features(X, 6, 8, metric)
    expected = ClusterGraph.from_graph(Tasks(client), one, 1).fingerprint
    for chunk, n_blocks in [(700, 1), (300, 2), (123, 5)]:
        many = graph_of(client, X, chunk, n_blocks, metric)
        assert many.n_blocks == n_blocks
        assert many.fingerprint == expected
        np.testing.assert_array_equal(many.degrees, one.degrees)
        np.testing.assert_array_equal(many.sharpened(2).degrees, one.sharpened(2).degrees)


def test_an_approximate_search_says_what_it_found(client, monkeypatch):
    monkeypatch.setattr("graphwell.backends.dask.search.EXACT_UP_TO", 100)
    X = points(3000, 12)
    many = graph_of(client, X, 1000, 3)
    assert 0.99 < many.recall_ <= 1.0
    assert many.search.cells.probes < len(many.search.cells.centres)
    one = Graph.from_features(X, 6, 8, exact=True)
    assert np.abs(many.degrees - one.degrees).mean() < 0.02


def test_a_fingerprint_changes_with_any_weight(client):
    graph = random_graph(np.random.default_rng(0), 40, 0.2)
    before = ClusterGraph.from_graph(Tasks(client), graph, 3).fingerprint
    W = graph.W.copy()
    i, j = W.tocoo().row[0], W.tocoo().col[0]
    W[i, j] = W[j, i] = np.nextafter(W[i, j], 2)
    assert ClusterGraph.from_graph(Tasks(client), Graph.from_affinity(W), 3).fingerprint != before


@pytest.mark.parametrize("density", [0.0, 0.01, 0.02, 0.2])
@pytest.mark.parametrize("n_blocks", [1, 4])
def test_components_are_found_across_blocks(client, density, n_blocks):
    graph = random_graph(np.random.default_rng(1), 120, density)
    order = np.random.default_rng(2).permutation(120)
    many = ClusterGraph.from_graph(Tasks(client), graph, n_blocks, order)
    assert many.n_components == graph.n_components
    assert len(set(zip(many.components, graph.components, strict=True))) == graph.n_components


def test_rows_ask_cells_until_these_hold_enough_points():
    centres = np.array([[0.0], [1.0], [2.0]], dtype=np.float32)
    cells = Cells(Scaling(np.zeros(1), 1.0), centres, np.array([0, 0, 1]), np.array([1, 1, 9]), probes=1)
    np.testing.assert_array_equal(cells.asked(np.array([[2.2], [0.1]]), k=3), [[2, -1, -1], [0, 1, 2]])


def test_groups_have_about_the_same_size():
    rng = np.random.default_rng(0)
    centres, sizes = rng.normal(size=(200, 3)), rng.integers(1, 100, size=200)
    for n_groups in (1, 2, 3, 7, 16):
        of_group = np.bincount(grouped(centres, sizes, n_groups), sizes, minlength=n_groups)
        assert (np.abs(of_group - sizes.sum() / n_groups) < 150).all()
