"""The nearest label across blocks, however they are cut."""

import numpy as np
import pytest

from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from graphwell.solve.problem import Problem
from tests.helpers import assert_nearest, chain, random_graph


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
def test_nearest_labels_are_those_of_all_shortest_paths(client, n_blocks):
    rng = np.random.default_rng(n_blocks)
    graph = random_graph(rng, 60, 0.05)
    labels = np.where(rng.random(60) < 0.1, rng.integers(3, size=60), -1)
    many = DaskGraph.from_graph(Tasks(client), graph, n_blocks, rng.permutation(60))
    assert_nearest(Problem(graph, labels, 3), DaskEngine(many).nearest(labels))


def test_a_label_travels_through_every_block(client):
    labels = np.full(40, -1)
    labels[0] = 2
    many = DaskGraph.from_graph(Tasks(client), chain(*np.ones(39)), 4)
    assert DaskEngine(many).nearest(labels).tolist() == [2] * 40
