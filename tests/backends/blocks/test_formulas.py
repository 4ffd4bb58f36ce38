"""Formulas of vectors against the same calls one by one."""

import numpy as np

from graphwell.backends.blocks import formulas
from graphwell.backends.blocks.formulas import Formula, Slot, Step


def test_a_step_may_use_what_was_given_and_what_was_found_several_times():
    a, b = np.array([1.0, 4.0]), np.array([2.0, 0.0])
    steps = (
        Step(np.greater, (Slot(1), 0), {}),
        Step(np.where, (Slot(2), Slot(1), 1.0), {}),
        Step(np.divide, (Slot(0), Slot(3)), {}),
        Step(np.where, (Slot(2), Slot(4), 0.0), {}),
    )
    np.testing.assert_array_equal(Formula(2, steps).of(a, b), [0.5, 0.0])


def test_sums_of_groups_have_the_same_bits_in_any_order():
    rng = np.random.default_rng(0)
    groups, values = rng.integers(3, size=1000), rng.normal(size=1000) * 10.0 ** rng.integers(-9, 9, 1000)
    bounds = 1000 * formulas.group_peaks(groups, values, 3)
    whole, order = formulas.group_sums(groups, values, bounds), rng.permutation(1000)
    parts = [formulas.group_sums(groups[part], values[part], bounds) for part in np.array_split(order, 7)]
    np.testing.assert_array_equal(np.sum(parts, axis=0), whole)
    np.testing.assert_allclose(whole, np.bincount(groups, values), rtol=1e-9)


def test_a_group_that_is_not_there_has_nothing():
    groups, values = np.array([0, 0]), np.array([-3.0, 2.0])
    np.testing.assert_array_equal(formulas.group_minima(groups, values, 2), [-3.0, np.inf])
    np.testing.assert_array_equal(formulas.group_peaks(groups, values, 2), [3.0, 0.0])
    np.testing.assert_array_equal(formulas.group_sums(groups, values, np.array([6.0, 0.0])), [-1.0, 0.0])


def test_the_highest_value_of_an_empty_block_is_none():
    assert formulas.highest(np.array([1, 3, 2])).tolist() == [3]
    assert formulas.highest(np.zeros(0)).tolist() == []


def test_marked_values_come_with_their_places():
    places, values = formulas.marked(np.array([5, 6, 7]), np.array([True, False, True]))
    assert (places.tolist(), values.tolist()) == ([0, 2], [5, 7])
