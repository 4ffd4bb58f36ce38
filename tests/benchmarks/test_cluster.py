"""The arithmetic of the benchmark by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.cluster import bytes_per_sweep, shares, surface
from graphwell import Graph
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks


def task(name, worker, *parts):
    return {
        "key": f"graphwell-{name}-0-1",
        "worker": worker,
        "startstops": [{"action": action, "start": 10.0, "stop": 10.0 + s} for action, s in parts],
    }


def test_shares_are_those_of_the_busiest_worker():
    stream = [
        task("sweep", "a", ("transfer", 0.5), ("compute", 1.0)),
        task("finish", "a", ("compute", 1.0), ("deserialize", 9.0)),
        task("sweep", "b", ("transfer", 3.0), ("compute", 1.5)),
        task("cg-product", "b", ("compute", 100.0)),
    ]
    found = shares(stream, seconds=4.0)
    assert found == pytest.approx({"sweeping": 0.5, "transfer": 0.125, "scheduling": 0.375})


def test_an_export_is_counted_once_for_each_other_worker(client):
    chain = np.diag(np.ones(99), 1)
    graph = DaskGraph.from_graph(Tasks(client), Graph.from_affinity(chain + chain.T), 4)
    # Blocks 0 and 1 live on one worker, 2 and 3 on the other; 1 and 2 have two boundary vertices each.
    assert bytes_per_sweep(SimpleNamespace(graph_=graph, classes_=[0, 1])) == 2 * (2 * 4 + 2 * 8)


def test_every_part_lies_on_the_same_surface():
    (X, truth), (Y, other) = surface(400, seed=0), surface(400, seed=1)
    assert not np.array_equal(X, Y)
    for c in range(8):
        centre, next_centre = X[truth == c].mean(axis=0), Y[other == c].mean(axis=0)
        assert np.linalg.norm(centre - next_centre) < 0.5 * np.linalg.norm(X - X.mean(axis=0), axis=1).mean()
