"""Sliced ELLPACK: sixteen rows side by side, so that one instruction serves sixteen vertices.

Rows are sorted by length inside windows, which keeps neighbours near in memory and wastes little on
padding. Slice `s` holds entry `j` of its sixteen rows at ``starts[s] + 16 j``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from graphwell._types import FloatArray, IntArray

LANES = 16
WINDOW = 4096
PADDING_LIMIT = 1.25


@dataclass(frozen=True)
class SlicedRows:
    """A sparse matrix in sliced ELLPACK form.

    Attributes
    ----------
    order : array of shape (n,)
        The vertex at each position; positions from `n` on are padding.
    starts : array of shape (n_slices + 1,)
        First entry of each slice.
    columns, values : arrays
        Positions of the neighbours, and the entries; padding has value 0.
    """

    order: IntArray
    starts: IntArray
    columns: IntArray
    values: FloatArray

    @property
    def n_positions(self) -> int:
        """Number of rows with the padding of the last slice."""
        return LANES * (len(self.starts) - 1)

    @classmethod
    def from_csr(cls, matrix: Any, dtype: npt.DTypeLike) -> "SlicedRows":
        """Lay out a CSR matrix; the entries of a row keep their order.

        A matrix may have more columns than rows: those beyond come after the positions of the rows.
        """
        lengths = np.diff(matrix.indptr)
        order, widths = _ordered(lengths, WINDOW)
        if LANES * int(widths.sum()) > PADDING_LIMIT * matrix.nnz:
            order, widths = _ordered(lengths, len(lengths))
        starts = np.concatenate([[0], np.cumsum(LANES * widths)])
        position = np.arange(matrix.shape[1], dtype=order.dtype) + (LANES * len(widths) - len(order))
        position[order] = np.arange(len(order), dtype=order.dtype)
        columns = np.zeros(starts[-1], dtype=np.int32)
        values = np.zeros(starts[-1], dtype=dtype)
        _fill(matrix.indptr, matrix.indices, matrix.data, order, position, starts, columns, values)
        return cls(order, starts, columns, values)


def _ordered(lengths: IntArray, window: int) -> tuple[IntArray, IntArray]:
    """Sort rows by falling length inside windows; return the order and the width of each slice."""
    n = len(lengths)
    longest = int(lengths.max(initial=0))
    key = np.arange(n, dtype=np.int64) // window * (longest + 1) + (longest - lengths)
    order = np.argsort(key, kind="stable").astype(np.int32)
    padded = np.zeros(-(-n // LANES) * LANES, dtype=np.int64)
    padded[:n] = lengths[order]
    return order, padded.reshape(-1, LANES).max(axis=1)


@njit(cache=True)
def _fill(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    order: IntArray,
    position: IntArray,
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
) -> None:
    for row in range(len(order)):
        place = starts[row // LANES] + row % LANES
        for entry in range(indptr[order[row]], indptr[order[row] + 1]):
            columns[place] = position[indices[entry]]
            values[place] = data[entry]
            place += LANES
