"""Loops over the edges, against plain sums."""

import numpy as np
import pytest

from graphwell.solve.cuts import cuts_in_order, differences
from tests.solve.test_balanced_cuts import random_piece

PIECE = random_piece(4)
W = PIECE.W


@pytest.mark.parametrize("p", [1.0, 1.4, 2.0])
def test_differences_are_summed_once_for_each_edge(p):
    f = np.random.default_rng(0).normal(size=8)
    apart = np.abs(f[:, None] - f) ** p
    found = differences(W.indptr, W.indices, W.data, f, p, np.empty(8))
    assert found == pytest.approx((W.toarray() * apart).sum() / 2)


def test_equal_values_have_no_slope():
    slope = np.empty(8)
    assert differences(W.indptr, W.indices, W.data, np.ones(8), 1.5, slope) == 0
    assert (slope == 0).all()


def test_cuts_in_an_order():
    order = np.random.default_rng(0).permutation(8)
    dense = W.toarray()
    expected = [dense[order[:k]][:, order[k:]].sum() for k in range(1, 9)]
    np.testing.assert_allclose(cuts_in_order(W.indptr, W.indices, W.data, order), expected, atol=1e-12)
