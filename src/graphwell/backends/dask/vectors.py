"""Vectors of a worker: its own rows, in arithmetic like an array of all.

Arithmetic is done on the own rows. A sum, a maximum, and what is picked by a mask are those of all workers,
so all of them must ask for it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

if TYPE_CHECKING:
    from graphwell.backends.dask.graph import BlockGraph

ELEMENTWISE = (np.where, np.clip, np.isin)


class Vector(NDArrayOperatorsMixin):
    """A value for every vertex of a graph, those of the own vertices at hand."""

    ndim = 1

    def __init__(self, graph: "BlockGraph", own: Any) -> None:
        self.graph, self.own = graph, own

    @property
    def shape(self) -> tuple[int]:
        """Number of all vertices."""
        return (self.graph.n_vertices,)

    @property
    def dtype(self) -> Any:
        """Type of the values."""
        return self.own.dtype

    def __len__(self) -> int:
        return self.graph.n_vertices

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or "out" in options:
            return NotImplemented
        return Vector(self.graph, ufunc(*map(self.graph.own, inputs), **options))

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.bincount and len(arguments) == 1:
            own = np.bincount(self.own, **options)
            width = self.graph.comm.allreduce(len(own), max)
            return self.graph.comm.allreduce(np.pad(own, (0, width - len(own))))
        if function is np.isin:
            return Vector(self.graph, np.isin(self.own, arguments[1]))
        if function in ELEMENTWISE:
            return Vector(self.graph, function(*map(self.graph.own, arguments), **options))
        return NotImplemented

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.graph.joined(self.own), dtype=dtype)

    def __getitem__(self, at: Any) -> Any:
        """Values of the vertices, of all workers, where a mask is true, in the order of the vertices."""
        if not isinstance(at, Vector) and np.asarray(at).dtype != bool:
            return np.asarray(self)[at]
        here = np.flatnonzero(self.graph.own(at))
        found = self.graph.comm.gather((self.graph.vertices[here], self.own[here]))
        order = np.argsort(np.concatenate([vertices for vertices, _ in found]))
        return np.concatenate([values for _, values in found])[order]

    def astype(self, dtype: Any, copy: bool = True) -> "Vector":
        """The values in another type."""
        return Vector(self.graph, self.own.astype(dtype, copy=copy))

    def clip(self, low: Any = None, high: Any = None) -> "Vector":
        """The values within bounds."""
        return Vector(self.graph, self.own.clip(low, high))

    def max(self) -> Any:
        """The largest value."""
        return self.graph.comm.allreduce(self.own.max(initial=-np.inf), max)

    def sum(self) -> Any:
        """The sum of all values."""
        return self.graph.comm.allreduce(self.own.sum())

    def mean(self) -> float:
        """The mean of all values."""
        return float(self.sum()) / len(self)


class VectorLibrary:
    """NumPy, with vectors where it would make an array of all vertices."""

    def __init__(self, graph: "BlockGraph") -> None:
        self.graph = graph

    def ones(self, n: int) -> Vector:
        """A vector of ones."""
        return Vector(self.graph, np.ones(len(self.graph.vertices)))

    def take(self, table: Any, numbers: Any) -> Any:
        """Entries of a small array, for a vector or an array of numbers."""
        if isinstance(numbers, Vector):
            return Vector(self.graph, np.asarray(table)[numbers.own])
        return np.take(np.asarray(table), numbers)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
