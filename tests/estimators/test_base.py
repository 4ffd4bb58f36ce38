"""What all classifiers share: input, answers for every vertex, new rows, and a fit that is all or nothing."""

import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from graphwell import (
    BinaryInterfaceClassifier,
    BridgedWarning,
    DiffuseInterfaceClassifier,
    Graph,
    LabelWarning,
    UnreachableWarning,
    baselines,
    datasets,
)
from tests.helpers import blobs, few

LaplaceLearning = baselines.LaplaceLearning
both = pytest.mark.parametrize(
    "make", [partial(DiffuseInterfaceClassifier, models=None), BinaryInterfaceClassifier]
)


@both
def test_precomputed_affinities_give_the_same_answer_as_features(make):
    X, truth = blobs(classes=2)
    y = few(truth)
    by_features = make().fit(X, y)
    W = Graph.from_features(X).W
    by_affinity = make(metric="precomputed").fit(W, y)
    np.testing.assert_array_equal(by_affinity.transduction_, by_features.transduction_)
    new = X[::7] + 0.1
    cross = by_features.graph_.affinity_to(new)
    np.testing.assert_array_equal(by_affinity.predict(cross), by_features.predict(new))
    np.testing.assert_allclose(by_affinity.predict_proba(cross.toarray()), by_affinity.predict_proba(cross))
    by_graph = make().fit(Graph.from_features(X), y)
    np.testing.assert_array_equal(by_graph.predict(new), by_features.predict(new))


@both
def test_parts_without_labels_are_joined_to_the_nearest_part_and_doubtful(make):
    X, truth = blobs(classes=2)
    far = np.random.default_rng(9).normal(size=(30, 5)) + X[truth == 1].mean(axis=0) * 100
    X = np.vstack([X, far])
    y = np.concatenate([few(truth), np.full(30, -1)])
    with pytest.warns(
        BridgedWarning, match="30 of 150 rows lie in 1 component of the graph without any label"
    ):
        clf = make().fit(X, y)
    assert clf.reachable_.all()
    np.testing.assert_array_equal(clf.bridged_, np.arange(150) >= 120)
    np.testing.assert_array_equal(clf.transduction_, np.concatenate([truth, np.ones(30)]))
    assert (clf.label_distributions_[120:].max(axis=1) <= 0.75).all()
    assert set(clf.doubtful(30)) == set(range(120, 150))
    assert clf.predict(far[:1]) == [1]
    again = make().fit(clf.graph_, np.concatenate([few(truth), np.ones(30)]))  # its own labels now
    assert not again.bridged_.any()


@both
def test_parts_without_labels_of_a_given_graph_are_reported_and_get_the_prior(make):
    X, truth = blobs(classes=2)
    far = np.random.default_rng(9).normal(size=(30, 5)) + 1000
    W = Graph.from_features(np.vstack([X, far])).W
    y = np.concatenate([few(truth), np.full(30, -1)])
    with pytest.warns(UnreachableWarning, match="30 of 150 rows lie in 1 component of the graph"):
        clf = make(metric="precomputed").fit(W, y)
    np.testing.assert_array_equal(clf.reachable_, np.arange(150) < 120)
    assert not clf.bridged_.any()
    np.testing.assert_allclose(clf.label_distributions_[120:], clf.class_prior_[None].repeat(30, axis=0))
    np.testing.assert_array_equal(clf.transduction_[:120], truth)
    assert set(clf.doubtful(30)) == set(range(120, 150))
    with pytest.warns(UnreachableWarning, match="1 of 2 rows are linked to no fitted row"):
        scores = clf.predict_proba(W[[0, 149]])
    assert np.isfinite(scores).all()


@both
def test_isolated_vertices_and_new_rows_without_neighbours(make):
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    with pytest.warns(UnreachableWarning, match="1 of 5 rows"):
        clf = make(metric="precomputed").fit(W, [4, -1, 9, -1, -1])
    assert clf.transduction_[:4].tolist() == [4, 4, 9, 9]
    assert clf.reachable_.tolist() == [True] * 4 + [False]
    with pytest.warns(UnreachableWarning):
        np.testing.assert_allclose(clf.predict_proba(np.zeros((1, 5))), [[0.5, 0.5]])


@both
def test_one_class_goes_to_everything(make):
    X, _ = blobs(classes=2)
    y = np.full(len(X), -1)
    y[0] = 42
    with (
        pytest.warns(LabelWarning, match="All known labels are 42, so every row gets it; label rows of"),
        pytest.warns(BridgedWarning, match="60 of 120"),
    ):
        clf = make().fit(X, y)
    assert (clf.transduction_ == 42).all()
    assert clf.bridged_.sum() == 60
    np.testing.assert_array_equal(clf.label_distributions_, 1.0)


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier, LaplaceLearning])
def test_y_is_required_in_one_sentence(make):
    with pytest.raises(
        ValueError, match=f"{make.__name__} requires y to be passed, but the target y is None"
    ):
        make().fit(blobs()[0], None)


@pytest.mark.parametrize("make", [BinaryInterfaceClassifier, LaplaceLearning])
def test_methods_of_one_machine_refuse_a_dask_array_in_a_sentence(make):
    da = pytest.importorskip("dask.array")
    X, truth = blobs(classes=2)
    with pytest.raises(
        ValueError, match=f"{make.__name__} works on one machine, and X is a Dask array; give X.compute"
    ):
        make().fit(da.from_array(X, chunks=(40, 5)), few(truth))


def test_a_refit_forgets_the_fit_before():
    X, truth = blobs(n=20)
    y = datasets.sample_labels(truth, 12, random_state=0)
    clf = DiffuseInterfaceClassifier(models=[], random_state=0)
    clf.fit(pd.DataFrame(X).add_prefix("f"), y)
    assert hasattr(clf, "tuning_")
    assert clf.feature_names_in_.tolist() == [f"f{i}" for i in range(5)]
    clf.set_params(models=None).fit(X, y)
    fresh = DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, y)
    assert set(vars(clf)) == set(vars(fresh))
    assert not hasattr(clf, "tuning_")
    assert not hasattr(clf, "feature_names_in_")
    np.testing.assert_array_equal(clf.label_distributions_, fresh.label_distributions_)
    assert set(clf.timings_) == set(fresh.timings_)


@pytest.mark.parametrize(
    "broken",
    [
        {"metric": "hamming"},
        {"fidelity": -1.0},
        {"class_prior": [0.5, 0.5]},
        {"random_state": "a"},
        {"n_neighbors": 0},
    ],
)
def test_a_fit_that_fails_leaves_nothing_behind(broken):
    X, truth = blobs(n=10)
    clf = DiffuseInterfaceClassifier(**broken)
    before = set(vars(clf))
    with pytest.raises(ValueError, match="must"):
        clf.fit(X, few(truth))
    assert set(vars(clf)) == before
    with pytest.raises(NotFittedError):
        clf.predict(X)


def test_a_fit_that_fails_leaves_the_fit_before_as_it_was():
    X, truth = blobs(n=10)
    clf = DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, few(truth))
    before = {name: id(value) for name, value in vars(clf).items()}

    def fail(step):
        raise RuntimeError("in the middle")

    for failing in (
        lambda: clf.fit(X[:, :2], few(truth), callback=fail),
        lambda: clf.fit(X, np.full(len(X), -1)),
        lambda: clf.fit(X, None),
    ):
        with pytest.raises((RuntimeError, ValueError)):
            failing()
        assert {name: id(value) for name, value in vars(clf).items()} == before
    np.testing.assert_array_equal(clf.predict(X), truth)
    with pytest.raises(ValueError, match="X has 2 features, but DiffuseInterfaceClassifier is expecting 5"):
        clf.predict(X[:, :2])


def test_warnings_point_at_the_line_of_the_caller():
    X, truth = blobs(classes=2)
    X, y = np.vstack([X, X[:15] + 1000]), np.concatenate([few(truth), np.full(15, -1)])
    for make in (DiffuseInterfaceClassifier, BinaryInterfaceClassifier, LaplaceLearning):
        with pytest.warns(BridgedWarning) as caught:
            make().fit(X, y)
        assert [warning.filename for warning in caught] == [__file__]
        W = Graph.from_features(X).W
        with pytest.warns(UnreachableWarning) as caught:
            clf = make(metric="precomputed").fit(W, y)
        assert [warning.filename for warning in caught] == [__file__]
        for ask in (clf.predict, clf.predict_proba):
            with pytest.warns(UnreachableWarning) as caught:
                ask(W[[-1]])
            assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(UserWarning, match="n_neighbors=10 is reduced to 3") as caught:
        DiffuseInterfaceClassifier(models=None).fit(X[:4], [0, 1, -1, -1])
    assert [warning.filename for warning in caught] == [__file__]


def test_one_classifier_fitted_by_several_threads_ends_fitted():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.where(np.arange(200) < 20, np.arange(200) % 2, -1)
    one = DiffuseInterfaceClassifier(start="nearest", models=None, random_state=0, n_jobs=1).fit(X, y)
    expected, failed = one.transduction_, []

    def fit():
        try:
            for _ in range(5):
                one.fit(X, y)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert (one.transduction_ == expected).all()
