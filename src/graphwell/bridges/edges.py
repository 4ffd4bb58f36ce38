"""Lists of edges as affinities: what all graphs of other libraries come down to."""

from typing import Any

import numpy as np
from scipy import sparse


def affinity_of_edges(ends: Any, weights: Any, n_vertices: int) -> Any:
    """Symmetric affinities of a list of edges.

    Parallel edges add up. Of edges there and back the heavier counts, so a list that names each edge once and
    one that names it both ways make the same graph. Edges of a vertex with itself are left out.

    Parameters
    ----------
    ends : array of shape (n_edges, 2)
        Numbers of the vertices.
    weights : array of shape (n_edges,), optional
        1 by default.
    n_vertices : int
        Vertices without an edge count too.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_vertices, n_vertices)

    Examples
    --------
    >>> affinity_of_edges([(0, 1), (0, 1), (1, 0), (2, 2)], None, 3).toarray()
    array([[0., 2., 0.],
           [2., 0., 0.],
           [0., 0., 0.]])
    """
    pairs = np.asarray(ends, dtype=np.int64).reshape(-1, 2)
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < n_vertices:
        wrong = pairs.max() if pairs.max() >= n_vertices else pairs.min()
        raise ValueError(f"An edge names the vertex {wrong}, but they are numbered 0 to {n_vertices - 1}.")
    values = read_weights(weights, len(pairs))
    apart = pairs[:, 0] != pairs[:, 1]
    where = (pairs[apart, 0], pairs[apart, 1])
    one_way = sparse.coo_array((values[apart], where), shape=(n_vertices, n_vertices)).tocsr()
    return one_way.maximum(one_way.T).tocsr()


def read_weights(weights: Any, n_edges: int) -> Any:
    """Weights as numbers, one for each edge.

    Examples
    --------
    >>> read_weights(None, 2)
    array([1., 1.])
    """
    if weights is None:
        return np.ones(n_edges)
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("The weights of the edges must be numbers, one for each edge.") from error
    if values.size != n_edges:
        raise ValueError(f"There are {values.size:,} weights for {n_edges:,} edges; give one for each edge.")
    values = values.reshape(-1)
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            "The weights of the edges must be finite and not negative; remove those edges first."
        )
    return values
