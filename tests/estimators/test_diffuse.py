"""The classifier as its users meet it."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from graphwell import BridgedWarning, DiffuseInterfaceClassifier, Fixed, Status, datasets
from tests.helpers import blobs, few

alone = partial(DiffuseInterfaceClassifier, models=None, random_state=0)
"""The graph alone, without other models."""


def test_scores_are_distributions_that_agree_with_the_labels():
    X, truth = datasets.make_three_moons(random_state=1)
    y = datasets.sample_labels(truth, 5, random_state=1)
    clf = alone().fit(X, y)
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


def test_the_classifier_accepts_frames_lists_sparse_and_read_only_input():
    X, truth = blobs()
    y = few(truth)
    expected = alone().fit(X, y).transduction_
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
        found = alone().fit(given, labels).transduction_
        np.testing.assert_array_equal(found, expected)


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


def test_one_label_for_each_of_many_classes_is_no_mistake():
    X, truth = blobs(n=2, classes=40)
    y = np.where(np.arange(80) % 2 == 0, truth, -1)
    clf = alone(n_neighbors=1).fit(np.hstack([X, np.eye(40)[truth] * 50]), y)
    np.testing.assert_array_equal(clf.transduction_, truth)


def test_a_low_fidelity_lets_neighbours_overrule_a_wrong_label():
    X, truth = blobs()
    y = truth.copy()
    y[5] = 2
    assert alone().fit(X, y).transduction_[5] == 2
    assert alone(fidelity=0.5).fit(X, y).transduction_[5] == 0


def test_a_callback_can_stop_a_fit():
    X, truth = blobs()
    clf = alone().fit(X, few(truth), callback=lambda step: True)
    assert clf.result_.status is Status.STOPPED


def test_classes_without_a_label_change_nothing_and_get_no_row():
    X, truth = blobs()
    plain = alone().fit(X, few(truth))
    named = alone(classes=[7, 1, -5]).fit(X, few(truth))
    assert named.classes_.tolist() == [-5, 0, 1, 2, 7]
    assert named.unlabelled_classes_.tolist() == [-5, 7]
    np.testing.assert_array_equal(named.transduction_, plain.transduction_)
    np.testing.assert_array_equal(named.label_distributions_[:, 1:4], plain.label_distributions_)
    assert (named.label_distributions_[:, [0, 4]] == 0).all()
    assert named.predict_proba(X[:3]).shape == (3, 5)
    np.testing.assert_array_equal(named.classes_[named.result_.labels], named.transduction_)


@pytest.mark.parametrize("sizes", [[1 / 3] * 3, {2: (0.3, 0.5)}, {0: 0.34, 1: 0.33, 2: 0.33}])
def test_a_class_without_a_label_gets_rows_where_its_size_is_given(sizes):
    X, truth = blobs()
    y = np.where(few(truth) == 2, -1, few(truth))
    with pytest.warns(BridgedWarning):
        clf = alone(classes=[2], class_prior=sizes).fit(X, y)
    assert clf.unlabelled_classes_.tolist() == [2]
    np.testing.assert_array_equal(clf.transduction_, truth)
    assert np.isfinite(clf.label_distributions_).all()


@pytest.mark.parametrize("sizes", [None, "auto", "labels", [0.5, 0.5, 0.0]])
def test_a_class_without_label_or_size_gets_no_row(sizes):
    X, truth = blobs()
    y = np.where(few(truth) == 2, -1, few(truth))
    with pytest.warns(BridgedWarning):
        clf = alone(classes=[2], class_prior=sizes).fit(X, y)
    assert set(clf.transduction_) == {0, 1}
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1.0)
    assert clf.class_prior_[2] == 0


def test_one_label_and_a_class_without_any():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.full(40, -1)
    y[0] = 4
    clf = alone(classes=[4, 5]).fit(X, y)
    assert clf.result_.status is Status.ONE_CLASS
    assert (clf.transduction_ == 4).all()
    np.testing.assert_array_equal(clf.label_distributions_, [[1.0, 0.0]] * 40)
    sized = alone(classes=[4, 5], class_prior=[0.7, 0.3]).fit(X, y)
    assert set(sized.transduction_) == {4, 5}
    assert np.isfinite(sized.label_distributions_).all()


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"callback": 5}, "callback must be a function, got 5"),
        ({"progress": None}, "progress must be a function, got None"),
        ({"cancel": 1}, "cancel must be a flag with is_set, got 1"),
    ],
)
def test_odd_options_of_a_fit_get_one_sentence(option, told):
    with pytest.raises(ValueError, match=told):
        alone().fit([[0.0], [1.0], [2.0]], [0, 1, -1], **option)


def test_labels_to_score_with_must_be_as_many_as_the_rows():
    clf = alone(n_neighbors=1).fit([[0.0], [1.0], [9.0]], [0, -1, 1])
    with (
        pytest.warns(UserWarning, match="are unknown"),
        pytest.raises(ValueError, match="y has 2 labels, but X has 3 rows"),
    ):
        clf.score([[0.0], [1.0], [9.0]], [0, -1])
