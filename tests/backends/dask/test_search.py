"""The search across blocks finds the graph of one machine."""

import dask.array as da
import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.inputs import read_input
from graphwell.backends.dask.search import build_graph
from graphwell.backends.dask.tasks import Tasks

pytestmark = pytest.mark.slow  # a fit or two on a cluster each


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
    expected = DaskGraph.from_graph(Tasks(client), one, 1).fingerprint
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
