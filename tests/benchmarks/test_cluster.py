"""The arithmetic of the benchmark by hand."""

import numpy as np
import pytest

from benchmarks.cluster import shares, surface
from graphwell.backends.blocks.programs import Effort


def effort(seconds, waited):
    return Effort("sweeps", rounds=21, bytes_sent=100, seconds=seconds, seconds_waited=waited)


def test_shares_are_those_of_the_busiest_worker():
    # Two steps of two workers: the first computes 1.0 + 0.5 s, the second 1.2 + 0.8 s.
    swept = [effort(1.5, 0.5), effort(1.5, 0.3), effort(1.0, 0.5), effort(1.0, 0.2)]
    found = shares(swept, seconds=4.0, n_workers=2)
    assert found == pytest.approx({"sweeping": 0.5, "waiting": 0.125, "scheduling": 0.375})


def test_every_part_lies_on_the_same_surface():
    (X, truth), (Y, other) = surface(400, seed=0), surface(400, seed=1)
    assert not np.array_equal(X, Y)
    for c in range(8):
        centre, next_centre = X[truth == c].mean(axis=0), Y[other == c].mean(axis=0)
        assert np.linalg.norm(centre - next_centre) < 0.5 * np.linalg.norm(X - X.mean(axis=0), axis=1).mean()
