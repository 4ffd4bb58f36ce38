"""Clusters by graphwell's own questions."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import graphwell as gw
from graphwell.metrics import matched_error
from tests.helpers import blobs


def test_clear_clusters_are_found_and_named():
    X, truth = blobs(n=40)
    clusterer = gw.DiffuseInterfaceClustering(3, random_state=0, n_jobs=1)
    found = clusterer.fit_predict(X)
    assert matched_error(found, truth) <= 0.02
    np.testing.assert_array_equal(clusterer.fit(X).labels_, found)
    y = np.full(len(truth), -1)
    y[[0, 50, 110]] = truth[[0, 50, 110]] + 7
    named = gw.DiffuseInterfaceClustering(random_state=0, n_jobs=1).fit(X, y).transduction_
    assert (named == truth + 7).mean() >= 0.98


def test_digits_are_told_apart_without_a_label():
    X, truth = load_digits(return_X_y=True)
    graph = gw.Graph.from_features(X, n_jobs=1)
    found = [gw.DiffuseInterfaceClustering(10, random_state=1, n_jobs=1).fit_predict(graph) for _ in range(2)]
    assert matched_error(found[0], truth) < 0.08
    assert (found[0] == found[1]).all()


def test_parts_without_a_cluster_are_told():
    W = np.kron(np.eye(3), 1 - np.eye(4))
    with pytest.warns(UserWarning, match="4 rows lie in components of the graph that hold no cluster"):
        found = gw.DiffuseInterfaceClustering(2, metric="precomputed", random_state=0).fit_predict(W)
    assert sorted(np.bincount(found + 1)) == [4, 4, 4]
    whole = gw.DiffuseInterfaceClustering(3, metric="precomputed", random_state=0).fit_predict(W)
    assert len(np.unique(whole.reshape(3, 4), axis=1)[0]) == 1
    assert (gw.DiffuseInterfaceClustering(1, metric="precomputed").fit_predict(W) == 0).all()


def test_a_label_elsewhere_does_not_reach_rows_without_a_cluster():
    W = np.kron(np.eye(3), 1 - np.eye(4))
    y = [5] + 4 * [-1] + [9] + 6 * [-1]
    with pytest.warns(UserWarning, match="rows lie in"):
        clf = gw.DiffuseInterfaceClustering(2, metric="precomputed", random_state=0).fit(W, y)
    assert (clf.transduction_[:4] == 5).all()
    assert (clf.transduction_[4:8] == 9).all()
    assert not clf.reachable_[8:].any()
