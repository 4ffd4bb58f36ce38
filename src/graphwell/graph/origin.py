"""What a graph of features was made from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray
from graphwell.graph.checks import read_features
from graphwell.graph.features import FeatureMap
from graphwell.graph.neighbors import NeighborSearch
from graphwell.graph.weights import WEIGHT_FLOOR, kernel


@dataclass(frozen=True)
class Origin:
    """What a graph of features was made from; needed to link new rows to it."""

    features: FeatureMap
    search: NeighborSearch
    scales: FloatArray
    n_features: int
    n_neighbors: int
    scale_neighbor: int

    def affinity_to(self, X: Any, sharpness: float = 1.0) -> Any:
        """Affinities of new rows to the vertices, each row linked to its nearest vertices."""
        rows = self.features(read_features(X, at_least=1))
        k = max(self.n_neighbors, self.scale_neighbor)
        indices, distances = self.search.query(rows, k)
        floor = self.scales.min()
        tau = np.maximum(distances[:, self.scale_neighbor - 1], floor)
        indices, distances = indices[:, : self.n_neighbors], distances[:, : self.n_neighbors]
        weights = kernel(distances, tau[:, None], self.scales[indices]) ** sharpness
        weights = np.maximum(weights, WEIGHT_FLOOR)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        shape = (len(rows), len(self.scales))
        return sparse.csr_array((weights.ravel(), indices.ravel(), starts), shape=shape)
