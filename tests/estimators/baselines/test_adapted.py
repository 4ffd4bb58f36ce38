"""Function-adapted eigenfunctions against the recipe in dense matrices."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.estimators.baselines import AdaptedEigenfunctions, adapted
from tests.estimators.baselines.cases import connected_case
from tests.helpers import blobs, few


def test_labels_are_fitted_by_eigenvectors_of_the_adapted_graph():
    X, _ = blobs(n=15)
    X = X + np.random.default_rng(1).normal(size=X.shape)
    y = np.full(45, -1)
    y[[0, 15, 30]] = [0, 1, 2]
    W = Graph.from_features(X).W.toarray()
    walk = np.linalg.matrix_power(W / W.sum(axis=1, keepdims=True), adapted.DEFAULT[0])
    classes = walk @ (np.eye(3)[y] * (y >= 0)[:, None])
    classes /= classes.sum(axis=1, keepdims=True)
    weight = np.sqrt(X.var(axis=0).sum() / classes.var(axis=0).sum())
    L = Graph.from_features(np.column_stack([X, weight * classes])).L_s.toarray()
    vectors = np.linalg.eigh(L)[1][:, :3]
    expected = vectors @ np.linalg.lstsq(vectors[y >= 0], np.eye(3), rcond=None)[0]
    found = AdaptedEigenfunctions(random_state=0).fit(X, y).transduction_
    np.testing.assert_array_equal(found, expected.argmax(axis=1))


def test_steps_and_eigenvectors_are_chosen_on_a_part_of_many_rows(monkeypatch):
    monkeypatch.setattr(adapted, "ROWS_TO_CHOOSE_ON", 60)
    X, truth = blobs()
    y = np.where(np.arange(180) % 9 == 0, truth, -1)
    clf = AdaptedEigenfunctions(random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.transduction_, truth)


def test_a_graph_without_features_is_refused():
    graph, y = connected_case(1)
    with pytest.raises(ValueError, match="the graph has none; give features instead"):
        AdaptedEigenfunctions().fit(Graph.from_affinity(graph.W), y)
    X, truth = blobs(n=10)
    assert len(AdaptedEigenfunctions(random_state=0).fit(X, few(truth)).transduction_) == 30
