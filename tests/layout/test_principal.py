"""The quick map."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from graphwell.layout.principal import principal_map


def test_it_is_that_of_scikit_learn_up_to_signs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 12)) * np.geomspace(10, 1, 12)
    found, wanted = principal_map(X), PCA(2, random_state=0).fit_transform(X)
    for column in range(2):
        assert abs(np.corrcoef(found[:, column], wanted[:, column])[0, 1]) > 0.9999


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (2, 1), (5, 1), (3, 0)])
def test_few_rows_and_columns_have_places(shape):
    places = principal_map(np.arange(np.prod(shape), dtype=float).reshape(shape))
    assert places.shape == (shape[0], 2)
    assert np.isfinite(places).all()


def test_equal_rows_lie_in_one_place_and_wild_values_are_no_harm():
    assert (principal_map(np.ones((4, 3))) == 0).all()
    wild = principal_map(np.array([[np.nan, 1.0], [np.inf, 2.0], [1e30, -1e30], [0.0, 0.0]]))
    assert np.isfinite(wild).all()


def test_the_number_of_threads_changes_no_bit():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 40))
    with threadpool_limits(1):
        one = principal_map(X)
    with threadpool_limits(3):
        assert (principal_map(X) == one).all()
