"""Linear systems on a graph: one block conjugate-gradient routine for all that needs one.

Long vectors stay where the system keeps them, in the memory of the host or of a GPU; the few numbers of each
column are handled on the host.
"""

from typing import Protocol

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.base import Solution
from graphwell.backends.system import System
from graphwell.progress import tell

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

    Each column has steps of its own; one application of the matrix serves them all. A singular system is
    solved as long as `b` lies in its range. A column that has converged, or is zero, stands still. Steps go
    along the residual, or along the residual and its correction where there is one.

    Examples
    --------
    >>> from graphwell.backends.system import ArraySystem
    >>> S = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> system = ArraySystem(lambda block: S @ block, scaling=np.ones(2))
    >>> conjugate_gradients(system, np.array([[1.0], [1.0]])).x.ravel()
    array([2., 2.])
    """
    r = system.enter(b)
    x, p, image = np.zeros_like(r), r.copy(), np.empty_like(r)  # NumPy asks CuPy for arrays of CuPy
    squared = system.dots(r, r)
    gained = squared if correction is None else squared + correction.find(r)
    if correction is not None:
        correction.add(p)
    left, scale, target = squared, np.where(squared > 0, squared, 1.0), tolerance**2 * squared
    iterations = 0
    while iterations < max_iterations and (squared > target).any():
        curvature = system.apply(p, image)
        moving = (squared > target) & (curvature > 0)
        step = np.divide(gained, curvature, out=np.zeros_like(squared), where=moving)
        left = system.advance(x, r, p, image, step)
        before, gained = gained, left if correction is None else left + correction.find(r)
        squared = np.where(moving, left, 0.0)
        system.turn(p, r, np.divide(gained, before, out=np.zeros_like(squared), where=moving))
        if correction is not None:
            correction.add(p)
        iterations += 1
        tell(max(iterations / (max_iterations + 1), share_done(squared / scale, tolerance**2)))
    tell(1.0)
    width = b.shape[1]
    return Solution(system.leave(x)[:, :width], iterations, float(np.sqrt(left / scale).max(initial=0.0)))


def share_done(squared: FloatArray, target: float) -> float:
    """How far the slowest column is, by the digits that it has gained of those it needs."""
    left = np.clip(squared, target, 1.0).max(initial=target)
    return 0.99 * float(np.log(left) / np.log(target))
