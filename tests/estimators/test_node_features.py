"""Features beside a graph that is given, on a stochastic block model."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier, Graph, datasets
from graphwell.estimators.node_features import ALONE, JOINED, AroundRows, joined_graphs, mean_around

pytestmark = pytest.mark.filterwarnings("ignore::graphwell.UnreachableWarning")


def blocks(n=200, d=30, inside=0.03, across=0.012, signal=0.8, seed=0):
    """Three groups with more links inside than across; each group's features lean towards its own columns."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), n // 3 + 1)[:n]
    links = np.triu(rng.random((n, n)) < np.where(y[:, None] == y, inside, across), 1)
    X = rng.normal(size=(n, d)) + signal * (np.arange(d) % 3 == y[:, None])
    return sparse.csr_array((links | links.T).astype(float)), X, y


def wrong(W, y, given, **more):
    """A fit, and the share of the unlabelled rows that it got wrong; some have no link at all."""
    clf = DiffuseInterfaceClassifier(metric="precomputed", random_state=0).fit(W, given, **more)
    return clf, (clf.transduction_ != y)[given < 0].mean()


def test_features_help_a_weak_graph():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 10, 0)
    _, alone = wrong(W, y, given)
    clf, both = wrong(W, y, given, features=X)
    assert both < alone - 0.1
    assert clf.tuning_.metric in (ALONE, JOINED)
    assert {ALONE, JOINED, "logistic", "forest"} == set(clf.tuning_.accuracy)
    assert clf.n_features_in_ == 200


def test_new_rows_come_as_affinities_and_hear_the_features_around_them():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 10, 0)
    clf, _ = wrong(W, y, given, features=X)
    new = W[:20]
    assert (clf.predict(new) == y[:20]).mean() > 0.6
    np.testing.assert_allclose(clf.predict_proba(new).sum(axis=1), 1)


def test_few_labels_join_the_graphs():
    W, X, y = blocks()
    clf, _ = wrong(W, y, datasets.sample_labels(y, 1, 0), features=X)
    assert clf.tuning_.metric == JOINED
    assert clf.tuning_.n_hidden == 0


def test_worthless_features_do_little_harm():
    W, X, y = blocks(inside=0.08, across=0.01)
    given = datasets.sample_labels(y, 15, 0)
    _, alone = wrong(W, y, given)
    noise = np.random.default_rng(5).normal(size=X.shape)
    assert wrong(W, y, given, features=noise)[1] <= alone + 0.06


def test_both_graphs_have_the_same_weight():
    W, X, _ = blocks()
    graph = Graph.from_affinity(W)
    assert joined_graphs(graph, X, 5, 5, 1).W.sum() == pytest.approx(2 * W.sum())
    assert joined_graphs(graph, sparse.csr_array(np.maximum(X, 0)), 5, 5, 1).n_vertices == 200


def test_the_mean_around_a_row_counts_affinities():
    np.testing.assert_allclose(mean_around(sparse.csr_array([[0.0, 2.0]]), np.eye(2)), [[0, 1]])
    assert AroundRows.__call__.__doc__


def test_features_without_a_graph_or_of_other_rows_are_refused():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 5, 0)
    with pytest.raises(ValueError, match="features go beside a graph"):
        DiffuseInterfaceClassifier().fit(X, given, features=X)
    with pytest.raises(ValueError, match="features has 10 rows but the graph has 200"):
        DiffuseInterfaceClassifier(metric="precomputed").fit(W, given, features=X[:10])
