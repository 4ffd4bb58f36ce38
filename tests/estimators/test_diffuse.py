"""The classifiers as their users meet them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphwell import (
    Annealed,
    BinaryInterfaceClassifier,
    DiffuseInterfaceClassifier,
    Fixed,
    Graph,
    Status,
    datasets,
)
from graphwell.estimators.base import UnreachableWarning

EXPECTED_FAILURES = {
    "check_classifiers_classes": "-1 is a class there; here, as in scikit-learn's own semi-supervised "
    "classifiers, it means unknown",
}


@parametrize_with_checks(
    [DiffuseInterfaceClassifier(random_state=0), BinaryInterfaceClassifier()],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore:n_neighbors=")
@pytest.mark.filterwarnings("ignore::graphwell.estimators.base.UnreachableWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def blobs(seed=0, n=60, classes=3):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(classes), n)
    X = rng.normal(size=(classes * n, 5)) + 8 * np.eye(5)[truth % 5]
    return X, truth


def few(truth, unknown=-1):
    y = np.full(len(truth), unknown, dtype=object if unknown is None else truth.dtype)
    for c in np.unique(truth):
        members = np.flatnonzero(truth == c)[:2]
        y[members] = truth[members]
    return y


@pytest.mark.parametrize("names", [[10, 20, 30], [-7, 0, 100], ["ant", "bee", "cat"]])
def test_labels_may_have_any_names(names):
    X, truth = blobs()
    named = np.array(names)[truth]
    y = few(named, unknown=None if isinstance(names[0], str) else -1)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.transduction_, named)
    assert clf.classes_.tolist() == sorted(names)
    np.testing.assert_array_equal(clf.predict(X + 0.01), named)
    assert clf.score(X, named) == 1.0


def test_scores_are_distributions_that_agree_with_the_labels():
    X, truth = datasets.make_three_moons(random_state=1)
    y = datasets.sample_labels(truth, 5, random_state=1)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    for scores in (clf.label_distributions_, clf.predict_proba(X[:50])):
        assert (scores >= 0).all()
        np.testing.assert_allclose(scores.sum(axis=1), 1)
    np.testing.assert_array_equal(clf.classes_[clf.label_distributions_.argmax(axis=1)], clf.transduction_)
    known = y >= 0
    np.testing.assert_array_equal(clf.transduction_[known], y[known])


def test_result_and_graph_are_there_to_look_at():
    X, truth = blobs()
    clf = DiffuseInterfaceClassifier(schedule=Fixed(1.0, sweeps=100), step_size=0.01, random_state=0).fit(
        X, few(truth)
    )
    assert clf.n_iter_ == clf.result_.n_sweeps == 100
    assert clf.result_.status in Status
    assert len(clf.result_.energies) == 3
    assert sparse.issparse(clf.graph_.S)
    assert clf.graph_.S.format == "csr"
    assert set(clf.timings_) >= {"graph", "start", "descent"}


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier])
def test_precomputed_affinities_give_the_same_answer_as_features(make):
    X, truth = blobs(classes=2)
    y = few(truth)
    by_features = make().fit(X, y)
    W = Graph.from_features(X).W
    by_affinity = make(metric="precomputed").fit(W, y)
    np.testing.assert_array_equal(by_affinity.transduction_, by_features.transduction_)
    new = X[::7] + 0.1
    cross = by_features.graph_.affinity_to(new)
    np.testing.assert_allclose(by_affinity.predict_proba(cross), by_features.predict_proba(new), atol=1e-6)
    np.testing.assert_allclose(by_affinity.predict_proba(cross.toarray()), by_affinity.predict_proba(cross))
    by_graph = make().fit(Graph.from_features(X), y)
    np.testing.assert_array_equal(by_graph.predict(new), by_features.predict(new))


def test_the_classifier_accepts_frames_lists_sparse_and_read_only_input():
    X, truth = blobs()
    y = few(truth)
    expected = DiffuseInterfaceClassifier(random_state=0).fit(X, y).transduction_
    frozen = X.copy()
    frozen.flags.writeable = False
    for given in (
        pd.DataFrame(X).add_prefix("f"),
        X.tolist(),
        sparse.csr_array(X),
        frozen,
        X.astype(np.float32),
    ):
        labels = y.tolist() if isinstance(given, list) else pd.Series(y)
        found = DiffuseInterfaceClassifier(random_state=0).fit(given, labels).transduction_
        np.testing.assert_array_equal(found, expected)


def test_cloning_and_pickling():
    X, truth = blobs()
    clf = DiffuseInterfaceClassifier(n_neighbors=7, schedule=Annealed(1.0, 0.2), random_state=3)
    assert clone(clf).get_params() == clf.get_params()
    clf.fit(X, few(truth))
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict(X[:9]), clf.predict(X[:9]))


def test_equal_seeds_give_equal_results_and_threads_do_not_matter():
    X, truth = datasets.make_three_moons(random_state=0)
    y = datasets.sample_labels(truth, 3, random_state=0)
    runs = [
        DiffuseInterfaceClassifier(start="random", n_jobs=jobs, random_state=5).fit(X, y)
        for jobs in (1, 2, None)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.result_.offsets, runs[0].result_.offsets)
        assert run.result_.energies == runs[0].result_.energies


@pytest.mark.parametrize("seed", range(5))
def test_three_moons_annealed(seed):
    X, truth = datasets.make_three_moons(random_state=seed)
    y = datasets.sample_labels(truth, 25, random_state=seed)
    clf = DiffuseInterfaceClassifier(schedule=Annealed(2.0, 0.1), step_size=0.01, random_state=seed).fit(X, y)
    assert (clf.transduction_ != truth).mean() <= 0.04


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier])
def test_parts_without_labels_are_reported_and_get_the_prior(make):
    X, truth = blobs(classes=2)
    far = np.random.default_rng(9).normal(size=(30, 5)) + 1000
    X = np.vstack([X, far])
    y = np.concatenate([few(truth), np.full(30, -1)])
    with pytest.warns(UnreachableWarning, match="30 of 150 rows lie in 1 part of the graph"):
        clf = make().fit(X, y)
    assert (~clf.reachable_).sum() == 30
    np.testing.assert_allclose(clf.label_distributions_[120:], clf.class_prior_[None].repeat(30, axis=0))
    np.testing.assert_array_equal(clf.transduction_[:120], truth)
    assert set(clf.doubtful(30)) == set(range(120, 150))
    with pytest.warns(UnreachableWarning, match="1 of 2 rows are linked to no fitted row"):
        scores = clf.predict_proba(np.vstack([X[:1], far[:1]]))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier])
def test_isolated_vertices_and_new_rows_without_neighbours(make):
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    with pytest.warns(UnreachableWarning, match="1 of 5 rows"):
        clf = make(metric="precomputed").fit(W, [4, -1, 9, -1, -1])
    assert clf.transduction_[:4].tolist() == [4, 4, 9, 9]
    assert clf.reachable_.tolist() == [True] * 4 + [False]
    with pytest.warns(UnreachableWarning):
        np.testing.assert_allclose(clf.predict_proba(np.zeros((1, 5))), [[0.5, 0.5]])


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier])
def test_a_graph_without_edges_keeps_the_labels(make):
    with pytest.warns(UnreachableWarning, match="2 of 4 rows"):
        clf = make(metric="precomputed").fit(np.zeros((4, 4)), [3, 8, -1, -1])
    assert clf.transduction_[:2].tolist() == [3, 8]


def test_one_label_for_each_of_many_classes_is_no_mistake():
    X, truth = blobs(n=2, classes=40)
    y = np.where(np.arange(80) % 2 == 0, truth, -1)
    clf = DiffuseInterfaceClassifier(n_neighbors=1, random_state=0).fit(
        np.hstack([X, np.eye(40)[truth] * 50]), y
    )
    np.testing.assert_array_equal(clf.transduction_, truth)


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier])
def test_one_class_goes_to_everything_reachable(make):
    X, _ = blobs(classes=2)
    y = np.full(len(X), -1)
    y[0] = 42
    with pytest.warns(UnreachableWarning, match="60 of 120"):
        clf = make().fit(X, y)
    assert (clf.transduction_ == 42).all()
    assert clf.reachable_.sum() == 60
    np.testing.assert_array_equal(clf.label_distributions_, 1.0)


def test_duplicated_rows_work():
    X, truth = blobs()
    X, truth = np.repeat(X, 12, axis=0), np.repeat(truth, 12)
    with pytest.warns(UnreachableWarning):
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, few(truth))
    assert np.isfinite(clf.label_distributions_).all()
    assert (clf.transduction_ == truth)[clf.reachable_].all()


def test_a_low_fidelity_lets_neighbours_overrule_a_wrong_label():
    X, truth = blobs()
    y = truth.copy()
    y[5] = 2
    assert DiffuseInterfaceClassifier(random_state=0).fit(X, y).transduction_[5] == 2
    assert DiffuseInterfaceClassifier(fidelity=0.5, random_state=0).fit(X, y).transduction_[5] == 0


def test_verbose_reports_and_a_callback_can_stop(capsys):
    X, truth = blobs()
    DiffuseInterfaceClassifier(verbose=True, random_state=0).fit(X, few(truth))
    assert "step 1 of 19: epsilon 2" in capsys.readouterr().err
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, few(truth), callback=lambda step: True)
    assert clf.result_.status is Status.STOPPED


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"metric": "hamming"}, "metric must be one of euclidean, cosine, precomputed"),
        ({"start": "warm"}, "start must be one of auto"),
        ({"device": "tpu"}, "device must be one of cpu, cuda"),
        ({"schedule": 7}, "schedule must be Fixed"),
        ({"step_size": 0.0}, "step_size must be positive"),
        ({"fidelity": -1.0}, "fidelity must be positive"),
        ({"n_neighbors": 0}, "n_neighbors must be a positive integer"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"random_state": "a"}, "random_state must be"),
    ],
)
def test_bad_parameters_get_one_clear_sentence(parameters, sentence):
    X, truth = blobs()
    with pytest.raises(ValueError, match=sentence):
        DiffuseInterfaceClassifier(**parameters).fit(X, few(truth))


def test_bad_new_rows_get_one_clear_sentence():
    clf = DiffuseInterfaceClassifier(metric="precomputed").fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(ValueError, match="affinities of each new row to the 2 fitted rows"):
        clf.predict([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="finite and not negative"):
        clf.predict([[1.0, -2.0]])


def test_binary_model_refuses_three_classes_and_bad_parameters():
    X, truth = blobs()
    with pytest.raises(ValueError, match="y holds 3 classes"):
        BinaryInterfaceClassifier().fit(X, few(truth))
    X, truth = blobs(classes=2)
    for parameters in ({"epsilon": 0}, {"step_size": -1}, {"fidelity": 0}, {"n_eigenvectors": 0}, {"tol": 0}):
        with pytest.raises(ValueError, match="must be positive"):
            BinaryInterfaceClassifier(**parameters).fit(X, few(truth))


@pytest.mark.parametrize("n_eigenvectors", [20, None])
def test_binary_model_on_two_moons(n_eigenvectors):
    X, truth = datasets.make_two_moons(random_state=0)
    y = datasets.sample_labels(truth, 50, random_state=0)
    clf = BinaryInterfaceClassifier(n_eigenvectors=n_eigenvectors).fit(X, y)
    assert (clf.transduction_ != truth).mean() < 0.05
    assert clf.converged_
