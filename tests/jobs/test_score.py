"""Honest numbers."""

import numpy as np
import pytest

from graphwell.jobs.score import Accuracy, Holdout, compare, hide, runs_for


@pytest.mark.parametrize(
    ("right", "of", "low", "high"), [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (50, 100, 0.404, 0.596)]
)
def test_wilson_intervals(right, of, low, high):
    assert Accuracy(right, of).interval == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


def test_given_labels_and_unknown_truth_do_not_count():
    assigned = np.array([0, 1, 1, 0, -1])
    given = np.array([0, -1, -1, -1, -1])
    truth = np.array([0, 1, 2, -1, 0])
    compared = compare(assigned, given, truth, ("a", "b", "c"))
    assert compared.accuracy == Accuracy(1, 3)
    assert compared.confusion.tolist() == [[0, 0, 0, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    with pytest.raises(ValueError, match="there is nothing to compare"):
        compare(assigned, truth, truth, ("a", "b", "c"))


@pytest.mark.parametrize("seed", range(5))
def test_hidden_labels_are_a_share_and_leave_every_class_one(seed):
    given = np.array([0] * 5 + [1] * 14 + [2] + [-1] * 30)
    hidden = hide(given, 0.2, np.random.default_rng(seed))
    assert hidden.sum() == 4
    assert (given[hidden] >= 0).all()
    most = hide(given, 0.99, np.random.default_rng(seed))
    assert np.unique(given[~most & (given >= 0)]).tolist() == [0, 1, 2]
    assert most.sum() == 17


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises(ValueError, match=r"^holdout must lie between 0 and 1"):
        hide(np.array([0, 0, 1]), share, np.random.default_rng(0))


def test_nothing_to_hide_is_said():
    with pytest.raises(ValueError, match="needs a class with two given labels"):
        hide(np.array([0, 1, -1]), 0.5, np.random.default_rng(0))


def test_few_hidden_labels_are_asked_several_times_and_said_to_tell_little():
    assert [runs_for(hidden) for hidden in (1, 25, 99, 100, 5000)] == [5, 4, 2, 1, 1]
    many = Holdout(90, 100, runs=1, labels=100)
    assert many.in_words == (
        "A run without 100 of the given labels got 90 of them right: 90.0 % (95 % confidence: 83 to 94 %)."
    )
    few = Holdout(18, 20, runs=5, labels=10)
    assert few.interval == Accuracy(9, 10).interval
    assert few.in_words == (
        "5 runs, each without some of the given labels, got 18 of 20 right, 10 different ones: "
        "90.0 % (95 % confidence: 60 to 98 %). So few labels tell little."
    )
    assert few.to_json()["runs"] == 5


def test_an_accuracy_as_json():
    assert Accuracy(9, 10).to_json() == {
        "accuracy": 0.9,
        "right": 9,
        "of": 10,
        "interval_95": [0.5958, 0.9821],
    }


def test_labels_in_few_bytes_are_compared_with_more_classes_than_these_can_number():
    found, given, names = np.array([-1, 3], dtype=np.int8), np.array([-1, -1]), tuple(map(str, range(300)))
    compared = compare(found, given, np.array([299, 3]), names)
    assert compared.accuracy.right == 1
    assert compared.confusion[299, 300] == 1
