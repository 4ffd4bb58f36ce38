"""Shift and factor of columns, by hand."""

import numpy as np
import pytest

from graphwell.encoders.columns import WORTH_OF_STEPS, shift_and_factor

ROWS = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 7.0], [4.0, 1.0, np.nan], [np.nan, 1.0, 9.0]])


@pytest.mark.parametrize(("scale", "spread"), [("standard", np.sqrt(8 / 3)), ("robust", 2.0)])
def test_numbers_are_scaled_steps_count_less_and_constants_stay_finite(scale, spread):
    shift, factor = shift_and_factor(ROWS, np.array(["number", "number", "step"]), scale)
    np.testing.assert_allclose(shift, [2, 1, 7])
    np.testing.assert_allclose(factor, [1 / spread, 1, WORTH_OF_STEPS / spread])


def test_other_kinds_have_their_own_scale():
    shift, factor = shift_and_factor(ROWS, np.array(["indicator", "text", "cycle"]))
    assert shift.tolist() == [0, 0, 0]
    assert factor.tolist() == [1, 1, 1]


def test_single_precision_is_summed_in_double_and_rounding_is_no_spread():
    rng = np.random.default_rng(0)
    rows = (1e4 + rng.normal(size=(50_000, 2))).astype(np.float32)
    shift, factor = shift_and_factor(rows, np.array(["number", "number"]))
    precise = rows.astype(float)
    np.testing.assert_allclose(shift, precise.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(factor, 1 / precise.std(axis=0), rtol=1e-9)
    constant = np.full((10, 1), 0.1)
    constant[3] = np.nextafter(0.1, 1)
    assert shift_and_factor(constant, np.array(["number"]))[1].tolist() == [1.0]
