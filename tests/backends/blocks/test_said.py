"""What a function says of rows, brought to the blocks of a graph in any order."""

import numpy as np
import pytest

from graphwell.backends.blocks.said import ask
from graphwell.backends.dask.engine import DaskEngine, SaidOnWorkers
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from tests.helpers import columns_of, random_graph


def test_it_is_asked_in_single_precision():
    said = ask(np.array([[1.0], [2.0]]), lambda rows: rows * [[1.0, 10.0]])
    assert said.dtype == np.float32
    assert said.tolist() == [[1.0, 10.0], [2.0, 20.0]]


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_every_row_gets_what_was_said_of_it(client, n_blocks):
    rng = np.random.default_rng(n_blocks)
    graph, rows, tasks = random_graph(rng, 40, 0.2), rng.random((40, 2)), Tasks(client)
    engine = DaskEngine(DaskGraph.from_graph(tasks, graph, n_blocks, rng.permutation(40)))
    starts = np.array([0, 7, 8, 40])
    blocks = tasks.each("hear", ask, np.split(rows, starts[1:-1]), voice=np.sqrt)
    found = engine.spread(SaidOnWorkers(blocks, starts), np.arange(40))
    np.testing.assert_array_equal(columns_of(engine, found), np.sqrt(rows).astype(np.float32))
