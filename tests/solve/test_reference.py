"""The slow, obvious engine follows the gradient of the model, and energy falls."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell.model import multiclass_energy, multiclass_gradient
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine, literal_start
from tests.backends.dense import DenseEngine
from tests.helpers import chain, problems, start_of


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


@settings(max_examples=25, deadline=None)
@given(problems(max_vertices=25))
def test_energy_never_rises_at_fixed_epsilon_for_a_small_step(case):
    problem, rng = case
    engine = ReferenceEngine(problem.graph)
    state = start_of(problem, rng)
    energies = [engine.energy(problem, state, 1.0)]
    for _ in range(60):
        swept = engine.sweep(problem, state, 1.0, 0.002, 1)
        state = swept.state
        energies.append(swept.energy)
    rises = np.diff(energies)
    assert rises.max() <= 1e-9 + 1e-3 * max(energies[0], 1.0) * 0.01


@settings(max_examples=40, deadline=None)
@given(problems(beyond_the_paper=True))
def test_dense_matrices_do_the_same_sweeps(case):
    problem, rng = case
    start = start_of(problem, rng)
    expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 10)
    found = DenseEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 10)
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_allclose(found.state.offsets, expected.state.offsets, atol=1e-10)
    assert found.label_changes == expected.label_changes
    assert found.energy == pytest.approx(expected.energy, rel=1e-9, abs=1e-12)


def test_the_literal_start_does_not_know_the_labels():
    problem = Problem(chain(*np.ones(999)), np.zeros(1000, dtype=int), 4)
    assert (literal_start(problem, np.random.default_rng(0)).labels != 0).mean() > 0.6
