"""Conjugate gradients, for the linear systems of graphs and of pictures, wherever their vectors lie.

Those of a graph have the matrix ``I - A S A`` with a diagonal ``A``: the normalised Laplacian of a
reweighted graph, and so preconditioned by its degrees already. Those of a picture have a Laplacian and are
preconditioned by its diagonal. Either may have a coarse correction besides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwell._types import BoolArray, FloatArray
from graphwell.progress import tell

# Blocks of vectors are fastest when as wide as a multiple of this.
COLUMNS_AT_ONCE = 4
TOLERANCE = 1e-4
MAX_ITERATIONS = 1000


@dataclass(frozen=True)
class Solution:
    """Solution of a linear system with one column per right-hand side."""

    x: Any
    iterations: int
    residual: float  # the largest norm of a residual column, relative to its right-hand side


class System:
    """A matrix ``I - A S A`` and the steps of conjugate gradients with it, in plain array operations.

    `product` multiplies a block by `S`, `scaling` is the diagonal of ``A``. Vectors between `enter` and
    `leave` belong to the system: it may keep them in its own order, precision and memory. Sums over a column
    are in double precision.
    """

    def __init__(
        self, product: Callable[[FloatArray], FloatArray], scaling: Any, dtype: npt.DTypeLike = np.float64
    ) -> None:
        self.product = product
        self.scaling = scaling[:, None].astype(dtype)

    def enter(self, block: FloatArray) -> FloatArray:
        """Return a copy of a block of shape (n, m), with columns of zeros up to a width that is fast."""
        n, width = block.shape
        vectors = np.zeros((n, fast_width(width)), dtype=self.scaling.dtype)
        vectors[:, :width] = block
        return vectors

    def leave(self, vectors: FloatArray) -> FloatArray:
        """Return the block that these vectors stand for."""
        return vectors

    def preconditioned(self, r: FloatArray) -> FloatArray:
        """Return a copy of `r`, times the inverse of the preconditioner: the diagonal, which is 1."""
        return r.copy()

    def dots(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the sums of ``a * b``."""
        return np.einsum("ij,ij->j", a, b, dtype=np.float64)

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image``."""
        image[:] = p - self.scaling * self.product(self.scaling * p)
        return self.dots(p, image)

    def advance(self, x: Any, r: Any, p: Any, image: Any, step: Any) -> FloatArray:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * M^-1 r``."""
        x += step.astype(x.dtype) * p
        r -= step.astype(r.dtype) * image
        return self.dots(r, r)

    def turn(self, p: Any, r: Any, ratio: Any) -> None:
        """Replace `p` by `r`, preconditioned, and ``ratio * p``."""
        p *= ratio.astype(p.dtype)
        p += r

    def quotient(self, above: Any, below: Any, going: BoolArray) -> Any:
        """Return ``above / below`` for the columns that go on; others stand still."""
        return np.divide(above, below, out=np.zeros_like(above), where=going & (below > 0))

    def to_host(self, sums: Any) -> FloatArray:
        """Return the sums of columns as an array of NumPy."""
        return np.asarray(sums)


# A symmetric positive matrix, added to the preconditioner (`cpu.systems.GroupCorrection`): its `find` takes a
# residual and returns the sums of ``r * correction``, its `add` adds the correction that was found last.
Correction: TypeAlias = Any


def fast_width(width: int) -> int:
    """Columns that a block of so many is padded to: one, or a multiple of `COLUMNS_AT_ONCE`."""
    return 1 if width == 1 else -(-width // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE


def conjugate_gradients(
    system: System,
    b: FloatArray,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
    correction: Correction | None = None,
) -> Solution:
    """Solve a symmetric positive semi-definite system, `b` in its range, for all columns at once."""
    r = system.enter(b)
    x = np.zeros_like(r)  # NumPy asks CuPy for arrays of CuPy
    left, first, iterations = iterate(system, x, r, tolerance, max_iterations, correction)
    del r  # the solution is about to be copied
    residual = np.sqrt(left / np.where(first > 0, first, 1.0)).max(initial=0.0)
    return Solution(system.leave(x)[:, : b.shape[1]], iterations, float(residual))


def iterate(
    system: System,
    x: Any,
    r: Any,
    tolerance: float,
    max_iterations: int,
    correction: Correction | None = None,
    rest: FloatArray | float = 0.0,
) -> tuple[FloatArray, FloatArray, int]:
    """Improve `x`, whose residual is `r`, in place; return the squared residuals after and before, and steps.

    Preconditioned conjugate gradients, Algorithm 9.1 of Saad, Iterative Methods for Sparse Linear Systems,
    whose steps stand in the margin. Residuals are measured with the diagonal preconditioner. Each column has
    steps of its own; one application of the matrix serves them all. A column is done where its squared
    residual is `rest` or less, has fallen by the square of the tolerance, or does not change.
    """
    p, image = system.preconditioned(r), np.zeros_like(r)  # 1
    gained = system.dots(r, p)
    first = left = squared = system.to_host(gained)
    if correction is not None:
        gained = gained + correction.find(r)
        correction.add(p)
    enough, scale, iterations = np.maximum(tolerance**2 * first, rest), np.where(first > 0, first, 1.0), 0
    while iterations < max_iterations and (squared > enough).any():
        going = squared > enough
        curvature = system.apply(p, image)  # 2
        step = system.quotient(gained, curvature, going)  # 3
        sums = system.advance(x, r, p, image, step)  # 4, 5
        before, gained = gained, sums if correction is None else sums + correction.find(r)  # 6
        system.turn(p, r, system.quotient(gained, before, going))  # 7, 8
        if correction is not None:
            correction.add(p)
        left = system.to_host(sums)
        squared = np.where(left == squared, 0.0, left)
        iterations += 1
        tell(max(iterations / (max_iterations + 1), share_done(squared / scale, tolerance**2)))
    tell(1.0)
    return left, first, iterations


def share_done(squared: FloatArray, target: float) -> float:
    """How far the slowest column is, by the digits that it has gained of those it needs."""
    left = np.clip(squared, target, 1.0).max(initial=target)
    return 0.99 * float(np.log(left) / np.log(target))
