"""The loops of products and conjugate gradients on the CPU, compiled by numba.

All vectors are blocks in the order of the layout, as wide as 1 or a multiple of `COLUMNS_AT_ONCE`. Work is
cut into chunks of rows that the layout alone decides, and each chunk is summed by itself: nothing depends on
the number of threads.
"""

import numpy as np
from numba import njit, prange

from graphwell._types import FloatArray, IntArray
from graphwell.engines.gather import (
    sum_4_columns,
    sum_8_columns,
    sum_12_columns,
    sum_16_columns,
    sum_vector,
)
from graphwell.engines.layout import LANES

SLICES_PER_CHUNK = 64
ROWS_PER_CHUNK = LANES * SLICES_PER_CHUNK


@njit(inline="always")
def _multiply_slice(
    columns: IntArray, values: FloatArray, block: FloatArray, first: int, stop: int, out: FloatArray
) -> None:
    """Write sixteen rows times a block into `out`."""
    width = block.shape[1]
    if width == 1:
        sum_vector(columns, values, block, first, stop, out)
        return
    for lane in range(LANES):
        column, sums = 0, out[lane]
        while column < width:
            left = width - column
            if left >= 16:
                sum_16_columns(columns, values, block, first + lane, stop, column, width, sums)
            elif left == 12:
                sum_12_columns(columns, values, block, first + lane, stop, column, width, sums)
            elif left == 8:
                sum_8_columns(columns, values, block, first + lane, stop, column, width, sums)
            else:
                sum_4_columns(columns, values, block, first + lane, stop, column, width, sums)
            column += 16


@njit(parallel=True, cache=True)
def multiply(
    starts: IntArray, columns: IntArray, values: FloatArray, block: FloatArray, out: FloatArray
) -> None:
    """Write the matrix times a block into `out`."""
    n_slices = len(starts) - 1
    for chunk in prange(-(-n_slices // SLICES_PER_CHUNK)):
        for s in range(chunk * SLICES_PER_CHUNK, min(n_slices, (chunk + 1) * SLICES_PER_CHUNK)):
            _multiply_slice(
                columns, values, block, starts[s], starts[s + 1], out[s * LANES : (s + 1) * LANES]
            )


@njit(parallel=True, cache=True)
def apply(
    starts: IntArray, columns: IntArray, values: FloatArray, p: FloatArray, image: FloatArray
) -> FloatArray:
    """Write ``p`` less the matrix times `p` into `image`; return the sums of ``p * image`` of each chunk."""
    n_slices, width = len(starts) - 1, p.shape[1]
    n_chunks = -(-n_slices // SLICES_PER_CHUNK)
    dots = np.zeros((n_chunks, width))
    for chunk in prange(n_chunks):
        last = min(n_slices, (chunk + 1) * SLICES_PER_CHUNK)
        for s in range(chunk * SLICES_PER_CHUNK, last):
            _multiply_slice(columns, values, p, starts[s], starts[s + 1], image[s * LANES : (s + 1) * LANES])
        for row in range(chunk * ROWS_PER_CHUNK, last * LANES):
            for column in range(width):
                image[row, column] = p[row, column] - image[row, column]
                dots[chunk, column] += p[row, column] * image[row, column]
    return dots


@njit(parallel=True, cache=True)
def advance(x: FloatArray, r: FloatArray, p: FloatArray, image: FloatArray, step: FloatArray) -> FloatArray:
    """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r`` of each chunk."""
    n, width = x.shape
    n_chunks = -(-n // ROWS_PER_CHUNK)
    dots = np.zeros((n_chunks, width))
    for chunk in prange(n_chunks):
        for row in range(chunk * ROWS_PER_CHUNK, min(n, (chunk + 1) * ROWS_PER_CHUNK)):
            for column in range(width):
                x[row, column] += step[column] * p[row, column]
                r[row, column] -= step[column] * image[row, column]
                dots[chunk, column] += r[row, column] * r[row, column]
    return dots


@njit(parallel=True, cache=True)
def turn(p: FloatArray, r: FloatArray, ratio: FloatArray) -> None:
    """Replace `p` by ``r + ratio * p``."""
    n, width = p.shape
    for chunk in prange(-(-n // ROWS_PER_CHUNK)):
        for row in range(chunk * ROWS_PER_CHUNK, min(n, (chunk + 1) * ROWS_PER_CHUNK)):
            for column in range(width):
                p[row, column] = r[row, column] + ratio[column] * p[row, column]


@njit(parallel=True, cache=True)
def scale(
    starts: IntArray, columns: IntArray, values: FloatArray, scaling: FloatArray, out: FloatArray
) -> None:
    """Write the entries of ``A S A`` into `out`, `scaling` being the diagonal of ``A``."""
    for s in prange(len(starts) - 1):
        for entry in range(starts[s], starts[s + 1]):
            row = s * LANES + (entry - starts[s]) % LANES
            out[entry] = scaling[row] * values[entry] * scaling[columns[entry]]
