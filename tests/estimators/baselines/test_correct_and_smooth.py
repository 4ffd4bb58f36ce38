"""Correct and smooth against dense matrices."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from graphwell import Graph
from graphwell.errors import OptionError
from graphwell.estimators.baselines import CorrectAndSmooth
from tests.estimators.baselines.cases import connected_case, normalised
from tests.helpers import blobs, few


def test_errors_and_answers_spread_as_the_dense_inverse_has_it():
    X, truth = blobs(n=12)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    graph, y = Graph.from_features(X), few(truth)
    known, Y = y >= 0, np.eye(3)[y] * (y >= 0)[:, None]
    Z = StandardScaler().fit_transform(X)
    model = LogisticRegression(max_iter=500).fit(Z[known], y[known]).predict_proba(Z)
    walk = np.linalg.inv(np.eye(len(y)) - 0.7 * graph.S.toarray()) * 0.3
    errors = np.where(known[:, None], Y - model, 0.0)
    spread = walk @ errors
    size = np.abs(errors[known]).sum(axis=1).mean()
    corrected = model + size * spread / np.abs(spread).sum(axis=1, keepdims=True)
    expected = np.maximum(walk @ np.where(known[:, None], Y, corrected), 0)
    clf = CorrectAndSmooth(alpha_correct=0.7, alpha_smooth=0.7).fit(graph, y)
    np.testing.assert_allclose(clf.label_distributions_, normalised(expected), atol=1e-4)


def test_a_graph_without_features_lends_its_eigenvectors():
    graph, y = connected_case(1)
    clf = CorrectAndSmooth().fit(Graph.from_affinity(graph.W), y)
    np.testing.assert_array_equal(clf.transduction_[:6], y[:6])
    assert np.isfinite(clf.label_distributions_).all()


@pytest.mark.parametrize("field", ["alpha_correct", "alpha_smooth"])
def test_what_makes_no_sense_is_refused_by_name(field):
    X, truth = blobs(n=10)
    with pytest.raises(OptionError, match=f"^{field} must lie between 0 and 1, got 1.0"):
        CorrectAndSmooth(**{field: 1.0}).fit(X, few(truth))
