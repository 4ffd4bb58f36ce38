"""Sums between groups of vertices."""

import numpy as np
from scipy import sparse

from graphwell.backends.aggregation import (
    _condense,
    heaviest_entries,
    in_units_of,
    merged_matrix,
    sums_between,
    unit_of,
)


def test_the_first_of_equals_is_the_heaviest_and_an_empty_row_has_none():
    W = sparse.csr_array(np.array([[0, 2, 2], [1, 0, 3], [0, 0, 0]], dtype=float))
    np.testing.assert_array_equal(heaviest_entries(W.indptr, W.indices, W.data), [1, 2, -1])


def test_blocks_of_rows_add_up_to_the_whole():
    rng = np.random.default_rng(0)
    W = sparse.random_array((30, 30), density=0.3, rng=rng, format="csr")
    groups, unit = rng.integers(4, size=30), unit_of(float(W.max()), W.nnz)
    whole = sums_between(W, groups, groups, 4, unit)
    parts = [sums_between(W[rows], groups[rows], groups, 4, unit) for rows in (slice(0, 7), slice(7, 30))]
    np.testing.assert_array_equal(sum(parts).toarray(), whole.toarray())
    members = np.eye(4)[groups]
    expected = members.T @ W.toarray() @ members
    np.testing.assert_allclose(whole.toarray() * unit, expected, rtol=1e-9)


def test_so_many_that_the_finest_unit_would_overflow_still_add_up():
    # A hundred million ones: in units of 2 to the power of -40 they would need 67 bits.
    count, unit = 100_000_000, unit_of(1.0, 100_000_000)
    assert count * int(1 / unit) < 2**63 <= count * 2**40
    assert unit_of(3.0, 4_000_000) == 3.0 * 2.0**-40  # as fine as ever where that is enough
    entries, pointers = np.ones(10_000_000, dtype=np.float32), np.array([0, 5_000_000, 10_000_000])
    W = sparse.csr_array((entries, np.zeros(10_000_000, dtype=np.int32), pointers), shape=(2, 2))
    together, unit = np.zeros(2, dtype=int), unit_of(1.0, W.nnz)
    sums = sums_between(W, together, together, 1, unit)
    assert in_units_of(sums, unit).toarray() == 10_000_000


def test_sums_between_groups_do_not_depend_on_who_may_write_and_are_compiled_once():
    W = sparse.csr_array(np.array([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]))
    groups = np.array([1, 1, 0])
    found = merged_matrix(W, groups, 3)
    np.testing.assert_array_equal(found.toarray(), [[0, 0.5, 0], [0.5, 2, 0], [0, 0, 0]])
    assert found.has_sorted_indices
    assert found.indptr.dtype == found.indices.dtype == np.int32
    before = len(_condense.signatures)
    for array in (W.indptr, W.indices, W.data, groups):
        array.flags.writeable = False
    np.testing.assert_array_equal(merged_matrix(W, groups, 3).toarray(), found.toarray())
    assert len(_condense.signatures) == before
