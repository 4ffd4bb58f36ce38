"""The inverse power method, against every cut there is."""

import numpy as np
import pytest
from scipy import sparse

from graphwell.solve.cuts import (
    Piece,
    about_median,
    balanced_signs,
    best_threshold,
    cheeger_cut,
    dual_descent,
    edges_of,
    ratio,
)
from tests.solve.test_balanced_cuts import every_set, random_piece


@pytest.mark.parametrize("by_degree", [False, True])
def test_the_smallest_cut_of_all_is_found(by_degree):
    """From some random starts; one start may end in a local minimum, but never above its own threshold."""
    for seed in range(8):
        piece, rng = random_piece(seed, 9, by_degree), np.random.default_rng(seed)
        found = []
        for _ in range(20):
            start = rng.normal(size=9)
            found.append(piece.cheeger(cheeger_cut(piece, start)))
            assert found[-1] <= piece.cheeger(best_threshold(piece, start)) + 1e-12
        assert min(found) == pytest.approx(min(map(piece.cheeger, every_set(9))))


def test_the_ratio_of_an_indicator_is_its_cheeger_cut():
    for by_degree in (False, True):
        piece = random_piece(3, by_degree=by_degree)
        for side in list(every_set(8))[::11]:
            assert ratio(piece, side.astype(float)) == pytest.approx(piece.cheeger(side))


def test_the_inner_problem_is_solved():
    """The gap between primal and dual closes: ``TV(f) - <target, f>`` and ``-|f|^2`` agree at the optimum."""
    piece = random_piece(1)
    target = 0.3 * balanced_signs(piece, about_median(piece, np.arange(8.0)))
    first, second, weights = edges_of(piece)
    f = dual_descent(first, second, weights, target, np.zeros(len(weights)), 5000)
    variation = (weights * np.abs(f[first] - f[second])).sum()
    assert variation - target @ f == pytest.approx(-(f @ f), abs=1e-8)


def test_signs_sum_to_zero_and_edges_are_given_once():
    piece = random_piece(2, by_degree=True)
    f = about_median(piece, np.array([0, 0, 0, 1, 1, 2, 3, -1.0]))
    signs = balanced_signs(piece, f)
    assert signs.sum() == pytest.approx(0)
    assert (np.abs(signs) <= piece.measure + 1e-12).all()
    first, second, weights = edges_of(piece)
    dense = np.zeros((8, 8))
    dense[first, second] = weights
    assert (dense + dense.T == piece.W.toarray()).all()


def test_two_vertices():
    piece = Piece.of(sparse.csr_array([[0.0, 2], [2, 0]]), by_degree=False)
    assert cheeger_cut(piece, np.array([0.0, 1.0])).tolist() == [True, False]
