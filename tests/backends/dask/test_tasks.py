"""The client in use, and tasks that wait for each other."""

from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest

from graphwell.backends.dask.tasks import Tasks, array_of, blocks_of, workers_of
from tests.backends.dask.cases import fitted, rows_and_labels


@pytest.fixture(scope="module")
def data():
    return rows_and_labels()


def test_without_a_client_or_a_connected_one(data):
    rows = da.from_array(data[0], chunks=(200, 10))
    with pytest.raises(ValueError, match="X is a Dask array but there is no Dask client; start one first"):
        fitted(rows, data[1])


def test_a_client_that_is_not_connected(client, data, monkeypatch):
    monkeypatch.setattr(client, "status", "connecting")
    with pytest.raises(ValueError, match=r"The Dask client is not connected \(its status is connecting\)"):
        fitted(da.from_array(data[0], chunks=(200, 10)), data[1])


def test_without_dask_the_pip_line_is_told(monkeypatch, data):
    rows = da.from_array(data[0], chunks=(200, 10))
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ImportError, match=r'pip install "graphwell\[dask\]"'):
        fitted(rows, data[1])


def test_an_answer_without_workers_is_not_taken_for_a_cluster_without_any():
    """Dask's client overwrites what it knows of the scheduler every other second, leaving the workers out."""
    answers = iter([{"workers": {}, "n_workers": 2}, {"workers": {"a": 1, "b": 2}, "n_workers": 2}])
    assert workers_of(SimpleNamespace(scheduler_info=lambda n_workers: next(answers))) == {"a": 1, "b": 2}
    nobody = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": {}, "n_workers": 0})
    assert workers_of(nobody) == {}


def plus(a, b, factor=1):
    return a + factor * b


def test_tasks_of_blocks_wait_for_each_other(client):
    tasks = Tasks(client)
    first = tasks.each("first", plus, [1, 2], [10, 20])
    second = tasks.keep(tasks.each("second", plus, first, [100, 200], factor=2))
    assert tasks.results(second) == [211, 422]
    assert tasks.results(first) == [11, 22]


def test_what_a_task_raises_is_raised_here(client):
    tasks = Tasks(client)
    with pytest.raises(TypeError):
        tasks.results(tasks.each("wrong", plus, [1], ["a"]))


def test_pieces_go_to_their_receivers(client):
    tasks = Tasks(client)
    pieces = tasks.each("split", list, [["a0", "a1"], ["b0", "b1"]])
    assert tasks.results(tasks.exchange("join", pieces, 2, "".join)) == ["a0b0", "a1b1"]


def test_a_dask_array_becomes_blocks_and_blocks_an_array(client):
    X = da.from_array(np.arange(12.0).reshape(6, 2), chunks=(4, 2))
    again = array_of(blocks_of(X + 1), (4, 2), 2, np.float64)
    np.testing.assert_array_equal(again.compute(), X.compute() + 1)
    column = array_of(blocks_of(X[:, 0]), (4, 2), None, np.float64)
    np.testing.assert_array_equal(column.compute(), X[:, 0].compute())
