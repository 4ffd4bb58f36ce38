"""Which pixels are linked: those within a small radius, or those nearest in place and colour."""

import numpy as np

from graphwell._checks import number_between
from graphwell._types import FloatArray, IntArray
from graphwell.graph import Graph


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
