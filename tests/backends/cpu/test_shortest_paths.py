"""Relaxation on the part of a graph that is at hand."""

import numpy as np

from graphwell.backends.cpu.shortest_paths import relax
from graphwell.solve.problem import Problem
from tests.helpers import assert_nearest, random_graph


def test_relaxing_until_nothing_changes_finds_the_nearest_labels():
    rng = np.random.default_rng(0)
    graph = random_graph(rng, 60, 0.06)
    labels = np.where(rng.random(60) < 0.1, rng.integers(3, size=60), -1).astype(np.int32)
    distances, found = np.where(labels >= 0, 0.0, np.inf), labels.copy()
    W = graph.W
    assert relax(W.indptr, W.indices, 1.0 / W.data, distances, found)
    assert_nearest(Problem(graph, labels, 3), found)
    assert not relax(W.indptr, W.indices, 1.0 / W.data, distances, found)


def test_vertices_beyond_the_rows_are_only_read():
    # One own row, joined to a vertex of another block that holds a label at distance 0.
    distances, labels = np.array([np.inf, 0.0]), np.array([-1, 7], dtype=np.int32)
    indptr, indices = np.array([0, 1], dtype=np.int32), np.array([1], dtype=np.int32)
    assert relax(indptr, indices, np.array([2.0]), distances, labels)
    assert distances.tolist() == [2.0, 0.0]
    assert labels.tolist() == [7, 7]
