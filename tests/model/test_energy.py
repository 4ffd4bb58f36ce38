"""The energies, by hand and against their gradients."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import model
from tests.helpers import slope_of


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
