"""Graphs of scikit-network: sparse matrices, or data sets that hold one; the library need not be imported."""

from typing import Any

import numpy as np

from graphwell.bridges.edges import affinity_of_edges


def affinity_of_sknetwork(graph: Any) -> Any:
    """Symmetric affinities of an adjacency matrix, or of a data set with one.

    Examples
    --------
    >>> from scipy import sparse
    >>> one_way = sparse.csr_matrix(np.array([[False, True], [False, True]]))
    >>> affinity_of_sknetwork(one_way).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    adjacency = getattr(graph, "adjacency", graph)
    if not hasattr(adjacency, "tocoo"):
        raise ValueError(
            f"An adjacency matrix of scikit-network is expected, got {type(graph).__name__}; "
            "turn a bipartite graph into one with bipartite2undirected(biadjacency)."
        )
    if adjacency.shape[0] != adjacency.shape[1]:
        raise ValueError(
            f"The adjacency matrix must be square, got {adjacency.shape}; "
            "turn a bipartite graph into one with bipartite2undirected(biadjacency)."
        )
    entries = adjacency.tocoo()
    ends = np.column_stack([entries.row, entries.col])
    return affinity_of_edges(ends, entries.data.astype(np.float64), adjacency.shape[0])
