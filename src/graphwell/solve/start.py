"""Where the descent starts. Labelled vertices always start at their label."""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._types import FloatArray, IntArray
from graphwell.engines.base import State
from graphwell.solve.problem import Problem

OFFSET = 0.3
"""Size of the offset around a chosen class: exactly on the integers nothing would ever move."""


def random_start(problem: Problem, rng: np.random.Generator) -> State:
    """The paper's start: states drawn evenly from [-1/2, K - 1/2), labels in place.

    Examples
    --------
    >>> from graphwell import Graph
    >>> problem = Problem(Graph.from_affinity([[0, 1], [1, 0]]), np.array([1, -1]), n_classes=2)
    >>> random_start(problem, np.random.default_rng(0)).labels[0]
    np.int32(1)
    """
    u = rng.random(problem.graph.n_vertices) * problem.n_classes - 0.5
    labels = np.clip(np.floor(u + 0.5), 0, problem.n_classes - 1)
    return _labels_in_place(problem, labels.astype(np.int32), u - labels)


def nearest_start(problem: Problem, rng: np.random.Generator) -> State:
    """Every vertex takes the label nearest along the graph, an edge being as long as 1 / weight.

    Vertices that no label reaches are drawn at random.

    Examples
    --------
    >>> from graphwell import Graph
    >>> chain = Graph.from_affinity([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0.1], [0, 0, 0.1, 0]])
    >>> problem = Problem(chain, np.array([0, -1, -1, 1]), n_classes=2)
    >>> nearest_start(problem, np.random.default_rng(0)).labels
    array([0, 0, 0, 1], dtype=int32)
    """
    return from_labels(problem, nearest_labels(problem), rng)


def nearest_labels(problem: Problem) -> IntArray:
    """Label nearest along the graph for each vertex; -1 where there is none."""
    W = problem.graph.W
    lengths = sparse.csr_array((1.0 / W.data, W.indices, W.indptr), shape=W.shape)
    sources = np.flatnonzero(problem.is_known)
    *_, nearest = csgraph.dijkstra(lengths, indices=sources, min_only=True, return_predecessors=True)
    return np.where(nearest >= 0, problem.labels[np.maximum(nearest, 0)], -1).astype(np.int32)


def from_labels(problem: Problem, labels: IntArray, rng: np.random.Generator) -> State:
    """Place each vertex near a class, on a random side of it; -1 stands for a random class."""
    n = problem.graph.n_vertices
    anywhere = rng.integers(problem.n_classes, size=n)
    labels = np.where(labels >= 0, labels, anywhere).astype(np.int32)
    return _labels_in_place(problem, labels, np.where(rng.random(n) < 0.5, -OFFSET, OFFSET))


def _labels_in_place(problem: Problem, labels: IntArray, offsets: FloatArray) -> State:
    labels = np.where(problem.is_known, problem.known, labels).astype(np.int32)
    return State(labels, np.where(problem.is_known, 0.0, offsets))


STARTS = {"random": random_start, "nearest": nearest_start}
