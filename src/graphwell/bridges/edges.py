"""Lists of edges as affinities: what all graphs of other libraries come down to."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell.errors import in_short


def affinity_of_edges(ends: Any, weights: Any, n_vertices: int | None) -> Any:
    """Symmetric affinities of a list of edges.

    Parallel edges add up. Of edges there and back the heavier counts, so a list that names each edge once and
    one that names it both ways make the same graph. Edges of a vertex with itself are left out.

    Parameters
    ----------
    ends : array of shape (n_edges, 2)
        Numbers of the vertices.
    weights : array of shape (n_edges,), optional
        1 by default.
    n_vertices : int, optional
        Vertices without an edge count too; by default those up to the largest number.

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
    pairs = _read_ends(ends)
    n_vertices = int(pairs.max(initial=-1)) + 1 if n_vertices is None else n_vertices
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < n_vertices:
        wrong = pairs.max() if pairs.max() >= n_vertices else pairs.min()
        raise ValueError(f"An edge names the vertex {wrong}, but they are numbered 0 to {n_vertices - 1}.")
    values = read_weights(weights, len(pairs))
    apart = pairs[:, 0] != pairs[:, 1]
    where = (pairs[apart, 0], pairs[apart, 1])
    one_way = sparse.coo_array((values[apart], where), shape=(n_vertices, n_vertices)).tocsr()
    return one_way.maximum(one_way.T).tocsr()


def _read_ends(ends: Any) -> Any:
    """Pairs of whole numbers; none for a list without an edge."""
    try:
        pairs = np.asarray(ends).reshape(-1, 2)
        if len(pairs) == 0:
            return pairs.astype(np.int64)
        with np.errstate(invalid="ignore"):
            whole = pairs.astype(np.int64)
        if pairs.dtype.kind in "biufO" and (whole == pairs).all():
            return whole
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError("The ends of the edges must be pairs of whole numbers, one pair for each edge.")


def check_weight_name(weight: Any) -> None:
    """Refuse whatever cannot name an attribute of edges.

    Examples
    --------
    >>> check_weight_name(5)
    Traceback (most recent call last):
    ValueError: weight must be the name of an attribute of the edges, or None; got 5.
    """
    if weight is not None and not isinstance(weight, str):
        raise ValueError(
            f"weight must be the name of an attribute of the edges, or None; got {in_short(weight)}."
        )


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
