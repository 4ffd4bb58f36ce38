"""A graph whose affinities are powers of another's."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import IntArray
from graphwell.graph.graph import Graph
from graphwell.graph.structure import frozen
from graphwell.graph.weights import WEIGHT_FLOOR


class SharpenedGraph(Graph):
    """A graph whose affinities are powers of another's: computed when they are asked for, and not kept."""

    plain: Graph
    power: float

    def __init__(self, plain: Graph, power: float) -> None:
        for name, value in (
            ("plain", plain), ("power", power), ("origin", plain.origin), ("bridges", None),
            ("sharpness", plain.sharpness * power),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    @property
    def W(self) -> Any:
        """Affinities."""
        W = self.plain.W
        data = W.data**self.power
        np.maximum(data, data.dtype.type(WEIGHT_FLOOR), out=data)
        return frozen(sparse.csr_array((data, W.indices, W.indptr), shape=W.shape))

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.plain.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return self.plain.n_edges

    @property
    def components(self) -> IntArray:
        """Number of the connected component of each vertex."""
        return self.plain.components

    @property
    def isolated(self) -> IntArray:
        """Indices of the vertices without an edge."""
        return self.plain.isolated

    def __reduce__(self) -> Any:
        return Graph.sharpened, (self.plain, self.power)
