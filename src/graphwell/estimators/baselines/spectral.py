"""Spectral clustering: k-means on the first eigenvectors of the normalised Laplacian."""

import numpy as np
from sklearn.cluster import KMeans

from graphwell._random import Seed, stream
from graphwell._types import IntArray
from graphwell.estimators.baselines.clusterer import Clusterer
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs


@method(
    "spectral clusters",
    "k-means on eigenvectors, clusters named by the labels",
    slow=True,
    sources=("ng2001spectral",),
)
class SpectralClustering(Clusterer):
    """Clusters by k-means on the first `n_clusters` eigenvectors of the normalised Laplacian.

    Source: A. Ng, M. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001,
    without their scaling of rows, as the paper has it. Cost: the eigenvectors, then time n for each round of
    k-means. It needs to be told the number of clusters. It fails where their sizes are very different.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number of classes, where labels are given.
    n_starts : int
        Random starts of k-means; the best counts.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    random_state : int, Generator or RandomState, optional
        Seed of the starts.

    Examples
    --------
    >>> W = [[0, 1, 0.01, 0], [1, 0, 0, 0], [0.01, 0, 0, 1], [0, 0, 1, 0]]
    >>> SpectralClustering(metric="precomputed", random_state=0).fit(W, ["a", None, "b", None]).transduction_
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_starts: int = 10,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters, n_neighbors, scale_neighbor, metric, n_jobs=n_jobs, random_state=random_state
        )
        self.n_starts = n_starts

    def _clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        return spectral_clustering(graph, n_clusters, self.random_state, self.n_starts)


def spectral_clustering(
    graph: Graph, n_clusters: int, random_state: Seed = None, n_starts: int = 1
) -> IntArray:
    """Cluster the vertices without any label.

    One execution: k-means from one random start on the first `n_clusters` eigenvectors of ``L_s``. The best
    of several, if more starts are asked for.

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
