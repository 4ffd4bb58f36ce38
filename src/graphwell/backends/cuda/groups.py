"""Groups of vertices on a GPU: the same whole numbers as `graphwell.backends.aggregation` adds up."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.backends.aggregation import means_of, unit_of
from graphwell.backends.cuda._cupy import GpuArray, cupy
from graphwell.backends.cuda.matrix import GpuMatrix


def condensed(matrix: GpuMatrix, groups: IntArray, n_groups: int) -> Any:
    """Sums of the entries between groups of rows, as a SciPy matrix of the host."""
    cp = cupy()
    largest = float(matrix.data.max()) if len(matrix.data) else 0.0
    if largest == 0:
        return sparse.csr_array((n_groups, n_groups))
    unit = unit_of(largest, len(matrix.data))
    group = cp.asarray(groups, dtype=np.int64)
    keys = group[matrix.row_of_each_entry] * n_groups + group[matrix.indices]
    order = cp.argsort(keys)
    keys = keys[order]
    sums = cp.cumsum(_in_whole_numbers(matrix.data, 1.0 / unit)[order])
    last = cp.flatnonzero(cp.concatenate([keys[1:] != keys[:-1], cp.ones(1, dtype=bool)]))
    totals = cp.diff(sums[last], prepend=cp.zeros(1, dtype=np.int64)).astype(np.float64) * unit
    pairs = keys[last]
    starts = cp.searchsorted(pairs, cp.arange(n_groups + 1) * n_groups)
    parts = (cp.asnumpy(each) for each in (totals, (pairs % n_groups).astype(np.int32), starts))
    return sparse.csr_array(tuple(parts), (n_groups, n_groups))


def some_rows(matrix: GpuMatrix, rows: IntArray) -> Any:
    """Some rows, as a SciPy matrix of the host; nothing else is fetched."""
    cp, place = cupy(), cupy().asarray(rows)
    starts, ends = matrix.indptr[cp.stack([place, place + 1])].get()
    indptr = np.concatenate([[0], np.cumsum(ends - starts)])
    entries = cp.asarray(np.repeat(starts - indptr[:-1], ends - starts) + np.arange(indptr[-1]))
    parts = (matrix.data[entries].get(), matrix.indices[entries].get(), indptr)
    return sparse.csr_array(parts, (len(rows), matrix.n_rows))


def group_means(block: GpuArray, groups: IntArray, n_groups: int) -> FloatArray:
    """Mean row of each group, on the host."""
    cp, width = cupy(), block.shape[1]
    # Atomic additions know unsigned integers alone; entries lie between 0 and 1.
    totals, place = cp.zeros((n_groups, width + 1), dtype=np.uint64), cp.asarray(groups)
    unit = unit_of(1.0, len(block))
    rows = _in_whole_numbers(block, 1.0 / unit).astype(np.uint64)
    cp.add.at(totals, place, cp.concatenate([rows, cp.ones((len(rows), 1), dtype=np.uint64)], axis=1))
    return means_of(totals.get().astype(np.int64), unit)


def _in_whole_numbers(values: GpuArray, scale: float) -> GpuArray:
    return cupy().rint(values.astype(np.float64) * scale).astype(np.int64)
