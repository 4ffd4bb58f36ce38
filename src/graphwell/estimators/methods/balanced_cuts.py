"""Balanced cuts: a graph is cut in two with a small cut and balanced sides, and in more by cutting again.

The Cheeger cut of a set is the weight of the cut divided by the measure of the smaller side. The measure of a
vertex is 1 for the ratio cut, and its degree for the normalised one. Over all functions `f` that are not
constant, the minimum of

    TV(f) / S(f),   TV(f) = sum_edges w |f_i - f_j|,   S(f) = sum_i m_i |f_i - median|

is the smallest Cheeger cut, reached at the indicator of the set. Two ways to look for it:

- The inverse power method (Hein, Buehler 2010). Each step solves the convex problem ``min TV(f) - lambda <s,
  f>`` over ``|f| <= 1`` with `s` in the subgradient of `S` and lambda the present ratio, and goes on from
  the best threshold of its solution, whose ratio is never higher.
- The second eigenfunction of the graph p-Laplacian (Buehler, Hein 2009). It minimises
  ``sum_edges w |f_i - f_j|^p / min_c sum_i m_i |f_i - c|^p``: for p = 2 the second eigenvector; as p falls
  to 1 its best threshold tends to the smallest Cheeger cut. The problem is not convex, and stiff near 1, so
  each p begins where the one before ended.

Beside them, the assignment of rows to classes whose sizes are bounded, a transport problem, solved exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.compiled import compiled
from graphwell.memory import check_fits
from graphwell.progress import heartbeat

Split: TypeAlias = Callable[["Piece"], BoolArray]
"""Cuts a connected piece in two: True on one side."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A graph with a measure of its vertices.

    Attributes
    ----------
    W : scipy.sparse.csr_array
        Symmetric weights, without a diagonal.
    measure : array of shape (n,)
        All positive.
    """

    W: Any
    measure: FloatArray

    @classmethod
    def of(cls, W: Any, *, by_degree: bool) -> "Piece":
        """A whole graph, measured by degrees or by counting; isolated vertices measure next to nothing."""
        W = sparse.csr_array(W, dtype=np.float64)
        W.setdiag(0.0)
        W.eliminate_zeros()
        W.sort_indices()
        degrees = W @ np.ones(W.shape[0])
        least = 1e-9 * float(degrees.max(initial=0.0)) or 1.0
        return cls(W, np.maximum(degrees, least) if by_degree else np.ones(W.shape[0]))

    def part(self, members: IntArray) -> "Piece":
        """The graph of some of the vertices; their measures stay."""
        W = sparse.csr_array(self.W[members][:, members])
        W.sort_indices()
        return Piece(W, self.measure[members])

    def cheeger(self, side: BoolArray) -> float:
        """The Cheeger cut of a set; infinite if it is empty or everything."""
        inside = float(self.measure[side].sum())
        smaller = min(inside, float(self.measure.sum()) - inside)
        if not side.any() or side.all():
            return float("inf")
        return float(side @ (self.W @ (~side).astype(float))) / smaller


def best_threshold(piece: Piece, f: FloatArray) -> BoolArray:
    """The set of the lowest Cheeger cut among those where `f` is below some value.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]])
    >>> best_threshold(Piece.of(W, by_degree=False), np.array([0.1, 0.2, 0.3, 0.4]))
    array([ True,  True, False, False])
    """
    order = np.argsort(f, kind="stable")
    cuts = cuts_in_order(piece.W.indptr, piece.W.indices, piece.W.data, order)[:-1]
    inside = np.cumsum(piece.measure[order])
    smaller = np.minimum(inside[:-1], inside[-1] - inside[:-1])
    values = np.where(np.diff(f[order]) > 0, cuts / np.maximum(smaller, np.finfo(float).tiny), np.inf)
    side = np.zeros(len(f), dtype=bool)
    side[order[: int(values.argmin()) + 1]] = True
    return side


def partition(piece: Piece, n_clusters: int, split: Split) -> IntArray:
    """Cut pieces in two until there are enough of them.

    Cut is the piece that leaves the lowest sum, over all parts, of the cut divided by the measure. A piece
    that falls apart is cut for nothing, along its components and as evenly as they allow.
    """
    clusters = np.zeros(piece.W.shape[0], dtype=np.int64)
    proposals: dict[int, tuple[IntArray, BoolArray]] = {}
    for number in range(1, n_clusters):
        for cluster in range(number):
            members = np.flatnonzero(clusters == cluster)
            if cluster not in proposals and len(members) > 1:
                proposals[cluster] = members, cut_in_two(piece.part(members), split)
        best = min(proposals, key=lambda cluster: _multiway(piece, clusters, number, *proposals[cluster]))
        members, side = proposals.pop(best)
        clusters[members[side]] = number
    return clusters


def cut_in_two(piece: Piece, split: Split) -> BoolArray:
    """Cut a piece along its components if it has several, else by `split`."""
    count, component = sparse.csgraph.connected_components(piece.W, directed=False)
    if count == 1:
        return split(piece) if len(piece.measure) > 2 else np.array([True, False])
    sizes = np.bincount(component, weights=piece.measure)
    sides, chosen = np.zeros(2), np.zeros(count, dtype=bool)
    for one in np.argsort(-sizes, kind="stable"):
        lighter = int(sides[1] < sides[0])
        chosen[one] = bool(lighter)
        sides[lighter] += sizes[one]
    return chosen[component]


def _multiway(piece: Piece, clusters: IntArray, number: int, members: IntArray, side: BoolArray) -> float:
    """Sum over all parts of the cut divided by the measure, if a part were cut so."""
    after = clusters.copy()
    after[members[side]] = number
    rows = np.repeat(after, np.diff(piece.W.indptr))
    apart = rows != after[piece.W.indices]
    cuts = np.bincount(rows[apart], weights=piece.W.data[apart], minlength=number + 1)
    return float((cuts / np.bincount(after, weights=piece.measure)).sum())


INNER_STEPS, MOST_INNER_STEPS = 40, 5_120
MOST_STEPS = 50
SETTLED = 1e-4
"""A step that lowers the ratio by a smaller share ends the run, once the inner problem is solved well."""


def cheeger_cut(piece: Piece, start: FloatArray, most_inner_steps: int = MOST_INNER_STEPS) -> BoolArray:
    """A set with a small Cheeger cut, found from a start."""
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
    """Total variation over the weighted distance from the median."""
    f = about_median(piece, f)
    total = differences(piece.W.indptr, piece.W.indices, piece.W.data, f, 1.0, np.empty(len(f)))
    return float(total / (piece.measure @ np.abs(f)))


def about_median(piece: Piece, f: FloatArray) -> FloatArray:
    """A function minus its weighted median."""
    order = np.argsort(f, kind="stable")
    below = np.cumsum(piece.measure[order])
    return f - f[order[int(np.searchsorted(below, below[-1] / 2))]]


def balanced_signs(piece: Piece, f: FloatArray) -> FloatArray:
    """The subgradient of the distance from the median that sums to zero."""
    signs = np.sign(f) * piece.measure
    at_median = f == 0
    signs[at_median] = -signs.sum() / piece.measure[at_median].sum() * piece.measure[at_median]
    return signs


def edges_of(piece: Piece) -> tuple[IntArray, IntArray, FloatArray]:
    """Both ends and the weight of each edge, each edge once."""
    rows = np.repeat(np.arange(piece.W.shape[0]), np.diff(piece.W.indptr))
    once = rows < piece.W.indices
    return rows[once], piece.W.indices[once].astype(np.int64), piece.W.data[once]


RATIO = 0.9
ROUNDS_FOR_CENTRE = 60


def p_eigenfunction(piece: Piece, start: FloatArray, p: float = 1.2, max_iter: int = 30) -> FloatArray:
    """The function of lowest ratio that is found from a start."""
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
    """The number with the smallest sum of ``measure |f - number|^p``."""
    low, high = float(f.min()), float(f.max())
    for _ in range(ROUNDS_FOR_CENTRE):
        middle = (low + high) / 2
        apart = f - middle
        pull = float(measure @ (np.sign(apart) * np.abs(apart) ** (p - 1)))
        low, high = (middle, high) if pull > 0 else (low, middle)
        if high - low <= 1e-12 * (abs(low) + abs(high)):
            break
    return (low + high) / 2


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


def bounded_assignment(scores: FloatArray, lowest: IntArray, highest: IntArray) -> IntArray:
    """A class for each row, with the highest sum of scores that the bounds allow.

    Parameters
    ----------
    scores : array of shape (n, n_classes)
    lowest, highest : arrays of shape (n_classes,)
        Bounds on the number of rows of each class.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.6, 0.1]])
    >>> bounded_assignment(scores, np.array([0, 1]), np.array([3, 3]))
    array([0, 1, 0])
    """
    n, n_classes = scores.shape
    if lowest.sum() > n or highest.sum() < n or (lowest > highest).any():
        raise ValueError(f"No assignment of {n:,} rows lies within the bounds {lowest} to {highest}.")
    if not np.isfinite(scores).all() or lowest.shape != (n_classes,) or highest.shape != (n_classes,):
        raise ValueError("Scores must be finite, with a lower and an upper bound for each class.")
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    check_fits(f"The assignment of {n:,} rows to {n_classes} classes", 4.0 * n * n_classes**2)
    orders = np.zeros((n_classes, n_classes, n), dtype=np.int32)
    for k in range(n_classes):
        for m in range(n_classes):
            if k != m:
                orders[k, m] = np.argsort(scores[:, k] - scores[:, m], kind="stable")
    labels = scores.argmax(axis=1).astype(np.int64)
    large = 2.0 * n_classes * float(np.ptp(scores)) + 1.0
    move_along_chains(np.ascontiguousarray(scores), orders, lowest, highest, large, labels)
    return labels


@compiled(nogil=True)
def move_along_chains(
    scores: FloatArray, orders: IntArray, lowest: IntArray, highest: IntArray, large: float, labels: IntArray
) -> int:
    """Move rows until the sizes lie within their bounds and no chain of moves gains; return the moves.

    `orders[k, l]` holds all rows by what a move from `k` to `l` costs, the cheapest first. A row too many or
    too few costs `large`, which is more than any chain. `labels` is changed in place.
    """
    n, n_classes = scores.shape
    sizes = np.zeros(n_classes, np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    place = np.zeros((n_classes, n_classes), np.int64)
    cost = np.empty((n_classes, n_classes))
    via = np.empty((n_classes, n_classes), np.int64)
    moves = 0
    while True:
        for k in range(n_classes):
            for m in range(n_classes):
                cost[k, m], via[k, m] = (0.0 if k == m else np.inf), m
                if k != m:
                    while place[k, m] < n and labels[orders[k, m, place[k, m]]] != k:
                        place[k, m] += 1
                    if place[k, m] < n:
                        i = orders[k, m, place[k, m]]
                        cost[k, m] = scores[i, k] - scores[i, m]
        for middle in range(n_classes):
            for k in range(n_classes):
                for m in range(n_classes):
                    if cost[k, middle] + cost[middle, m] < cost[k, m] - 1e-15:
                        cost[k, m] = cost[k, middle] + cost[middle, m]
                        via[k, m] = via[k, middle]
        best, giver, taker = -1e-12, -1, -1
        for k in range(n_classes):
            for m in range(n_classes):
                if k != m and sizes[k] > 0:
                    gives = -large if sizes[k] > highest[k] else (large if sizes[k] <= lowest[k] else 0.0)
                    takes = -large if sizes[m] < lowest[m] else (large if sizes[m] >= highest[m] else 0.0)
                    if gives + takes + cost[k, m] < best:
                        best, giver, taker = gives + takes + cost[k, m], k, m
        if giver < 0:
            return moves
        k = giver
        while k != taker:
            following = via[k, taker]
            i = orders[k, following, place[k, following]]
            labels[i] = following
            for m in range(n_classes):
                if m != following:
                    key, low, high = scores[i, following] - scores[i, m], 0, place[following, m]
                    while low < high:
                        middle = (low + high) // 2
                        j = orders[following, m, middle]
                        if scores[j, following] - scores[j, m] < key:
                            low = middle + 1
                        else:
                            high = middle
                    place[following, m] = low
            moves += 1
            k = following
        sizes[giver] -= 1
        sizes[taker] += 1
