"""Features in single precision without loss near the origin of the data."""

import numpy as np

from graphwell.graph.scaling import Scaling


def test_scaled_rows_come_back():
    X = 1e6 + np.random.default_rng(0).normal(size=(50, 3))
    scaling = Scaling.of(X)
    assert np.abs(scaling(X)).max() <= 2
    np.testing.assert_allclose(scaling.restored(scaling(X)), X, atol=1e-5)


def test_the_range_of_the_features_is_enough():
    X = np.random.default_rng(1).normal(size=(40, 2))
    given = Scaling.within(X.min(axis=0), X.max(axis=0), X.mean(axis=0))
    np.testing.assert_allclose(given(X), Scaling.of(X)(X), rtol=1e-5, atol=1e-6)
