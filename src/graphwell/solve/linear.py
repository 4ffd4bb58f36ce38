"""Linear systems on a graph: one block conjugate-gradient routine for all that needs one.

Every system here has the form ``(I - A S A) x = b`` with a diagonal scaling ``A``: the normalised Laplacian
of a reweighted graph, and so preconditioned by its degrees already. The product with ``S`` is the engine's.
Long arrays stay where they are, in the memory of the host or of a card; the few numbers of each column are
handled on the host.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphwell._arrays import column_dots, combine, namespace
from graphwell._types import FloatArray

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
    x, r = namespace(b).zeros_like(b), b.copy()
    p = r.copy()
    squared = column_dots(r, r)
    target = tolerance**2 * squared
    scale = np.where(squared > 0, squared, 1.0)
    one, iterations = np.ones_like(squared), 0
    while iterations < max_iterations and (squared > target).any():
        image = apply(p)
        curvature = column_dots(p, image)
        moving = (squared > target) & (curvature > 0)
        step = np.divide(squared, curvature, out=np.zeros_like(squared), where=moving)
        combine(one, x, step, p)
        combine(one, r, -step, image)
        previous, squared = squared, np.where(moving, column_dots(r, r), 0.0 * squared)
        ratio = np.divide(squared, previous, out=np.zeros_like(squared), where=moving)
        combine(ratio, p, moving.astype(np.float64), r)
        iterations += 1
    return Solution(x, iterations, float(np.sqrt(column_dots(r, r) / scale).max(initial=0.0)))
