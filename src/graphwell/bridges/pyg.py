"""Graphs of PyTorch Geometric; read as arrays, so that PyTorch need not be imported."""

from numbers import Integral
from typing import Any

import numpy as np

from graphwell.bridges.edges import affinity_of_edges, check_weight_name
from graphwell.errors import in_short

MOST_VERTICES = 2**31 - 1


def affinity_of_pyg(data: Any, weight: str | None = "edge_weight") -> Any:
    """Symmetric affinities of a `Data` object: its ``edge_index``, and weights where it has them."""
    check_weight_name(weight)
    index = getattr(data, "edge_index", None)
    if index is None:
        raise ValueError(
            f"A Data object of PyTorch Geometric with an edge_index is expected, got {type(data).__name__}; "
            "turn a heterogeneous one into one graph with to_homogeneous()."
        )
    ends = as_array(index)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise ValueError(f"edge_index must have the shape (2, number of edges), got {ends.shape}.")
    given = None if weight is None else getattr(data, weight, None)
    if given is None and weight not in (None, "edge_weight"):
        raise ValueError(f"The Data object has no {weight}; give weight=None for edges that all count alike.")
    count = getattr(data, "num_nodes", None)
    whole = isinstance(count, Integral) and not isinstance(count, bool)
    if count is not None and not (whole and 0 <= count <= MOST_VERTICES):
        raise ValueError(
            f"num_nodes must be a whole number from 0 to {MOST_VERTICES:,}, got {in_short(count)}."
        )
    weights = None if given is None else as_array(given)
    return affinity_of_edges(ends.T, weights, None if count is None else int(count))


def as_array(tensor: Any) -> Any:
    """A tensor as an array of NumPy, wherever it lies; arrays pass.

    Examples
    --------
    >>> as_array(np.arange(3))
    array([0, 1, 2])
    """
    for step in ("detach", "cpu"):
        tensor = getattr(tensor, step, lambda same=tensor: same)()
    return np.asarray(tensor)
