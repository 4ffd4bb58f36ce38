"""New rows, by the vote of fitted ones."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph, UnreachableWarning
from graphwell.backends.induction import Induction, distributions, two_highest_apart

CLASSES, PRIOR = np.array(["a", "b"]), np.array([0.25, 0.75])


def induction(origin=None, reachable=(True, True, True)):
    scores = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    return Induction(origin, CLASSES, scores, np.array(reachable), PRIOR)


def test_affinities_vote():
    found = induction().scores([[1.0, 1.0, 0.0], [0.0, 3.0, 1.0]])
    np.testing.assert_allclose(found, [[0.5, 0.5], [0.125, 0.875]])
    np.testing.assert_allclose(induction().scores(sparse.csr_array([[2.0, 0.0, 0.0]])), [[1.0, 0.0]])
    assert induction().labels([[0.0, 1.0, 0.0]]).tolist() == ["b"]


def test_a_row_that_is_linked_to_none_gets_the_prior():
    with pytest.warns(UnreachableWarning, match="1 of 2 rows are linked to no fitted row"):
        found = induction().scores([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(found[0], PRIOR)
    with pytest.warns(UnreachableWarning, match="1 of 1 rows"):
        induction(reachable=(True, True, False)).scores([[0.0, 0.0, 1.0]])


def test_features_vote_by_the_kernel_of_the_graph():
    X = np.array([[0.0], [1.0], [5.0]])
    graph = Graph.from_features(X, n_neighbors=1, scale_neighbor=1)
    made = induction(graph.origin)
    assert made.takes_features
    assert not induction().takes_features
    np.testing.assert_allclose(made.scores([[0.1], [0.9]]), [[1.0, 0.0], [0.0, 1.0]])
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again.scores([[0.1]]), made.scores([[0.1]]))


def test_the_least_certain_of_fitted_rows():
    none, made = np.zeros(3, dtype=bool), induction(reachable=(True, False, True))
    assert made.least_certain(3, none, none).tolist() == [1, 2, 0]
    assert made.least_certain(1, none, np.array([True, False, False])).tolist() == [1]
    assert made.least_certain(9, np.array([False, True, False]), none).tolist() == [2, 0]
    assert made.least_certain(2, ~none, none).tolist() == made.least_certain(0, none, none).tolist() == []
    assert two_highest_apart(np, np.array([[0.2]])).tolist() == [1.0]


def test_distributions_agree_with_the_assigned_class():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = distributions(np, np.array([0, 1, 0]), np.array([[1.0, 3.0], [0.0, 0.0], [-2.0, -1.0]]))
    np.testing.assert_array_equal(found.argmax(axis=1), [0, 1, 0])
    np.testing.assert_allclose(found.sum(axis=1), 1)
