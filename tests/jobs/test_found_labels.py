import numpy as np

import graphwell as gw
from graphwell.jobs.found_labels import FoundLabels
from tests.helpers import blobs, few


def found(labels, scores, classes):
    labels = np.array(labels)
    nowhere = np.zeros(len(labels), dtype=bool)
    return FoundLabels(labels, np.array(scores), np.array(classes), labels >= 0, nowhere)


def test_doubt_is_how_near_the_second_score_is():
    labels = found([3, 7, -1], [[0.75, 0.25], [0.5, 0.5], [0.0, 0.0]], [3, 7])
    assert labels.doubt.tolist() == [0.5, 1.0, 1.0]
    assert labels.guesses(0, 2) == [(3, 0.75), (7, 0.25)]
    assert labels.guesses(2, 2) == []


def test_one_class_is_never_in_doubt():
    assert found([3, -1], [[1.0], [0.0]], [3]).doubt.tolist() == [0.0, 1.0]


def test_a_fit_is_kept_as_it_was():
    X, truth = blobs(classes=3)
    y = few(truth)
    classifier = gw.DiffuseInterfaceClassifier(n_neighbors=8, n_jobs=1, random_state=0).fit(X, y)
    kept = FoundLabels.of(classifier)
    labels, scores = classifier.transduction_.copy(), classifier.label_distributions_.copy()
    classifier.fit(X, np.where(y >= 0, (y + 1) % 3, -1))
    assert np.array_equal(kept.labels, labels)
    assert np.array_equal(kept.scores, scores)
