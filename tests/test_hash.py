"""Hashes tell arrays apart."""

import numpy as np

from graphwell._hash import hash_of


def test_values_types_and_shapes_count():
    a = np.arange(6.0)
    assert hash_of(a) == hash_of(a.copy())
    different = [a, a.reshape(2, 3), a.astype(np.float32), a + np.eye(6)[2] * 1e-15, a[::-1]]
    assert len({hash_of(array) for array in different}) == len(different)
    assert hash_of(a, a) != hash_of(a)
    assert hash_of(np.ones((3, 4))[:, ::2]) == hash_of(np.ones((3, 2)))
