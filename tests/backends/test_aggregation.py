"""Sums between groups of vertices."""

import numpy as np
from scipy import sparse

from graphwell.backends.aggregation import (
    in_units_of,
    sums_between,
    unit_of,
)


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
