"""Labels drawn per class."""

import numpy as np
import pytest

from graphwell import datasets
from graphwell._random import stream


def test_sampled_labels_are_those_of_the_comparison_protocol():
    y = np.repeat([0, 1, 2], 50)
    rng = np.random.default_rng(7)
    expected = np.full(150, -1)
    for c in range(3):
        expected[rng.choice(np.flatnonzero(y == c), 4, replace=False)] = c
    np.testing.assert_array_equal(datasets.sample_labels(y, 4, random_state=7), expected)


def test_data_labels_and_start_are_independent_under_one_seed():
    draws = [stream(0, purpose).random(1000) for purpose in ("three moons", "two moons", "start", "k-means")]
    draws.append(np.random.default_rng(0).random(1000))
    correlation = np.corrcoef(draws) - np.eye(len(draws))
    assert np.abs(correlation).max() < 0.15


def test_a_class_with_too_few_points_is_named():
    with pytest.raises(ValueError, match="class 0 has 1 points"):
        datasets.sample_labels(np.array([0, 1]), 2)
