"""Every label claims a part of the graph."""

import numpy as np
import pytest

from graphwell import Status
from graphwell.backends import find_backend
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.multilevel import claimed_shares
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run
from tests.helpers import clusters

CLASS_OF_CLUSTER = np.array([0, 0, 1, 0, 0, 1, 0, 0])


def two_classes_of_many_clusters(labels_of_cluster):
    """Eight clusters, of which two are of class 1, and so many labels in each cluster."""
    graph, cluster = clusters([60] * len(CLASS_OF_CLUSTER))
    truth = CLASS_OF_CLUSTER[cluster]
    labels = np.full(len(truth), -1)
    for number, count in enumerate(labels_of_cluster):
        chosen = np.flatnonzero(cluster == number)[:count]
        labels[chosen] = truth[chosen]
    return graph, labels, truth


def test_clusters_far_apart_take_the_class_of_the_labels_in_them(backend):
    graph, labels, truth = two_classes_of_many_clusters([2] * 8)
    placed = backend.place(graph)
    problem = Problem(placed, backend.asarray(labels), 2)
    shares, groups = claimed_shares(problem, backend.engine(placed))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[groups].argmax(axis=1) == truth).mean() > 0.99


@pytest.mark.parametrize("labels_of_cluster", [[1, 0, 1, 0, 0, 0, 1, 1], [1, 1, 3, 1, 1, 3, 1, 1]])
def test_too_few_labels_or_equally_many_per_class_claim_nothing(labels_of_cluster):
    graph, labels, _ = two_classes_of_many_clusters(labels_of_cluster)
    assert claimed_shares(Problem(graph, labels, 2), find_backend("cpu").engine(graph)) is None


def test_the_result_is_the_same_on_any_number_of_threads():
    graph, labels, _ = two_classes_of_many_clusters([2] * 8)
    problem = Problem(graph, labels, 2)
    one, three = (claimed_shares(problem, find_backend("cpu", n_jobs=n).engine(graph)) for n in (1, 3))
    np.testing.assert_array_equal(one[0], three[0])
    np.testing.assert_array_equal(one[1], three[1])


def test_a_fit_of_classes_of_several_clusters_is_right():
    graph, labels, truth = two_classes_of_many_clusters([2] * 8)
    found = fit(find_backend("cpu"), Problem(graph, labels, 2), Recipe(), Run(), np.random.default_rng(0))
    assert (found.result.labels == truth).mean() > 0.99
    assert found.result.status in (Status.SETTLED, Status.COMMUNITIES_KEPT, Status.HELD_BACK)
