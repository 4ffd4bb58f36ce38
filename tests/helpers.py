"""Graphs and problems for tests, and what brings them to a backend and back."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from scipy import sparse

from graphwell.backends.base import Backend, Block, Engine, State, Swept
from graphwell.graph import Graph
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.reference import ReferenceEngine
from graphwell.solve.start import random_start


def chain(*weights: float) -> Graph:
    """Vertices in a row, joined by edges of these weights."""
    n = len(weights) + 1
    W = sparse.diags_array([weights, weights], offsets=[-1, 1], shape=(n, n), dtype=float)
    return Graph.from_affinity(W)


def random_graph(rng: np.random.Generator, n: int, density: float) -> Graph:
    """Any graph: at low density with isolated vertices and several components."""
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return Graph.from_affinity(W + W.T)


def blobs(seed: int = 0, n: int = 60, classes: int = 3) -> tuple[Any, Any]:
    """Clear clusters, and the class of each row."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(classes), n)
    X = rng.normal(size=(classes * n, 5)) + 8 * np.eye(5)[truth % 5]
    return X, truth


def few(truth: Any, unknown: Any = -1) -> Any:
    """The labels of the first two rows of each class."""
    y = np.full(len(truth), unknown, dtype=object if unknown is None else truth.dtype)
    for c in np.unique(truth):
        members = np.flatnonzero(truth == c)[:2]
        y[members] = truth[members]
    return y


def clusters(sizes: list[int], spread: float = 1.0, seed: int = 0) -> tuple[Graph, Any]:
    """The graph of clusters of these sizes, and the class of each vertex."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    X = spread * rng.normal(size=(len(truth), 12)) + 6 * np.eye(12)[truth]
    return Graph.from_features(X), truth


def first_labels(truth: Any, per_class: int) -> Any:
    """The labels of the first vertices of each class."""
    labels = np.full(len(truth), -1)
    for c in np.unique(truth):
        members = np.flatnonzero(truth == c)[:per_class]
        labels[members] = c
    return labels


@st.composite
def problems(
    draw: Any, max_vertices: int = 40, max_classes: int = 6, beyond_the_paper: bool = False
) -> tuple[Problem, np.random.Generator]:
    """A random problem, pathological ones included, and a generator to go on with."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, max_vertices))
    n_classes = draw(st.integers(1, max_classes))
    graph = random_graph(rng, n, draw(st.sampled_from([0.0, 0.05, 0.2, 1.0])))
    labels = np.where(rng.random(n) < 0.3, rng.integers(n_classes, size=n), -1)
    if not beyond_the_paper:
        return Problem(graph, labels, n_classes), rng
    balance = Balance(draw(st.sampled_from([0.3, 3.0])), rng.dirichlet(np.ones(n_classes)))
    problem = Problem(
        graph,
        labels,
        n_classes,
        fidelity=draw(st.sampled_from([0.5, 30.0])),
        balance=draw(st.sampled_from([None, balance])),
        implicit=draw(st.booleans()),
    )
    return problem, rng


def start_of(problem: Problem, rng: np.random.Generator) -> State:
    """A random start of a problem on the host."""
    return random_start(problem, ReferenceEngine(problem.graph), rng).state


def slope_of(function: Any, u: Any, step: float = 1e-6) -> Any:
    """Slope of a function by a finite difference."""
    return (function(u + step) - function(u - step)) / (2 * step)


def brute_force(points: Any, k: int) -> Any:
    """Distances of each point to its nearest other points, in rising order."""
    distance = np.linalg.norm(points[:, None].astype(float) - points[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    return np.sort(distance, axis=1)[:, :k]


def dense_harmonic(W: Any, labels: Any, n_classes: int) -> Any:
    """Solve the harmonic problem on the vertices that labels reach, by dense linear algebra."""
    known, degrees = labels >= 0, W.sum(axis=1)
    W = (
        W / np.where(degrees > 0, degrees, 1.0)[:, None]
    )  # weights of awkward graphs differ by 30 powers of ten
    L = np.diag(W.sum(axis=1)) - W
    scores = np.zeros((len(labels), n_classes))
    scores[known, labels[known]] = 1.0
    free = ~known
    solved = np.linalg.lstsq(L[np.ix_(free, free)], W[np.ix_(free, known)] @ scores[known], rcond=None)[0]
    scores[free] = solved
    return scores


def all_path_lengths(graph: Graph) -> Any:
    """Length of the shortest path between any two vertices, an edge being as long as 1 / weight."""
    with np.errstate(divide="ignore"):
        D = 1 / graph.W.toarray().astype(float)
    np.fill_diagonal(D, 0)
    for k in range(graph.n_vertices):
        D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    return D


def assert_nearest(problem: Problem, found: Any) -> None:
    """Each vertex has a label that no other is nearer than; -1 where none is in reach."""
    D, known = all_path_lengths(problem.graph), np.flatnonzero(problem.is_known)
    shortest = D[:, known].min(axis=1, initial=np.inf)
    for i, label in enumerate(found):
        if label < 0:
            assert np.isinf(shortest[i])
        else:
            of_class = D[i, known[problem.labels[known] == label]]
            np.testing.assert_allclose(of_class.min(), shortest[i], rtol=1e-6)


# ------------------------------------------------------------------------------------ to a backend, and back


def placed(backend: Backend, problem: Problem) -> Problem:
    """The problem, on a graph that lies where the backend computes."""
    return replace(problem, graph=backend.place(problem.graph), labels=backend.asarray(problem.labels))


def block_of(engine: Any, values: Any) -> Block:
    """A block of an engine with these columns, made with its verbs alone."""
    n, width = values.shape
    block = engine.indicator(engine.asarray(np.full(n, -1)), engine.asarray(np.zeros(n)), width)
    for c in range(width):
        column = engine.indicator(engine.asarray(np.full(n, c)), engine.asarray(values[:, c].copy()), width)
        block = block + column
    return block


def columns_of(engine: Any, block: Block) -> Any:
    """The columns of a block of an engine, on the host."""
    return np.asarray(engine.to_host(block))


class GpuEngineOnHost(Engine):
    """The engine of a GPU for problems of the host: they are brought there, and results are fetched."""

    def __init__(self, graph: Graph, dtype: npt.DTypeLike = np.float32) -> None:
        from graphwell.backends.cuda import CudaEngine, CudaGraph

        self.graph = graph
        self.gpu = CudaEngine(CudaGraph.of(graph), dtype=dtype)

    def product(self, block: Any) -> Any:
        return self.gpu.to_host(self.gpu.product(self.gpu.asarray(block)))

    def nearest(self, labels: Any) -> Any:
        return self.gpu.to_host(self.gpu.nearest(self.gpu.asarray(labels)))

    def sweep(self, problem: Problem, state: State, epsilon: float, step_size: float, count: int) -> Swept:
        there = replace(problem, graph=self.gpu.graph, labels=self.gpu.asarray(problem.labels))
        swept = self.gpu.sweep(there, state, epsilon, step_size, count)
        found = State(self.gpu.to_host(swept.state.labels), self.gpu.to_host(swept.state.offsets))
        return Swept(found, float(swept.energy), int(swept.label_changes))


class Exported:
    """An array that only DLPack can read; it may lie about where it is."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device
