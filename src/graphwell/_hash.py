"""Hashes of arrays, to tell whether two of them are the same bit for bit."""

from hashlib import blake2b
from typing import Any

import numpy as np


def hash_of(*arrays: Any) -> str:
    """Hash of the types, shapes and values of some arrays.

    Examples
    --------
    >>> hash_of(np.zeros(3)) == hash_of(np.zeros(3)), hash_of(np.zeros(3)) == hash_of(np.zeros((3, 1)))
    (True, False)
    """
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
