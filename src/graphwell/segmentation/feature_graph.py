"""The graph of the paper: pixels linked to those nearest in place and colour."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.graph import Graph


def feature_graph(values: FloatArray, n_neighbors: int, position_weight: float, n_jobs: int | None) -> Graph:
    """Link each pixel to the nearest in place and colour, all in [0, 1], with locally scaled weights.

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
