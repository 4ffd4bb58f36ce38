"""A table to try the program on."""

import csv

import numpy as np
from sklearn.datasets import load_digits

from graphwell.datasets import digits_table


def test_every_digit_is_a_row_with_its_pixels_and_its_truth():
    header, *rows = csv.reader(digits_table(per_class=5, random_state=0).splitlines())
    pixels = [i for i, name in enumerate(header) if name.startswith("pixel")]
    data, truth = load_digits(return_X_y=True)
    np.testing.assert_array_equal(np.array(rows)[:, pixels].astype(float), data)
    np.testing.assert_array_equal(np.array(rows)[:, header.index("truth")].astype(int), truth)
    given = np.array(rows)[:, header.index("label")]
    known = given != ""
    np.testing.assert_array_equal(np.bincount(given[known].astype(int)), np.full(10, 5))
    np.testing.assert_array_equal(given[known].astype(int), truth[known])


def test_a_seed_decides_which_labels_are_given():
    assert digits_table(3, random_state=1) == digits_table(3, random_state=1)
    assert digits_table(3, random_state=1) != digits_table(3, random_state=2)
