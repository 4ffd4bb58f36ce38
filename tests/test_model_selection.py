"""Judging a fit: labels that are hidden, and errors that count what they should."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score

import graphwell as gw
from graphwell.metrics import accuracy_on_known, matched, matched_error, unlabelled_error
from graphwell.model_selection import HiddenLabelsSplit
from tests.helpers import blobs, few


def test_every_known_label_is_hidden_once_and_no_class_loses_its_last():
    y = np.array([0, 0, 0, 1, 1, 2] + [-1] * 10)
    splits = list(HiddenLabelsSplit(3, random_state=0).split(None, y))
    tested = np.concatenate([test for _, test in splits])
    assert sorted(tested) == [0, 1, 2, 3, 4]
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(16))
        assert set(range(6, 16)) <= set(train)
        assert set(y[train]) == {-1, 0, 1, 2}
        assert len(test) > 0
    again = list(HiddenLabelsSplit(3, random_state=0).split(None, y))
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))


def test_it_works_with_the_tools_of_scikit_learn():
    X, truth = blobs(n=30)
    y, cv = few(truth), HiddenLabelsSplit(3, random_state=0)
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0)
    scores = cross_val_score(clf, X, y, cv=cv)
    assert (scores > 0.9).all()
    search = GridSearchCV(clf, {"n_neighbors": [5, 8]}, cv=cv, scoring=gw.metrics.accuracy_on_known_scorer)
    search.fit(X, y)
    assert search.best_score_ > 0.9
    assert cv.get_n_splits() == 3
    W = gw.Graph.from_features(X).W
    assert (
        cross_val_score(gw.DiffuseInterfaceClassifier(models=None, metric="precomputed"), W, y, cv=cv).mean()
        > 0.9
    )


def test_markers_of_the_user_are_unknown():
    y = np.array(["a", "a", "?", "b", "b", "?"])
    (_, first), (_, second) = HiddenLabelsSplit(2, unknown="?", random_state=0).split(None, y)
    assert sorted([*first, *second]) == [0, 1, 3, 4]


def test_plain_scoring_with_unknown_labels_warns_and_counts_the_known_ones():
    X, truth = blobs(n=30)
    y = few(truth)
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="of the 90 labels to score with are unknown and are left out"):
        assert clf.score(X, y) == 1.0
    assert clf.score(X, truth) == (clf.predict(X) == truth).mean()
    with pytest.warns(UserWarning, match="unknown and are left out"):
        cross_val_score(clf, X, y, cv=[(np.arange(len(y)), np.arange(len(y)))])


def test_copies_of_a_row_are_hidden_together():
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 3)), 2, axis=0)
    y = np.repeat(np.arange(12) % 3, 2)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(str)})
    for rows in (X, X.tolist(), sparse.csr_array(X), frame, -0.0 * X[:, :1] + X):
        for train, test in HiddenLabelsSplit(2, random_state=0).split(rows, y):
            assert not set(train // 2) & set(test // 2)
            assert len(test) == 12
    groups = np.array(["one", "two"] * 12)
    for train, test in HiddenLabelsSplit(2, random_state=0).split(X, y, groups):
        assert not set(groups[train]) & set(groups[test])
    apart = HiddenLabelsSplit(3, random_state=0).split(X, y, np.arange(24))
    assert any(set(train // 2) & set(test // 2) for train, test in apart)


@pytest.mark.parametrize(
    ("n_splits", "y", "words"),
    [
        (1, [0, 0, 1, 1], "n_splits must be a whole number, 2 or more; got 1"),
        (True, [0, 0, 1, 1], "n_splits must be"),
        (3, [0, 1, 1, -1], "3 splits need as many labels of classes that have two or more; there are 2"),
        (2, [-1, -1], "there are 0"),
        (2, None, "needs y"),
    ],
)
def test_what_cannot_be_split_gets_one_sentence(n_splits, y, words):
    with pytest.raises(ValueError, match=words):
        list(HiddenLabelsSplit(n_splits).split(None, y))


def test_given_labels_do_not_count():
    truth = np.array([0, 1, 0, 1])
    predicted = np.array([1, 1, 1, 1])
    assert unlabelled_error(predicted, truth, np.array([True, False, False, False])) == pytest.approx(1 / 3)
    assert unlabelled_error([0, 1], [0, 1], [False, False]) == 0.0


def test_clusters_are_named_after_the_classes_they_fit_best():
    truth = np.array([0, 0, 0, 1, 1, 2])
    clusters = np.array([1, 1, 2, 2, 2, 0])
    assert matched(clusters, truth).tolist() == [0, 0, 1, 1, 1, 2]
    assert matched_error(clusters, truth) == pytest.approx(1 / 6)
    assert matched(np.array([0, 1, 2]), np.array([0, 0, 0])).tolist().count(-1) == 2


def test_only_known_labels_count():
    assert accuracy_on_known([1, 2, -1, -1], [1, 1, 1, -1]) == 0.5
    assert accuracy_on_known(np.array([1.0, np.nan]), np.array([1, 2])) == 1.0
    assert accuracy_on_known(["a", "?"], ["b", "?"], unknown=["?"]) == 0.0
    assert np.isnan(accuracy_on_known([-1, -1], [0, 1]))
    with pytest.raises(ValueError, match=r"got the shapes \(2,\) and \(3,\)"):
        accuracy_on_known([1, 2], [1, 2, 3])
