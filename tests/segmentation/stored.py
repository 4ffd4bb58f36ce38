"""The graph of a picture with every link stored, by its definition in plain loops."""

import numpy as np
from scipy import sparse

from graphwell.segmentation.grid import WEAKEST_COLOR


def stored_links(values, radius, scale):
    """The matrix ``exp(-|c_i - c_j|² / h²) exp(-distance² / R²)`` of pixels within a radius."""
    height, width = values.shape[:2]
    W = np.zeros((height * width, height * width))
    for i in range(height * width):
        for j in range(height * width):
            (y, x), (v, u) = divmod(i, width), divmod(j, width)
            distance = (y - v) ** 2 + (x - u) ** 2
            if i != j and distance <= radius**2:
                color = np.exp(-((values[y, x] - values[v, u]) ** 2).sum() / scale**2)
                W[i, j] = max(color, WEAKEST_COLOR) * np.exp(-distance / radius**2)
    return W


def regions(W):
    """Number of the region of each pixel: no link above the weakest joins regions."""
    return sparse.csgraph.connected_components(W > WEAKEST_COLOR, directed=False)[1]
