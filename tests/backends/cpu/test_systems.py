"""Linear systems on the CPU."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from graphwell.backends import find_backend
from graphwell.backends.base import Coarse
from graphwell.backends.cpu.systems import LEAST, GroupCorrection
from graphwell.graph import Graph
from tests.helpers import random_graph


def made(graph, groups, scaling, n_jobs=1):
    """An engine, its system, the correction, and the level and the groups as a dense matrix."""
    engine = find_backend(n_jobs=n_jobs).engine(graph)
    system, level = engine.system(scaling), np.sqrt(graph.degrees)
    placed = engine.rows.placed(level, engine.dtype), engine.rows.placed(groups, np.int16)
    correction = GroupCorrection(engine, system.scaling, *placed, groups.max() + 1)
    P = np.where(scaling > 0, level, 0)[:, None] * (groups[:, None] == np.arange(groups.max() + 1))
    return engine, system, correction, P / np.maximum(np.linalg.norm(P, axis=0), 1e-9)


def dense(graph, scaling):
    return np.eye(graph.n_vertices) - scaling[:, None] * graph.S.toarray() * scaling


@pytest.mark.parametrize("n_groups", [1, 3, 20])
@pytest.mark.parametrize("density", [0.02, 0.2])
def test_a_correction_solves_the_system_between_groups(n_groups, density):
    rng = np.random.default_rng(n_groups)
    graph = random_graph(rng, 50, density)
    scaling, groups = np.where(rng.random(50) < 0.1, 0.0, 0.9), rng.integers(n_groups, size=50)
    _, system, correction, P = made(graph, groups, scaling)
    small = P.T @ dense(graph, scaling) @ P + LEAST * np.eye(P.shape[1])
    r = rng.normal(size=(50, 4))
    expected = P @ np.linalg.solve(small, P.T @ r)
    vectors = system.enter(r)
    sums = correction.find(vectors)
    correction.add(vectors)
    np.testing.assert_allclose(system.leave(vectors) - r, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(sums, (r * expected).sum(axis=0), rtol=1e-5, atol=1e-5)


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


def test_its_bits_do_not_depend_on_the_threads_of_matrix_libraries():
    rng = np.random.default_rng(0)
    graph, groups = random_graph(rng, 900, 0.02), np.arange(900) % 450
    inverses = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            inverses.append(made(graph, groups, np.ones(900))[2].inverse)
            assert {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"} == {
                n_threads
            }
    np.testing.assert_array_equal(*inverses)
