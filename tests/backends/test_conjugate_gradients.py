"""Conjugate gradients, and verbs in plain arrays."""

import numpy as np
import pytest

from graphwell.backends.arrays import ArrayEngine, HostVectors
from graphwell.backends.conjugate_gradients import ArraySystem, conjugate_gradients, fast_width, share_done
from graphwell.progress import listening
from tests.helpers import chain


def system_of(A):
    return ArraySystem(lambda block: block - A @ block, np.ones(len(A)))


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


def test_the_share_that_is_done_rises_to_one():
    shares = []
    A = np.diag(np.logspace(0, 3, 40))
    with listening(shares.append):
        conjugate_gradients(system_of(A), np.ones((40, 1)), tolerance=1e-8)
    assert shares[-1] == 1.0
    assert all(0 <= share <= 1 for share in shares)
    assert share_done(np.array([1.0, 1e-8]), 1e-8) == pytest.approx(0.0)
    assert share_done(np.array([1e-8]), 1e-8) == pytest.approx(0.99)


def test_the_matrix_is_the_identity_less_the_scaled_product():
    rng = np.random.default_rng(0)
    S, scaling, p = rng.random((6, 6)), rng.random(6), rng.normal(size=(6, 4))
    system = ArraySystem(lambda block: S @ block, scaling)
    image = np.empty_like(p)
    dots = system.apply(p, image)
    A = np.diag(scaling)
    np.testing.assert_allclose(image, (np.eye(6) - A @ S @ A) @ p)
    np.testing.assert_allclose(dots, (p * image).sum(axis=0))


def test_steps_change_their_vectors_in_place():
    x, r, p, image = np.zeros((3, 1)), np.ones((3, 1)), np.full((3, 1), 2.0), np.full((3, 1), 0.25)
    system = ArraySystem(lambda block: block, np.ones(3))
    assert system.advance(x, r, p, image, np.array([2.0])) == pytest.approx(3 * 0.25)
    assert x.ravel().tolist() == [4, 4, 4]
    system.turn(p, r, np.array([0.5]))
    assert p.ravel().tolist() == [1.5, 1.5, 1.5]


def test_vectors_enter_with_a_fast_width_and_their_precision():
    block = np.arange(6.0).reshape(2, 3)
    entered = ArraySystem(lambda block: block, np.ones(2), np.float32).enter(block)
    assert entered.shape == (2, 4)
    assert entered.dtype == np.float32
    assert (entered[:, 3] == 0).all()
    assert [fast_width(width) for width in (1, 2, 4, 5, 12)] == [1, 4, 4, 8, 12]


def test_groups_may_be_empty():
    groups, values = np.array([2, 0, 2]), np.array([1.0, 5.0, -3.0])
    assert HostVectors().group_sums(groups, values, 4).tolist() == [5, 0, -2, 0]
    assert HostVectors().group_minima(groups, values, 4).tolist() == [5, np.inf, -3, np.inf]


def test_what_a_subclass_must_give_is_asked_of_it():
    engine = ArrayEngine()
    for call in (
        lambda: engine.product(np.ones((2, 1))),
        lambda: engine.nearest(np.array([0, -1])),
        lambda: engine.sweep(None, None, 1.0, 0.1, 1),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_a_product_is_enough_to_solve_systems():
    class Doubling(ArrayEngine):
        def product(self, block):
            return 0.5 * block

    engine = Doubling()
    engine.graph = chain(1.0, 1.0)
    solution = engine.solve(np.ones(3), np.array([[1.0], [2.0], [4.0]]))
    np.testing.assert_allclose(solution.x.ravel(), [2, 4, 8])
    np.testing.assert_allclose(engine.solve(np.ones(3), np.array([1.0, 2.0, 4.0])).x, [2, 4, 8])


def test_an_indicator_leaves_unknown_rows_empty():
    block = ArrayEngine().indicator(np.array([-1, 1, 0]), np.array([7.0, 2.0, 3.0]), 2)
    assert block.tolist() == [[0, 0], [0, 2], [3, 0]]


def test_margins_are_shares_and_negative_entries_count_as_nothing():
    engine = ArrayEngine()
    assert engine.margins(np.array([[-5.0, 2.0], [1.0, 3.0], [-1.0, -1.0]])).tolist() == [1.0, 0.5, 0.0]
    assert engine.margins(np.array([[0.0], [9.0]])).tolist() == [1.0, 1.0]
