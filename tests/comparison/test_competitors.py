"""Who takes part, and what they are given."""

import numpy as np
import pytest

from graphwell import UnreachableWarning
from graphwell.comparison.competitors import MANY_ROWS, Ground, competitors
from graphwell.estimators.registry import methods
from graphwell.graph import Graph

TRUTH = np.repeat([0, 1], 15)
X = np.random.default_rng(0).normal(size=(30, 3)) + 9 * TRUTH[:, None]
Y = np.full(30, -1)
Y[[0, 1, 15, 16]] = [0, 0, 1, 1]
SOME = ("diffuse interface", "binary interface", "laplace", "volume mbo", *list(competitors())[-4:])


def test_every_method_of_the_registry_takes_part():
    assert set(methods()) < set(competitors())


@pytest.mark.parametrize("name", SOME)
def test_everyone_labels_two_clusters_and_keeps_what_is_given(name):
    ground = Ground(X, Graph.from_features(X, n_neighbors=5, scale_neighbor=5), 2, n_jobs=1)
    found = competitors()[name].label(ground, Y)
    assert (found == TRUTH).mean() >= 29 / 30
    assert (found[Y >= 0] == Y[Y >= 0]).all()


def test_methods_with_sizes_are_told_those_of_the_labels():
    """Nine of ten labels are of one class: equal sizes would give the other class half of the rows."""
    given = np.concatenate([np.full(9, 0), np.full(18, -1), [1], np.full(2, -1)])
    rows = np.random.default_rng(0).normal(size=(30, 2)) + 50 * (np.arange(30) >= 27)[:, None]
    ground = Ground(rows, Graph.from_features(rows, n_neighbors=4, scale_neighbor=4), 2, n_jobs=1)
    assert (competitors()["volume mbo"].label(ground, given) == np.repeat([0, 1], [27, 3])).all()


def test_rows_that_no_label_reaches_get_none():
    W = np.kron(np.eye(2), 1 - np.eye(3))
    ground = Ground(np.zeros((6, 1)), Graph.from_affinity(W), 2, n_jobs=1)
    with pytest.warns(UnreachableWarning):
        found = competitors()["laplace"].label(ground, np.array([0, 1, -1, -1, -1, -1]))
    assert (found[3:] == -1).all()


def test_reasons_to_be_left_out():
    everyone = competitors()
    assert "at most 2 classes" in everyone["binary interface"].refusal(10, 3, named=True)
    assert "slow" in everyone["simplex"].refusal(MANY_ROWS + 1, 3, named=False)
    assert everyone["simplex"].refusal(MANY_ROWS + 1, 3, named=True) == ""
    assert everyone["laplace"].refusal(10**6, 3, named=False) == ""
