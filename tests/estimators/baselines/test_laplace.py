"""Laplace learning against the dense solution."""

import numpy as np
import pytest

from graphwell.estimators.baselines import LaplaceLearning
from tests.estimators.baselines.cases import connected_case, normalised
from tests.helpers import blobs, few


@pytest.mark.parametrize("weights", ["none", "wnll"])
def test_laplace_learning_matches_the_dense_solution(weights):
    graph, y = connected_case(4)
    W = graph.W.toarray()
    if weights == "wnll":
        a = np.where(y >= 0, 24 / 6, 1.0)
        W = a[:, None] * W + W * a[None, :]
    L = np.diag(W.sum(axis=1)) - W
    expected = np.linalg.solve(L[6:, 6:], W[6:, :6] @ np.eye(3)[y[:6]])
    found = LaplaceLearning(weights=weights).fit(graph, y).label_distributions_
    np.testing.assert_allclose(found[6:], normalised(expected), atol=1e-3)


def test_bad_weights_get_one_clear_sentence():
    X, truth = blobs()
    with pytest.raises(ValueError, match="weights must be one of none, wnll, poisson"):
        LaplaceLearning(weights="cubic").fit(X, few(truth))
