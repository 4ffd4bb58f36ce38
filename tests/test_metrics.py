"""Errors that count what they should."""

import numpy as np
import pytest

from graphwell.metrics import accuracy_on_known, majority_error, matched, matched_error, unlabelled_error


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


def test_the_majority_names_clusters_and_never_does_worse_than_a_matching():
    rng = np.random.default_rng(0)
    for _ in range(20):
        clusters, truth = rng.integers(4, size=(2, 30))
        counted = sum(
            (truth[clusters == c] != np.bincount(truth[clusters == c]).argmax()).sum() for c in range(4)
        )
        assert majority_error(clusters, truth) == pytest.approx(counted / 30)
        assert majority_error(clusters, truth) <= matched_error(clusters, truth) + 1e-12
