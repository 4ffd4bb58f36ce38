"""A block that is not what its array says is refused where it lies."""

import numpy as np
import pytest
from scipy import sparse

from graphwell.backends.blocks.checks import checked_block, inspect


def test_blocks_of_another_shape_or_type_are_refused():
    with pytest.raises(ValueError, match=r"the shape \(3, 2\) where the array says \(4, 2\)"):
        checked_block(np.zeros((3, 2)), 4, n_features=2)
    with pytest.raises(ValueError, match="must hold real numbers, got the type complex128"):
        checked_block(np.zeros((3, 2), dtype=complex), 3, n_features=2)


def test_lists_and_sparse_blocks_become_arrays():
    for block in ([[1.0, 0.0]], sparse.csr_array([[1.0, 0.0]])):
        np.testing.assert_array_equal(checked_block(block, 1, n_features=2), [[1.0, 0.0]])


def test_a_block_is_summed_up_or_its_bad_values_are_counted():
    bad, low, high, sums = inspect(np.array([[1.0, 4.0], [3.0, 2.0]]))
    assert (bad, low.tolist(), high.tolist(), sums.tolist()) == (0, [1, 2], [3, 4], [4, 6])
    assert inspect(np.array([[np.nan, np.inf], [3.0, 2.0]]))[0] == 2
