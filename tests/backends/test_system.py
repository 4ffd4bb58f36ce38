"""The linear systems of a graph in plain arrays."""

import numpy as np
import pytest

from graphwell.backends.conjugate_gradients import ArraySystem, fast_width


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
