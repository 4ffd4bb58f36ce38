"""The pull of its neighbours on each point."""

from typing import Any

import numpy as np

from graphwell._thread_pool import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled


def shares_of_neighbors(W: Any, power: float = 1.0) -> FloatArray:
    """What each neighbour has in a vertex: affinities to a power, divided by the sum of their row.

    Examples
    --------
    >>> from scipy import sparse
    >>> shares_of_neighbors(sparse.csr_array([[0.0, 1.0, 3.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])).tolist()
    [0.25, 0.75, 1.0, 1.0]
    """
    weights, degrees = W.data**power, np.diff(W.indptr)
    sums = np.bincount(np.repeat(np.arange(len(degrees)), degrees), weights, minlength=len(degrees))
    return np.asarray(weights / np.repeat(sums, degrees)).astype(np.float32)


def attraction(places: FloatArray, W: Any, shares: FloatArray, threads: ThreadPool) -> FloatArray:
    """Pull on each point: of each neighbour its share, and the less the further it is.

    Examples
    --------
    >>> from scipy import sparse
    >>> W = sparse.csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> attraction(np.array([[-1.0, 0.0], [1.0, 0.0]]), W, shares_of_neighbors(W), ThreadPool(1)).tolist()
    [[0.4, 0.0], [-0.4, 0.0]]
    """
    pull = np.empty((len(places), 2))
    threads.share(len(places), lambda *some: _pull(*some, W.indptr, W.indices, shares, places, pull))
    return pull


@compiled(nogil=True)
def _pull(
    first: int,
    last: int,
    starts: IntArray,
    neighbors: IntArray,
    shares: FloatArray,
    places: FloatArray,
    pull: FloatArray,
) -> None:
    for i in range(first, last):
        x, y = places[i, 0], places[i, 1]
        pull_x, pull_y = 0.0, 0.0
        for edge in range(starts[i], starts[i + 1]):
            dx, dy = places[neighbors[edge], 0] - x, places[neighbors[edge], 1] - y
            closeness = shares[edge] / (1.0 + dx * dx + dy * dy)
            pull_x += closeness * dx
            pull_y += closeness * dy
        pull[i, 0], pull[i, 1] = pull_x, pull_y
