"""Fits on the processor: what goes in, and what is told of every row."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.arrays import HostVectors
from graphwell.backends.cpu.backend import Backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.progress import silent
from graphwell.solve.problem import Problem
from tests.helpers import chain


def test_rows_are_checked_and_linked():
    backend = Backend(n_jobs=1)
    rows = backend.read_rows([[0, 1], [2, 3], [5, 4]], "euclidean")
    assert (rows.n_rows, rows.n_features) == (3, 2)
    graph = backend.build_graph(rows, 1, 1, "euclidean", silent)
    np.testing.assert_array_equal(graph.W.toarray(), Graph.from_features(rows.values, 1, 1).W.toarray())
    assert backend.place(graph) is graph is backend.shown(graph)
    engine = backend.engine(graph)
    assert isinstance(engine, NumbaEngine)
    assert engine.pool.n_threads == 1
    with pytest.raises(ValueError, match="metric must be one of euclidean, cosine"):
        backend.read_rows([[0, 1]], "hamming")


def test_rows_that_no_label_reaches_are_told_the_prior():
    graph = Graph.from_affinity([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    problem = Problem(graph, np.array([1, -1, -1]), 2)
    scores = np.array([[0.0, 2.0], [1.0, 3.0], [5.0, 0.0]])
    prior, classes = np.array([0.3, 0.7]), np.array(["a", "b"])
    rows = Backend().read_rows(np.eye(3), "euclidean")
    found = (HostVectors(), np.array([1, 1, 0]), scores, np.arange(2))
    told = Backend().answers(rows, problem, *found, classes, prior)
    assert told.labels.tolist() == ["b", "b", "b"]
    np.testing.assert_allclose(told.distributions, [[0, 1], [0.25, 0.75], [0.3, 0.7]])
    assert told.reachable.tolist() == [True, True, False]
    assert not told.predictor.takes_features
    nowhere = np.zeros(3, dtype=bool)
    assert told.predictor.least_certain(3, nowhere, nowhere)[0] == 2


def test_labels_and_vectors_pass_through():
    backend, vector = Backend(), np.arange(3)
    assert backend.read_labels(vector) is vector
    assert backend.to_host(backend.asarray(vector)) is vector
    assert backend.shown(chain(1.0)).n_vertices == 2
