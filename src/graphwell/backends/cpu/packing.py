"""The state of a vertex in one word, so that a neighbour is one load."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray


@dataclass(frozen=True)
class Packing:
    """One word per vertex: the class above `shift` bits, ``r`` in fixed point below.

    ``r = 1/2 - |d|`` is a multiple of 2^-25 in single and of 2^-54 in double precision: with that many
    bits it is stored exactly. A word that also has to hold very many classes keeps fewer.
    """

    shift: int
    word: type[np.signedinteger[Any]]

    @classmethod
    def of(cls, n_classes: int, dtype: np.dtype[Any]) -> "Packing":
        """Packing for so many classes in single or double precision."""
        class_bits = max(1, (n_classes - 1).bit_length())
        single = dtype == np.float32 and class_bits <= 16
        word, bits, exact = (np.int32, 31, 25) if single else (np.int64, 63, 54)
        return cls(min(exact, bits - class_bits), word)

    def pack(self, labels: IntArray, offsets: FloatArray) -> IntArray:
        """Words of these states."""
        r = ((0.5 - np.abs(offsets)) * 2.0**self.shift).astype(np.int64)
        return (labels.astype(np.int64) << self.shift | r).astype(self.word)

    def labels(self, words: IntArray) -> IntArray:
        """Classes in these words."""
        return (words >> self.shift).astype(np.int32)
