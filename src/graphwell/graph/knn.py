"""From features to nearest neighbours: a map into a Euclidean space, and three ways to search there.

Low dimension is searched by a KD-tree. In high dimension faiss compares every pair, up to `EXACT_UP_TO`
points; above, rows are compared with the points of the cells around them (`cells.py`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from graphwell._checks import one_of
from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.graph.cells import (
    RECALL_SAMPLE,
    SPARE_CANDIDATES,
    cut,
    enough_visits,
    faiss_threads,
    flat_index,
    nearest_in_cells,
    on_slices,
)
from graphwell.graph.compiled import seen
from graphwell.graph.scan import nearest_cells, nearest_first
from graphwell.memory import available, in_words
from graphwell.progress import Progress, heartbeat, silent

# Done to rows before they are compared: each becomes another row, by itself.
Change = Callable[[Any], Any]
METRICS = ("euclidean", "cosine")
# Sparse rows with more features are projected onto so many singular vectors; which experiment chose 100 is
# not recorded.
SPARSE_COMPONENTS = 100
# Largest value of a row that is divided by it before its length is taken.
SMALLEST_LENGTH = 1e-6
# Further vectors that the randomised singular value decomposition works with.
OVERSAMPLES = 10


@dataclass(frozen=True)
class FeatureMap:
    """Maps rows of features into the space that is searched.

    Sparse rows with more than `SPARSE_COMPONENTS` features are projected onto their leading right
    singular vectors, narrower ones are made dense. Rows under the cosine metric are scaled to length
    one (a row of zeros stays where it is, equally far from every other row): the squared Euclidean
    distance is then twice the cosine distance. Before all that, rows may be changed, into a learned
    metric for example.
    """

    metric: str
    projection: FloatArray | None = None
    change: Change | None = None

    @classmethod
    def fit(cls, X: Any, metric: str, change: Change | None = None) -> "FeatureMap":
        """Choose the map for these rows."""
        check_metric(metric)
        if change is not None:
            X = change(X)
        if not sparse.issparse(X) or X.shape[1] <= SPARSE_COMPONENTS:
            return cls(metric, change=change)

        check_columns(X)
        components = min(SPARSE_COMPONENTS, min(X.shape) - 1)
        svd = TruncatedSVD(max(1, components), random_state=0).fit(
            normalize(_brought_up(X)) if metric == "cosine" else X
        )
        return cls(metric, np.ascontiguousarray(svd.components_.T), change)

    def __call__(self, X: Any) -> FloatArray:
        """Map rows; dense Euclidean rows come back as they are, without a copy where possible."""
        if self.change is not None:
            X = self.change(X)
        if self.metric == "cosine":
            X = normalize(_brought_up(X))
        if self.projection is not None:
            return np.ascontiguousarray(X @ self.projection)
        dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
        if dense.dtype not in (np.float32, np.float64):
            dense = dense.astype(np.float64)
        return np.ascontiguousarray(dense)


def _brought_up(X: Any) -> Any:
    """Rows whose length scikit-learn would take for zero, divided by their largest value."""
    largest = np.asarray(
        abs(X).max(axis=1).toarray() if sparse.issparse(X) else np.abs(X).max(axis=1)
    ).ravel()
    few = (largest > 0) & (largest < SMALLEST_LENGTH)
    if not few.any():
        return X
    factors = 1 / np.where(few, largest, 1.0)
    return sparse.diags_array(factors) @ X if sparse.issparse(X) else X * factors[:, None]


def check_metric(metric: str, also: tuple[str, ...] = ()) -> None:
    """Refuse a metric that there is none of."""
    one_of("metric", metric, (*METRICS, *also))


def check_columns(X: Any) -> None:
    """Refuse sparse rows whose projection would not fit into memory, before any of it is taken."""
    n_features, components = X.shape[1], min(SPARSE_COMPONENTS, min(X.shape) - 1)
    if not sparse.issparse(X) or n_features <= SPARSE_COMPONENTS:
        return
    need, free = 3 * 8 * n_features * (components + OVERSAMPLES), available()
    if need > free:
        raise ValueError(
            f"X has {n_features:,} columns, and to project them takes about {in_words(need)} of memory, "
            f"more than the {in_words(free)} that are free; leave out the columns that are empty or rare."
        )


@dataclass(frozen=True)
class Rescaling:
    """Centres rows and divides them by their spread: single precision neither rounds nor overflows."""

    center: FloatArray
    spread: float  # largest distance of a coordinate from its centre

    @classmethod
    def of(cls, points: Any) -> "Rescaling":
        """Rescaling of some points, of the host or of a GPU."""
        center = points.mean(axis=0, dtype=np.float64)
        return cls.within(points.min(axis=0), points.max(axis=0), center)

    @classmethod
    def within(cls, low: Any, high: Any, center: Any) -> "Rescaling":
        """Rescaling of points in a box."""
        return cls(center, float(np.maximum(high - center, center - low).max()) or 1.0)

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Scale rows."""
        return ((rows - self.center) / self.spread).astype(np.float32)

    def in_parts(self, rows: FloatArray) -> FloatArray:
        """Scale rows of the host, some at a time: what lies between is in double precision."""
        scaled = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            scaled[part] = self(rows[part])
        return scaled

    def restored(self, scaled: FloatArray) -> FloatArray:
        """Rows as they were."""
        return scaled * self.spread + self.center


# Points that a row is compared with at most, on average: where neighbours lie all around in many dimensions,
# more would cost much and find little.
MOST_CANDIDATES = 4096
# Of many cells only so many, nearest to a group of near rows, are compared with each of them.
LEAST_CONSIDERED, CONSIDERED_PER_VISIT = 512, 8
ROWS_OF_A_BATCH, ROWS_AROUND = 65_536, 256
# Where a KD-tree, and where comparing every pair, stops being faster. The experiments are not recorded.
KD_TREE_UP_TO_DIMENSION = 8
EXACT_UP_TO = 20_000
ROWS_AT_ONCE, FEWEST_AT_ONCE = 32_768, 1024
# Multiplications between two moments at which a fit can be cancelled.
PRODUCTS_AT_ONCE = 8_000_000_000
REPORT = "This is a mistake in graphwell: please report it with the data, or what they look like."


def build_search(
    points: FloatArray, k: int, *, exact: bool | None = None, n_jobs: int | None = None
) -> "NeighborSearch":
    """Choose and build the search for these points."""
    n, dimension = points.shape
    if dimension <= KD_TREE_UP_TO_DIMENSION:
        return KDTreeSearch(points, k, n_jobs)
    if exact or (exact is None and n <= EXACT_UP_TO):
        return FlatSearch(points, k, n_jobs)
    return CellSearch(points, k, n_jobs)


def neighbors_of_all(search: Any, k: int, progress: Progress = silent) -> tuple[IntArray, FloatArray]:
    """Return the `k` nearest other points of every point the search was built on.

    A point is removed from its own list by its index: among duplicates it need not come first.
    """
    progress("neighbours", 0.0)
    n, done = len(search.points), 0
    indices, distances = np.empty((n, k), dtype=np.int32 if n < 2**31 else np.int64), np.empty((n, k))
    for rows, found, apart in search.of_points(k + 1):
        others = found != rows[:, None]
        others[others.all(axis=1), -1] = False
        check_neighbors(found, apart, n)
        if (others.sum(axis=1) != k).any():
            raise RuntimeError(f"Internal error: the search named a neighbour twice. {REPORT}")
        indices[rows] = found[others].reshape(-1, k)
        distances[rows] = apart[others].reshape(-1, k)
        done += len(rows)
        heartbeat()
        progress("neighbours", done / n)
    return indices, distances


def check_neighbors(found: IntArray, apart: FloatArray, n: int) -> None:
    """Refuse neighbours that there are not: nobody looks at them again before compiled code follows them.

    Points that were finite when they were checked may have been written into since; a search then names none.
    """
    if not np.isfinite(apart).all():
        raise ValueError("X holds rows that cannot be compared: their distances are no finite numbers.")
    if found.size and (found.min() < 0 or found.max() >= n):
        odd = found[(found < 0) | (found >= n)][0]
        raise RuntimeError(f"Internal error: the search named row {odd} of {n:,} as a neighbour. {REPORT}")


def in_order(
    search: Any, k: int, rows_at_once: int = ROWS_AT_ONCE
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Answer the points as they come."""
    points = search.points
    for start in range(0, len(points), rows_at_once):
        heartbeat()
        rows = points[start : start + rows_at_once]
        yield np.arange(start, start + len(rows)), *search.query(rows, k)


class NeighborSearch:
    """Finds the nearest of the points it was built on, exactly unless it says otherwise."""

    recall = 1.0  # share of the true neighbours that a query finds
    locality: IntArray | None = None  # the points in an order in which near ones follow each other
    points: FloatArray

    def __init__(self, points: FloatArray, k: int, n_jobs: int | None = None) -> None:
        self.points, self.k, self.n_jobs = points, k, n_jobs
        self.build()

    def build(self) -> None:
        """Prepare to search the points."""
        raise NotImplementedError

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances, both of shape (len(rows), k), nearest first."""
        raise NotImplementedError

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Numbers of some points, with indices and distances of their nearest; until all had their turn."""
        return in_order(self, k)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the points; the index is built anew."""
        return {"points": np.asarray(self.points), "k": self.k, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


class KDTreeSearch(NeighborSearch):
    """Exact search in low dimension."""

    def build(self) -> None:
        """Prepare to search the points."""
        self.tree = KDTree(self.points, copy_data=True)  # the user may write into the points meanwhile
        self.points, self.locality = self.tree.data, self.tree.indices

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points."""
        distances, indices = self.tree.query(rows, k=np.arange(1, k + 1), workers=thread_count(self.n_jobs))
        return indices.astype(np.int32 if self.tree.n < 2**31 else np.int64), distances


class FlatSearch(NeighborSearch):
    """Exact search in high dimension: faiss compares every pair, in blocks."""

    def build(self) -> None:
        """Prepare to search the points."""
        self.scaling = Rescaling.of(self.points)
        self.index = flat_index(self.scaling.in_parts(self.points))

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points.

        faiss finds the neighbours in single precision; their distances are then taken anew from the
        rows themselves, so that duplicates lie at distance zero and features far from the origin lose
        nothing.
        """
        spare = min(k + SPARE_CANDIDATES, len(self.points))
        with faiss_threads(self.n_jobs):
            candidates = self.index.search(self.scaling.in_parts(rows), spare)[1]
        candidates = candidates.astype(np.int32) if len(self.points) < 2**31 else candidates
        return nearest_first(rows, self.points, candidates, k, thread_count(self.n_jobs))

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points as they come, so few at a time that each batch takes a fraction of a second."""
        n, dimension = self.points.shape
        few = PRODUCTS_AT_ONCE // (n * dimension) // FEWEST_AT_ONCE * FEWEST_AT_ONCE
        return in_order(self, k, min(ROWS_AT_ONCE, max(FEWEST_AT_ONCE, few)))


class CellSearch(NeighborSearch):
    """Approximate search over the points in the cells nearest to each row."""

    def build(self) -> None:
        """Cut the points into cells, and measure how many of them a row has to visit."""
        n_cells = 2 ** int(np.log2(4 * np.sqrt(len(self.points))))
        self.cells = cut(self.points, n_cells, thread_count(self.n_jobs))
        self.locality = self.cells.order
        self.visits, self.recall = self._measure(self.k)

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points cell by cell, so that few cells are visited, or even considered, together."""
        n_cells = len(self.cells.centroids)
        considered = max(LEAST_CONSIDERED, CONSIDERED_PER_VISIT * self.visits)
        considered = n_cells if 2 * considered >= n_cells else considered
        for start in range(0, len(self.points), ROWS_OF_A_BATCH):
            numbers = self.cells.order[start : start + ROWS_OF_A_BATCH]
            rows = self.points[numbers]
            yield numbers, *self._nearest(rows, self._nearest_cells(rows, considered), k)

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest points."""
        return self._nearest(rows, self._nearest_cells(rows, len(self.cells.centroids)), k)

    def _nearest(self, rows: FloatArray, visits: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        spare = min(k + SPARE_CANDIDATES, len(self.points))
        candidates = self._scan(rows, visits, spare)
        short = (candidates < 0).any(axis=1)
        if short.any():
            candidates[short] = self._scan(rows[short], self._every_cell(short.sum()), spare)
        return nearest_first(rows, self.points, candidates, k, thread_count(self.n_jobs))

    def _nearest_cells(self, rows: FloatArray, considered: int) -> IntArray:
        """The cells that each row visits, out of those nearest to the rows around it."""
        n_cells, out = len(self.cells.centroids), np.zeros((len(rows), self.visits), dtype=np.int32)
        centroids, scale = seen(self.cells.centroids), float(self.cells.scale)

        def visited(part: slice) -> None:
            for first in range(part.start, min(part.stop, len(rows)), ROWS_AROUND):
                here = slice(first, min(part.stop, first + ROWS_AROUND))
                near = np.arange(n_cells, dtype=np.int32)
                if considered < n_cells:  # those nearest to the mean of the rows
                    apart = cdist(rows[here].mean(axis=0, dtype=np.float64)[None], centroids)[0]
                    near = np.sort(np.argpartition(apart, considered)[:considered].astype(np.int32))
                nearest_cells(seen(rows[here]), centroids, scale, near, out[here])

        on_slices(len(rows), visited, thread_count(self.n_jobs))
        return out

    def _every_cell(self, n_rows: int) -> IntArray:
        n_cells = len(self.cells.centroids)
        return np.broadcast_to(np.arange(n_cells, dtype=np.int32), (n_rows, n_cells))

    def _scan(self, rows: FloatArray, visits: IntArray, k: int) -> IntArray:
        return nearest_in_cells(rows, visits, self.points, self.cells, k, thread_count(self.n_jobs))

    def _measure(self, k: int) -> tuple[int, float]:
        """Number of cells to visit, and the share of the true neighbours that lie in so many."""
        points, n_cells = self.points, len(self.cells.centroids)
        sample = np.random.default_rng(0).choice(len(points), min(RECALL_SAMPLE, len(points)), replace=False)
        true = self._scan(points[sample], self._every_cell(len(sample)), min(k + 1, len(points)))
        cell_of = np.empty(len(points), dtype=np.int32)
        cell_of[self.cells.order] = np.repeat(np.arange(n_cells, dtype=np.int32), np.diff(self.cells.starts))
        rank = np.argsort(np.argsort(cdist(points[sample], self.cells.centroids), axis=1), axis=1)
        visits_needed = 1 + np.take_along_axis(rank, cell_of[true], axis=1)[true != sample[:, None]]
        visits = min(enough_visits(visits_needed), max(1, MOST_CANDIDATES * n_cells // len(points)))
        return visits, float((visits_needed <= visits).mean())
