"""Sizes of classes: estimated, and moved into bounds."""

import numpy as np
import pytest

from graphwell.solve.sizes import estimated_shares, may_be_random, refuted, settled_sizes, within_bounds


def test_bounds_that_hold_change_nothing_and_others_are_kept():
    coarse, counts = np.array([0.5, 0.3, 0.2]), np.array([1, 1, 1])
    lower, upper = np.array([0.1, 0.1, 0.1]), np.array([0.9, 0.9, 0.9])
    assert settled_sizes(counts, coarse, np.stack([lower, upper])) is None
    moved = within_bounds(coarse, np.array([0.0, 0.0, 0.35]), np.array([0.4, 1.0, 1.0]))
    assert moved.sum() == pytest.approx(1)
    assert moved[0] <= 0.4 + 1e-9
    assert moved[2] >= 0.35 - 1e-9


def test_equal_counts_tell_nothing_about_sizes():
    coarse = np.array([0.9, 0.1])
    np.testing.assert_array_equal(estimated_shares(np.array([5, 5]), coarse), coarse)
    assert estimated_shares(np.array([2, 60]), coarse)[1] > 0.8


def test_a_class_that_was_drawn_refutes_a_share_of_nothing_unless_labels_were_chosen():
    nothing = np.array([1.0, 0.0])
    assert refuted(nothing, np.array([3, 1]))
    assert not refuted(nothing, np.array([1, 1]))
    assert not refuted(np.array([0.75, 0.25]), np.array([30, 10]))
    assert refuted(np.array([0.75, 0.25]), np.array([10, 30]))


def test_a_class_without_a_label_does_not_make_labels_a_sample():
    assert not may_be_random(np.array([2, 2, 0]))
    assert may_be_random(np.array([4, 2, 0]))
