"""Affinities in blocks of rows become what the whole matrix becomes."""

import numpy as np
import pytest
from scipy import sparse

from graphwell.backends.blocks import affinities
from graphwell.graph.checks import symmetric_matrix

W = np.array([[9.0, 0.5, 0.0, 2.0], [0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0], [2.0, 0.0, 1.0, 0.0]])
STARTS = np.array([0, 1, 4])


def blocks_of(matrix):
    own = [(0, 1), (1, 4)]
    return own, [affinities.checked_rows(matrix[slice(*each)], each, n=4) for each in own]


def test_columns_are_sent_to_the_blocks_that_have_them_as_rows():
    _, rows = blocks_of(W)
    sent = [affinities.turned(block, starts=STARTS) for block in rows]
    assert [piece.toarray().tolist() for piece in sent[0]] == [[[9.0]], [[0.5], [0.0], [2.0]]]
    for q, block in enumerate(rows):
        mirror = affinities.mirrored([pieces[q] for pieces in sent])
        np.testing.assert_array_equal(mirror.toarray(), W.T[STARTS[q] : STARTS[q + 1]])
        assert affinities.asymmetry_of(block, mirror) == 0


def test_the_rows_are_those_of_the_symmetric_matrix():
    skewed = W.copy()
    skewed[3, 0] = 5.0
    own, rows = blocks_of(skewed)
    sent = [affinities.turned(block, starts=STARTS) for block in rows]
    expected = symmetric_matrix(W).toarray()
    for q, (block, each) in enumerate(zip(rows, own, strict=True)):
        mirror = affinities.mirrored([pieces[q] for pieces in sent])
        assert affinities.asymmetry_of(block, mirror) == 3.0
        found = affinities.symmetric_rows(block, mirror, each, n=4)
        order = np.concatenate([found.vertices, found.halo])
        np.testing.assert_array_equal(found.W.toarray(), expected[slice(*each)][:, order])
        assert found.W.nnz == np.count_nonzero(expected[slice(*each)])


def test_the_extent_of_rows_with_entries_and_without():
    assert affinities.extent_of(sparse.csr_array(W)) == (9.0, 8)
    assert affinities.extent_of(sparse.csr_array((2, 4))) == (0.0, 0)
    assert affinities.asymmetry_of(sparse.csr_array((2, 4)), sparse.csr_array((2, 4))) == 0.0


def test_blocks_that_follow_each_other_are_joined():
    _, rows = blocks_of(W)
    np.testing.assert_array_equal(affinities.stacked(rows).toarray(), W)
    assert affinities.stacked(rows[:1]) is rows[0]


def test_new_rows_are_told_by_the_fitted_ones_that_they_touch():
    X = affinities.new_rows([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]], 3, n=3)
    told, reachable = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), np.array([True, False, True])
    parts = [
        affinities.part_of_vote(X, own, told[slice(*own)], reachable[slice(*own)]) for own in ((0, 2), (2, 3))
    ]
    found = affinities.whole_vote(parts, np.array([0.9, 0.1]))
    np.testing.assert_allclose(found, [[0.25, 0.75, 4], [0.5, 0.5, 0], [0.9, 0.1, 0]])


@pytest.mark.parametrize(
    ("X", "words"),
    [([[1.0, 2.0]], "to the 3 fitted rows, got 2 columns"), ([[0, 0, -1.0]], "finite and not negative")],
)
def test_what_new_rows_cannot_say_is_refused(X, words):
    with pytest.raises(ValueError, match=words):
        affinities.new_rows(X, 1, n=3)
