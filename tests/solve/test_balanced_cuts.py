"""Cutting graphs in two, and again."""

from itertools import combinations

import numpy as np
import pytest
from scipy import linalg, sparse

from graphwell.solve.cuts import Piece, best_threshold, cut_in_two, partition


def random_piece(seed, n=8, by_degree=False):
    """A connected random graph."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    W[np.arange(n - 1), np.arange(1, n)] += 0.1
    return Piece.of(sparse.csr_array(W + W.T), by_degree=by_degree)


def every_set(n):
    for size in range(1, n):
        for members in combinations(range(n), size):
            side = np.zeros(n, dtype=bool)
            side[list(members)] = True
            yield side


@pytest.mark.parametrize("by_degree", [False, True])
def test_the_cheeger_cut_by_its_definition(by_degree):
    piece = random_piece(0, by_degree=by_degree)
    W, m = piece.W.toarray(), piece.measure
    for side in list(every_set(8))[::7]:
        smaller = min(m[side].sum(), m[~side].sum())
        assert piece.cheeger(side) == pytest.approx(W[side][:, ~side].sum() / smaller)
    assert piece.cheeger(np.zeros(8, dtype=bool)) == np.inf


@pytest.mark.parametrize("seed", range(5))
def test_the_best_threshold_is_the_best_of_all(seed):
    piece = random_piece(seed)
    f = np.random.default_rng(seed).normal(size=8).round(1)
    thresholds = [f <= value for value in np.unique(f)[:-1]]
    assert piece.cheeger(best_threshold(piece, f)) == pytest.approx(min(map(piece.cheeger, thresholds)))


def test_a_piece_that_falls_apart_is_cut_for_nothing_and_evenly():
    W = sparse.csr_array(linalg.block_diag(*[np.ones((k, k)) - np.eye(k) for k in (5, 3, 2)]))
    side = cut_in_two(Piece.of(W, by_degree=False), split=None)
    assert sorted([side.sum(), (~side).sum()]) == [5, 5]
    assert side @ (W @ ~side) == 0


def test_parts_are_cut_where_it_costs_least():
    """A chain of three triangles: the weaker link is cut first, then the other."""
    W = np.kron(np.eye(3), 1 - np.eye(3))
    W[2, 3] = W[3, 2] = 0.5
    W[5, 6] = W[6, 5] = 0.1
    piece = Piece.of(sparse.csr_array(W), by_degree=False)

    def best_of_all(part):
        return min(every_set(len(part.measure)), key=part.cheeger)

    assert len({*partition(piece, 2, best_of_all)[:6].tolist()}) == 1
    three = partition(piece, 3, best_of_all).reshape(3, 3)
    assert (three == three[:, :1]).all()
    assert len(np.unique(three)) == 3


def test_isolated_vertices_and_as_many_clusters_as_vertices():
    piece = Piece.of(sparse.csr_array((4, 4)), by_degree=True)
    assert (piece.measure > 0).all()
    assert sorted(partition(piece, 4, split=None)) == [0, 1, 2, 3]
