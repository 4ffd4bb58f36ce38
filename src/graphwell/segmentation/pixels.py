"""The graph of a picture: each pixel is linked to those within a small radius, no search needed."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._checks import number_between
from graphwell._types import FloatArray, IntArray
from graphwell.graph import Graph
from graphwell.graph.structure import frozen
from graphwell.graph.weights import index_dtype

WEAKEST_COLOR = 1e-4
"""Smallest weight of a colour difference: a speck unlike all around it still hears its neighbours."""


def pixel_graph(values: FloatArray, radius: float, color_scale: float) -> Graph:
    """Link pixels within a radius by ``exp(-|c_i - c_j|² / h²) exp(-distance² / R²)``.

    Parameters
    ----------
    values : array of shape (height, width, n_channels)
    radius : float
        R, in pixels; at least 1.
    color_scale : float
        h, the colour difference that counts as one.

    Examples
    --------
    >>> pixel_graph(np.zeros((2, 3, 1)), radius=1, color_scale=1.0)
    Graph(6 vertices, 7 edges, 1 component)
    """
    height, width = values.shape[:2]
    n = height * width
    offsets = offsets_within(radius)
    weights = np.zeros((height, width, len(offsets)))
    for k in range(len(offsets) // 2, len(offsets)):  # each edge once, from the pixel that comes first
        dy, dx = (int(step) for step in offsets[k])
        first, second = _overlap(height, width, dy, dx)
        color = ((values[first] - values[second]) ** 2).sum(axis=2, dtype=np.float64) / color_scale**2
        weight = np.maximum(np.exp(-color), WEAKEST_COLOR) * np.exp(-(dy**2 + dx**2) / radius**2)
        weights[first][..., k] = weight
        weights[second][..., len(offsets) - 1 - k] = weight
    present = (weights > 0).reshape(n, -1)
    dtype = index_dtype(n, n * len(offsets))
    starts = np.zeros(n + 1, dtype=dtype)
    np.cumsum(present.sum(axis=1), out=starts[1:])
    steps = (offsets[:, 0] * width + offsets[:, 1]).astype(dtype)
    neighbors = (np.arange(n, dtype=dtype)[:, None] + steps)[present]
    W = sparse.csr_array((weights.reshape(n, -1)[present], neighbors, starts), shape=(n, n))
    return Graph(frozen(W))


def feature_graph(values: FloatArray, n_neighbors: int, position_weight: float, n_jobs: int | None) -> Graph:
    """The paper's graph: nearest pixels in place and colour, all in [0, 1], with locally scaled weights.

    Parameters
    ----------
    values : array of shape (height, width, n_channels)
    n_neighbors : int
        Neighbours that each pixel chooses, and the neighbour that sets its scale.
    position_weight : float
        Factor of row and column against the colour.
    """
    height, width = values.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width]
    longest = max(height, width, 2) - 1
    place = np.stack([columns, rows], axis=2) * (position_weight / longest)
    low, high = values.min(), values.max()
    color = (values - low) / ((high - low) or 1.0)
    points = np.concatenate([place, color], axis=2).reshape(height * width, -1)
    return Graph.from_features(points, n_neighbors, n_neighbors, n_jobs=n_jobs)


def regions(graph: Graph) -> IntArray:
    """Number of the region of each pixel: regions are joined by no edge of like colours."""
    W = graph.W
    like = W.data > WEAKEST_COLOR
    if like.all():
        return graph.components
    counts = np.concatenate([[0], np.cumsum(like, dtype=W.indptr.dtype)])
    strong = sparse.csr_array((W.data[like], W.indices[like], counts[W.indptr]), shape=W.shape)
    return np.asarray(sparse.csgraph.connected_components(strong, directed=False)[1])


def offsets_within(radius: float, spacing: tuple[float, ...] = (1.0, 1.0)) -> IntArray:
    """Steps to all points within a radius and to the next ones along each axis, in the order of their places.

    `spacing` is the distance between points along each axis.

    Examples
    --------
    >>> offsets_within(1).tolist()
    [[-1, 0], [0, -1], [0, 1], [1, 0]]
    >>> len(offsets_within(1, (1.0, 1.0, 1.0))), len(offsets_within(2, (1.0, 5.0)))
    (6, 6)
    """
    number_between("radius", radius, 1, 16, ends=True, unit=" pixels")
    reach = [max(1, int(radius / apart)) for apart in spacing]
    lines = [np.arange(-most, most + 1) for most in reach]
    steps = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(spacing))
    near = ((steps * spacing) ** 2).sum(axis=1) <= radius**2
    next_ones = np.abs(steps).sum(axis=1) == 1  # however far apart, slices hear each other
    return np.asarray(steps[(near | next_ones) & steps.any(axis=1)])


def _overlap(height: int, width: int, dy: int, dx: int) -> tuple[Any, Any]:
    """The pixels that have a neighbour at an offset that points forward, and those neighbours."""
    first = slice(0, max(0, height - dy)), slice(max(0, -dx), max(0, width - max(0, dx)))
    second = slice(min(dy, height), height), slice(max(0, dx), max(0, width - max(0, -dx)))
    return first, second
