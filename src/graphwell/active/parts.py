"""Parts of a graph: communities of about a wanted number, whatever the graph looks like."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.solve.communities import Groundwork, joined_to_heaviest, merged_graph

LOWEST, DOUBLING = 0.5, 2.0
"""The first resolution to try; below 1, that of plain modularity, classes that touch are merged."""
SUBSTANCE = 0.1
"""A community counts if it has so many of the rows that an even share would be."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Communities of a graph at one resolution.

    Attributes
    ----------
    of_units : array of shape (n_units,)
        Part of each unit.
    sizes : array of shape (n_parts,)
        Number of vertices.
    ground : Groundwork
        The units, and the vertices they are made of.
    """

    of_units: IntArray
    sizes: FloatArray
    ground: Groundwork

    @cached_property
    def of_rows(self) -> IntArray:
        """Part of each vertex."""
        return self.of_units[self.ground.members]

    @cached_property
    def W(self) -> Any:
        """Sums of the weights between parts, sparse; the diagonal holds those inside."""
        return merged_graph(self.ground.W, self.of_units)

    def of_substance(self, wanted: int) -> int:
        """How many parts are not much smaller than an even share of so many would be."""
        return int((self.sizes >= SUBSTANCE * self.sizes.sum() / wanted).sum())


def parts_at(ground: Groundwork, resolution: float, seed: int = 0) -> Parts:
    """The communities at a resolution.

    Examples
    --------
    >>> from scipy import sparse
    >>> W = sparse.csr_array(np.kron(np.eye(2), 1 - np.eye(3)))
    >>> parts_at(Groundwork(np.arange(6), W), 1.0).of_rows
    array([0, 0, 0, 1, 1, 1])
    """
    of_units = ground.merged(resolution, seed)
    rows = np.bincount(ground.members, minlength=len(of_units))
    return Parts(of_units, np.bincount(of_units, weights=rows), ground)


def parts_of(ground: Groundwork, wanted: int, seed: int = 0) -> Parts:
    """The communities at the lowest resolution that gives so many of substance.

    The finest there are, if no resolution does.

    Examples
    --------
    >>> from scipy import sparse
    >>> W = sparse.csr_array(np.kron(np.eye(3), 1 - np.eye(4)) + np.eye(12, k=4) + np.eye(12, k=-4))
    >>> parts_of(Groundwork(np.arange(12), W), 3).sizes
    array([4., 4., 4.])
    """
    found, low = parts_at(ground, LOWEST, seed), LOWEST
    while found.of_substance(wanted) < wanted and len(found.sizes) < len(found.of_units):
        low *= DOUBLING
        found = parts_at(ground, low, seed)
    for resolution in low / DOUBLING * DOUBLING ** np.array([0.25, 0.5, 0.75]):
        lower = parts_at(ground, float(resolution), seed)
        if low > LOWEST and lower.of_substance(wanted) >= wanted:
            return lower
    return found


def joined_further(ground: Groundwork, most: int) -> Groundwork:
    """Join units to their heaviest neighbours until there are few enough.

    Where no edges are left between them, and there are still too many, the smallest become one unit.

    Examples
    --------
    >>> from scipy import sparse
    >>> W = sparse.csr_array(np.kron(np.eye(2), 1 - np.eye(3)))
    >>> joined_further(Groundwork(np.arange(6), W), most=2).members
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    members, W = ground.members, ground.W
    while W.shape[0] > most:
        group = joined_to_heaviest(W)
        if int(group.max()) + 1 == W.shape[0]:
            order = np.argsort(-np.bincount(members), kind="stable")
            group[order] = np.minimum(np.arange(len(order)), most - 1)
        members, W = group[members], merged_graph(W, group)
    return Groundwork(members, W)
