"""Copies of rows, columns some at a time, hashes; arrays of other libraries are read where they are."""

import numpy as np
import pytest
from scipy import sparse

from graphwell._checks import as_readable
from graphwell._rows import by_columns, equal_rows, hash_of, labels_that_differ
from tests.helpers import Exported


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_equal_rows_have_one_number(dtype):
    X = np.array([[1, 0, 2], [1, 0, 3], [1, 0, 2], [0, 0, 0]], dtype=dtype)
    assert equal_rows([X]).tolist() == [0, 1, 0, 2]
    assert equal_rows([X[:1], X[1:]]).tolist() == [0, 1, 0, 2]
    assert equal_rows([sparse.csr_matrix(X)]).tolist() == [0, 1, 0, 2]
    assert equal_rows([np.asfortranarray(X)]).tolist() == [0, 1, 0, 2]


def test_zeros_of_either_sign_are_equal_and_stored_zeros_are_none():
    assert equal_rows([np.array([[0.0, 1.0], [-0.0, 1.0]])]).tolist() == [0, 0]
    stored = sparse.csr_array((np.array([0.0, 1.0, 1.0]), np.array([1, 0, 0]), np.array([0, 2, 3])))
    assert equal_rows([stored]).tolist() == [0, 0]
    assert equal_rows([]).tolist() == []


def test_equal_labels_of_copies_are_not_told_of():
    assert labels_that_differ(np.array([0, 0, 1]), np.array([1, 1, 0]), "ab", np.arange(3)) is None
    many, codes = np.repeat(np.arange(5), 2), np.tile([0, 1], 5)
    told = str(labels_that_differ(many, codes, ["a", "b"], np.arange(10) + 1))
    assert told.startswith("5 groups of equal rows have different labels: (row 1 'a', row 2 'b'); (row 3 'a'")
    assert told.endswith("; ….")


@pytest.mark.parametrize("width", [1, 15, 16, 17, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_said_is_what_all_columns_at_once_say(width, dtype):
    X = np.random.default_rng(width).normal(size=(1000, width)).astype(dtype)
    np.testing.assert_allclose(by_columns(lambda few: few.std(axis=0), X), X.std(axis=0), rtol=1e-6)
    both = by_columns(lambda columns: np.stack([columns.min(axis=0), columns.max(axis=0)]), X)
    np.testing.assert_array_equal(both, [X.min(axis=0), X.max(axis=0)])


def test_values_types_and_shapes_count():
    a = np.arange(6.0)
    assert hash_of(a) == hash_of(a.copy())
    different = [a, a.reshape(2, 3), a.astype(np.float32), a + np.eye(6)[2] * 1e-15, a[::-1]]
    assert len({hash_of(array) for array in different}) == len(different)
    assert hash_of(a, a) != hash_of(a)
    assert hash_of(np.ones((3, 4))[:, ::2]) == hash_of(np.ones((3, 2)))


def test_a_host_array_is_not_copied():
    X = np.eye(3)
    assert np.shares_memory(as_readable(Exported(X), "X"), X)
