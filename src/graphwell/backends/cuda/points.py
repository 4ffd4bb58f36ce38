"""Where the points of a search lie: on the GPU, or on the host if they have no room there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell.backends.cuda._cupy import THREADS, GpuArray, cuda_kernel, cupy, free_memory, kind_of
from graphwell.graph.knn import Rescaling

BLOCKS = 1056
BYTES_AT_ONCE = 1 << 28
"""Of rows of the host that are on the GPU at the same time."""
SHARE_OF_MEMORY = 0.4
"""Of the memory that is free on the GPU, for points; the rest is for what is found about them."""


def room() -> int:
    """Bytes that points may take on the GPU."""
    return int(SHARE_OF_MEMORY * free_memory())


@dataclass(frozen=True, eq=False)
class Points:
    """Rows that are fetched to the GPU piece by piece, or lie there.

    Attributes
    ----------
    values : array of shape (n, d)
        Of CuPy, or of NumPy: a memory map, say.
    """

    values: Any

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dimension(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    @property
    def on_gpu(self) -> bool:
        """Whether all rows lie on the GPU."""
        return isinstance(self.values, cupy().ndarray)

    @property
    def on_host(self) -> Any:
        """All rows as an array of NumPy."""
        return self.values.get() if self.on_gpu else self.values

    def some(self, numbers: GpuArray) -> GpuArray:
        """Some of the rows, on the GPU."""
        if self.on_gpu:
            return self.values[numbers]
        return cupy().asarray(self.values[cupy().asnumpy(numbers)])

    def bounds(self) -> tuple[GpuArray, GpuArray, GpuArray]:
        """Least, greatest and mean value of each column."""
        cp, found = cupy(), [_bounds(block) for _, block in self.blocks()]
        lows, highs, sums = (cp.stack(values) for values in zip(*found, strict=True))
        return lows.min(axis=0), highs.max(axis=0), sums.sum(axis=0) / len(self)

    def scaling(self) -> Rescaling:
        """Scale that brings the rows near to 1; its centre lies on the GPU."""
        return Rescaling.within(*self.bounds())

    def blocks(self, length: int | None = None) -> Iterator[tuple[int, GpuArray]]:
        """All rows in their order, on the GPU: the number of the first, and rows from there on."""
        if length is None:
            row = self.values.dtype.itemsize * self.dimension
            length = len(self) if self.on_gpu else max(1, BYTES_AT_ONCE // row)
        for begin in range(0, len(self), length):
            block = self.values[begin : begin + length]
            yield begin, block if self.on_gpu else cupy().asarray(np.ascontiguousarray(block))


def _bounds(rows: GpuArray) -> tuple[GpuArray, GpuArray, GpuArray]:
    """Least and greatest value of each column, and the sum."""
    cp, (n, dimension) = cupy(), rows.shape
    lanes = max(1, THREADS // dimension)
    shape = (BLOCKS * lanes, dimension)
    sums, lows, highs = cp.empty(shape), cp.empty(shape, dtype=rows.dtype), cp.empty(shape, dtype=rows.dtype)
    function = cuda_kernel("neighbors.cu", "column_bounds", SLOTS=1, POINT=kind_of(rows))
    sizes = np.int32(n), np.int32(dimension), np.int32(lanes)
    function((BLOCKS,), (THREADS,), (cp.ascontiguousarray(rows), *sizes, sums, lows, highs))
    return lows.min(axis=0), highs.max(axis=0), sums.sum(axis=0)
