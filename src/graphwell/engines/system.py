"""The linear systems of a graph, as conjugate gradients see them.

Every one has the matrix ``I - A S A`` with a diagonal ``A``: the normalised Laplacian of a reweighted graph,
and so preconditioned by its degrees already.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from graphwell._types import FloatArray


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
    """A system in plain array operations, for any engine.

    Parameters
    ----------
    product : callable
        Multiplies a block by `S`.
    scaling : array of shape (n,)
        The diagonal of ``A``.
    """

    def __init__(self, product: Callable[[FloatArray], FloatArray], scaling: FloatArray) -> None:
        self.product = product
        self.scaling = scaling[:, None]

    def enter(self, block: FloatArray) -> FloatArray:
        """Return a copy."""
        return block.astype(np.float64)

    def leave(self, vectors: FloatArray) -> FloatArray:
        """Return the block itself."""
        return vectors

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image``."""
        image[:] = p - self.scaling * self.product(self.scaling * p)
        return (p * image).sum(axis=0)

    def advance(
        self, x: FloatArray, r: FloatArray, p: FloatArray, image: FloatArray, step: FloatArray
    ) -> FloatArray:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``."""
        x += step * p
        r -= step * image
        return (r * r).sum(axis=0)

    def turn(self, p: FloatArray, r: FloatArray, ratio: FloatArray) -> None:
        """Replace `p` by ``r + ratio * p``."""
        p *= ratio
        p += r
