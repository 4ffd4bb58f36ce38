"""The arithmetic of the benchmark by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.cluster import costs_of, surface
from graphwell.backends.dask.backend import Effort


def test_shares_are_those_of_the_worker_that_took_longest():
    efforts = [Effort(40, 100, seconds=2.0, seconds_waited=1.5), Effort(40, 50, 3.0, seconds_waited=0.5)]
    graph = SimpleNamespace(efforts=efforts, recall_=1.0, halo=0.25)
    found = costs_of(SimpleNamespace(graph_=graph, timings_={"start": 1.0}, n_iter_=7), seconds=4.0)
    assert found["waiting"] == pytest.approx(0.125)
    assert found["scheduling"] == pytest.approx(0.25)
    assert (found["rounds"], found["bytes"], found["sweeps"]) == (40, 150, 7)


def test_every_part_lies_on_the_same_surface():
    (X, truth), (Y, other) = surface(400, seed=0), surface(400, seed=1)
    assert not np.array_equal(X, Y)
    for c in range(8):
        centre, next_centre = X[truth == c].mean(axis=0), Y[other == c].mean(axis=0)
        assert np.linalg.norm(centre - next_centre) < 0.5 * np.linalg.norm(X - X.mean(axis=0), axis=1).mean()
