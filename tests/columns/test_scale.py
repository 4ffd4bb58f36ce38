"""Shift and factor of columns, by hand."""

import numpy as np
import pytest

from graphwell.columns.encoders import WORTH_OF_STEPS
from graphwell.columns.scale import shift_and_factor

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
