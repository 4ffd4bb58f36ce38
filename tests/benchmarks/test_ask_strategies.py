"""The seven strategies of the benchmark, against dense formulas and plain loops."""

from collections.abc import Iterator

import numpy as np
import pytest

import graphwell as gw
from benchmarks import ask_strategies
from benchmarks.ask_strategies import DAMPING, DYING, NOISE, STRATEGIES
from benchmarks.data import Dataset
from graphwell.active.strategies import laplacian
from tests.active.queries import five_clusters, labelled, query_of
from tests.helpers import chain, random_graph


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """All twelve, as in the benchmark."""
    with ask_strategies.registered(Dataset("none", np.zeros((1, 1)), np.zeros(1)), quick=True):
        yield


def dense(seed, y=None):
    return query_of(random_graph(np.random.default_rng(seed), 14, 0.4), y).dense


def test_all_twelve_are_compared_and_the_seven_are_gone_afterwards():
    assert len(gw.active.strategies()) == 12
    graph, truth = five_clusters()
    assert gw.active.simulate(graph, truth, "vopt", 5, 5).strategy == "vopt"


@pytest.mark.parametrize("name", [each.name for each in STRATEGIES])
@pytest.mark.parametrize("kind", ["clusters", "isolated vertices", "copies"])
def test_every_strategy_asks_open_rows_each_once(name, kind):
    if kind == "clusters":
        graph, truth = five_clusters()
        y = labelled(truth, [0, 60, 120, 180])
    elif kind == "copies":
        graph = gw.Graph.from_features(np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]], 10, axis=0))
        y = np.array([0, 1] + 28 * [-1])
    else:
        W = np.zeros((30, 30))
        W[:10, :10] = 1 - np.eye(10)
        graph, y = gw.Graph.from_affinity(W), np.array([0, 1] + 28 * [-1])
    found = gw.suggest(graph, y, n=5, strategy=name)
    assert len(set(found)) == 5
    assert (y[found] < 0).all()


@pytest.mark.parametrize("name", ["cover", "dirichlet", "sigma", "smallest norm", "vopt"])
def test_clusters_without_a_label_are_met(name):
    graph, truth = five_clusters()
    rows = gw.suggest(graph, labelled(truth, [0, 60]), n=3, strategy=name)
    assert len(set(truth[rows]) & {2, 3, 4}) >= 2


def test_neighbourhoods_are_walks_of_four_steps_and_the_cover_is_greedy():
    W = chain(1.0, 2.0).W.toarray()
    walk = (np.eye(3) + W / W.sum(axis=1, keepdims=True)) / 2
    reach = walk @ walk @ walk @ walk
    np.testing.assert_allclose(ask_strategies.neighbourhoods(W), reach / reach.max(axis=1, keepdims=True))
    graph, truth = five_clusters()
    query = query_of(graph, labelled(truth, [0]))
    near, small = ask_strategies.neighbourhoods(query.dense.W), query.dense
    covered = near[small.members[0]].copy()
    for question in ask_strategies.cover(query, 3):
        gains = [np.sum(small.sizes * np.maximum(near[u] - covered, 0)) for u in range(len(near))]
        asked = small.members[question.row]
        assert gains[asked] >= max(g for u, g in enumerate(gains) if small.open[u]) - 1e-9
        covered = np.maximum(covered, near[asked])


def test_dirichlet_variances_are_those_of_draws():
    labels = np.array([[2.0, 1.0, 0.5]])
    draws = np.random.default_rng(0).dirichlet(labels[0], size=200_000)
    np.testing.assert_allclose(ask_strategies.dirichlet_variances(labels), draws.var(axis=0).sum(), rtol=0.02)


def test_smallest_norm_scores_are_damped_means_of_their_neighbours():
    W = chain(1.0, 2.0, 0.5, 1.0).W.toarray()
    counts = np.zeros((5, 2))
    counts[0, 0] = counts[4, 1] = 1
    scores = ask_strategies.damped_scores(W, counts)
    g = ask_strategies.poisson_factors(W, counts.any(axis=1))
    for i in (1, 2, 3):
        edges = g[i] * W[i] * g
        np.testing.assert_allclose(scores[i], edges @ scores / (edges.sum() * (1 + DYING)), rtol=1e-6)
    np.testing.assert_allclose(scores[[0, 4]], counts[[0, 4]])
    g = ask_strategies.poisson_factors(
        chain(1.0, 1.0, 1.0, 1.0).W.toarray(), np.array([True, False, False, False, False])
    )
    assert (g > 0).all()
    assert (np.diff(g) < 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_gains_are_those_of_the_inverse_precision_with_each_label_added(seed):
    """VOpt, sigma-optimality and conditioning by the formula, and by inverting the matrix."""
    graph = dense(seed)
    C, n = ask_strategies.covariance(graph), len(graph.W)
    precision = laplacian(graph.W) + DAMPING * np.eye(n)
    np.testing.assert_allclose(C @ precision, np.eye(n), atol=1e-8)
    shares = np.ones((n, 1))
    for k in range(n):
        after = np.linalg.inv(precision + np.diag((np.arange(n) == k) / NOISE))
        np.testing.assert_allclose(ask_strategies.conditioned(C, k), after, atol=1e-8)
        trace = np.sum(graph.sizes * (C - after).diagonal())
        total = graph.sizes @ (C - after) @ graph.sizes
        assert ask_strategies.variance_lowered(C, graph, shares)[k] == pytest.approx(trace, rel=1e-6)
        assert ask_strategies.mean_variance_lowered(C, graph, shares)[k] == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_model_change_is_the_change_of_the_scores(seed):
    """A label moves a Gaussian field by its covariance times the surprise."""
    y = np.full(14, -1)
    y[[0, 5]] = [0, 1]
    graph = dense(seed, y)
    C = ask_strategies.covariance(graph)
    shares = np.clip(C @ (graph.counts / NOISE), 1e-9, None)
    shares /= shares.sum(axis=1, keepdims=True)
    found = ask_strategies.change(C, graph, shares)
    for k in range(len(graph.W)):
        surprise = np.eye(2)[shares[k].argmax()] - shares[k]
        moved = np.outer(C[k], surprise) / (C[k, k] + NOISE)
        assert found[k] == pytest.approx(np.sqrt(np.sum(graph.sizes[:, None] * moved**2)), rel=1e-6)


@pytest.mark.parametrize("name", ["sigma", "vopt"])
def test_each_question_is_best_after_those_before(name):
    graph, truth = five_clusters()
    query = query_of(graph)
    gain = {"sigma": ask_strategies.mean_variance_lowered, "vopt": ask_strategies.variance_lowered}[name]
    C = ask_strategies.covariance(query.dense)
    rows = gw.suggest(graph, n=4, strategy=name)
    for row in rows:
        asked = query.dense.members[row]
        assert asked == gain(C, query.dense, C).argmax()
        C = ask_strategies.conditioned(C, asked)
    assert len(set(truth[rows])) == 4
