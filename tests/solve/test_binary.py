"""The binary model: hand-solved states, and the slope of the energy."""

import numpy as np
import pytest

from graphwell.graph import Graph
from graphwell.solve.binary import balanced_splitting, convex_splitting, smallest_eigenpairs
from graphwell.solve.reference import binary_energy, double_well_slope
from tests.helpers import chain, random_graph

SETTINGS = {"epsilon": 1.0, "fidelity": 30.0, "step_size": 0.1, "max_iter": 5000, "tol": 1e-10}


def test_opposite_ends_of_an_even_chain_split_it_in_the_middle():
    known = np.array([1.0, 0.0, 0.0, -1.0])
    run = convex_splitting(chain(1, 1, 1), known, n_eigenvectors=4, **SETTINGS)
    assert np.sign(run.u).tolist() == [1, 1, -1, -1]
    np.testing.assert_allclose(run.u, -run.u[::-1], atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_with_all_eigenvectors_the_energy_has_no_slope_where_it_ends(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 25, 0.5)
    known = np.where(rng.random(25) < 0.3, rng.choice([-1.0, 1.0], 25), 0.0)
    weight = 30 * np.abs(known)
    run = convex_splitting(graph, known, n_eigenvectors=25, **SETTINGS)
    gradient = graph.L_s @ run.u + double_well_slope(run.u) + weight * (run.u - known)
    np.testing.assert_allclose(gradient, 0, atol=1e-6)
    assert run.energy == pytest.approx(binary_energy(run.u, graph.L_s, 1.0, weight, known))


@pytest.mark.parametrize("n", [30, 300])
def test_eigenpairs_are_those_of_the_dense_laplacian(n):
    graph = Graph.from_features(np.random.default_rng(0).normal(size=(n, 3)))
    values, vectors = smallest_eigenpairs(graph, 5)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(graph.L_s.toarray())[:5], atol=1e-8)
    np.testing.assert_allclose(graph.L_s @ vectors, vectors * values, atol=1e-7)


def test_the_mass_is_held_and_the_energy_falls():
    rng = np.random.default_rng(0)
    W = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.3), 1)
    graph = Graph.from_affinity(W + W.T)
    runs = [balanced_splitting(graph, [1.0], 0.2, 0.1, 30, steps, 1e-12) for steps in (1, 300)]
    assert all(run.u.mean() == pytest.approx(0.2) for run in runs)
    nothing = np.zeros(30)
    energies = [binary_energy(run.u, graph.L_s, 1.0, nothing, nothing) for run in runs]
    assert energies[1] < energies[0]
    assert runs[1].energy == pytest.approx(energies[1])
