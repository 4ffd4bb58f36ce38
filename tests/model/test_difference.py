"""How far two states are apart, along the star of classes."""

import numpy as np
import pytest

from graphwell import model
from tests.helpers import slope_of


def test_the_slope_of_r_matches_finite_differences_away_from_the_kinks():
    u = np.random.default_rng(0).uniform(-0.49, 3.49, 500)
    u = u[np.abs(2 * u - np.round(2 * u)) > 1e-3]
    np.testing.assert_allclose(model.r_hat_slope(u), slope_of(model.r_hat, u), atol=1e-6)


def test_rho_is_the_same_between_any_two_classes():
    classes = np.arange(6.0)
    distance = model.rho(classes[:, None], classes[None, :])
    np.testing.assert_array_equal(distance, 1 - np.eye(6))


def test_rho_follows_the_star_by_hand():
    # 0.2 is 0.3 from the centre on branch 0; 0.9 is 0.4 from it on branch 1; -0.1 is 0.4 on branch 0.
    assert model.rho(0.2, 0.9) == pytest.approx(0.7)
    assert model.rho(0.2, -0.1) == pytest.approx(0.1)
    assert model.rho(0.3, -0.3) == pytest.approx(0.0)


def test_label_boundaries_lie_at_the_half_integers():
    assert model.label([-0.5, 0.49999, 0.5, 1.5]).tolist() == [0, 0, 1, 2]
