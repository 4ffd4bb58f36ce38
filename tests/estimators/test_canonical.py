"""The same answer, to the bit, whatever the order of rows, columns and classes; copies as one vertex."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import graphwell as gw
from graphwell.backends.base import State
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.graph.canonical import RowsGraph, arrange
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.select import votes
from graphwell.solve.start import diffusion_scores, laplace_scores


def fitted(X, y, *, n_jobs=None, models=None, weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of components without labels, and of copies
        clf = gw.DiffuseInterfaceClassifier(models=models, random_state=0, n_jobs=n_jobs, **parameters)
        return clf.fit(X, y, sample_weight=weight)


def drawn(rng, most=400):
    """Overlapping classes, on a grid or with copies now and then; labels of some."""
    n, d, n_classes = (int(rng.integers(*of)) for of in ((6, most + 1), (1, 7), (1, 7)))
    truth = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, d)) + rng.choice([0.3, 2.0]) * truth[:, None]
    if rng.random() < 0.3:
        X = np.round(X)
    if rng.random() < 0.3:
        X[rng.integers(n, size=n // 3)] = X[rng.integers(n, size=n // 3)]
    y = np.where(rng.random(n) < 0.3, truth, -1)
    y[0] = truth[0]
    return X, y, n_classes


def assert_same_in_another_order(rng, X, y, n_classes, **parameters):
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    names = rng.permutation(n_classes) + 10
    one = fitted(X, y, n_jobs=1, **parameters)
    other = fitted(X[rows][:, columns], np.where(y >= 0, names[y], -1)[rows], n_jobs=2, **parameters)
    places = np.searchsorted(other.classes_, names[one.classes_])
    np.testing.assert_array_equal(names[one.transduction_][rows], other.transduction_)
    np.testing.assert_array_equal(one.label_distributions_[rows], other.label_distributions_[:, places])
    np.testing.assert_array_equal(one.reachable_[rows], other.reachable_)
    np.testing.assert_array_equal(X[one.doubtful(3)], X[rows[other.doubtful(3)]])  # whichever of the copies
    new = X[:5] + 0.1
    np.testing.assert_allclose(  # a matrix library may add up a row of another block in another order
        one.predict_proba(new), other.predict_proba(new[:, columns])[:, places], rtol=1e-12
    )


@pytest.mark.parametrize("seed", range(25))
def test_neither_order_nor_names_change_a_bit(seed):
    rng = np.random.default_rng(seed)
    X, y, n_classes = drawn(rng)
    if len(np.unique(X, axis=0)) > 1:
        assert_same_in_another_order(rng, X, y, n_classes)


@pytest.mark.parametrize("seed", range(3))
def test_neither_order_nor_names_change_a_bit_of_a_judged_fit(seed):
    rng = np.random.default_rng(100 + seed)
    X, y, n_classes = drawn(rng, most=120)
    assert_same_in_another_order(rng, X, y, n_classes, models="auto")


def test_classes_with_sizes_and_the_paper_s_descent_know_no_order():
    rng = np.random.default_rng(7)
    X, truth = gw.datasets.make_three_moons(60, random_state=0)
    y = np.where(rng.random(len(X)) < 0.1, truth, -1)
    rows = rng.permutation(len(X))
    for parameters in ({"schedule": gw.Annealed(2.0, 0.5, sweeps=10)}, {"class_prior": "auto"}):
        assert_same_in_another_order(rng, X, y, 3, **parameters)
    one = fitted(X, y, class_prior=[0.5, 0.3, 0.2])
    other = fitted(X[rows], np.where(y >= 0, 2 - y, -1)[rows], class_prior=[0.2, 0.3, 0.5])
    np.testing.assert_array_equal(one.label_distributions_[rows][:, ::-1], other.label_distributions_)
    np.testing.assert_array_equal(one.class_prior_, [0.5, 0.3, 0.2])


def test_sparse_rows_and_frames_know_no_order():
    rng = np.random.default_rng(8)
    truth = rng.integers(3, size=120)
    words = np.array(["alpha", "beta", "gamma", "delta"])
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=120) + truth,
            "colour": np.array(list("xyz"))[(truth + rng.integers(2, size=120)) % 3],
            "said": [" ".join(rng.choice(words, 4)) for _ in truth],
        }
    )
    y = np.where(rng.random(120) < 0.3, truth, -1)
    rows = rng.permutation(120)
    for models in (None, "auto"):
        one = fitted(frame, y, models=models)
        moved = frame.iloc[rows][["said", "size", "colour"]]
        other = fitted(moved, y[rows], models=models)
        np.testing.assert_array_equal(one.label_distributions_[rows], other.label_distributions_)
        np.testing.assert_array_equal(one.predict_proba(frame)[rows], other.predict_proba(moved))
    counts = sparse.csr_array(rng.poisson(0.05 + 0.2 * (truth[:, None] == np.arange(200) % 3)).astype(float))
    columns = rng.permutation(200)
    one, other = fitted(counts, y), fitted(counts[rows][:, columns], y[rows])
    np.testing.assert_array_equal(one.label_distributions_[rows], other.label_distributions_)


def test_a_given_graph_knows_no_order_where_weights_tell_its_vertices_apart():
    rng = np.random.default_rng(16)
    X = rng.normal(size=(90, 3)) + 1.5 * (np.arange(90) % 3)[:, None]
    W = gw.Graph.from_features(X, 6, 6).W.toarray().astype(float)
    y = np.where(rng.random(90) < 0.2, np.arange(90) % 3, -1)
    rows = rng.permutation(90)
    trust = rng.uniform(0.2, 3.0, 90)
    for models, features in ((None, None), ("auto", None), (None, X)):
        one, other = (
            gw.DiffuseInterfaceClassifier(metric="precomputed", models=models, random_state=0) for _ in "ab"
        )
        one.fit(W, y, trust, features=features)
        moved = None if features is None else X[rows]
        other.fit(W[rows][:, rows], np.where(y >= 0, 2 - y, -1)[rows], trust[rows], features=moved)
        np.testing.assert_array_equal(one.label_distributions_[rows][:, ::-1], other.label_distributions_)
        if features is None:
            np.testing.assert_array_equal(one.graph_.W.toarray(), W)
        np.testing.assert_allclose(
            one.predict_proba(W[:4]), other.predict_proba(W[:4][:, rows])[:, ::-1], rtol=1e-9
        )


def test_graphs_of_features_fits_on_them_and_clusters_know_no_order():
    rng = np.random.default_rng(21)
    X = rng.normal(size=(150, 4)) * [1, 2, 3, 4] + 4.0 * (np.arange(150) % 3)[:, None]
    X[:40] = np.round(X[:40])  # ties
    y = np.where(rng.random(150) < 0.2, np.arange(150) % 3, -1)
    rows, columns = rng.permutation(150), rng.permutation(4)
    one, other = gw.Graph.from_features(X), gw.Graph.from_features(X[rows][:, columns])
    np.testing.assert_array_equal(one.W.toarray()[rows][:, rows], other.W.toarray())
    np.testing.assert_array_equal(
        one.affinity_to(X + 0.1).toarray()[:, rows], other.affinity_to(X[:, columns] + 0.1).toarray()
    )
    clf, again = fitted(one, y), fitted(other, np.where(y >= 0, 2 - y, -1)[rows])
    np.testing.assert_array_equal(clf.label_distributions_[rows][:, ::-1], again.label_distributions_)
    np.testing.assert_array_equal(clf.predict(X + 0.1), 2 - again.predict(X[:, columns] + 0.1))
    third = fitted(clf.graph_, y)  # whose columns are those that the user knows
    np.testing.assert_array_equal(third.predict(X + 0.1), clf.predict(X + 0.1))
    for make in (gw.DiffuseInterfaceClustering, gw.baselines.SpectralClustering):
        found = make(3, random_state=0).fit_predict(X)
        np.testing.assert_array_equal(found[rows], make(3, random_state=0).fit_predict(X[rows][:, columns]))


def test_every_attribute_speaks_of_the_rows_that_were_given():
    rng = np.random.default_rng(9)
    X, truth = np.repeat(rng.normal(size=(40, 3)), 2, axis=0), np.repeat(rng.integers(2, size=40), 2)
    y = np.where(np.arange(80) % 5 == 0, truth, -1)
    rows, steps = rng.permutation(80), []
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0)
    clf.fit(X[rows], y[rows], callback=lambda step: steps.append(step.state.labels))
    classes = np.searchsorted(clf.classes_, clf.transduction_)
    if clf.result_.status.name in ("SETTLED", "UNSETTLED"):
        np.testing.assert_array_equal(clf.result_.labels, classes)
        np.testing.assert_array_equal(steps[-1], classes)
    assert len(clf.result_.offsets) == clf.graph_.n_vertices == len(clf.graph_.components) == 80
    back = np.argsort(rows)
    np.testing.assert_array_equal(clf.transduction_[back][::2], clf.transduction_[back][1::2])
    W = clf.graph_.W.toarray()[back][:, back]
    np.testing.assert_array_equal(W, W.T)
    np.testing.assert_array_equal(W[::2], W[1::2])
    assert not W[np.arange(0, 80, 2), np.arange(1, 80, 2)].any()  # copies are one vertex, not neighbours
    assert clf.graph_.affinity_to(X[:3]).shape == (3, 80)


def test_a_named_classifier_sees_the_columns_in_the_user_s_order():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(60, 4)) + 100 * np.arange(4)
    seen = []

    class Looking(LogisticRegression):
        def fit(self, X, y):
            seen.append(X.mean(axis=0))
            return super().fit(X, y)

    fitted(X, np.where(np.arange(60) % 2, (X[:, 0] > 0).astype(int), -1), models=[Looking()])
    assert len(seen) > 0
    assert (np.diff(seen, axis=1) > 50).all()


# --------------------------------------------------------------------------------------------------- copies


def test_a_weight_of_two_is_the_label_given_twice():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 3))
    y = np.where(rng.random(60) < 0.5, (X[:, 0] + X[:, 1] > 0).astype(int), -1)
    times = np.where(y >= 0, rng.integers(1, 5, size=60), 1)
    for models in (None, "auto"):
        one = fitted(X, y, models=models, weight=times)
        other = fitted(X.repeat(times, axis=0), y.repeat(times), models=models)
        np.testing.assert_array_equal(
            one.label_distributions_.repeat(times, axis=0), other.label_distributions_
        )
        np.testing.assert_array_equal(one.predict_proba(X + 0.1), other.predict_proba(X + 0.1))
        np.testing.assert_array_equal(one.class_prior_, other.class_prior_)


def test_classes_that_no_content_tells_apart_keep_the_user_s_order():
    X = np.random.default_rng(15).normal(size=(20, 2))[np.arange(40) // 2]
    y = np.where(np.arange(40) < 2, np.arange(40), -1)  # both labels lie at equal rows
    for order in ([0, 1], [1, 0]):
        clf = fitted(X, np.where(y >= 0, np.array(order)[y], -1))
        assert clf.transduction_[:2].tolist() == order


def test_equal_rows_with_different_labels_keep_them_and_the_others_follow_the_strongest():
    X = np.repeat(np.random.default_rng(12).normal(size=(12, 2)), 6, axis=0)
    y = np.full(72, -1)
    y[:4] = 0, 1, 1, 0
    y[4], y[66] = 1, 0
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0)
    with pytest.warns(gw.LabelWarning, match="1 group of equal rows has different labels"):
        clf.fit(X, y)
    assert clf.transduction_[:6].tolist() == [0, 1, 1, 0, 1, 1]
    assert clf.transduction_[66] == 0
    for first in range(6, 72, 6):
        assert len(np.unique(clf.label_distributions_[first : first + 6], axis=0)) == 1


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        sparse.csr_array,
        lambda X: X.astype(np.float32),
        lambda X: sparse.csr_array((X.ravel(), np.tile([0, 1], 5), np.arange(0, 11, 2))),  # zeros are stored
    ],
)
def test_a_minus_zero_is_a_zero(form):
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [1.0, -0.0], [2.0, 2.0]])
    clf = fitted(form(X), [0, -1, 1, -1, -1], n_neighbors=1)
    assert clf.transduction_[:4].tolist() == [0, 0, 1, 1]
    assert clf.graph_.plain.n_vertices == 3


@pytest.fixture
def expanded():
    """A graph whose vertices stand for one to four rows; the graph of all rows; and the vertex of each."""
    rng = np.random.default_rng(13)
    X = rng.normal(size=(50, 2))
    masses = rng.integers(1, 5, size=50)
    vertices = np.repeat(np.arange(50), masses)
    found = arrange(vertices, X, np.full(len(vertices), -1), None, np.zeros(0, np.uint64), 1)
    plain = gw.Graph.from_features(found.order.arranged(X[vertices]), 5, 5).weighted(found.masses)
    return plain, gw.Graph.from_affinity(RowsGraph(plain, found.order).W), found.order.vertices


@pytest.mark.parametrize("sharpness", [1.0, 2.0])
def test_the_quotient_is_the_graph_with_all_copies(expanded, sharpness):
    plain, rows, vertices = expanded
    plain, rows = plain.sharpened(sharpness), rows.sharpened(sharpness)
    rng = np.random.default_rng(14)
    labels = np.full(50, -1)
    labels[rng.choice(50, 6, replace=False)] = [0, 1, 2, 0, 1, 2]
    counts = np.where(labels >= 0, plain.masses, 1.0)
    few = Problem(plain, labels, 3, trust=counts)
    many = Problem(rows, labels[vertices], 3)
    engines = NumbaEngine(plain, dtype=np.float64), NumbaEngine(rows, dtype=np.float64)
    for scores in (laplace_scores, diffusion_scores):
        one, other = scores(few, engines[0]), scores(many, engines[1])
        np.testing.assert_allclose(one.values[vertices], other.values, atol=1e-4)
    state = State(rng.integers(3, size=50).astype(np.int32), rng.uniform(-0.4, 0.4, 50))
    of_rows = State(state.labels[vertices], state.offsets[vertices])
    np.testing.assert_allclose(
        votes(few, engines[0], state)[vertices], votes(many, engines[1], of_rows), atol=1e-6
    )
    terms = {"balance": Balance(0.3, np.array([0.2, 0.5, 0.3])), "implicit": True}
    swept = engines[0].sweep(replace(few, trust=None, **terms), state, 1.1, 0.05, 5)
    expected = engines[1].sweep(replace(many, **terms), of_rows, 1.1, 0.05, 5)
    np.testing.assert_array_equal(swept.state.labels[vertices], expected.state.labels)
    np.testing.assert_allclose(swept.state.offsets[vertices], expected.state.offsets, atol=1e-9)
    assert swept.energy == pytest.approx(expected.energy)
