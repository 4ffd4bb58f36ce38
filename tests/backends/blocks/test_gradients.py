"""Conjugate gradients in blocks against a dense solution: the same bits for any number of blocks."""

import numpy as np
import pytest

from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from tests.helpers import block_of, columns_of, random_graph


def solved(client, graph, n_blocks, scaling, b, **options):
    order = np.random.default_rng(n_blocks).permutation(len(b))
    engine = DaskEngine(DaskGraph.from_graph(Tasks(client), graph, n_blocks, order))
    solution = engine.solve(scaling, block_of(engine, b), **options)
    return columns_of(engine, solution.x), solution


def test_every_column_is_solved_with_the_same_bits_in_any_number_of_blocks(client):
    rng = np.random.default_rng(0)
    graph = random_graph(rng, 150, 0.05)
    scaling, b = 0.99 * rng.random(150), rng.normal(size=(150, 5))
    b[:, 0] = 0
    b[:, 1] *= 1e-12
    A = np.eye(150) - scaling[:, None] * graph.S.toarray() * scaling
    first, solution = solved(client, graph, 1, scaling, b)
    np.testing.assert_allclose(first, np.linalg.solve(A, b), atol=1e-3)
    np.testing.assert_allclose(first[:, 1], np.linalg.solve(A, b[:, 1]), atol=1e-15)
    assert 0 < solution.residual <= 1e-4
    for n_blocks in (2, 5):
        again, found = solved(client, graph, n_blocks, scaling, b)
        np.testing.assert_array_equal(again, first)
        assert (found.iterations, found.residual) == (solution.iterations, solution.residual)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_one_column_and_the_whole_laplacian(client, n_blocks):
    rng = np.random.default_rng(2)
    graph = random_graph(rng, 60, 0.3)
    b = graph.L_s.toarray() @ rng.normal(size=(60, 1))
    x, solution = solved(client, graph, n_blocks, np.ones(60), b)
    np.testing.assert_allclose(graph.L_s.toarray() @ x, b, atol=1e-3)
    assert solution.residual <= 1e-4


def test_nothing_on_the_right_is_solved_by_nothing(client):
    graph = random_graph(np.random.default_rng(3), 40, 0.1)
    x, solution = solved(client, graph, 2, np.full(40, 0.9), np.zeros((40, 2)))
    assert not x.any()
    assert (solution.iterations, solution.residual) == (0, 0.0)


def test_a_limit_on_the_iterations_is_kept(client):
    rng = np.random.default_rng(1)
    graph, b = random_graph(rng, 60, 0.1), rng.normal(size=(60, 1))
    x, solution = solved(client, graph, 2, np.full(60, 0.9999), b, max_iterations=4)
    assert solution.iterations == 4
    assert solution.residual > 1e-4
    assert x.any()
