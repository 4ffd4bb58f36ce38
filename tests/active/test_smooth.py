"""Covariances against dense formulas."""

import numpy as np
import pytest

from graphwell.active.rules.model_change import change
from graphwell.active.rules.sigma import mean_variance_lowered
from graphwell.active.rules.vopt import variance_lowered
from graphwell.active.smooth import (
    DAMPING,
    NOISE,
    conditioned,
    covariance,
    laplacian,
    mean_shares,
    row_of_unit,
    small_graph,
)
from tests.active.situations import situation_of
from tests.helpers import random_graph


def small(seed, y=None):
    return small_graph(situation_of(random_graph(np.random.default_rng(seed), 14, 0.4), y))


@pytest.mark.parametrize("seed", range(4))
def test_a_label_conditions_as_in_the_inverse_of_the_precision(seed):
    graph = small(seed)
    precision = laplacian(graph.W) + DAMPING * np.eye(len(graph.W))
    np.testing.assert_allclose(covariance(graph) @ precision, np.eye(len(graph.W)), atol=1e-8)
    with_label = precision + np.diag((np.arange(len(graph.W)) == 3) / NOISE)
    np.testing.assert_allclose(conditioned(covariance(graph), 3), np.linalg.inv(with_label), atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_gains_are_what_the_covariance_loses(seed):
    """VOpt and sigma-optimality by the formula, and by inverting the matrix with each label added."""
    graph = small(seed)
    C, n = covariance(graph), len(graph.W)
    for unit in range(n):
        after = np.linalg.inv(np.linalg.inv(C) + np.diag((np.arange(n) == unit) / NOISE))
        trace = np.sum(graph.sizes * (C - after).diagonal())
        total = graph.sizes @ (C - after) @ graph.sizes
        assert variance_lowered(C, graph, np.ones((n, 1)))[unit] == pytest.approx(trace, rel=1e-6)
        assert mean_variance_lowered(C, graph, np.ones((n, 1)))[unit] == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_model_change_is_the_change_of_the_scores(seed):
    """A label moves a Gaussian field by its covariance times the surprise."""
    y = np.full(14, -1)
    y[[0, 5]] = [0, 1]
    graph = small(seed, y)
    C, n = covariance(graph), len(graph.W)
    labels = graph.counts / NOISE
    shares = C @ labels
    shares = np.clip(shares, 1e-9, None)
    shares /= shares.sum(axis=1, keepdims=True)
    found = change(C, graph, shares)
    for unit in range(n):
        surprise = np.eye(2)[shares[unit].argmax()] - shares[unit]
        moved = np.outer(C[unit], surprise) / (C[unit, unit] + NOISE)
        norm = np.sqrt(np.sum(graph.sizes[:, None] * moved**2))
        assert found[unit] == pytest.approx(norm, rel=1e-6)


def test_labels_and_open_rows_are_counted_by_unit():
    y = np.full(14, -1)
    y[[0, 5]] = [0, 1]
    graph = small(0, y)
    assert graph.counts.sum(axis=0).tolist() == [1, 1]
    assert graph.sizes.sum() == 14
    assert not graph.open[graph.members[0]]
    np.testing.assert_allclose(mean_shares(graph, np.ones((14, 2))), 1.0)


def test_the_row_of_a_unit_is_open_and_inside():
    situation = situation_of(random_graph(np.random.default_rng(0), 14, 0.4), closed=[2])
    assert row_of_unit(situation, int(situation.small.members[3])) == 3
