"""The p-eigenfunction, against p = 2 and finite differences."""

import numpy as np
import pytest

from graphwell.solve.cuts import centre, p_eigenfunction, p_ratio
from tests.solve.test_balanced_cuts import random_piece


@pytest.mark.parametrize("p", [1.3, 1.7, 2.0])
def test_the_gradient_is_that_of_the_ratio(p):
    piece, f = random_piece(0, by_degree=True), np.random.default_rng(0).normal(size=8)
    gradient = p_ratio(piece, f, p)[1]
    step = 1e-6
    for i in range(8):
        ahead, behind = f.copy(), f.copy()
        ahead[i] += step
        behind[i] -= step
        slope = (p_ratio(piece, ahead, p)[0] - p_ratio(piece, behind, p)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, abs=1e-5)


def test_the_second_eigenvector_has_the_lowest_ratio_at_two():
    piece = random_piece(1)
    W = piece.W.toarray()
    values, vectors = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    value, gradient = p_ratio(piece, vectors[:, 1], 2.0)
    assert np.exp(value) == pytest.approx(values[1])
    assert np.abs(gradient).max() < 1e-9


def test_the_way_down_lowers_the_ratio_and_sharpens_the_step():
    piece = random_piece(2)
    W = piece.W.toarray()
    start = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)[1][:, 1]
    found = p_eigenfunction(piece, start, p=1.2, max_iter=300)
    assert p_ratio(piece, found, 1.2)[0] <= p_ratio(piece, start, 1.2)[0]
    rng = np.random.default_rng(0)
    near = [found + 0.01 * np.ptp(found) * rng.normal(size=8) for _ in range(200)]
    assert p_ratio(piece, found, 1.2)[0] <= min(p_ratio(piece, other, 1.2)[0] for other in near)
    assert (p_eigenfunction(piece, start, p=2.0) == start - centre(start, piece.measure, 2.0)).all()


@pytest.mark.parametrize("p", [1.1, 1.5, 2.0])
def test_the_centre_is_the_best_of_many(p):
    rng = np.random.default_rng(0)
    f, measure = rng.normal(size=20), rng.random(20)
    tried = np.linspace(f.min(), f.max(), 2001)
    best = min(tried, key=lambda c: measure @ np.abs(f - c) ** p)
    assert centre(f, measure, p) == pytest.approx(best, abs=2 * (tried[1] - tried[0]))
