"""Seeds as an array."""

import numpy as np
import pytest

from graphwell.segmentation.seeds import seed_classes


def test_classes_are_numbered_in_order():
    classes, codes = seed_classes([[7, -1, 3], [3, 7, -1]], (2, 3))
    assert classes.tolist() == [3, 7]
    assert codes.tolist() == [[1, -1, 0], [0, 1, -1]]


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        (np.zeros((3, 4), int), "seeds must have the size of the image, 4 x 4, but have 3 x 4"),
        (np.zeros((4, 4, 1), int), r"but have the shape \(4, 4, 1\)"),
        (np.zeros((4, 4)), "seeds must be integers with -1 for unknown, got float64"),
        (np.full((4, 4), -1), "seeds hold no class at all"),
        (np.full((4, 4), 5), "seeds hold one class only, 5"),
        (np.full((4, 4), -3), "seeds must be classes from 0 up, or -1 for unknown; got -3"),
    ],
)
def test_bad_seeds_are_refused(seeds, words):
    with pytest.raises(ValueError, match=words):
        seed_classes(seeds, (4, 4))
