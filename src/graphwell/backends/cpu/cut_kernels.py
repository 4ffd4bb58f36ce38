"""The compiled loops of `graphwell.solve.cheeger` and `graphwell.solve.p_laplacian`.

A graph is given as rows of neighbours (`indptr`, `indices`, `weights`), or as a list of its edges. One thread
works on them in their order, so results do not depend on anything but the input.
"""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled


@compiled(nogil=True)
def dual_descent(
    first: IntArray,
    second: IntArray,
    weights: FloatArray,
    target: FloatArray,
    alpha: FloatArray,
    n_steps: int,
) -> FloatArray:
    """Steps of FISTA on the dual of ``min TV(f) - <target, f>`` over ``|f| <= 1``; return `f`, unscaled.

    Each edge is given once, by its `first` and its `second` end. The dual minimises
    ``|target - sum_edges w alpha (e_first - e_second)|^2 / 2`` over `alpha` with entries between -1 and 1,
    which is changed in place.
    """
    n, n_edges = len(target), len(weights)
    squares = np.zeros(n)
    for e in range(n_edges):
        squares[first[e]] += weights[e] * weights[e]
        squares[second[e]] += weights[e] * weights[e]
    length = squares.max()
    step = 1.0 / (2.0 * length) if length > 0 else 0.0
    ahead = alpha.copy()
    f = np.empty(n)
    t = 1.0
    for _ in range(n_steps):
        f[:] = target
        for e in range(n_edges):
            flow = weights[e] * ahead[e]
            f[first[e]] -= flow
            f[second[e]] += flow
        following = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        push = (t - 1.0) / following
        t = following
        for e in range(n_edges):
            moved = ahead[e] + step * weights[e] * (f[first[e]] - f[second[e]])
            moved = min(1.0, max(-1.0, moved))
            ahead[e] = moved + push * (moved - alpha[e])
            alpha[e] = moved
    f[:] = target
    for e in range(n_edges):
        flow = weights[e] * alpha[e]
        f[first[e]] -= flow
        f[second[e]] += flow
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
