"""Nearest neighbours: a small protocol, three ways to search, and the rule that picks one.

Low dimension is searched by a KD-tree, high dimension by faiss: every pair up to `EXACT_UP_TO` points,
an inverted file above, which visits only the cells around each query. The number of cells visited is
raised until a sample of queries finds `RECALL_WANTED` of its true neighbours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.progress import Progress, silent

KD_TREE_UP_TO_DIMENSION = 8
EXACT_UP_TO = 20_000
RECALL_WANTED = 0.995
RECALL_SAMPLE = 400
POINTS_PER_CELL = 64
"""Points that the cells are found from: more move them little."""
ROWS_AT_ONCE = 32_768
SPARE_CANDIDATES = 4
"""Found beyond those asked for, so that rounding in single precision cannot exclude a true neighbour."""


class NeighborSearch(Protocol):
    """Finds the nearest of the points it was built on."""

    recall: float
    """Share of the true neighbours that a query finds; 1.0 for an exact search."""

    @property
    def points(self) -> FloatArray:
        """The points it was built on."""
        ...

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances, both of shape (len(rows), k), nearest first."""
        ...


def build_search(
    points: FloatArray, k: int, *, exact: bool | None = None, n_jobs: int | None = None
) -> NeighborSearch:
    """Choose and build the search for these points.

    Parameters
    ----------
    points : array of shape (n, d)
        Dense rows, compared by Euclidean distance.
    k : int
        Number of neighbours that will be asked for; the recall is measured for it.
    exact : bool, optional
        Force an exact (True) or an approximate (False) search; by default the size decides.
    n_jobs : int, optional
        Threads; all cores by default.

    Examples
    --------
    >>> search = build_search(np.array([[0.0], [1.0], [3.0]]), k=1)
    >>> indices, distances = search.query(np.array([[2.5]]), k=1)
    >>> int(indices[0, 0]), float(distances[0, 0])
    (2, 0.5)
    """
    n, dimension = points.shape
    if dimension <= KD_TREE_UP_TO_DIMENSION:
        return KDTreeSearch(points, n_jobs)
    if exact or (exact is None and n <= EXACT_UP_TO):
        return FlatSearch(points, n_jobs)
    return InvertedFileSearch(points, k, n_jobs)


def neighbors_of_all(
    search: NeighborSearch, k: int, progress: Progress = silent
) -> tuple[IntArray, FloatArray]:
    """Return the `k` nearest other points of every point the search was built on.

    A point is removed from its own list by its index: among duplicates it need not come first.

    Examples
    --------
    >>> neighbors_of_all(build_search(np.array([[0.0], [0.0], [5.0]]), k=1), 1)[0].ravel()
    array([1, 0, 1], dtype=int32)
    """
    progress("neighbours", 0.0)
    points = search.points
    found = []
    for start in range(0, len(points), ROWS_AT_ONCE):
        found.append(search.query(points[start : start + ROWS_AT_ONCE], k + 1))
        progress("neighbours", min(1.0, (start + ROWS_AT_ONCE) / len(points)))
    indices, distances = (np.concatenate(part) for part in zip(*found, strict=True))
    is_self = indices == np.arange(len(points), dtype=indices.dtype)[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    others = ~is_self
    shape = (len(points), k)
    return indices[others].reshape(shape), distances[others].reshape(shape)


@contextmanager
def _faiss_threads(n_jobs: int | None) -> Iterator[None]:
    """Let faiss use so many threads for a while; its setting is global."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(thread_count(n_jobs))
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


class KDTreeSearch:
    """Exact search in low dimension."""

    recall = 1.0

    def __init__(self, points: FloatArray, n_jobs: int | None = None) -> None:
        from scipy.spatial import KDTree

        self.tree = KDTree(points)
        self.points = self.tree.data
        self.n_jobs = n_jobs

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points."""
        distances, indices = self.tree.query(rows, k=np.arange(1, k + 1), workers=thread_count(self.n_jobs))
        return indices.astype(np.int32 if self.tree.n < 2**31 else np.int64), distances


class FlatSearch:
    """Exact search in high dimension: faiss compares every pair, in blocks."""

    recall = 1.0

    def __init__(self, points: FloatArray, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.points = points
        self.center = points.mean(axis=0, dtype=np.float64)
        low, high = points.min(axis=0), points.max(axis=0)
        self.spread = float(np.maximum(high - self.center, self.center - low).max()) or 1.0
        self.index = self._build(self._scaled(points))

    def _build(self, scaled: FloatArray) -> Any:
        import faiss

        index = faiss.IndexFlatL2(scaled.shape[1])
        index.add(scaled)
        return index

    def _scaled(self, rows: FloatArray) -> FloatArray:
        """Rows in single precision, centred and scaled so that neither is lost to its limits."""
        scaled = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            scaled[block] = (rows[block] - self.center) / self.spread
        return scaled

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points.

        faiss finds the neighbours in single precision; their distances are then taken anew from the
        rows themselves, so that duplicates lie at distance zero and features far from the origin lose
        nothing.
        """
        spare = min(k + SPARE_CANDIDATES, len(self.points))
        indices, distances = self._ordered(rows, self._find(self._scaled(rows), spare))
        return indices[:, :k], distances[:, :k]

    def _find(self, scaled: FloatArray, k: int) -> IntArray:

        with _faiss_threads(self.n_jobs):
            indices = self.index.search(scaled, k)[1]
        return indices.astype(np.int32) if self.index.ntotal < 2**31 else indices

    def _ordered(self, rows: FloatArray, indices: IntArray) -> tuple[IntArray, FloatArray]:
        from graphwell.graph.distances import distances_to

        distances = distances_to(rows, self.points, indices, thread_count(self.n_jobs))
        order = np.argsort(distances, axis=1, kind="stable")
        return np.take_along_axis(indices, order, 1), np.take_along_axis(distances, order, 1)

    def __getstate__(self) -> dict[str, Any]:
        import faiss

        return {**self.__dict__, "index": faiss.serialize_index(self.index)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import faiss

        self.__dict__.update(state, index=faiss.deserialize_index(state["index"]))


class InvertedFileSearch(FlatSearch):
    """Approximate search in high dimension: faiss visits the cells nearest to each query."""

    def __init__(self, points: FloatArray, k: int, n_jobs: int | None = None) -> None:
        super().__init__(points, n_jobs)
        self._raise_recall(k)

    def _build(self, scaled: FloatArray) -> Any:
        import faiss

        n, dimension = scaled.shape
        cells = max(1, 2 ** round(np.log2(np.sqrt(n))))
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(dimension), dimension, cells)
        index.cp.niter = 5
        sample = np.random.default_rng(0).choice(n, min(n, POINTS_PER_CELL * cells), replace=False)
        with _faiss_threads(self.n_jobs):
            index.train(scaled[sample])
            index.add(scaled)
        index.nprobe = min(6, cells)
        return index

    def _raise_recall(self, k: int) -> None:
        sample = np.random.default_rng(0).choice(
            len(self.points), min(RECALL_SAMPLE, len(self.points)), False
        )
        rows = self.points[np.sort(sample)]
        k = min(k + 1, len(self.points))
        exact = self._every_pair(rows, k)
        limit = exact[:, -1:] * (1 + 1e-6)
        while True:
            found = self.query(rows, k)[1]
            self.recall = float((found <= limit).mean())
            if self.recall >= RECALL_WANTED or self.index.nprobe == self.index.nlist:
                return
            self.index.nprobe = min(self.index.nlist, 1 + self.index.nprobe * 5 // 4)

    def _every_pair(self, rows: FloatArray, k: int) -> FloatArray:
        """True distances of these rows to their nearest points, visiting all cells."""
        probes, self.index.nprobe = self.index.nprobe, self.index.nlist
        distances = self.query(rows, k)[1]
        self.index.nprobe = probes
        return distances

    def _find(self, scaled: FloatArray, k: int) -> IntArray:
        """Search the nearest cells, and all of them for the rows whose cells held fewer than `k` points."""
        indices = super()._find(scaled, k)
        short = (indices < 0).any(axis=1)
        if short.any():
            probes, self.index.nprobe = self.index.nprobe, self.index.nlist
            indices[short] = super()._find(scaled[short], k)
            self.index.nprobe = probes
        return indices
