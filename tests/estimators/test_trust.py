"""How far each given label is trusted."""

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier
from graphwell.estimators.labels import Labels
from graphwell.estimators.trust import read_trust
from tests.helpers import blobs, few

LABELS = Labels(np.array([0, 1, -1, 0]), np.array(["a", "b"]))


def test_full_trust_is_no_trust_to_keep():
    assert read_trust(None, LABELS) == (LABELS, None)
    found, trust = read_trust([1, 1, np.nan, 1.0], LABELS)
    assert trust is None
    assert found.codes.tolist() == [0, 1, -1, 0]


def test_a_class_without_trusted_labels_is_gone():
    found, trust = read_trust(np.array([0, 2, 5, 0]), LABELS)
    assert (found.codes.tolist(), found.classes.tolist(), trust.tolist()) == (
        [-1, 0, -1, -1],
        ["b"],
        [1, 2, 1, 1],
    )


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 1, 1], r"must be 0 or more wherever a label is known; row 1 has -1"),
        ([1, np.nan, 1, 1], "row 1 has nan"),
        ([0, 0, 1, 0], "is zero at every known label"),
        ([1, 1], r"shape == \(2,\), expected \(4,\)"),
        ("full", "must hold one number per row, got 'full'"),
    ],
)
def test_bad_weights_get_one_sentence(weights, words):
    with pytest.raises(ValueError, match=words):
        read_trust(weights, LABELS)


def wrong_labels():
    """Blobs with four right labels and one wrong one in each class."""
    X, truth = blobs(n=40)
    y = few(truth)
    wrong = np.array([np.flatnonzero((truth == c) & (y == -1))[7] for c in range(3)])
    y[wrong] = (truth[wrong] + 1) % 3
    return X, truth, y, wrong


def test_weight_0_is_unknown_and_weight_1_changes_nothing():
    X, _, y, wrong = wrong_labels()
    clf = DiffuseInterfaceClassifier(random_state=0)
    weights = np.ones(len(y))
    plain = clf.fit(X, y).label_distributions_
    np.testing.assert_array_equal(clf.fit(X, y, sample_weight=weights).label_distributions_, plain)
    weights[wrong] = 0
    hidden = np.where(weights == 0, -1, y)
    without = clf.fit(X, hidden).label_distributions_
    np.testing.assert_array_equal(clf.fit(X, y, sample_weight=weights).label_distributions_, without)
    assert clf.doubtful(len(y)).size == (hidden == -1).sum()


def test_labels_of_little_trust_are_overruled():
    X, truth, y, wrong = wrong_labels()
    clf = DiffuseInterfaceClassifier(random_state=0)
    trusted = clf.fit(X, y).transduction_
    np.testing.assert_array_equal(trusted[wrong], y[wrong])
    weights = np.ones(len(y))
    weights[wrong] = 0.02
    doubted = clf.fit(X, y, sample_weight=weights).transduction_
    np.testing.assert_array_equal(doubted, truth)


def test_trust_is_part_of_a_checkpoint(tmp_path):
    X, _, y, wrong = wrong_labels()
    weights = np.ones(len(y))
    weights[wrong] = 0.02
    clf = DiffuseInterfaceClassifier(random_state=0)
    clf.fit(X, y, weights, checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match="the known labels differ"):
        clf.fit(X, y, checkpoint=tmp_path / "run")
