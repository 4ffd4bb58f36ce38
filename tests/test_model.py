"""The paper's equations, by hand and by finite differences."""

import numpy as np
import pytest
from scipy import sparse

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


def random_case(seed):
    rng = np.random.default_rng(seed)
    n = 12
    W = np.triu(rng.random((n, n)), 1)
    S = sparse.csr_array(W + W.T)
    u = rng.uniform(-0.45, 3.45, n)
    u += np.where(np.abs(2 * u - np.round(2 * u)) < 1e-2, 0.05, 0.0)
    return S, u, np.where(rng.random(n) < 0.5, 3.0, 0.0), rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_gradient_is_that_of_the_energy(seed):
    S, u, fidelity, known = random_case(seed)
    gradient = model.multiclass_gradient(u, S, 0.7, fidelity, known)
    for i in range(len(u)):
        unit = np.eye(len(u))[i]
        measured = slope_of(lambda t: model.multiclass_energy(u + t * unit, S, 0.7, fidelity, known), 0.0)  # noqa: B023
        assert measured == pytest.approx(gradient[i], abs=1e-5)


def test_multiclass_energy_by_hand():
    # Two vertices joined by S = 1, classes 0 and 1, at 0.1 and 1.2; r = 0.4 and 0.3, rho = 0.7.
    S = sparse.csr_array([[0.0, 1.0], [1.0, 0.0]])
    wells = (0.1 * 0.9) ** 2 / 2 + (0.2 * 0.8) ** 2 / 2
    expected = 2.0 / 2 * 0.7**2 + wells / 2.0 + 30 / 2 * 0.1**2
    assert model.multiclass_energy([0.1, 1.2], S, 2.0, [30, 0], [0, 0]) == pytest.approx(expected)


def test_binary_energy_by_hand():
    L_s = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    expected = 0.5 / 2 * (0.5 - -1) ** 2 + (0.25 - 1) ** 2 / 4 / 0.5 + 4 / 2 * 0.5**2
    assert model.binary_energy([0.5, -1.0], L_s, 0.5, [4, 0], [1, 0]) == pytest.approx(expected)
