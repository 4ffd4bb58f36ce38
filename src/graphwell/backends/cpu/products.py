"""The loops of products and conjugate gradients on the CPU, compiled by numba.

All vectors are blocks in the order of the layout, as wide as 1 or a multiple of `COLUMNS_AT_ONCE`. Work is
cut into parts that the layout alone decides; a call does a range of them, and sums are kept by part: nothing
depends on the number of threads.
"""

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.gather import (
    sum_4_columns,
    sum_8_columns,
    sum_12_columns,
    sum_16_columns,
    sum_vector,
)
from graphwell.backends.cpu.layout import LANES
from graphwell.graph.compiled import compiled


@compiled(nogil=True)
def multiply(
    first_part: int,
    last_part: int,
    parts: IntArray,
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    block: FloatArray,
    out: FloatArray,
) -> None:
    """Write rows of the matrix times a block into `out`."""
    width = block.shape[1]
    for s in range(parts[first_part], parts[last_part]):
        first, stop = starts[s], starts[s + 1]
        if width == 1:
            sum_vector(columns, values, block, first, stop, out[s * LANES : (s + 1) * LANES])
            continue
        for lane in range(LANES):
            column, sums = 0, out[s * LANES + lane]
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


@compiled(nogil=True)
def apply(
    first_part: int,
    last_part: int,
    parts: IntArray,
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    scaling: FloatArray,
    scaled: FloatArray,
    p: FloatArray,
    image: FloatArray,
    dots: FloatArray,
) -> None:
    """Write ``p - A S A p`` into `image`, and the sums of ``p * image`` by part.

    `scaling` is the diagonal of ``A``, `scaled` is ``A p``.
    """
    for part in range(first_part, last_part):
        multiply(part, part + 1, parts, starts, columns, values, scaled, image)
        for row in range(parts[part] * LANES, parts[part + 1] * LANES):
            for column in range(p.shape[1]):
                image[row, column] = p[row, column] - scaling[row] * image[row, column]
                dots[part, column] += p[row, column] * image[row, column]


@compiled(nogil=True)
def advance(
    first_part: int,
    last_part: int,
    parts: IntArray,
    x: FloatArray,
    r: FloatArray,
    p: FloatArray,
    image: FloatArray,
    step: FloatArray,
    dots: FloatArray,
) -> None:
    """Add ``step * p`` to `x`, take ``step * image`` from `r`; write the sums of ``r * r`` by part."""
    for part in range(first_part, last_part):
        for row in range(parts[part] * LANES, parts[part + 1] * LANES):
            for column in range(x.shape[1]):
                x[row, column] += step[column] * p[row, column]
                r[row, column] -= step[column] * image[row, column]
                dots[part, column] += r[row, column] * r[row, column]


@compiled(nogil=True)
def turn(
    first_part: int, last_part: int, parts: IntArray, p: FloatArray, r: FloatArray, ratio: FloatArray
) -> None:
    """Replace `p` by ``r + ratio * p``."""
    for row in range(parts[first_part] * LANES, parts[last_part] * LANES):
        for column in range(p.shape[1]):
            p[row, column] = r[row, column] + ratio[column] * p[row, column]


@compiled(nogil=True)
def scale(
    first_part: int,
    last_part: int,
    parts: IntArray,
    scaling: FloatArray,
    p: FloatArray,
    out: FloatArray,
) -> None:
    """Write ``A p`` into `out`, `scaling` being the diagonal of ``A``."""
    for row in range(parts[first_part] * LANES, parts[last_part] * LANES):
        for column in range(p.shape[1]):
            out[row, column] = scaling[row] * p[row, column]
