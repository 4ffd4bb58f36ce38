"""Measure propagation against a general minimiser of its objective."""

import numpy as np
import pytest
from scipy.optimize import minimize

from graphwell.errors import OptionError
from graphwell.estimators.baselines import MeasurePropagation
from tests.helpers import blobs, chain, few


def objective(parameters, W, y, mu, nu):
    p, q = np.exp(parameters.reshape(2, len(y), 2))
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    known = y >= 0
    at_labels = -np.log(q[known, y[known]]).sum()
    between = sum(W[i, j] * (p[i] * np.log(p[i] / q[j])).sum() for i in range(len(y)) for j in range(len(y)))
    return at_labels + mu * between + nu * (p * np.log(p)).sum()


def test_the_objective_is_minimised():
    graph, y, mu, nu = chain(1.0, 0.5, 2.0), np.array([0, -1, -1, 1]), 0.3, 0.05
    W = graph.W.toarray() + np.eye(4)
    best = minimize(objective, np.zeros(16), args=(W, y, mu, nu), method="BFGS", options={"gtol": 1e-7})
    p = np.exp(best.x.reshape(2, 4, 2)[0])
    clf = MeasurePropagation(mu=mu, nu=nu, tol=1e-13, max_iter=100_000).fit(graph, y)
    np.testing.assert_allclose(clf.label_distributions_, p / p.sum(axis=1, keepdims=True), atol=1e-3)


@pytest.mark.parametrize("field", ["mu", "nu", "self_weight", "tol"])
def test_what_makes_no_sense_is_refused_by_name(field):
    X, truth = blobs(n=10)
    with pytest.raises(OptionError, match=f"^{field} must be positive"):
        MeasurePropagation(**{field: -1.0}).fit(X, few(truth))
