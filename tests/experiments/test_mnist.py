"""MNIST, and digits in its place."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphwell import datasets
from graphwell.experiments.expected import expectations
from graphwell.experiments.mnist import confusion_matrix, largest_confusions, mnist
from tests.experiments.sections import complaints, line


def test_mistakes_are_counted_by_pairs():
    confusion = confusion_matrix(np.array([0, 1, 1, 2, 2]), np.array([0, 1, 2, 2, 1]))
    assert confusion.tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert largest_confusions(confusion, 1) == [(1, 2, 2)]


@pytest.mark.slow
def test_digits_in_place_of_mnist():
    pixels, truth = load_digits(return_X_y=True)
    section = mnist((pixels * 15).astype(np.uint8), truth, runs=4, shares=(1, 10))
    assert {line.key for line in section.lines} == {k for k in expectations() if k.startswith("mnist.")}
    assert line(section, "error").mean < 4
    assert line(section, "unlabelled").mean > line(section, "error").mean
    ours, published = section.tables[1:]
    counts = np.array([row[1:] for row in ours.rows])
    assert counts.sum() == len(truth)
    np.testing.assert_array_equal(counts.sum(axis=0), np.bincount(truth))
    assert 1 - counts.trace() / len(truth) == pytest.approx(line(section, "error").best / 100)
    assert published.rows[9][5] == 348
    assert "In the paper's: 7 and 9 (719), 4 and 9 (653)" in section.remarks[0]


@pytest.mark.slow
def test_the_mnist_line_of_the_paper(shared_data):
    section = mnist(*datasets.load_mnist(shared_data), runs=1, shares=())
    assert complaints(section.lines) == []
    assert line(section, "error").mean <= 2.3
