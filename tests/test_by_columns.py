"""Some columns at a time give what all give at once."""

import tracemalloc

import numpy as np
import pytest

from graphwell._by_columns import by_columns


@pytest.mark.parametrize("width", [1, 15, 16, 17, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_said_is_what_all_columns_at_once_say(width, dtype):
    X = np.random.default_rng(width).normal(size=(1000, width)).astype(dtype)
    np.testing.assert_allclose(by_columns(lambda few: few.std(axis=0), X), X.std(axis=0), rtol=1e-6)
    both = by_columns(lambda columns: np.stack([columns.min(axis=0), columns.max(axis=0)]), X)
    np.testing.assert_array_equal(both, [X.min(axis=0), X.max(axis=0)])


def test_temporary_arrays_are_those_of_a_few_columns():
    X = np.ones((2_000, 200))
    tracemalloc.start()
    by_columns(lambda columns: columns.std(axis=0), X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 5
