"""The methods to compare with, against dense closed forms."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphwell.estimators.baselines import (
    LabelSpreading,
    LaplaceLearning,
    MulticlassMBO,
    NearestLabel,
    PoissonLearning,
    VolumeMBO,
    spectral_clustering,
)
from graphwell.metrics import matched_error
from tests.estimators.test_diffuse import EXPECTED_FAILURES, blobs, few
from tests.helpers import random_graph

ALL = [
    LabelSpreading,
    LaplaceLearning,
    lambda **options: LaplaceLearning(weights="wnll", **options),
    lambda **options: LaplaceLearning(weights="poisson", **options),
    PoissonLearning,
    NearestLabel,
    lambda **options: MulticlassMBO(random_state=0, **options),
    VolumeMBO,
]


def connected_case(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 24, 0.6)
    labels = np.full(24, -1)
    labels[:6] = [0, 0, 1, 1, 2, 2]
    return graph, labels


def normalised(scores):
    return scores / scores.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_label_spreading_matches_the_dense_inverse(seed):
    graph, y = connected_case(seed)
    Y = np.eye(3)[y] * (y >= 0)[:, None]
    expected = np.linalg.solve(np.eye(24) - 0.9 * graph.S.toarray(), Y)
    found = LabelSpreading(alpha=0.9).fit(graph, y).label_distributions_
    np.testing.assert_allclose(found[6:], normalised(expected)[6:], atol=1e-5)


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


def test_poisson_learning_matches_the_pseudo_inverse():
    graph, y = connected_case(5)
    sources = np.where((y >= 0)[:, None], np.eye(3)[y] - 1 / 3, 0.0)
    u = np.linalg.pinv(graph.L.toarray()) @ sources
    u -= (graph.degrees @ u) / graph.degrees.sum()
    found = PoissonLearning().fit(graph, y).transduction_
    np.testing.assert_array_equal(found[6:], u.argmax(axis=1)[6:])


def dense_mbo(graph, y, seed_labels, step, fidelity, iterations):
    """One iteration of MBO with all eigenvectors is implicit diffusion by the full matrix."""
    diffuse = np.linalg.inv(np.eye(len(y)) + step / 3 * graph.L_s.toarray())
    known = (y >= 0)[:, None]
    Y = np.eye(3)[y] * known
    u = np.where(known, Y, np.eye(3)[seed_labels])
    for _ in range(iterations):
        v = u
        for _ in range(3):
            v = diffuse @ (v - step / 3 * fidelity * known * (v - Y))
        u = np.eye(3)[v.argmax(axis=1)]
    return u.argmax(axis=1)


def test_mbo_matches_dense_threshold_dynamics():
    from graphwell._random import stream

    graph, y = connected_case(6)
    start = stream(0, "start").integers(3, size=24)
    found = MulticlassMBO(n_eigenvectors=24, max_iter=5, fidelity=10.0, random_state=0).fit(graph, y)
    expected = dense_mbo(graph, y, start, 0.3, 10.0, 5)
    np.testing.assert_array_equal(found.transduction_[6:], expected[6:])


def test_volume_mbo_keeps_the_sizes():
    X, truth = blobs()
    clf = VolumeMBO().fit(X, few(truth))
    np.testing.assert_array_equal(np.bincount(clf.transduction_), [60, 60, 60])


@pytest.mark.parametrize("make", ALL)
def test_every_method_finds_clear_clusters(make):
    X, truth = blobs(n=40)
    y = truth.copy()
    y[np.arange(len(y)) % 4 > 0] = -1
    clf = make().fit(X, y)
    assert (clf.transduction_ == truth).mean() > 0.98
    assert np.isfinite(clf.label_distributions_).all()
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1)


@pytest.mark.parametrize("make", ALL)
def test_every_method_is_right_on_a_graph_that_falls_apart(make):
    W = np.zeros((8, 8))
    for block in (slice(0, 4), slice(4, 8)):
        W[block, block] = 1 - np.eye(4)
    clf = make(metric="precomputed").fit(W, [5, -1, -1, -1, 9, -1, -1, -1])
    assert clf.transduction_.tolist() == [5] * 4 + [9] * 4


@pytest.mark.parametrize("make", ALL)
def test_every_method_is_deterministic(make):
    X, truth = blobs()
    one, other = (make().fit(X, few(truth)).label_distributions_ for _ in range(2))
    np.testing.assert_array_equal(one, other)


@parametrize_with_checks(
    [LabelSpreading(), LaplaceLearning(), PoissonLearning(), NearestLabel()],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore:n_neighbors=")
@pytest.mark.filterwarnings("ignore::graphwell.estimators.base.UnreachableWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_spectral_clustering_finds_clusters_without_labels():
    from graphwell import Graph

    X, truth = blobs()
    errors = [matched_error(spectral_clustering(Graph.from_features(X), 3, seed), truth) for seed in range(5)]
    assert min(errors) < 0.02


def test_bad_parameters_get_one_clear_sentence():
    X, truth = blobs()
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1"):
        LabelSpreading(alpha=1.0).fit(X, few(truth))
    with pytest.raises(ValueError, match="weights must be one of none, wnll, poisson"):
        LaplaceLearning(weights="cubic").fit(X, few(truth))
