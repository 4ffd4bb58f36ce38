"""Cuts: the smallest with given class sizes, and k-means on eigenvectors."""

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.methods.base import Baseline, Clusterer, equal_unless_given, indicators
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem

LARGEST_DEGREE = 6.0
"""Weights are scaled to it: with much larger ones the iteration does not settle."""
SHARES_OF_DEGREE = (0.0, 0.025, 0.05, 0.075, 0.1)


@method("cut", "the smallest cut with given class sizes", told_sizes=True, slow=True)
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

    sources = ("holtz2024continuous",)
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


@method("spectral clusters", "k-means on eigenvectors, clusters named by the labels", slow=True)
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

    sources = ("ng2001spectral",)
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
