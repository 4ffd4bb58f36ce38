"""Powers of a graph."""

import pickle
from inspect import signature

import numpy as np

from graphwell import Graph
from graphwell.graph.sharpened import SharpenedGraph


def test_sharpened_raises_the_weights_and_those_of_new_rows():
    X = np.random.default_rng(9).normal(size=(40, 3))
    graph = Graph.from_features(X)
    sharp = graph.sharpened(2)
    np.testing.assert_allclose(sharp.W.data, graph.W.data**2)
    new = X[:4] + 0.01
    np.testing.assert_allclose(sharp.affinity_to(new).toarray(), graph.affinity_to(new).toarray() ** 2)
    assert graph.sharpened(1) is graph


def test_parts_and_sizes_are_those_of_the_plain_graph():
    plain = Graph.from_affinity([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    sharp = plain.sharpened(2)
    assert isinstance(sharp, SharpenedGraph)
    assert sharp.components is plain.components
    assert (sharp.n_vertices, sharp.n_edges, sharp.isolated.tolist()) == (3, 1, [2])
    assert sharp.W[0, 1] == 0.25
    again = pickle.loads(pickle.dumps(sharp))
    assert (again.sharpness, again.fingerprint) == (2, sharp.fingerprint)


def test_nothing_of_it_stands_in_the_signature_of_a_graph():
    assert list(signature(Graph).parameters) == ["W", "origin", "sharpness", "bridges"]
