"""The search of a part of the rows on the GPU of a worker: each row is compared with the cells it asks."""

import threading
from typing import Any
from weakref import ref

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cuda._cupy import GpuArray, cuda_kernel, cupy, kind_of, launch, memory_in_words
from graphwell.backends.cuda.search import MOST_KEPT_OF_ALL
from graphwell.errors import OptionError
from graphwell.graph.cells import SPARE_CANDIDATES, CutPoints

_lock = threading.Lock()
_last: tuple[Any, GpuArray] | None = None


def nearest_in_cells(
    rows: FloatArray, visits: IntArray, points: FloatArray, cells: CutPoints, k: int, n_threads: int
) -> IntArray:
    """Indices of the `k` nearest points in the cells that each row visits (-1 for none); -1 for none.

    What a row is told depends on its own cells alone, so that it is the same however rows are cut into parts.
    `n_threads` is there for the twin of this function on the CPU, `graphwell.graph.cells.nearest_in_cells`.
    """
    if k > MOST_KEPT_OF_ALL:
        problem = '{field} must be at most {} on {device="cuda"}; use {device="cpu"}.'
        raise OptionError("n_neighbors", problem, MOST_KEPT_OF_ALL - SPARE_CANDIDATES - 1)
    cp, there, width = cupy(), on_gpu(points), visits.shape[1]
    with memory_in_words("the neighbours", rows.nbytes + 4 * len(rows) * (k + width + 2)):
        found = cp.empty((len(rows), k), dtype=np.int32)
        asked = cp.asarray(np.ascontiguousarray(visits, dtype=np.int32))
        turns = cp.argsort(asked[:, 0]).astype(np.int32)  # rows of one cell together find its points cached
        kernel = cuda_kernel("neighbors.cu", "nearest_in_cells", SLOTS=-(-k // 32), POINT=kind_of(points))
        arguments = (
            cp.asarray(np.ascontiguousarray(rows, dtype=points.dtype)), turns, asked, width, there,
            cp.asarray(cells.order.astype(np.int32)), cp.asarray(cells.starts.astype(np.int64)),
            points.dtype.type(cells.scale), len(rows), points.shape[1], k, found,
        )  # fmt: skip
        launch(kernel, 32 * len(rows), arguments)
        return np.asarray(cp.asnumpy(found))


def on_gpu(points: FloatArray) -> GpuArray:
    """Points of a part on the GPU; those that were asked last stay there for the next who ask."""
    global _last
    with _lock:
        if _last is None or _last[0]() is not points:
            _last = None
            with memory_in_words(
                "the rows of a worker", points.nbytes, less="more workers, or smaller blocks"
            ):
                _last = ref(points, _forget), cupy().asarray(np.ascontiguousarray(points))
        return _last[1]


def _forget(points: Any) -> None:
    """Give the memory of points back that are gone from the host."""
    global _last
    if _last is not None and _last[0] is points:
        _last = None
