"""Fitted maps: by hand, on sparse rows, and after a pickle."""

import pickle

import numpy as np
from scipy import sparse

from graphwell.metric.maps import (
    Chain,
    Identity,
    Linear,
    LogOfCounts,
    Scale,
    UnitLength,
    beside,
    spread_of,
)

ROWS = np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
MAPS = [
    Identity(),
    Scale(np.array([1.0, 2.0]), np.array([2.0, 0.0])),
    Linear(np.ones(2), np.array([[1.0], [2.0]])),
    Linear(np.ones(2), np.array([[1.0], [2.0]]), bias=np.array([0.5])),
    LogOfCounts(),
    UnitLength(),
    Chain((LogOfCounts(), Linear(np.zeros(2), np.eye(2)))),
    beside((Identity(), UnitLength()), ROWS),
]


def test_sparse_rows_are_mapped_as_dense_ones():
    for each in MAPS:
        found = each(sparse.csr_array(ROWS))
        found = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(found, each(ROWS))


def test_maps_can_be_pickled():
    for each in MAPS:
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(each))(ROWS), each(ROWS))


def test_single_precision_stays():
    assert Scale(np.zeros(2), np.ones(2))(ROWS.astype(np.float32)).dtype == np.float32


def test_blocks_beside_each_other_weigh_the_same():
    X = np.random.default_rng(0).normal(size=(50, 3)) * 100
    joined = beside((Identity(), Scale(np.zeros(3), np.full(3, 1e-3))), X)(X)
    np.testing.assert_allclose([spread_of(joined[:, :3]), spread_of(joined[:, 3:])], 1.0)


def test_rows_that_are_all_alike_have_spread_one():
    assert spread_of(np.ones((4, 2))) == 1.0
