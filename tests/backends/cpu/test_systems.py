"""Linear systems on the CPU."""

import numpy as np
import pytest

from graphwell.backends import find_backend
from graphwell.backends.base import Coarse
from graphwell.graph import Graph
from tests.helpers import random_graph


def dense(graph, scaling):
    return np.eye(graph.n_vertices) - scaling[:, None] * graph.S.toarray() * scaling


def chain(n):
    return Graph.from_affinity(np.eye(n, k=1) + np.eye(n, k=-1))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_long_chain_takes_a_fraction_of_the_iterations(n_jobs):
    n, graph = 400, chain(400)
    scaling, groups = np.ones(n), np.arange(n) // 20
    scaling[0] = scaling[-1] = 0.0
    engine = find_backend(n_jobs=n_jobs).engine(graph)
    b = np.zeros((n, 2), dtype=np.float32)
    b[1, 0] = b[-2, 1] = 1.0
    coarse = Coarse(np.sqrt(graph.degrees), lambda _: groups)
    slow, fast = engine.solve(scaling, b.copy()), engine.solve(scaling, b.copy(), coarse=coarse)
    assert fast.iterations < slow.iterations / 4
    assert fast.residual <= 1e-4
    np.testing.assert_allclose(fast.x, np.linalg.solve(dense(graph, scaling), b), atol=0.02)


def test_nothing_depends_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    graph, groups = random_graph(rng, 500, 0.02), rng.integers(30, size=500)
    b = rng.normal(size=(500, 6)).astype(np.float32)
    scaling = np.where(rng.random(500) < 0.1, 0.0, 1.0)
    coarse = Coarse(np.sqrt(graph.degrees), lambda _: groups)
    found = []
    for n_jobs in (1, 2, 5):
        engine = find_backend(n_jobs=n_jobs).engine(graph)
        engine.pool.n_threads = n_jobs  # few entries would be left to one thread
        found.append(engine.solve(scaling, b.copy(), coarse=coarse).x)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_a_system_without_labels_is_solved_though_it_is_singular():
    graph = Graph.from_affinity(np.kron(np.eye(2), 1 - np.eye(30)))
    coarse = Coarse(np.sqrt(graph.degrees), lambda _: np.arange(60) // 10)
    b = np.zeros((60, 1), dtype=np.float32)
    b[[0, 1, 30, 31], 0] = 1, -1, 2, -2
    x = find_backend().engine(graph).solve(np.ones(60), b.copy(), coarse=coarse).x
    np.testing.assert_allclose(dense(graph, np.ones(60)) @ x, b, atol=1e-3)
