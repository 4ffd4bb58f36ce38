"""The second eigenfunction of the graph p-Laplacian (Buehler, Hein 2009), followed from p = 2 downwards.

It minimises ``sum_edges w |f_i - f_j|^p / min_c sum_i m_i |f_i - c|^p``. For p = 2 that is the second
eigenvector; as p falls to 1 its best threshold tends to the smallest Cheeger cut. The problem is not convex,
and stiff near 1, so each p begins where the one before ended.
"""

import numpy as np
from scipy.optimize import minimize

from graphwell._types import FloatArray
from graphwell.progress import heartbeat
from graphwell.solve.balanced_cuts import Piece

RATIO = 0.9
ROUNDS_FOR_CENTRE = 60


def p_eigenfunction(piece: Piece, start: FloatArray, p: float = 1.2, max_iter: int = 30) -> FloatArray:
    """The function of lowest ratio that is found from a start.

    Parameters
    ----------
    piece : Piece
        Connected.
    start : array of shape (n,)
        The second eigenvector, say.
    p : float
        Above 1, at most 2.
    max_iter : int
        Iterations for each p on the way.

    Examples
    --------
    >>> from scipy import sparse
    >>> W = sparse.csr_array([[0.0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]])
    >>> f = p_eigenfunction(Piece.of(W, by_degree=False), np.array([-2.0, -1.0, 1.0, 2.0]), max_iter=200)
    >>> bool(abs(f[1] - f[0]) < abs(f[2] - f[1]))
    True
    """
    f, power = start, 2.0
    while power > p:
        power = max(p, RATIO * power)
        f = f / np.abs(f - centre(f, piece.measure, power)).max()
        f = minimize(
            lambda g, at=power: p_ratio(piece, g, at), f, jac=True, method="L-BFGS-B",
            options={"maxiter": max_iter}, callback=lambda _: heartbeat(),
        ).x  # fmt: skip
    return f - centre(f, piece.measure, p)


def p_ratio(piece: Piece, f: FloatArray, p: float) -> tuple[float, FloatArray]:
    """The logarithm of the ratio, and its gradient."""
    from graphwell.backends.cpu.cut_kernels import differences

    slope = np.empty(len(f))
    above = differences(piece.W.indptr, piece.W.indices, piece.W.data, f, p, slope)
    apart = f - centre(f, piece.measure, p)
    sizes = np.abs(apart)
    below = float(piece.measure @ sizes**p)
    if below == 0 or above == 0:  # a constant has no ratio
        return float("inf"), slope
    fall = p * piece.measure * sizes ** (p - 1) * np.sign(apart)
    return float(np.log(above / below)), slope / above - fall / below


def centre(f: FloatArray, measure: FloatArray, p: float) -> float:
    """The number with the smallest sum of ``measure |f - number|^p``.

    Examples
    --------
    >>> round(centre(np.array([0.0, 0.0, 3.0]), np.ones(3), 2.0), 6)
    1.0
    """
    low, high = float(f.min()), float(f.max())
    for _ in range(ROUNDS_FOR_CENTRE):
        middle = (low + high) / 2
        apart = f - middle
        pull = float(measure @ (np.sign(apart) * np.abs(apart) ** (p - 1)))
        low, high = (middle, high) if pull > 0 else (low, middle)
        if high - low <= 1e-12 * (abs(low) + abs(high)):
            break
    return (low + high) / 2
