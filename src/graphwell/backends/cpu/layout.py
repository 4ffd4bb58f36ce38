"""How a graph and its state lie in memory: sliced ELLPACK, and one word for the state of a vertex.

Sixteen rows lie side by side, so that one instruction serves sixteen vertices. Rows are sorted by length
inside windows of near ones, which keeps neighbours near in memory and wastes little on padding. Slice `s`
holds entry `j` of its sixteen rows at ``starts[s] + 16 j``. With class and ``r`` in one word a neighbour is
one load.

A row far longer than those beside it, the hub of a star, would be padded sixteen times over. So a slice
is at most twice as wide as its rows are in the mean, and the rest of longer ones is kept in plain compressed
rows (the hybrid format of Bell and Garland, 2009) and added after it: the order of the sums stays.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwell._threads import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.backends.conjugate_gradients import fast_width
from graphwell.graph.compiled import compiled

LANES = 16
WINDOW = 4096
PADDING_LIMIT = 1.25
MOST_PARTS, SMALLEST_PART = 64, 16


@dataclass(frozen=True)
class SlicedRows:
    """A sparse matrix in sliced ELLPACK form."""

    order: IntArray  # the vertex at each position; positions beyond are padding
    position: IntArray  # the position of each vertex
    starts: IntArray  # first entry of each slice
    parts: (
        IntArray  # slices at which the rows are cut into parts that threads share; the layout alone decides
    )
    columns: IntArray  # positions of the neighbours
    values: FloatArray  # the entries; padding has value 0
    row_sums: FloatArray  # sum of the entries of each row
    # What is left of long rows: where that of each position starts, then its columns and its values.
    rest: tuple[IntArray, IntArray, FloatArray]

    @property
    def matrix(self) -> tuple[Any, ...]:
        """The entries, as kernels take them."""
        return self.starts, self.columns, self.values, self.rest

    @classmethod
    def from_csr(
        cls,
        matrix: Any,
        dtype: npt.DTypeLike,
        scaling: FloatArray | None = None,
        near: Any = None,
        pool: ThreadPool | None = None,
        row_scaling: FloatArray | None = None,
    ) -> "SlicedRows":
        """Lay out a CSR matrix, its rows and columns scaled; the entries of a row keep their order.

        Near rows are those that follow each other in `near`, by default in the matrix. The matrix may have
        more columns than rows: those beyond come after the positions of the rows.
        """
        lengths = np.diff(matrix.indptr)
        near = np.arange(len(lengths), dtype=np.int32) if near is None else near
        order, widths = _ordered(lengths, near, WINDOW)
        if LANES * int(widths.sum()) > PADDING_LIMIT * matrix.nnz:
            order, widths = _ordered(lengths, near, len(lengths))
        placed = np.zeros((len(widths), LANES), dtype=np.int64)  # lengths, in the order of the layout
        placed.ravel()[: len(order)] = lengths[order]
        widths = np.minimum(widths, 2 * -(-placed.sum(axis=1) // LANES))
        beyond = np.maximum(placed - widths[:, None], 0).ravel()
        rest_starts = np.concatenate([[0], np.cumsum(beyond)])
        starts = np.concatenate([[0], np.cumsum(LANES * widths)])
        position = np.arange(matrix.shape[1], dtype=order.dtype) + (LANES * len(widths) - len(order))
        position[order] = np.arange(len(order), dtype=order.dtype)
        scaling = np.ones(matrix.shape[1]) if scaling is None else scaling
        columns = np.zeros(starts[-1], dtype=np.int32)
        values = np.zeros(starts[-1], dtype=dtype)
        row_sums = np.zeros(LANES * len(widths), dtype=dtype)
        rest = (
            rest_starts,
            np.zeros(rest_starts[-1], dtype=np.int32),
            np.zeros(rest_starts[-1], dtype=dtype),
        )
        row_scaling = scaling if row_scaling is None else row_scaling
        given = (matrix.indptr, matrix.indices, matrix.data, scaling, row_scaling, order, position, starts)
        filled = (columns, values, row_sums, rest)
        (pool or ThreadPool(1)).share(len(order), lambda first, last: _fill(first, last, *given, *filled))
        n_parts = max(1, min(MOST_PARTS, len(widths) // SMALLEST_PART))
        parts = np.arange(n_parts + 1) * len(widths) // n_parts
        return cls(order, position[: len(order)], starts, parts, columns, values, row_sums, rest)

    def placed(self, by_vertex: Any, dtype: npt.DTypeLike) -> Any:
        """Values in the order of the layout, padded with zeros: rows, and columns to a width that is fast."""
        width = tuple(map(fast_width, by_vertex.shape[1:]))
        placed = np.zeros((len(self.row_sums), *width), dtype=dtype)
        taken = by_vertex.astype(dtype, copy=False).take(self.order, axis=0)
        placed[(slice(len(by_vertex)), *map(slice, by_vertex.shape[1:]))] = taken
        return placed

    def restored(self, placed: Any) -> Any:
        """Rows by vertex again."""
        return placed.take(self.position, axis=0)


def _ordered(lengths: IntArray, near: IntArray, window: int) -> tuple[IntArray, IntArray]:
    """Sort rows by falling length inside windows of near ones; return the order and the slices' widths."""
    n = len(lengths)
    longest = int(lengths.max(initial=0))
    key = np.arange(n, dtype=np.int64) // window * (longest + 1) + (longest - lengths[near])
    order = near[np.argsort(key, kind="stable")].astype(np.int32)
    padded = np.zeros(-(-n // LANES) * LANES, dtype=np.int64)
    padded[:n] = lengths[order]
    return order, padded.reshape(-1, LANES).max(axis=1)


@compiled(nogil=True)
def _fill(
    first: int,
    last: int,
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    scaling: FloatArray,
    row_scaling: FloatArray,
    order: IntArray,
    position: IntArray,
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    row_sums: FloatArray,
    rest: tuple[IntArray, IntArray, FloatArray],
) -> None:
    rest_starts, rest_columns, rest_values = rest
    for row in range(first, last):
        place, vertex, total = starts[row // LANES] + row % LANES, order[row], 0.0
        end, beyond = starts[row // LANES + 1], rest_starts[row]
        for entry in range(indptr[vertex], indptr[vertex + 1]):
            neighbor = indices[entry]
            value = data[entry] * scaling[neighbor] * row_scaling[vertex]
            if place < end:
                columns[place], values[place] = position[neighbor], value
                place += LANES
            else:
                rest_columns[beyond], rest_values[beyond] = position[neighbor], value
                beyond += 1
            total += value
        row_sums[row] = total


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
