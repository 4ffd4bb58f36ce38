"""Linear systems on a graph: one block conjugate-gradient routine for all that needs one.

Every system here has the form ``(I - A S A) x = b`` with a diagonal scaling ``A``: the normalised Laplacian
of a reweighted graph, and so preconditioned by its degrees already. The product with ``S`` is the engine's.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray
from graphwell.progress import tell

TOLERANCE = 1e-4
MAX_ITERATIONS = 1000


@dataclass(frozen=True)
class Solution:
    """Solution of a linear system with one column per right-hand side.

    Attributes
    ----------
    x : array of shape (n, m)
    iterations : int
    residual : float
        Largest norm of a residual column, relative to its right-hand side.
    """

    x: FloatArray
    iterations: int
    residual: float


def conjugate_gradients(
    apply: Callable[[FloatArray], FloatArray],
    b: FloatArray,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> Solution:
    """Solve a symmetric positive semi-definite system for all columns of `b` at once.

    Each column has steps of its own; one application of the matrix serves them all. A singular system is
    solved as long as `b` lies in its range. A column that has converged, or is zero, stands still.

    Examples
    --------
    >>> A = np.array([[2.0, -1.0], [-1.0, 2.0]])
    >>> conjugate_gradients(lambda x: A @ x, np.array([[1.0], [1.0]])).x.ravel()
    array([1., 1.])
    """
    x, r = np.zeros_like(b), b.copy()
    p = r.copy()
    squared = _dots(r, r)
    target = tolerance**2 * squared
    scale = np.where(squared > 0, squared, 1.0)
    iterations = 0
    while iterations < max_iterations and (squared > target).any():
        image = apply(p)
        curvature = _dots(p, image)
        moving = (squared > target) & (curvature > 0)
        step = np.divide(squared, curvature, out=np.zeros_like(squared), where=moving).astype(b.dtype)
        x += step * p
        r -= step * image
        previous, squared = squared, np.where(moving, _dots(r, r), 0.0 * squared)
        ratio = np.divide(squared, previous, out=np.zeros_like(squared), where=moving)
        p *= ratio.astype(b.dtype)
        p += r * moving.astype(b.dtype)
        iterations += 1
        tell(max(iterations / (max_iterations + 1), _share_done(squared / scale, tolerance**2)))
    tell(1.0)
    return Solution(x, iterations, float(np.sqrt(_dots(r, r) / scale).max(initial=0.0)))


def _share_done(squared: FloatArray, target: float) -> float:
    """How far the slowest column is, by the digits that it has gained of those it needs."""
    left = np.clip(squared, target, 1.0).max(initial=target)
    return 0.99 * float(np.log(left) / np.log(target))


def _dots(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", a, b, dtype=np.float64)
