"""Conjugate gradients on the workers against a dense solution, for any number of blocks."""

import numpy as np
import pytest

from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from graphwell.progress import listening
from tests.helpers import block_of, columns_of, random_graph


@pytest.mark.parametrize("n_blocks", [1, 4])
def test_every_column_is_solved(client, n_blocks):
    rng = np.random.default_rng(0)
    graph = random_graph(rng, 50, 0.2)
    engine = DaskEngine(DaskGraph.from_graph(Tasks(client), graph, n_blocks, rng.permutation(50)))
    scaling, b = 0.95 * rng.random(50), rng.normal(size=(50, 3))
    b[:, 0] = 0
    shares = []
    with listening(shares.append):
        solution = engine.solve(scaling, block_of(engine, b))
    A = np.eye(50) - scaling[:, None] * graph.S.toarray() * scaling
    np.testing.assert_allclose(columns_of(engine, solution.x), np.linalg.solve(A, b), atol=1e-3)
    assert solution.residual <= 1e-4
    assert shares[-1] == 1.0


def test_a_limit_on_the_iterations_is_kept(client):
    rng = np.random.default_rng(1)
    engine = DaskEngine(DaskGraph.from_graph(Tasks(client), random_graph(rng, 60, 0.1), 2))
    solution = engine.solve(
        np.full(60, 0.9999), block_of(engine, rng.normal(size=(60, 1))), max_iterations=10
    )
    assert solution.iterations == 10
