"""The inverse power method for Cheeger cuts (Hein, Buehler 2010): a tight relaxation without any epsilon.

Over all functions `f` that are not constant, the minimum of

    TV(f) / S(f),   TV(f) = sum_edges w |f_i - f_j|,   S(f) = sum_i m_i |f_i - median|

is the smallest Cheeger cut, reached at the indicator of the set. Each step solves the convex problem
``min TV(f) - lambda <s, f>`` over ``|f| <= 1`` with `s` in the subgradient of `S` and lambda the present
ratio, and goes on from the best threshold of its solution, whose ratio is never higher.
"""

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.progress import heartbeat
from graphwell.solve.balanced_cuts import Piece, best_threshold

INNER_STEPS, MOST_INNER_STEPS = 40, 5_120
MOST_STEPS = 50
SETTLED = 1e-4
"""A step that lowers the ratio by a smaller share ends the run, once the inner problem is solved well."""


def cheeger_cut(piece: Piece, start: FloatArray, most_inner_steps: int = MOST_INNER_STEPS) -> BoolArray:
    """A set with a small Cheeger cut, found from a start.

    Parameters
    ----------
    piece : Piece
        Connected.
    start : array of shape (n,)
        Any function; what is found is no worse than the best of its thresholds.
    most_inner_steps : int
        The inner problem gets so many steps at most, and as few as lower the ratio.

    Examples
    --------
    >>> from scipy import sparse
    >>> W = sparse.csr_array([[0.0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]])
    >>> cheeger_cut(Piece.of(W, by_degree=False), np.array([0.0, 1.0, 1.0, 1.0]))
    array([ True,  True, False, False])
    """
    from graphwell.backends.cpu.cut_kernels import dual_descent

    best, edges = best_threshold(piece, start), edges_of(piece)
    f, value, inner = about_median(piece, start), piece.cheeger(best), INNER_STEPS
    alpha = np.zeros(len(edges[2]))
    at_best: FloatArray | None = None
    for _ in range(MOST_STEPS):
        heartbeat()
        target = ratio(piece, f) * balanced_signs(piece, f)
        moved = dual_descent(*edges, target, alpha, inner)
        side = best_threshold(piece, moved) if np.ptp(moved) > 0 else best
        now = piece.cheeger(side)
        if now < (1 - SETTLED) * value:
            best, value = side, now
            f = at_best = about_median(piece, side.astype(float))
        elif inner < most_inner_steps:
            inner = min(2 * inner, most_inner_steps)
        elif f is not at_best:
            f = at_best = about_median(piece, best.astype(float))
        else:
            break
    return best


def ratio(piece: Piece, f: FloatArray) -> float:
    """Total variation over the weighted distance from the median.

    Examples
    --------
    >>> from scipy import sparse
    >>> piece = Piece.of(sparse.csr_array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]]), by_degree=False)
    >>> ratio(piece, np.array([1.0, 1.0, 0.0]))
    1.0
    """
    from graphwell.backends.cpu.cut_kernels import differences

    f = about_median(piece, f)
    total = differences(piece.W.indptr, piece.W.indices, piece.W.data, f, 1.0, np.empty(len(f)))
    return float(total / (piece.measure @ np.abs(f)))


def about_median(piece: Piece, f: FloatArray) -> FloatArray:
    """A function minus its weighted median."""
    order = np.argsort(f, kind="stable")
    below = np.cumsum(piece.measure[order])
    return f - f[order[int(np.searchsorted(below, below[-1] / 2))]]


def balanced_signs(piece: Piece, f: FloatArray) -> FloatArray:
    """The subgradient of the distance from the median that sums to zero.

    Examples
    --------
    >>> from scipy import sparse
    >>> piece = Piece(sparse.csr_array((4, 4)), np.ones(4))
    >>> balanced_signs(piece, np.array([0.0, 0.0, 0.0, 2.0])).round(3)
    array([-0.333, -0.333, -0.333,  1.   ])
    """
    signs = np.sign(f) * piece.measure
    at_median = f == 0
    signs[at_median] = -signs.sum() / piece.measure[at_median].sum() * piece.measure[at_median]
    return signs


def edges_of(piece: Piece) -> tuple[IntArray, IntArray, FloatArray]:
    """Both ends and the weight of each edge, each edge once.

    Examples
    --------
    >>> from scipy import sparse
    >>> edges_of(Piece.of(sparse.csr_array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]]), by_degree=False))
    (array([0, 1]), array([1, 2]), array([2., 1.]))
    """
    rows = np.repeat(np.arange(piece.W.shape[0]), np.diff(piece.W.indptr))
    once = rows < piece.W.indices
    return rows[once], piece.W.indices[once].astype(np.int64), piece.W.data[once]
