"""The client in use: what is said where there is none, or none that can be used."""

from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest

from graphwell.backends.dask.client import forget_messages, workers_of
from graphwell.backends.dask.tasks import Tasks
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


def test_what_was_sent_does_not_stay_with_the_client(client):
    tasks = Tasks(client)
    for _ in range(5):
        tasks.results(tasks.each("length", len, [np.zeros(50_000)]))
    log = client.scheduler_comm.recent_message_log
    forget_messages(client)
    assert len(log) == 0
    tasks.results(tasks.each("length", len, [np.zeros(50_000)]))
    assert sum(message.get("op") == "update-graph" for batch in log for message in batch) <= 1
    forget_messages(SimpleNamespace())  # another version of Dask may keep no log
