"""The smallest cuts: with given class sizes, over the size of a side, by the p-Laplacian, by eigenvectors."""

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from graphwell._random import Seed, stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.methods.balanced_cuts import (
    Piece,
    best_threshold,
    cheeger_cut,
    p_eigenfunction,
    partition,
)
from graphwell.estimators.methods.base import Baseline, Clusterer, equal_unless_given, indicators
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem

LARGEST_DEGREE = 6.0
"""Weights are scaled to it: with much larger ones the iteration does not settle."""
SHARES_OF_DEGREE = (0.0, 0.025, 0.05, 0.075, 0.1)


@method(
    "cut",
    "the smallest cut with given class sizes",
    told_sizes=True,
    slow=True,
    sources=("holtz2024continuous",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class CutLearning(Baseline):
    """The smallest cut among labellings with exact class sizes, by a relaxation that is tight in the end.

    Minimises ``tr(X' (L - s D) X) / 2`` over matrices whose rows sum to 1, whose columns sum to the class
    sizes, and which are not negative; rows of labels are fixed. For ``s = 0`` that is convex; as `s` grows to
    0.1 solutions move into the corners. Alternating directions: a linear system with the sums as constraints,
    then entries below zero cut off.

    Source: C. Holtz, P. Chen, A. Cloninger, N. Saito, G. Mishne, "Continuous partitioning for graph-based
    semi-supervised learning", NeurIPS 2024. Cost: a linear system on the graph in each iteration. It needs to
    be told the class sizes, and fails where they are wrong.

    Parameters
    ----------
    class_prior : array of shape (n_classes,), optional
        Share of each class, in the order of the sorted classes; equal by default.
    penalty : float
        Weight of the distance between the two halves of an iteration.
    max_iter : int
        Iterations for each `s`; fewer when the scores settle.
    tol : float
        They have settled when no entry moves by more than this.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0, 0], [1, 0, 3, 0], [0, 3, 0, 1], [0, 0, 1, 0]]
    >>> CutLearning(metric="precomputed").fit(W, [0, -1, -1, 1]).transduction_
    array([0, 0, 1, 1])
    """

    class_prior: FloatArray | None = None
    penalty: float = 1.0
    max_iter: int = 60
    tol: float = 1e-3

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        penalty, tol, n_classes = self.penalty, self.tol, problem.n_classes
        given, free = indicators(problem), ~problem.is_known[:, None]
        shares = equal_unless_given(self.class_prior, n_classes)
        sizes = np.maximum(shares * len(free) - given.sum(axis=0), 0.0)
        sizes *= free.sum() / max(sizes.sum(), 1.0)
        unit = LARGEST_DEGREE / max(float(engine.graph.degrees.max()), np.finfo(float).tiny)
        degrees, pull = unit * engine.graph.degrees, unit * (engine.graph.W @ given)

        # (L - s D + penalty I) x = right on the rows without a label
        def solve(right: FloatArray, root: FloatArray, scaling: FloatArray) -> FloatArray:
            solved = engine.solve(scaling, right / root[:, None]).x
            return np.where(free, solved / root[:, None], 0.0)

        x = np.where(free, sizes / max(1, free.sum()), given)
        dual = np.zeros_like(x)
        for s in SHARES_OF_DEGREE:
            root = np.sqrt((1 - s) * degrees + penalty)
            scaling = np.where(free[:, 0], np.sqrt(degrees) / root, 0.0)
            ones = solve(free.astype(float), root, scaling)
            positive = np.maximum(x, 0.0)
            for _ in range(self.max_iter):
                # the half with the sums: rows add up to 1, columns to the sizes
                right = np.where(free, penalty * (positive - dual) + pull, 0.0)
                x = solve(right - right.mean(axis=1, keepdims=True), root, scaling) + 1 / n_classes
                lacking = (sizes - (x * free).sum(axis=0)) / max(float(ones.sum()), 1e-300)
                x = np.where(free, x + ones * lacking, given)
                # the half without negative entries, and the dual of their difference
                before, positive = positive, np.maximum(x + dual, 0.0)
                dual += x - positive
                if np.abs(positive - before).max() < tol and np.abs(x - positive).max() < tol:
                    break
        return np.maximum(x, 0.0)


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


@method(
    "ratio cheeger cut",
    "clusters of the smallest cut over their size, named by the labels",
    slow=True,
    sources=("szlam2010total", "hein2010inverse"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RatioCheegerCut(CutClusterer):
    """Clusters by the smallest Cheeger cut: the weight of the cut over the number of vertices of a side.

    Minimises ``TV(f) / |f - median(f)|_1``, whose minimum is ``min_A cut(A, B) / min(|A|, |B|)``, by the
    inverse power method from the second eigenvector, and from random functions where asked for. Then cuts
    the parts again, first the one whose cut leaves the lowest sum of ``cut / size`` over all parts.

    Source: A. Szlam, X. Bresson, "Total variation and Cheeger cuts", ICML 2010; the method of M. Hein,
    T. Buehler, "An inverse power method for nonlinear eigenproblems", NIPS 2010. Cost: a few hundred to some
    thousand passes over the edges for each cut. It needs to be told the number of clusters. It fails where
    the smallest cut is not between classes, above all at rows that hardly hang together with the others.

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

    n_starts: int = 1
    max_inner: int = 640

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        return cheeger_cut(piece, start, self.max_inner)


@method(
    "normalised 1-cut",
    "clusters of the smallest cut over their volume, named by the labels",
    slow=True,
    sources=("hein2011beyond", "hein2010inverse"),
)
class NormalisedOneCut(RatioCheegerCut):
    """Clusters by the smallest normalised Cheeger cut: the weight of the cut over the volume of a side.

    As `RatioCheegerCut`, with the sum of the degrees in place of the number of vertices: minimises
    ``TV(f) / sum_i d_i |f_i - median(f)|``, whose minimum is ``min_A cut(A, B) / min(vol A, vol B)``.

    Source: M. Hein, S. Setzer, "Beyond spectral clustering: tight relaxations of balanced graph cuts",
    NIPS 2011. Cost, needs and failures: those of `RatioCheegerCut`, but rows that hardly hang together with
    the others have little volume and are cut off less often.

    Parameters
    ----------
    n_clusters, n_starts, max_inner, n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `RatioCheegerCut`.
    """

    by_degree = True


@method(
    "p-laplacian",
    "clusters by thresholds of p-eigenfunctions, named by the labels",
    slow=True,
    sources=("buehler2009spectral",),
)
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

    p: float = 1.2
    max_iter: int = 30

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        return best_threshold(piece, p_eigenfunction(piece, start, self.p, self.max_iter))


@method(
    "spectral clusters",
    "k-means on eigenvectors, clusters named by the labels",
    slow=True,
    sources=("ng2001spectral",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class SpectralClustering(Clusterer):
    """Clusters by k-means on the first `n_clusters` eigenvectors of the normalised Laplacian.

    Source: A. Ng, M. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001,
    without their scaling of rows, as the paper has it. Cost: the eigenvectors, then time n for each round of
    k-means. It needs to be told the number of clusters. It fails where their sizes are very different.

    Parameters
    ----------
    n_starts : int
        Random starts of k-means; the best counts.
    n_clusters, n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `graphwell.DiffuseInterfaceClustering`.
    """

    n_starts: int = 10

    def _clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        return spectral_clustering(graph, n_clusters, self.random_state, self.n_starts)


def spectral_clustering(
    graph: Graph, n_clusters: int, random_state: Seed = None, n_starts: int = 1
) -> IntArray:
    """Cluster the vertices by k-means on the first `n_clusters` eigenvectors of ``L_s``; keep the best start.

    Examples
    --------
    >>> graph = Graph.from_affinity([[0, 1, 0.01, 0], [1, 0, 0, 0], [0.01, 0, 0, 1], [0, 0, 1, 0]])
    >>> clusters = spectral_clustering(graph, 2, random_state=0)
    >>> bool(clusters[0] == clusters[1] != clusters[2] == clusters[3])
    True
    """
    vectors = smallest_eigenpairs(graph, n_clusters)[1]
    seed = int(stream(random_state, "k-means").integers(2**31))
    kmeans = KMeans(n_clusters, init="random", n_init=n_starts, random_state=seed)
    return np.asarray(kmeans.fit_predict(vectors))
