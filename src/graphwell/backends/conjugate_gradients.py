"""Linear systems on a graph, and conjugate gradients for them on one machine.

Every system has the matrix ``I - A S A`` with a diagonal ``A``: the normalised Laplacian of a reweighted
graph, and so preconditioned by its degrees already. Long vectors stay where the system keeps them, in the
memory of the host or of a GPU; the few numbers of each column are handled on the host.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray
from graphwell.backends.base import Solution
from graphwell.progress import tell

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
    """Columns that a block of so many is padded to: one, or a multiple of `COLUMNS_AT_ONCE`."""
    return 1 if width == 1 else -(-width // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE


TOLERANCE = 1e-4


class Correction(Protocol):
    """A symmetric matrix that is positive: with the identity it is the preconditioner."""

    def find(self, r: FloatArray) -> FloatArray:
        """Find the correction of a residual; return the sums of ``r * correction``."""
        ...

    def add(self, p: FloatArray) -> None:
        """Add the correction that was found last to `p`."""
        ...


MAX_ITERATIONS = 1000


def conjugate_gradients(
    system: System,
    b: FloatArray,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
    correction: Correction | None = None,
) -> Solution:
    """Solve a symmetric positive semi-definite system for all columns of `b` at once.

    Preconditioned conjugate gradients, Algorithm 9.1 of Saad, Iterative Methods for Sparse Linear Systems,
    whose steps stand in the margin; the preconditioner is the identity, plus a coarse correction where there
    is one. Each column has steps of its own; one application of the matrix serves them all. A singular
    system is solved as long as `b` lies in its range. A column that has converged, or is zero, stands still.
    Steps go along the residual, or along the residual and its correction where there is one.

    Examples
    --------
    >>> from graphwell.backends.conjugate_gradients import ArraySystem
    >>> S = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> system = ArraySystem(lambda block: S @ block, scaling=np.ones(2))
    >>> conjugate_gradients(system, np.array([[1.0], [1.0]])).x.ravel()
    array([2., 2.])
    """
    r = system.enter(b)  # 1
    x, p, image = np.zeros_like(r), r.copy(), np.empty_like(r)  # NumPy asks CuPy for arrays of CuPy
    squared = system.dots(r, r)
    gained = squared if correction is None else squared + correction.find(r)
    if correction is not None:
        correction.add(p)
    left, scale, target = squared, np.where(squared > 0, squared, 1.0), tolerance**2 * squared
    iterations = 0
    while iterations < max_iterations and (squared > target).any():
        curvature = system.apply(p, image)  # 2
        moving = (squared > target) & (curvature > 0)
        step = np.divide(gained, curvature, out=np.zeros_like(squared), where=moving)  # 3
        left = system.advance(x, r, p, image, step)  # 4, 5
        before, gained = gained, left if correction is None else left + correction.find(r)  # 6
        squared = np.where(moving, left, 0.0)
        ratio = np.divide(gained, before, out=np.zeros_like(squared), where=moving)  # 7
        system.turn(p, r, ratio)  # 8
        if correction is not None:
            correction.add(p)
        iterations += 1
        tell(max(iterations / (max_iterations + 1), share_done(squared / scale, tolerance**2)))
    tell(1.0)
    del r, p, image  # the solution is about to be copied
    width = b.shape[1]
    return Solution(system.leave(x)[:, :width], iterations, float(np.sqrt(left / scale).max(initial=0.0)))


def share_done(squared: FloatArray, target: float) -> float:
    """How far the slowest column is, by the digits that it has gained of those it needs."""
    left = np.clip(squared, target, 1.0).max(initial=target)
    return 0.99 * float(np.log(left) / np.log(target))
