"""Vectors of NumPy, and verbs that any engine of arrays inherits."""

import numpy as np
import pytest

from graphwell.backends.arrays import ArrayEngine, HostVectors
from tests.helpers import chain


def test_groups_may_be_empty():
    groups, values = np.array([2, 0, 2]), np.array([1.0, 5.0, -3.0])
    assert HostVectors().group_sums(groups, values, 4).tolist() == [5, 0, -2, 0]
    assert HostVectors().group_minima(groups, values, 4).tolist() == [5, np.inf, -3, np.inf]


def test_what_a_subclass_must_give_is_asked_of_it():
    engine = ArrayEngine()
    for call in (
        lambda: engine.product(np.ones((2, 1))),
        lambda: engine.nearest(np.array([0, -1])),
        lambda: engine.sweep(None, None, 1.0, 0.1, 1),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_a_product_is_enough_to_solve_systems():
    class Doubling(ArrayEngine):
        def product(self, block):
            return 0.5 * block

    engine = Doubling()
    engine.graph = chain(1.0, 1.0)
    solution = engine.solve(np.ones(3), np.array([[1.0], [2.0], [4.0]]))
    np.testing.assert_allclose(solution.x.ravel(), [2, 4, 8])
    assert engine.solve(np.ones(3), np.ones((3, 1)), max_iterations=1).iterations == 1
    assert engine.largest_eigenvalue(5) == 0.0


def test_an_indicator_leaves_unknown_rows_empty():
    block = ArrayEngine().indicator(np.array([-1, 1, 0]), np.array([7.0, 2.0, 3.0]), 2)
    assert block.tolist() == [[0, 0], [0, 2], [3, 0]]


def test_margins_are_shares_and_negative_entries_count_as_nothing():
    engine = ArrayEngine()
    assert engine.margins(np.array([[-5.0, 2.0], [1.0, 3.0], [-1.0, -1.0]])).tolist() == [1.0, 0.5, 0.0]
    assert engine.margins(np.array([[0.0], [9.0]])).tolist() == [1.0, 1.0]
