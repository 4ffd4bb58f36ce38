"""The coarse level in blocks: fewer iterations, and the same bits for any number of blocks."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.base import Coarse
from graphwell.backends.blocks.correction import CoarseView, inverted
from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks, given
from tests.helpers import block_of, columns_of

N, GROUPS = 400, 20


def chain_system():
    """A chain whose ends are labelled: the error is as long as the chain, and iterations see one edge."""
    chain = np.diag(np.random.default_rng(0).uniform(0.5, 1, N - 1), 1)
    graph = Graph.from_affinity(chain + chain.T)
    scaling, b = np.ones(N), np.zeros((N, 3))
    scaling[[0, -1]] = 0.0
    b[1, 0], b[-2, 1] = 1.0, 1e-9
    return graph, scaling, b


def solved(client, n_blocks, coarse, level=None):
    graph, scaling, b = chain_system()
    order = np.random.default_rng(n_blocks).permutation(N)
    placed = DaskGraph.from_graph(Tasks(client), graph, n_blocks, order)
    groups = placed.cut((np.arange(N) * GROUPS // N).astype(np.int16))
    placed.cells = placed.tasks.keep(placed.tasks.each("groups", given, groups)), GROUPS
    engine = DaskEngine(placed)
    level = np.sqrt(graph.degrees) if level is None else level
    view = Coarse(level, lambda most: None) if coarse else None
    solution = engine.solve(scaling, block_of(engine, b), coarse=view)
    return columns_of(engine, solution.x), solution


def test_the_same_bits_in_any_number_of_blocks_after_fewer_iterations(client):
    graph, scaling, b = chain_system()
    A = np.eye(N) - scaling[:, None] * graph.S.toarray() * scaling
    first, quick = solved(client, 1, coarse=True)
    exact = np.linalg.solve(A, b)
    np.testing.assert_allclose(first[:, 0], exact[:, 0], atol=2e-3 * np.abs(exact[:, 0]).max())
    np.testing.assert_allclose(first[:, 1], exact[:, 1], atol=2e-3 * np.abs(exact[:, 1]).max())
    assert not first[:, 2].any()
    assert quick.residual <= 1e-4
    assert 3 * quick.iterations < solved(client, 1, coarse=False)[1].iterations
    for n_blocks in (2, 5):
        again, found = solved(client, n_blocks, coarse=True)
        np.testing.assert_array_equal(again, first)
        assert (found.iterations, found.residual) == (quick.iterations, quick.residual)


@pytest.mark.parametrize("scale", [0.0, 1e-20, 1e12])
def test_a_level_of_any_size_does_no_harm(client, scale):
    level = scale * np.sqrt(chain_system()[0].degrees)
    level[: N // 2] *= 1e6
    assert solved(client, 2, coarse=True, level=level)[1].residual <= 1e-4


def test_a_group_without_a_level_stays_apart():
    coupling = np.array([[0.5, 0.0], [0.0, 0.0]])
    found = inverted(coupling, np.array([True, False]))
    np.testing.assert_allclose(found, [[2.0, 0.0], [0.0, 1.0]], rtol=1e-5)


def test_vertices_with_a_label_have_no_level():
    view = CoarseView(np.array([3.0, 2.0, 9.0]), np.array([0, 1, 0]), n_groups=3)
    np.testing.assert_array_equal(view.where(np.array([True, True, False])).highest(), [3.0, 2.0, 0.0])
