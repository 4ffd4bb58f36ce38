"""Conjugate gradients on the GPU: three launches for each iteration, and two looks at its sums."""

from typing import Any

import numpy as np
import numpy.typing as npt

from graphwell.backends.conjugate_gradients import COLUMNS_AT_ONCE, System, fast_width
from graphwell.backends.cuda import reductions
from graphwell.backends.cuda._cupy import GpuArray, cuda_kernel, cupy, kind_of, launch
from graphwell.backends.cuda.matrix import GpuMatrix


class CudaSystem(System):
    """The matrix ``I - A S A`` on the GPU, its product and the steps with it fused.

    Parameters
    ----------
    matrix : GpuMatrix
        `S` in the precision of the vectors, and in their order.
    scaling : array of shape (n,)
        The diagonal of ``A``.
    order : array of shape (n,), optional
        The vertices in the order of the vectors, if it is not their own.
    """

    def __init__(self, matrix: GpuMatrix, scaling: Any, order: GpuArray | None = None) -> None:
        self.matrix, self.order = matrix, order
        scaling = cupy().asarray(scaling) if order is None else cupy().asarray(scaling)[order]
        self.scaling = cupy().ascontiguousarray(scaling, dtype=matrix.data.dtype)[:, None]

    def enter(self, block: Any) -> GpuArray:
        """Return a copy on the GPU, with columns of zeros up to a width that is multiplied fast."""
        n, width = block.shape
        vectors = cupy().zeros((n, fast_width(width)), dtype=self.scaling.dtype)
        given = cupy().asarray(block)
        vectors[:, :width] = given if self.order is None else given[self.order]
        return vectors

    def leave(self, vectors: GpuArray) -> Any:
        """Return the block in the order of the vertices."""
        if self.order is None:
            return vectors
        block = cupy().empty_like(vectors)
        block[self.order] = vectors
        return block

    def dots(self, a: GpuArray, b: GpuArray) -> Any:
        """Return the sums of ``a * b``, in double precision and on the host."""
        return reductions.column_dots(a, b)

    def apply(self, p: GpuArray, image: GpuArray) -> GpuArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image``."""
        self.multiply(p, image)
        return reductions.column_dots(p, image)

    def multiply(self, p: GpuArray, image: GpuArray) -> None:
        """Write the matrix times `p` into `image`."""
        multiply("apply_system", self.matrix, self.matrix.data, p, image, self.scaling)

    def advance(self, x: GpuArray, r: GpuArray, p: GpuArray, image: GpuArray, step: Any) -> Any:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``."""
        if x.shape[1] <= reductions.MOST_FACTORS:
            return reductions.advance(x, r, p, image, step)
        one = np.ones_like(step)
        reductions.combine(one, x, step, p)
        reductions.combine(one, r, -step, image)
        return self.dots(r, r)

    def turn(self, p: GpuArray, r: GpuArray, ratio: Any) -> None:
        """Replace `p` by ``r + ratio * p``."""
        reductions.combine(ratio, p, np.ones_like(ratio), r)


def multiply(
    name: str, matrix: GpuMatrix, data: GpuArray, block: GpuArray, out: GpuArray, *scaling: GpuArray
) -> None:
    """Run a kernel that multiplies a contiguous block, of one column or of a multiple of four."""
    n, width = block.shape
    at_once = 1 if width == 1 else COLUMNS_AT_ONCE
    function = cuda_kernel("products.cu", name, POINTER=matrix.pointer, REAL=kind_of(data), WIDE=at_once)
    groups = width // at_once
    launch(function, n * groups, (matrix.indptr, matrix.indices, data, *scaling, block, out, groups, n))


def padded(block: Any, dtype: npt.DTypeLike) -> GpuArray:
    """A block on the GPU, contiguous, with columns of zeros up to a width that is multiplied fast."""
    cp = cupy()
    block = cp.ascontiguousarray(cp.asarray(block), dtype=dtype)
    missing = 0 if block.shape[1] == 1 else -block.shape[1] % COLUMNS_AT_ONCE
    return cp.pad(block, ((0, 0), (0, missing))) if missing else block
