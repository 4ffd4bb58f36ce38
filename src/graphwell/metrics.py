"""Errors that count what they should."""

import numpy as np

from graphwell._types import BoolArray, IntArray


def unlabelled_error(predicted: IntArray, truth: IntArray, known: BoolArray) -> float:
    """Share of wrong labels among the points whose label was not given.

    Examples
    --------
    >>> unlabelled_error(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([True, False, False]))
    0.5
    """
    return float((np.asarray(predicted) != np.asarray(truth))[~np.asarray(known)].mean())


def matched(clusters: IntArray, truth: IntArray) -> IntArray:
    """Name each cluster after a class, so that as many points as possible are right.

    Each class names at most one cluster; clusters beyond the number of classes become -1.

    Examples
    --------
    >>> matched(np.array([2, 2, 0, 0, 1]), np.array([0, 0, 1, 1, 1]))
    array([ 0,  0,  1,  1, -1])
    """
    from scipy.optimize import linear_sum_assignment

    n_clusters, n_classes = int(clusters.max()) + 1, int(truth.max()) + 1
    table = np.zeros((n_clusters, n_classes))
    np.add.at(table, (clusters, truth), 1)
    rows, columns = linear_sum_assignment(-table)
    names = np.full(n_clusters, -1)
    names[rows] = columns
    return names[clusters]


def matched_error(clusters: IntArray, truth: IntArray) -> float:
    """Share of wrong labels under the best matching of clusters to classes.

    Examples
    --------
    >>> matched_error(np.array([2, 2, 0, 0]), np.array([0, 0, 1, 1]))
    0.0
    """
    return float((matched(clusters, truth) != truth).mean())
