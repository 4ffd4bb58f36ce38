"""The compiled loops of `graphwell.solve.cheeger` and `graphwell.solve.p_laplacian`.

A graph is given as rows of neighbours (`indptr`, `indices`, `weights`). One thread works on them in their
order, so results do not depend on anything but the input.
"""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled


@compiled(nogil=True)
def dual_descent(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    opposite: IntArray,
    target: FloatArray,
    alpha: FloatArray,
    n_steps: int,
) -> FloatArray:
    """Steps of FISTA on the dual of ``min TV(f) - <target, f>`` over ``|f| <= 1``; return `f`, unscaled.

    The dual minimises ``|target - sum_j w_ij alpha_ij|^2 / 2`` over antisymmetric `alpha` with entries of at
    most 1. `alpha` holds one entry for each stored edge and is changed in place; `opposite` is the place of
    the edge in the other direction.
    """
    n = len(target)
    length = 0.0
    for i in range(n):
        squares = 0.0
        for at in range(indptr[i], indptr[i + 1]):
            squares += weights[at] * weights[at]
        length = max(length, squares)
    step = 1.0 / (2.0 * length) if length > 0 else 0.0
    ahead = alpha.copy()
    f = np.empty(n)
    t = 1.0
    for _ in range(n_steps):
        for i in range(n):
            total = 0.0
            for at in range(indptr[i], indptr[i + 1]):
                total += weights[at] * ahead[at]
            f[i] = target[i] - total
        following = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        push = (t - 1.0) / following
        t = following
        for i in range(n):
            for at in range(indptr[i], indptr[i + 1]):
                j = indices[at]
                if j > i:
                    moved = ahead[at] + step * weights[at] * (f[i] - f[j])
                    moved = min(1.0, max(-1.0, moved))
                    further = moved + push * (moved - alpha[at])
                    alpha[at] = moved
                    ahead[at] = further
                    alpha[opposite[at]] = -moved
                    ahead[opposite[at]] = -further
    for i in range(n):
        total = 0.0
        for at in range(indptr[i], indptr[i + 1]):
            total += weights[at] * alpha[at]
        f[i] = target[i] - total
    return f


@compiled(nogil=True)
def differences(
    indptr: IntArray, indices: IntArray, weights: FloatArray, f: FloatArray, p: float, slope: FloatArray
) -> float:
    """Sum over the edges of ``w |f_i - f_j|^p``; its gradient goes into `slope` unless `p` is 1."""
    total = 0.0
    for i in range(len(f)):
        pull = 0.0
        for at in range(indptr[i], indptr[i + 1]):
            apart = f[i] - f[indices[at]]
            size = abs(apart)
            if size == 0.0:
                continue
            if p == 1.0:
                total += weights[at] * size
            else:
                power = weights[at] * size ** (p - 1.0)
                total += power * size
                pull += power if apart > 0 else -power
        slope[i] = p * pull
    return total / 2.0


@compiled(nogil=True)
def cuts_in_order(indptr: IntArray, indices: IntArray, weights: FloatArray, order: IntArray) -> FloatArray:
    """Weight of the cut between the first vertices of an order and the others, for each number of them."""
    n = len(order)
    inside = np.zeros(n, np.bool_)
    cuts = np.empty(n)
    cut = 0.0
    for place in range(n):
        i = order[place]
        inside[i] = True
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            if j != i:
                cut += -weights[at] if inside[j] else weights[at]
        cuts[place] = cut
    return cuts
