"""The linear systems of a graph, as conjugate gradients see them.

Every one has the matrix ``I - A S A`` with a diagonal ``A``: the normalised Laplacian of a reweighted graph,
and so preconditioned by its degrees already.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray

COLUMNS_AT_ONCE = 4
"""Blocks of vectors are fastest when as wide as a multiple of this."""


class System(Protocol):
    """A matrix ``I - A S A`` and the steps of conjugate gradients with it, on blocks of columns.

    Vectors between `enter` and `leave` belong to the system: it may keep them in its own order, precision and
    memory. Sums over a column come back in double precision.
    """

    def enter(self, block: FloatArray) -> FloatArray:
        """Return a copy of a block of shape (n, m) as the system keeps vectors."""
        ...

    def leave(self, vectors: FloatArray) -> FloatArray:
        """Return the block of shape (n, m) that these vectors stand for."""
        ...

    def dots(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the sums of ``a * b``."""
        ...

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image``."""
        ...

    def advance(
        self, x: FloatArray, r: FloatArray, p: FloatArray, image: FloatArray, step: FloatArray
    ) -> FloatArray:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``."""
        ...

    def turn(self, p: FloatArray, r: FloatArray, ratio: FloatArray) -> None:
        """Replace `p` by ``r + ratio * p``."""
        ...


class ArraySystem:
    """A system in plain array operations of NumPy, for any engine.

    Parameters
    ----------
    product : callable
        Multiplies a block by `S`.
    scaling : array of shape (n,)
        The diagonal of ``A``.
    dtype : float32 or float64
        Precision of the vectors.
    """

    def __init__(
        self,
        product: Callable[[FloatArray], FloatArray],
        scaling: FloatArray,
        dtype: npt.DTypeLike = np.float64,
    ) -> None:
        self.product = product
        self.scaling = scaling[:, None].astype(dtype)

    def enter(self, block: FloatArray) -> FloatArray:
        """Return a copy, with columns of zeros up to a width that engines multiply fast."""
        n, width = block.shape
        vectors = np.zeros((n, fast_width(width)), dtype=self.scaling.dtype)
        vectors[:, :width] = block
        return vectors

    def leave(self, vectors: FloatArray) -> FloatArray:
        """Return the block itself."""
        return vectors

    def dots(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the sums of ``a * b``, in double precision."""
        return np.einsum("ij,ij->j", a, b, dtype=np.float64)

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image``."""
        image[:] = p - self.scaling * self.product(self.scaling * p)
        return self.dots(p, image)

    def advance(
        self, x: FloatArray, r: FloatArray, p: FloatArray, image: FloatArray, step: FloatArray
    ) -> FloatArray:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``."""
        x += step.astype(x.dtype) * p
        r -= step.astype(r.dtype) * image
        return self.dots(r, r)

    def turn(self, p: FloatArray, r: FloatArray, ratio: FloatArray) -> None:
        """Replace `p` by ``r + ratio * p``."""
        p *= ratio.astype(p.dtype)
        p += r


def fast_width(width: int) -> int:
    """Columns that a block of so many is padded to: one, or a multiple of `COLUMNS_AT_ONCE`.

    Examples
    --------
    >>> fast_width(1), fast_width(3), fast_width(8)
    (1, 4, 8)
    """
    return 1 if width == 1 else -(-width // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE
