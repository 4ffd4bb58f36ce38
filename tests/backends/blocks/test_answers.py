"""Answers on their way from the blocks of a graph to the blocks of the input."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from graphwell.backends.blocks.answers import Told, by_input_block, in_input_order, named_labels


def told(vertices):
    """Answers that tell the number of their row."""
    vertices = np.asarray(vertices)
    return Told(vertices % 3, np.eye(3)[vertices % 3], vertices % 2 == 0, vertices % 5 == 0)


def test_every_row_comes_back_to_its_place():
    owned, starts = ([7, 1, 4], [0, 5, 3, 2, 6]), np.array([0, 3, 8])
    sent = [by_input_block(told(rows), SimpleNamespace(vertices=np.array(rows)), starts) for rows in owned]
    for number, (first, last) in enumerate(pairwise(starts)):
        found, expected = in_input_order([pieces[number] for pieces in sent]), told(np.arange(first, last))
        np.testing.assert_array_equal(found.assigned, expected.assigned)
        np.testing.assert_array_equal(found.distributions, expected.distributions)
        np.testing.assert_array_equal(found.reachable, expected.reachable)
        np.testing.assert_array_equal(found.bridged, expected.bridged)
    assert named_labels(told([4, 0]), np.array(["a", "b", "c"])).tolist() == ["b", "a"]
