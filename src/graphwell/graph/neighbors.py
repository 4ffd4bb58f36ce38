"""Nearest neighbours: a small protocol, three ways to search, and the rule that picks one.

Low dimension is searched by a KD-tree. In high dimension faiss compares every pair, up to `EXACT_UP_TO`
points; above, rows are compared with the points of the cells around them (`cells.py`).
"""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.graph.cells import SPARE_CANDIDATES, CellSearch, checked_points, faiss_threads, flat_index
from graphwell.graph.scaling import Scaling
from graphwell.progress import Progress, heartbeat, silent

KD_TREE_UP_TO_DIMENSION = 8
EXACT_UP_TO = 20_000
ROWS_AT_ONCE, FEWEST_AT_ONCE = 32_768, 1024
PRODUCTS_AT_ONCE = 8_000_000_000
"""Multiplications between two moments at which a fit can be cancelled."""


class NeighborSearch(Protocol):
    """Finds the nearest of the points it was built on."""

    recall: float
    """Share of the true neighbours that a query finds; 1.0 for an exact search."""

    @property
    def points(self) -> FloatArray:
        """The points it was built on."""
        ...

    @property
    def locality(self) -> IntArray | None:
        """The points in an order in which near ones follow each other, if the search has one at hand."""
        ...

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances, both of shape (len(rows), k), nearest first."""
        ...

    def of_points(self, k: int) -> Iterable[tuple[IntArray, IntArray, FloatArray]]:
        """Numbers of some points, with indices and distances of their nearest; until all had their turn."""
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
    return CellSearch(points, k, n_jobs)


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
    n, done = len(search.points), 0
    indices, distances = np.empty((n, k), dtype=np.int32 if n < 2**31 else np.int64), np.empty((n, k))
    for rows, found, apart in search.of_points(k + 1):
        others = found != rows[:, None]
        others[others.all(axis=1), -1] = False
        _check_found(found, apart, others, n, k)
        indices[rows] = found[others].reshape(-1, k)
        distances[rows] = apart[others].reshape(-1, k)
        done += len(rows)
        heartbeat()
        progress("neighbours", done / n)
    return indices, distances


def _check_found(found: IntArray, apart: FloatArray, others: Any, n: int, k: int) -> None:
    """Refuse neighbours that are none: nobody looks at them again before compiled code follows them.

    Points that were finite when they were checked may have been written into since.
    """
    sound = found.min() >= 0 and found.max() < n and np.isfinite(apart).all()
    if not sound or (others.sum(axis=1) != k).any():
        raise ValueError("X holds rows that cannot be compared: their distances are no finite numbers.")


def in_order(
    search: NeighborSearch, k: int, rows_at_once: int = ROWS_AT_ONCE
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Answer the points as they come."""
    points = search.points
    for start in range(0, len(points), rows_at_once):
        heartbeat()
        rows = points[start : start + rows_at_once]
        yield np.arange(start, start + len(rows)), *search.query(rows, k)


class KDTreeSearch:
    """Exact search in low dimension."""

    recall = 1.0

    def __init__(self, points: FloatArray, n_jobs: int | None = None) -> None:
        from scipy.spatial import KDTree

        self.tree = KDTree(points, copy_data=True)  # the user may write into the points meanwhile
        self.points = self.tree.data
        self.locality = self.tree.indices
        self.n_jobs = n_jobs

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the tree is built anew, since SciPy would follow a damaged one."""
        return {"points": np.asarray(self.points), "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(checked_points(state["points"]), state["n_jobs"])  # type: ignore[misc]

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points."""
        distances, indices = self.tree.query(rows, k=np.arange(1, k + 1), workers=thread_count(self.n_jobs))
        return indices.astype(np.int32 if self.tree.n < 2**31 else np.int64), distances

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points as they come."""
        return in_order(self, k)


class FlatSearch:
    """Exact search in high dimension: faiss compares every pair, in blocks."""

    recall = 1.0
    locality = None

    def __init__(self, points: FloatArray, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.points = points
        self.scaling = Scaling.of(points)
        self.index = flat_index(self._scaled(points))

    def _scaled(self, rows: FloatArray) -> FloatArray:
        """Rows in single precision, some at a time."""
        scaled = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            scaled[block] = self.scaling(rows[block])
        return scaled

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points.

        faiss finds the neighbours in single precision; their distances are then taken anew from the
        rows themselves, so that duplicates lie at distance zero and features far from the origin lose
        nothing.
        """
        from graphwell.graph.distances import nearest_first

        spare = min(k + SPARE_CANDIDATES, len(self.points))
        with faiss_threads(self.n_jobs):
            candidates = self.index.search(self._scaled(rows), spare)[1]
        candidates = candidates.astype(np.int32) if len(self.points) < 2**31 else candidates
        return nearest_first(rows, self.points, candidates, k, thread_count(self.n_jobs))

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points as they come, so few at a time that each batch takes a fraction of a second."""
        n, dimension = self.points.shape
        few = PRODUCTS_AT_ONCE // (n * dimension) // FEWEST_AT_ONCE * FEWEST_AT_ONCE
        return in_order(self, k, min(ROWS_AT_ONCE, max(FEWEST_AT_ONCE, few)))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the index is built anew, since faiss would follow a damaged one."""
        return {"points": self.points, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(checked_points(state["points"]), state["n_jobs"])  # type: ignore[misc]
