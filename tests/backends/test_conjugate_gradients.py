"""Conjugate gradients, and verbs in plain arrays."""

import numpy as np

from graphwell.backends.conjugate_gradients import System, conjugate_gradients


def system_of(A):
    return System(lambda block: block - A @ block, np.ones(len(A)))


def test_conjugate_gradients_solve_every_column():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    A = A @ A.T + np.eye(30)
    b = rng.normal(size=(30, 4))
    b[:, 2] = 0
    solution = conjugate_gradients(system_of(A), b, tolerance=1e-12)
    np.testing.assert_allclose(solution.x, np.linalg.solve(A, b), atol=1e-8)
    assert (solution.x[:, 2] == 0).all()
    assert solution.residual < 1e-11
    assert 0 < solution.iterations <= 60


def test_conjugate_gradients_say_when_they_stopped_early():
    A = np.diag(np.logspace(0, 8, 40))
    solution = conjugate_gradients(system_of(A), np.ones((40, 1)), tolerance=1e-12, max_iterations=3)
    assert solution.iterations == 3
    assert solution.residual > 1e-3


def test_a_singular_system_is_solved_where_it_can_be():
    A = np.array([[1.0, -1.0], [-1.0, 1.0]])
    solution = conjugate_gradients(system_of(A), np.array([[1.0], [-1.0]]), tolerance=1e-10)
    np.testing.assert_allclose(A @ solution.x, [[1.0], [-1.0]])


def test_nothing_to_solve_takes_no_iteration():
    solution = conjugate_gradients(system_of(np.eye(3)), np.zeros((3, 2)))
    assert (solution.iterations, solution.residual) == (0, 0.0)
    assert (solution.x == 0).all()
