"""Seeds as an array."""

import numpy as np
import pytest

from graphwell.segmentation.seeds import Seeds, seed_classes


def test_classes_are_numbered_in_order():
    classes, found = seed_classes([[7, -1, 3], [3, 7, -1]], (2, 3))
    assert classes.tolist() == [3, 7]
    assert found.plane().tolist() == [[1, -1, 0], [0, 1, -1]]


def test_masked_seeds_are_left_out():
    masked = np.array([[False, True, False]])
    classes, found = seed_classes([[4, 5, 6]], (1, 3), masked)
    assert classes.tolist() == [4, 6]
    assert found.plane().tolist() == [[0, -1, 1]]


def test_halved_seeds_take_the_majority():
    seeds = Seeds.of(np.array([[2, -1, 0, 1, -1], [2, 0, 1, 1, 4], [-1, -1, 3, -1, -1]]))
    assert seeds.halved().plane().tolist() == [[2, 1, 4], [-1, 3, -1]]


def test_of_equals_the_first_class_speaks_for_a_square_and_none_for_an_empty_picture():
    assert Seeds.of(np.array([[3, 1], [1, 3]])).halved().plane().tolist() == [[1]]
    nothing = Seeds.of(np.full((3, 3), -1)).halved()
    assert nothing.plane().tolist() == [[-1, -1], [-1, -1]]


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        (np.zeros((3, 4), int), "seeds must have the size of the image, 4 x 4, but have 3 x 4"),
        (np.zeros((4, 4, 1), int), r"but have the shape \(4, 4, 1\)"),
        (np.zeros((4, 4)), "seeds must be integers with -1 for unknown, got float64"),
        (np.full((4, 4), -1), "seeds hold no class at all"),
        (np.full((4, 4), -3), "seeds must be classes from 0 up, or -1 for unknown; got -3"),
    ],
)
def test_bad_seeds_are_refused(seeds, words):
    with pytest.raises(ValueError, match=words):
        seed_classes(seeds, (4, 4))
