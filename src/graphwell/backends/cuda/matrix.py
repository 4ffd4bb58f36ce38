"""A symmetric sparse matrix on the GPU, and what is computed from its rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.cuda._cupy import GpuArray, cuda_kernel, cupy, kind_of, launch
from graphwell.graph.weights import index_dtype

RELAXATIONS_BETWEEN_CHECKS = 8


@dataclass(frozen=True, eq=False)
class GpuMatrix:
    """Rows of a symmetric matrix in compressed form, their columns sorted.

    Attributes
    ----------
    indptr, indices : integer arrays
        Starts of the rows (32 or 64 bits), and columns (32 bits).
    data : array
        Entries in single or double precision.
    """

    indptr: GpuArray
    indices: GpuArray
    data: GpuArray

    @classmethod
    def from_host(cls, matrix: Any) -> "GpuMatrix":
        """Copy a SciPy matrix to the GPU."""
        cp = cupy()
        indices = cp.asarray(matrix.indices, dtype=np.int32)
        dtype = np.float32 if matrix.data.dtype == np.float32 else np.float64
        return cls(cp.asarray(matrix.indptr), indices, cp.asarray(matrix.data, dtype=dtype))

    @classmethod
    def from_neighbors(cls, indices: GpuArray, weights: GpuArray) -> "GpuMatrix":
        """Join `i` and `j` where either chose the other; both give the edge the same weight.

        Affinities are kept in single precision, as on the host.
        """
        cp = cupy()
        n, k = indices.shape
        rows = cp.repeat(cp.arange(n, dtype=np.int64), k)
        chosen = indices.ravel().astype(np.int64)
        keys = cp.concatenate([rows * n + chosen, chosen * n + rows])
        order = cp.argsort(keys)
        keys = keys[order]
        kept = cp.flatnonzero(cp.concatenate([cp.ones(1, dtype=bool), keys[1:] != keys[:-1]]))
        keys, source = keys[kept], order[kept] % (n * k)
        pointers = cp.zeros(n + 1, dtype=index_dtype(n, 2 * n * k))
        cp.cumsum(cp.bincount(keys // n, minlength=n), out=pointers[1:])
        return cls(pointers, (keys % n).astype(np.int32), weights.ravel()[source].astype(np.float32))

    def to_host(self) -> Any:
        """Copy to a SciPy matrix."""
        from scipy import sparse

        n = self.n_rows
        return sparse.csr_array((self.data.get(), self.indices.get(), self.indptr.get()), shape=(n, n))

    def with_data(self, data: GpuArray) -> "GpuMatrix":
        """The same pattern with other entries."""
        return GpuMatrix(self.indptr, self.indices, data)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @property
    def pointer(self) -> str:
        """Type of the starts, as kernels call it."""
        return "int" if self.indptr.dtype == np.int32 else "int64"

    @cached_property
    def row_sums(self) -> GpuArray:
        """Sum of each row, its entries added in their order."""
        sums = cupy().empty(self.n_rows)
        self._launch("row_sums", self.n_rows, self.indptr, self.data, sums)
        return sums

    @cached_property
    def row_of_each_entry(self) -> GpuArray:
        """Row that each entry lies in."""
        return cupy().searchsorted(self.indptr, cupy().arange(len(self.data)), side="right") - 1

    def heaviest(self) -> IntArray:
        """Column of the largest entry of each row beside the diagonal, the first of equals; -1 if none."""
        found = cupy().empty(self.n_rows, dtype=np.int64)
        self._launch("heaviest", self.n_rows, self.indptr, self.indices, self.data, found)
        return np.asarray(found.get())

    def normalised(self) -> "GpuMatrix":
        """``D^-1/2 W D^-1/2``; the rows of isolated vertices are empty."""
        cp = cupy()
        degrees = self.row_sums
        inverse_root = cp.where(degrees > 0, 1.0 / cp.sqrt(cp.where(degrees > 0, degrees, 1.0)), 0.0)
        data = cp.empty(len(self.data))
        threads = 32 * self.n_rows
        self._launch("normalised", threads, self.indptr, self.indices, self.data, inverse_root, data)
        return self.with_data(data)

    def reordered(self, order: GpuArray) -> "GpuMatrix":
        """The matrix with its rows and columns in another order; the entries of a row keep theirs."""
        cp, n = cupy(), self.n_rows
        position = cp.empty(n, dtype=np.int32)
        position[order] = cp.arange(n, dtype=np.int32)
        starts = cp.zeros_like(self.indptr)
        cp.cumsum(cp.diff(self.indptr)[order], out=starts[1:])
        new = GpuMatrix(starts, cp.empty_like(self.indices), cp.empty_like(self.data))
        places = (order, position, new.indptr, new.indices, new.data)
        self._launch("reorder", 32 * n, self.indptr, self.indices, self.data, *places)
        return new

    def components(self) -> GpuArray:
        """Number of the connected component of each row, in the order of their first rows."""
        cp = cupy()
        parent = cp.arange(self.n_rows, dtype=np.int32)
        self._launch("join_ends", 32 * self.n_rows, self.indptr, self.indices, parent)
        roots = cp.empty_like(parent)
        self._launch("find_roots", self.n_rows, parent, roots)
        numbers = cp.cumsum(roots == cp.arange(self.n_rows, dtype=np.int32)) - 1
        return numbers[roots].astype(np.int32)

    def nearest(self, sources: Any) -> GpuArray:
        """Source nearest to each row, an entry being as long as 1 / data; -1 where none is in reach.

        Every row looks whether a neighbour offers a shorter way, again and again until none does.
        """
        cp = cupy()
        lengths = cp.where(sources, 0.0, np.inf)
        found = cp.where(sources, cp.arange(self.n_rows, dtype=np.int32), -1).astype(np.int32)
        next_lengths, next_found = cp.empty_like(lengths), cp.empty_like(found)
        changed = cp.ones(1, dtype=np.int32)
        while int(changed[0]):
            changed.fill(0)
            for _ in range(RELAXATIONS_BETWEEN_CHECKS):
                arguments = (lengths, found, next_lengths, next_found, changed)
                self._launch("relax", self.n_rows, self.indptr, self.indices, self.data, *arguments)
                lengths, next_lengths = next_lengths, lengths
                found, next_found = next_found, found
        return found

    def _launch(self, name: str, threads: int, *arguments: Any) -> None:
        function = cuda_kernel("graph.cu", name, POINTER=self.pointer, ENTRY=kind_of(self.data))
        launch(function, threads, (*arguments, self.n_rows))
