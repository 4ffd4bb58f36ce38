"""Clusters of the smallest cut over the size of a side: by the inverse power method, by the p-Laplacian.

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
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.optimize import brentq, minimize

from graphwell._random import stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.estimators.methods.base import Clusterer
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.graph.compiled import compiled
from graphwell.progress import heartbeat
from graphwell.solve.binary import smallest_eigenpairs

Split: TypeAlias = Callable[["Piece"], BoolArray]
"""Cuts a connected piece in two: True on one side."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A graph and the measure of its vertices, all positive; each edge once, by its ends and its weight."""

    W: Any
    measure: FloatArray
    first: IntArray
    second: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, W: Any, measure: FloatArray | None = None, *, by_degree: bool = False) -> "Piece":
        """A graph, measured by degrees or by counting; isolated vertices measure next to nothing."""
        W = sparse.csr_array(W, dtype=np.float64)
        if measure is None:
            degrees = W @ np.ones(W.shape[0])
            least = 1e-9 * float(degrees.max(initial=0.0)) or 1.0
            measure = np.maximum(degrees, least) if by_degree else np.ones(W.shape[0])
        edges = sparse.triu(W, 1, format="coo")
        return cls(W, measure, edges.row, edges.col, edges.data)

    def part(self, members: IntArray) -> "Piece":
        """The graph of some of the vertices; their measures stay."""
        return Piece.of(self.W[members][:, members], self.measure[members])

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
    >>> best_threshold(Piece.of(W), np.array([0.1, 0.2, 0.3, 0.4]))
    array([ True,  True, False, False])
    """
    order = np.argsort(f, kind="stable")
    place = np.argsort(order)
    # Weight of the cut between the first vertices of the order and the others, for each number of them.
    ends = np.sort([place[piece.first], place[piece.second]], axis=0)
    begun, ended = (np.bincount(end, piece.weights, len(order)) for end in ends)
    cuts = np.cumsum(begun - ended)[:-1]
    inside = np.cumsum(piece.measure[order])
    smaller = np.minimum(inside[:-1], inside[-1] - inside[:-1])
    values = np.where(np.diff(f[order]) > 0, cuts / np.maximum(smaller, np.finfo(float).tiny), np.inf)
    side = np.zeros(len(f), dtype=bool)
    side[order[: int(values.argmin()) + 1]] = True
    return side


def partition(piece: Piece, n_clusters: int, split: Split) -> IntArray:
    """Cut pieces in two until there are enough of them.

    Cut is the piece that leaves the lowest sum, over all parts, of the cut divided by the measure. A piece
    that falls apart is cut for nothing: its largest component from the others.
    """
    clusters = np.zeros(piece.W.shape[0], dtype=np.int64)
    proposals: dict[int, tuple[IntArray, BoolArray]] = {}
    for number in range(1, n_clusters):
        for cluster in range(number):
            members = np.flatnonzero(clusters == cluster)
            if cluster not in proposals and len(members) > 1:
                part = piece.part(members)
                count, component = sparse.csgraph.connected_components(part.W, directed=False)
                largest = component == np.bincount(component, weights=part.measure).argmax()
                side = largest if count > 1 else split(part) if len(members) > 2 else np.arange(2) > 0
                proposals[cluster] = members, side
        best = min(proposals, key=lambda cluster: _multiway(piece, clusters, number, *proposals[cluster]))
        members, side = proposals.pop(best)
        clusters[members[side]] = number
    return clusters


def _multiway(piece: Piece, clusters: IntArray, number: int, members: IntArray, side: BoolArray) -> float:
    """Sum over all parts of the cut divided by the measure, if a part were cut so."""
    after = clusters.copy()
    after[members[side]] = number
    one, other = after[piece.first], after[piece.second]
    cut = one != other
    cuts = sum(np.bincount(end[cut], piece.weights[cut], number + 1) for end in (one, other))
    return float((cuts / np.bincount(after, weights=piece.measure)).sum())


INNER_STEPS, MOST_INNER_STEPS = 40, 5_120
MOST_STEPS = 50
SETTLED = 1e-4
"""A step that lowers the ratio by a smaller share ends the run, once the inner problem is solved well."""


def cheeger_cut(piece: Piece, start: FloatArray, most_inner_steps: int = MOST_INNER_STEPS) -> BoolArray:
    """A set with a small Cheeger cut, found from a start."""
    best, alpha = best_threshold(piece, start), np.zeros(len(piece.weights))
    f, value, inner = about_median(piece, start), piece.cheeger(best), INNER_STEPS
    at_best: FloatArray | None = None
    for _ in range(MOST_STEPS):
        heartbeat()
        # lambda s: the ratio of f, which is 0 at its median, times a subgradient of the distance from it
        variation = piece.weights @ np.abs(f[piece.first] - f[piece.second])
        target = variation / (piece.measure @ np.abs(f)) * balanced_signs(piece, f)
        moved = dual_descent(piece.first, piece.second, piece.weights, target, alpha, inner)
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

    The dual minimises ``|target - sum_edges w alpha (e_first - e_second)|^2 / 2`` over `alpha` with entries
    between -1 and 1, which is changed in place.
    """
    f, squares = target.copy(), np.zeros(len(target))
    for e in range(len(weights)):
        squares[first[e]] += weights[e] ** 2
        squares[second[e]] += weights[e] ** 2
    step = 1.0 / (2.0 * squares.max()) if squares.max() > 0 else 0.0
    ahead, t = alpha.copy(), 1.0
    for left in range(n_steps, -1, -1):
        f[:] = target
        for e in range(len(weights)):
            flow = weights[e] * (ahead[e] if left else alpha[e])
            f[first[e]] -= flow
            f[second[e]] += flow
        following = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        push, t = (t - 1.0) / following, following
        for e in range(len(weights) if left else 0):
            moved = ahead[e] + step * weights[e] * (f[first[e]] - f[second[e]])
            moved = min(1.0, max(-1.0, moved))
            ahead[e] = moved + push * (moved - alpha[e])
            alpha[e] = moved
    return f


RATIO = 0.9


def p_ratio(piece: Piece, f: FloatArray, p: float) -> tuple[float, FloatArray]:
    """The logarithm of the ratio, and its gradient."""
    slope, away = np.zeros(len(f)), f - centre(f, piece.measure, p)
    above = differences(piece.first, piece.second, piece.weights, f, p, slope)
    below = float(piece.measure @ np.abs(away) ** p)
    if below == 0 or above == 0:  # a constant has no ratio
        return float("inf"), slope
    fall = p * piece.measure * np.sign(away) * np.abs(away) ** (p - 1)
    return float(np.log(above / below)), slope / above - fall / below


@compiled(nogil=True)
def differences(
    first: IntArray, second: IntArray, weights: FloatArray, f: FloatArray, p: float, slope: FloatArray
) -> float:
    """Sum over the edges of ``w |f_i - f_j|^p``; its gradient is added to `slope`."""
    total = 0.0
    for e in range(len(weights)):
        apart = f[first[e]] - f[second[e]]
        if apart != 0.0:
            power = weights[e] * abs(apart) ** (p - 1.0)
            total += power * abs(apart)
            pull = p * power if apart > 0 else -p * power
            slope[first[e]] += pull
            slope[second[e]] -= pull
    return total


def centre(f: FloatArray, measure: FloatArray, p: float) -> float:
    """The number with the smallest sum of ``measure |f - number|^p``."""
    low, high = float(f.min()), float(f.max())

    def pull(number: float) -> float:
        return float(measure @ (np.sign(f - number) * np.abs(f - number) ** (p - 1)))

    return float(brentq(pull, low, high)) if low < high else low


class CutClusterer(Clusterer):
    """Cuts the graph in two, and its parts again, by a method that cuts connected pieces."""

    by_degree = False
    n_starts = 1

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        """One side of the cut of a connected piece."""
        raise NotImplementedError

    def _clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        rng = stream(self.random_state, "starts")

        def best(piece: Piece) -> BoolArray:
            # The first start is the second eigenvector of the random walk on the piece. Four are asked for:
            # Lanczos' method finds a few together faster than the second alone.
            part = Graph.from_affinity(piece.W)
            roots = np.sqrt(np.maximum(part.degrees, np.finfo(float).tiny))
            starts = [smallest_eigenpairs(part, min(4, part.n_vertices))[1][:, 1] / roots]
            # The others are noise after ten lazy steps of the walk.
            degrees = np.maximum(piece.W @ np.ones(len(piece.measure)), np.finfo(float).tiny)
            for _ in range(self.n_starts - 1):
                f = rng.normal(size=len(piece.measure))
                for _ in range(10):
                    f = (f + (piece.W @ f) / degrees) / 2
                starts.append(f)
            return min((self._side(piece, start) for start in starts), key=piece.cheeger)

        return partition(Piece.of(graph.W, by_degree=self.by_degree), n_clusters, best)


@method("ratio cheeger cut", "clusters of the smallest cut over their size, named by the labels", slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
class RatioCheegerCut(CutClusterer):
    """Clusters by the smallest Cheeger cut: the weight of the cut over the number of vertices of a side.

    Minimises ``TV(f) / |f - median(f)|_1``, whose minimum is ``min_A cut(A, B) / min(|A|, |B|)``, by the
    inverse power method from the second eigenvector, and from random functions where asked for. Then cuts
    the parts again, first the one whose cut leaves the lowest sum of ``cut / size`` over all parts.

    Source: A. Szlam, X. Bresson, "Total variation and Cheeger cuts", ICML 2010; the method of M. Hein,
    T. Buehler, "An inverse power method for nonlinear eigenproblems", NIPS 2010. Cost: a few hundred to some
    thousand passes over the edges for each cut. It needs to be told the number of clusters. It fails where
    the smallest cut is not between classes, above all at rows that are hardly connected with the others.

    Parameters
    ----------
    n_starts : int
        Starts of each cut: the second eigenvector, and random ones beyond the first.
    max_inner : int
        Steps of the inner problem at most.
    n_clusters, n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `graphwell.DiffuseInterfaceClustering`.

    Examples
    --------
    >>> W = [[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]]
    >>> RatioCheegerCut(2, metric="precomputed").fit_predict(W)
    array([0, 0, 1, 1])
    >>> RatioCheegerCut(metric="precomputed").fit(W, ["a", None, None, "b"]).transduction_
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """

    sources = ("szlam2010total", "hein2010inverse")
    n_starts: int = 1
    max_inner: int = 640

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        return cheeger_cut(piece, start, self.max_inner)


@method("normalised 1-cut", "clusters of the smallest cut over their volume, named by the labels", slow=True)
class NormalisedOneCut(RatioCheegerCut):
    """Clusters by the smallest normalised Cheeger cut: the weight of the cut over the volume of a side.

    As `RatioCheegerCut`, with the sum of the degrees in place of the number of vertices: minimises
    ``TV(f) / sum_i d_i |f_i - median(f)|``, whose minimum is ``min_A cut(A, B) / min(vol A, vol B)``.

    Source: M. Hein, S. Setzer, "Beyond spectral clustering: tight relaxations of balanced graph cuts",
    NIPS 2011. Cost, needs and failures: those of `RatioCheegerCut`, but rows that are hardly connected with
    the others have little volume and are cut off less often.

    Parameters
    ----------
    n_clusters, n_starts, max_inner, n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `RatioCheegerCut`.
    """

    sources = ("hein2011beyond", "hein2010inverse")
    by_degree = True


@method("p-laplacian", "clusters by thresholds of p-eigenfunctions, named by the labels", slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
class PLaplacianClustering(CutClusterer):
    """Clusters by the second eigenfunction of the p-Laplacian, cut at its best threshold, and again.

    Minimises ``sum_edges w |f_i - f_j|^p / min_c |f - c|_p^p``, from the second eigenvector at ``p = 2`` down
    to the `p` that is asked for, by a tenth at a time. The threshold is that of the lowest ratio Cheeger cut.

    Source: T. Buehler, M. Hein, "Spectral clustering based on the graph p-Laplacian", ICML 2009. Cost: some
    two hundred passes over the edges for each cut. It needs to be told the number of clusters. It fails near
    ``p = 1``, where the problem is stiff, and where the smallest cut is not between classes.

    Parameters
    ----------
    p : float
        Above 1, at most 2; 2 is spectral clustering by thresholds.
    max_iter : int
        Iterations for each p on the way.
    n_clusters, n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `graphwell.DiffuseInterfaceClustering`.
    """

    sources = ("buehler2009spectral",)
    p: float = 1.2
    max_iter: int = 30

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        f, power = start, 2.0
        while power > self.p:
            power = max(self.p, RATIO * power)
            f = f / np.abs(f - centre(f, piece.measure, power)).max()
            f = minimize(
                lambda g, at=power: p_ratio(piece, g, at), f, jac=True, method="L-BFGS-B",
                options={"maxiter": self.max_iter}, callback=lambda _: heartbeat(),
            ).x  # fmt: skip
        return best_threshold(piece, f)
