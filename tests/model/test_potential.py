"""The wells, by hand and against finite differences."""

import numpy as np
import pytest

from graphwell import model
from tests.helpers import slope_of


@pytest.mark.parametrize(
    ("function", "slope"),
    [(model.double_well, model.double_well_slope), (model.periodic_well, model.periodic_well_slope)],
)
def test_slopes_match_finite_differences_away_from_the_kinks(function, slope):
    u = np.random.default_rng(0).uniform(-0.49, 3.49, 500)
    u = u[np.abs(2 * u - np.round(2 * u)) > 1e-3]
    np.testing.assert_allclose(slope(u), slope_of(function, u), atol=1e-6)


def test_every_integer_is_a_minimum_of_the_periodic_well_and_every_half_integer_a_maximum():
    integers = np.arange(-2.0, 5.0)
    assert (model.periodic_well(integers) == 0).all()
    assert np.allclose(model.periodic_well(integers + 0.5), 1 / 32)
    assert (model.periodic_well(integers + 0.49) < 1 / 32).all()


def test_double_well_has_its_minima_at_plus_and_minus_one():
    assert model.double_well(1.0) == model.double_well(-1.0) == 0
    assert model.double_well_slope([-1.0, 0.0, 1.0]).tolist() == [0, 0, 0]
