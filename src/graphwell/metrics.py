"""Errors that count what they should."""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from graphwell._types import BoolArray, IntArray
from graphwell._unknown import as_numpy_reads_them, is_known


def unlabelled_error(predicted: IntArray, truth: IntArray, known: BoolArray) -> float:
    """Share of wrong labels among the points whose label was not given.

    Examples
    --------
    >>> unlabelled_error(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([True, False, False]))
    0.5
    """
    return float((np.asarray(predicted) != np.asarray(truth))[~np.asarray(known)].mean())


def accuracy_on_known(y_true: Any, y_pred: Any, *, unknown: Any = None) -> float:
    """Share of right labels among the rows whose true label is known; NaN if none is.

    For `cross_val_score` and `GridSearchCV`, give ``scoring=accuracy_on_known_scorer``.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels; those that are -1 (integers), None or NaN are left out.
    y_pred : array-like of shape (n,)
    unknown : object, or several in a list
        Further labels that mean unknown.

    Examples
    --------
    >>> accuracy_on_known([0, 1, -1, -1], [0, 0, 1, 0])
    0.5
    >>> accuracy_on_known(["a", "?", None], ["a", "b", "a"], unknown="?")
    1.0
    """
    truth, found = (np.asarray(as_numpy_reads_them(each), dtype=object) for each in (y_true, y_pred))
    if truth.shape != found.shape or truth.ndim != 1:
        raise ValueError(
            f"y_true and y_pred must hold one label per row, got the shapes {truth.shape} and {found.shape}."
        )
    known = is_known(y_true, unknown)
    return float((truth[known] == found[known]).mean()) if known.any() else float("nan")


def label_issue_scores(found: Any, wrong: Any, n: int | None = None) -> tuple[float, float]:
    """Precision and recall of label issues: how many of those found are wrong, and of the wrong are found.

    Parameters
    ----------
    found : DataFrame or array-like
        ``clf.label_issues_``, or numbers of rows, worst first.
    wrong : array-like
        Numbers of the rows whose given label is wrong.
    n : int, optional
        How many of `found` to look at; all by default.

    Examples
    --------
    >>> label_issue_scores([7, 2, 5], wrong=[2, 7], n=2), label_issue_scores([7, 3], wrong=[2, 7])
    ((1.0, 1.0), (0.5, 0.5))
    """
    rows = np.asarray(found["row"] if hasattr(found, "columns") else found, dtype=int)[:n]
    wrong = np.unique(np.asarray(wrong, dtype=int))
    right = np.isin(rows, wrong)
    return (
        float(right.mean()) if len(rows) else float("nan"),
        float(right.sum() / len(wrong)) if len(wrong) else float("nan"),
    )


def accuracy_on_known_scorer(estimator: Any, X: Any, y: Any) -> float:
    """`accuracy_on_known` of the predictions of a fitted classifier: a scorer for scikit-learn.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> always_1 = DummyClassifier(strategy="constant", constant=1).fit([[0], [1]], [0, 1])
    >>> accuracy_on_known_scorer(always_1, [[0], [1], [2]], [1, -1, 0])
    0.5
    """
    unknown = getattr(estimator, "unknown", None)
    return accuracy_on_known(y, np.asarray(estimator.predict(X)), unknown=unknown)


def matched(clusters: IntArray, truth: IntArray) -> IntArray:
    """Name each cluster after a class, so that as many points as possible are right.

    Each class names at most one cluster; clusters beyond the number of classes become -1.

    Examples
    --------
    >>> matched(np.array([2, 2, 0, 0, 1]), np.array([0, 0, 1, 1, 1]))
    array([ 0,  0,  1,  1, -1])
    """
    found, of_row = np.unique(clusters, return_inverse=True)
    classes, names = np.unique(truth), np.full(len(found), -1)
    columns, rows = linear_sum_assignment(contingency_matrix(truth, clusters), maximize=True)
    names[rows] = classes[columns]
    return names[of_row]


def matched_error(clusters: IntArray, truth: IntArray) -> float:
    """Share of wrong labels under the best matching of clusters to classes.

    Examples
    --------
    >>> matched_error(np.array([2, 2, 0, 0]), np.array([0, 0, 1, 1]))
    0.0
    """
    return float((matched(clusters, truth) != truth).mean())


def majority_error(clusters: IntArray, truth: IntArray) -> float:
    """Share of wrong labels if each cluster is named after the class that most of its points have.

    Several clusters may have one name, so this is never more than `matched_error`.

    Examples
    --------
    >>> majority_error(np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 1]))
    0.0
    >>> matched_error(np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 1]))
    0.4
    """
    return float(1 - contingency_matrix(truth, clusters).max(axis=0).sum() / len(truth))
