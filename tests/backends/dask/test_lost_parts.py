"""Bridges between the parts of a graph on a cluster are those of one machine."""

import dask.array as da
import numpy as np
import pytest

from graphwell import BridgedWarning, Graph
from graphwell.backends.dask.backend import Backend
from tests.backends.dask.cases import QUICK, fitted, rows_and_labels

pytestmark = pytest.mark.slow  # a fit or two on a cluster each


def with_islands():
    """Three clusters with labels, and islands without any: one beside the other, and a large one."""
    X, y, _ = rows_and_labels()
    far = [X[:30] + 100, X[30:60] + 130, X[100:400] - 200]
    return np.vstack([X, *far]), np.concatenate([y, np.full(360, -1)])


def test_the_bridged_graph_is_that_of_one_machine(client):
    X, y = with_islands()
    one = Graph.from_features(X).bridged(y >= 0)
    backend = Backend()
    rows = backend.read_rows(da.from_array(X, chunks=(300, 10)), "euclidean")
    many = backend.build_graph(rows, 10, 10, "euclidean", lambda *_: None).bridged(y >= 0)
    assert many.n_components == one.n_components
    assert many.bridges.n_parts == one.bridges.n_parts == 3
    for name in ("near", "far", "weights", "rows"):
        np.testing.assert_array_equal(getattr(many.bridges, name), getattr(one.bridges, name))
    assert (many.W != one.W).nnz == 0
    assert many.bridged(np.ones(len(y), dtype=bool)) is many


def test_rows_in_reach_over_a_bridge_alone(client):
    X, y = with_islands()
    with pytest.warns(BridgedWarning, match="360 of 960 rows lie in 3 parts"):
        one = fitted(X, y, **QUICK)
    with pytest.warns(BridgedWarning, match="360 of 960 rows lie in 3 parts") as caught:
        many = fitted(da.from_array(X, chunks=(300, 10)), y, **QUICK)
    assert len(caught) == 1
    np.testing.assert_array_equal(many.bridged_.compute(), np.arange(960) >= 600)
    assert many.bridged_.chunks == many.transduction_.chunks
    assert many.reachable_.compute().all()
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_allclose(many.label_distributions_.compute(), one.label_distributions_, atol=1e-4)
    assert set(many.doubtful(360)) == set(range(600, 960))
    np.testing.assert_array_equal(many.predict(X[-3:]), one.predict(X[-3:]))
