"""The client in use and the rows of a Dask array: what is wrong with them is said in one sentence."""

import tracemalloc
from types import SimpleNamespace

import dask
import dask.array as da
import numpy as np
import pytest
from dask import delayed

from graphwell import DiffuseInterfaceClassifier
from graphwell.backends.dask.client import workers_of
from tests.backends.dask.cases import SHORT, fitted, rows_and_labels


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
    changing = SimpleNamespace(status="running", scheduler_info=lambda n_workers: next(answers))
    assert workers_of(changing) == {"a": 1, "b": 2}
    nobody = SimpleNamespace(
        status="running", scheduler_info=lambda n_workers: {"workers": {}, "n_workers": 0}
    )
    assert workers_of(nobody) == {}


def points(n, seed):
    """Some rows of a cloud."""
    return np.random.default_rng(seed).normal(size=(n, 3))


def peak_of_client(n, n_classes):
    """The most that Python holds in this process during a fit of rows that the workers make."""
    parts = [delayed(points)(n // 5, seed) for seed in range(5)]
    X = da.concatenate([da.from_delayed(part, (n // 5, 3), np.float64) for part in parts])
    y = np.where(np.arange(n) % 20 == 0, np.arange(n) // 20 % n_classes, -1).astype(np.int8)
    tracemalloc.start()
    try:
        fitted(X, y, start="diffusion", schedule=SHORT).doubtful(5)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_the_client_holds_few_bytes_of_each_row(processes):
    """Scores of twelve classes would take 48 more."""
    few, many = 5_000, 25_000
    peak_of_client(1_000, 12)  # what is imported counts as memory too
    per_row = (peak_of_client(many, 12) - peak_of_client(few, 12)) / (many - few)
    assert 0 < per_row < 40


def blocks_of(make):
    """An array of three blocks of 20 rows that says it has 12 columns."""
    graph = {("lying", i, 0): (make,) for i in range(3)}
    return da.Array(graph, "lying", ((20, 20, 20), (12,)), meta=np.empty((0, 0)))


def with_nan(n_bad):
    X = np.arange(1200.0).reshape(60, 20) % 7
    X[35, :n_bad] = np.nan
    return da.from_array(X, chunks=(20, 20))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (da.ones((60, 20), chunks=(30, 10)), r"X is cut into 2 chunks along its columns; .* X\.rechunk"),
        (
            da.ones((60, 20), chunks=(20, 20))[da.arange(60, chunks=20) > 3],
            "X has chunks of unknown size; call",
        ),
        (with_nan(1), r"X holds 1 NaN or infinite value in its rows 20 to 39; fill or remove"),
        (with_nan(2), r"2 NaN or infinite values in its rows 20 to 39"),
        (da.ones(60, chunks=20), "X must have two dimensions, got a Dask array of 1"),
        (da.ones((60, 2), chunks=(20, 2)), "X has only identical rows"),
        (da.ones((1, 2)), "X must have at least 2 rows"),
        (da.full((60, 2), 1e200), "X holds values beyond 1e.150; rescale"),
        (da.from_array(np.full((60, 2), "a")), "X must hold real numbers"),
        (dask.delayed([1]), "X must be a Dask array, got a Dask Delayed"),
        # blocks that are not what the array says
        (
            blocks_of(lambda: np.zeros((3, 12))),
            r"a block of X has the shape \(3, 12\) where the array says \(20, 12\)",
        ),
        (blocks_of(lambda: np.zeros((20, 2))), r"shape \(20, 2\) where the array says"),
        (blocks_of(lambda: np.zeros(20)), r"shape \(20,\) where the array says"),
        (blocks_of(lambda: np.full((20, 12), "x")), "Rows .* must hold real numbers"),
    ],
)
def test_bad_rows_get_one_sentence(client, X, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier(models=None).fit(X, np.arange(60) % 3 - 1)
