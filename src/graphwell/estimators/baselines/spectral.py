"""Spectral clustering: k-means on the first eigenvectors of the normalised Laplacian."""

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import IntArray
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs


def spectral_clustering(graph: Graph, n_clusters: int, random_state: Seed = None) -> IntArray:
    """Cluster the vertices without any label.

    One execution: k-means from one random start on the first `n_clusters` eigenvectors of ``L_s``.

    Examples
    --------
    >>> graph = Graph.from_affinity([[0, 1, 0.01, 0], [1, 0, 0, 0], [0.01, 0, 0, 1], [0, 0, 1, 0]])
    >>> clusters = spectral_clustering(graph, 2, random_state=0)
    >>> bool(clusters[0] == clusters[1] != clusters[2] == clusters[3])
    True
    """
    from sklearn.cluster import KMeans

    vectors = smallest_eigenpairs(graph, n_clusters)[1]
    seed = int(stream(random_state, "k-means").integers(2**31))
    kmeans = KMeans(n_clusters, init="random", n_init=1, random_state=seed)
    return np.asarray(kmeans.fit_predict(vectors))
