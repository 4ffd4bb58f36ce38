"""Labels that are hidden in turn, and which candidates they speak for."""

import numpy as np

from graphwell.estimators.hidden import FOLDS, enough_labels, folds, sampled, still_in, winner


def test_each_label_is_hidden_once():
    labels = np.array([0] * 9 + [1] * 2 + [2] + [-1] * 5)
    hidden = np.sum(list(folds(labels, 3, np.random.default_rng(0))), axis=0)
    np.testing.assert_array_equal(hidden, [1] * 11 + [0] * 6)
    assert FOLDS > 1


def test_copies_are_hidden_together_and_no_class_loses_all_its_labels():
    labels = np.array([0] * 9 + [1] * 4 + [2, 0])
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4])
    hidden = list(folds(labels, 3, np.random.default_rng(0), groups))
    for each in hidden:
        assert all(len(set(each[groups == group])) == 1 for group in range(5))
        assert set(labels[~each]) == {0, 1, 2}
    np.testing.assert_array_equal(np.sum(hidden, axis=0), [1] * 9 + [0] * 6)


def test_all_labelled_rows_are_among_the_sample():
    labels = np.full(1000, -1)
    labels[::10] = 0
    places = sampled(labels, 100, 150, np.random.default_rng(0))
    assert len(places) == 150
    assert set(np.flatnonzero(labels == 0)) <= set(places)
    assert (labels[sampled(labels, 40, 10, np.random.default_rng(0))] == 0).sum() == 40


def test_the_first_stays_in_and_rivals_that_may_win():
    noise = np.array([0.1, -0.1] * 10)
    level = {"a": -2 + noise, "b": -0.5 + noise, "c": -0.49 - noise, "d": -0.9 + noise, "e": -0.51 - noise}
    assert still_in(list("abcde"), level) == ["a", "c", "b"]
    assert still_in(["a"], level) == ["a"]


def test_a_few_labels_found_by_all_decide_nothing():
    near = np.full(10, -0.01)
    assert still_in(["plain", "logits"], {"plain": near, "logits": near - 0.001}) == ["plain", "logits"]


def test_a_tie_goes_to_the_first():
    same = np.full(10, -0.5)
    assert winner(["plain", "logits"], {"plain": same, "logits": same}) == "plain"


def test_two_classes_need_ten_labels_and_a_pair():
    assert enough_labels(np.repeat([0, 1], [9, 1]), 2)
    assert not enough_labels(np.repeat([0, 1], [8, 1]), 2)
    assert not enough_labels(np.array([0, 1]), 2, needed=1)
    assert not enough_labels(np.zeros(50, dtype=int), 1)
