"""Rows side by side, as sweeps and products want them."""

import numpy as np
import pytest

from graphwell._threads import ThreadPool
from graphwell.backends.cpu.layout import LANES, SlicedRows
from tests.helpers import random_graph


@pytest.mark.parametrize("density", [0.0, 0.01, 0.5])
def test_the_layout_holds_the_matrix(density):
    graph = random_graph(np.random.default_rng(2), 137, density)
    rows = SlicedRows.from_graph(graph, np.float64)
    dense = np.zeros((rows.n_positions, rows.n_positions))
    for s in range(len(rows.starts) - 1):
        for entry in range(rows.starts[s], rows.starts[s + 1]):
            dense[s * LANES + entry % LANES, rows.columns[entry]] += rows.values[entry]
    np.testing.assert_array_equal(dense[:137, :137], graph.S.toarray()[np.ix_(rows.order, rows.order)])


def test_threads_lay_out_the_same():
    graph = random_graph(np.random.default_rng(4), 333, 0.05)
    one, three = (SlicedRows.from_graph(graph, np.float32, ThreadPool(n)) for n in (1, 3))
    for name in ("order", "starts", "columns", "values", "row_sums"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_values_come_back_to_their_vertices():
    rows = SlicedRows.from_graph(random_graph(np.random.default_rng(3), 50, 0.1), np.float32)
    values = np.arange(50.0)
    np.testing.assert_array_equal(rows.restored(rows.placed(values, np.float64)), values)
    np.testing.assert_array_equal(rows.order[rows.position], np.arange(50))
