"""Dask arrays as blocks of tasks, and back."""

import dask
import dask.array as da
import numpy as np

from graphwell.backends.dask.handles import MESSAGES_KEPT, Handle, array_of, blocks_of, graph_of, short_logs


def test_a_dask_array_becomes_blocks_and_blocks_an_array(client):
    X = da.from_array(np.arange(12.0).reshape(6, 2), chunks=(4, 2))
    again = array_of(blocks_of(X + 1), (4, 2), 2, np.float64)
    np.testing.assert_array_equal(again.compute(), X.compute() + 1)
    column = array_of(blocks_of(X[:, 0]), (4, 2), None, np.float64)
    np.testing.assert_array_equal(column.compute(), X[:, 0].compute())


def test_little_work_is_done_inside_of_the_tasks_that_need_it(client):
    rows = Handle("rows", (np.arange, 4))
    twice = Handle("twice", (np.multiply, rows, 2), inside=True)
    total = Handle("total", (np.sum, [[twice, np.ones(4)], [twice, rows]], 0))
    assert set(graph_of([total])) == {"rows", "total"}
    found = client.get(graph_of([total]), "total")
    np.testing.assert_array_equal(found, [[0, 4, 8, 12], [1, 2, 3, 4]])


def test_a_cluster_that_starts_here_keeps_few_messages():
    before = dask.config.get("distributed.admin.low-level-log-length")
    with short_logs():
        assert dask.config.get("distributed.admin.low-level-log-length") == MESSAGES_KEPT < before
    assert dask.config.get("distributed.admin.low-level-log-length") == before
