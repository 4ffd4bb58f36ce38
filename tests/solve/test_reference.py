"""The paper's equations by hand and by finite differences, and the slow, obvious engine held to them."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse

from graphwell.solve import reference
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine, literal_start, multiclass_energy, multiclass_gradient
from tests.helpers import chain, problems, slope_of, start_of


@settings(max_examples=30, deadline=None)
@given(problems())
def test_a_sweep_follows_the_gradient_of_the_model(case):
    problem, rng = case
    start = start_of(problem, rng)
    u = start.labels + start.offsets
    terms = (problem.graph.S, 0.8, problem.fidelities, problem.known)
    swept = ReferenceEngine(problem.graph).sweep(problem, start, 0.8, 1e-3, 1)
    stayed = swept.state.labels == start.labels
    moved = (swept.state.labels + swept.state.offsets - u)[stayed]
    small = np.abs(moved) < 0.4
    np.testing.assert_allclose(
        moved[small], (-1e-3 * multiclass_gradient(u, *terms))[stayed][small], atol=1e-12
    )
    after = swept.state.labels + swept.state.offsets
    assert swept.energy == pytest.approx(multiclass_energy(after, *terms), rel=1e-9, abs=1e-12)


def test_the_literal_start_does_not_know_the_labels():
    problem = Problem(chain(*np.ones(999)), np.zeros(1000, dtype=int), 4)
    assert (literal_start(problem, np.random.default_rng(0)).labels != 0).mean() > 0.6


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (reference.double_well, reference.double_well_slope),
        (reference.periodic_well, reference.periodic_well_slope),
        (reference.r_hat, reference.r_hat_slope),
    ],
)
def test_slopes_match_finite_differences_away_from_the_kinks(function, slope):
    u = np.random.default_rng(0).uniform(-0.49, 3.49, 500)
    u = u[np.abs(2 * u - np.round(2 * u)) > 1e-3]
    np.testing.assert_allclose(slope(u), slope_of(function, u), atol=1e-6)


def test_rho_follows_the_star_by_hand():
    # 0.2 is 0.3 from the centre on branch 0; 0.9 is 0.4 from it on branch 1; -0.1 is 0.4 on branch 0.
    assert reference.rho(0.2, 0.9) == pytest.approx(0.7)
    assert reference.rho(0.2, -0.1) == pytest.approx(0.1)
    assert reference.rho(0.3, -0.3) == pytest.approx(0.0)


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
    gradient = reference.multiclass_gradient(u, S, 0.7, fidelity, known)
    for i in range(len(u)):
        unit = np.eye(len(u))[i]
        measured = slope_of(lambda t: reference.multiclass_energy(u + t * unit, S, 0.7, fidelity, known), 0.0)  # noqa: B023
        assert measured == pytest.approx(gradient[i], abs=1e-5)


def test_multiclass_energy_by_hand():
    # Two vertices joined by S = 1, classes 0 and 1, at 0.1 and 1.2; r = 0.4 and 0.3, rho = 0.7.
    S = sparse.csr_array([[0.0, 1.0], [1.0, 0.0]])
    wells = (0.1 * 0.9) ** 2 / 2 + (0.2 * 0.8) ** 2 / 2
    expected = 2.0 / 2 * 0.7**2 + wells / 2.0 + 30 / 2 * 0.1**2
    assert reference.multiclass_energy(np.array([0.1, 1.2]), S, 2.0, np.array([30, 0]), 0) == pytest.approx(
        expected
    )


def test_binary_energy_by_hand():
    L_s = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    expected = 0.5 / 2 * (0.5 - -1) ** 2 + (0.25 - 1) ** 2 / 4 / 0.5 + 4 / 2 * 0.5**2
    assert reference.binary_energy(
        np.array([0.5, -1.0]), L_s, 0.5, np.array([4, 0]), np.array([1, 0])
    ) == pytest.approx(expected)
