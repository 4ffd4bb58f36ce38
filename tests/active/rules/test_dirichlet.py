"""Dirichlet learning against dense formulas."""

import numpy as np

from graphwell.active.rules.dirichlet import dirichlet, reaches, variances
from graphwell.active.smooth import DAMPING, laplacian
from tests.active.situations import five_clusters, labelled, rows_of, situation_of
from tests.helpers import random_graph


def test_variances_are_those_of_draws():
    labels = np.array([[2.0, 1.0, 0.5]])
    draws = np.random.default_rng(0).dirichlet(labels[0], size=200_000)
    np.testing.assert_allclose(variances(labels), draws.var(axis=0).sum(), rtol=0.02)


def test_a_label_reaches_by_the_damped_inverse():
    W = random_graph(np.random.default_rng(0), 12, 0.4).W.toarray()
    K = np.linalg.inv(laplacian(W) + DAMPING * np.eye(12))
    found = reaches(W)
    np.testing.assert_allclose(found, K / np.diag(K), atol=1e-10)
    np.testing.assert_allclose(np.diag(found), 1.0)


def test_clusters_without_a_label_are_asked_for_even_if_one_class_is_known():
    graph, truth = five_clusters()
    rows = rows_of(dirichlet(situation_of(graph, labelled(truth, [0])), 4))
    assert len(set(truth[rows])) >= 3
