"""From features to nearest neighbours: a map into a Euclidean space, and three ways to search there.

Low dimension is searched by a KD-tree. In high dimension faiss compares every pair, up to `EXACT_UP_TO`
points; above, rows are compared with the points of the cells around them (`cells.py`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.spatial import KDTree
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from graphwell._checks import one_of
from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.graph.cells import SPARE_CANDIDATES, CellSearch, checked_points, faiss_threads, flat_index
from graphwell.graph.scan import nearest_first
from graphwell.memory import available, in_words
from graphwell.progress import Progress, heartbeat, silent

Change = Callable[[Any], Any]
"""Done to rows before they are compared: each becomes another row, by itself."""
METRICS = ("euclidean", "cosine")
# Sparse rows with more features are projected onto so many singular vectors; which experiment chose 100 is
# not recorded.
SPARSE_COMPONENTS = 100
OVERSAMPLES = 10
"""Further vectors that the randomised singular value decomposition works with."""


@dataclass(frozen=True)
class FeatureMap:
    """Maps rows of features into the space that is searched.

    Sparse rows with more than `SPARSE_COMPONENTS` features are projected onto their leading right
    singular vectors, narrower ones are made dense. Rows under the cosine metric are scaled to length
    one (a row of zeros stays where it is, equally far from every other row): the squared Euclidean
    distance is then twice the cosine distance. Before all that, rows may be changed, into a learned metric
    say.
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

        components = min(SPARSE_COMPONENTS, min(X.shape) - 1)
        _check_projection(X.shape[1], components)
        svd = TruncatedSVD(max(1, components), random_state=0).fit(_unit_rows(X) if metric == "cosine" else X)
        return cls(metric, np.ascontiguousarray(svd.components_.T), change)

    def __call__(self, X: Any) -> FloatArray:
        """Map rows; dense Euclidean rows come back as they are, without a copy where possible."""
        if self.change is not None:
            X = self.change(X)
        if self.metric == "cosine":
            X = _unit_rows(X)
        if self.projection is not None:
            return np.ascontiguousarray(X @ self.projection)
        dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
        if dense.dtype not in (np.float32, np.float64):
            dense = dense.astype(np.float64)
        return np.ascontiguousarray(dense)


def check_metric(metric: str, also: tuple[str, ...] = ()) -> None:
    """Refuse a metric that there is none of."""
    one_of("metric", metric, (*METRICS, *also))


def _check_projection(n_features: int, components: int) -> None:
    """Refuse columns whose projection would not fit into memory, before any of it is taken."""
    need, free = 3 * 8 * n_features * (components + OVERSAMPLES), available()
    if need > free:
        raise ValueError(
            f"X has {n_features:,} columns, and to project them takes about {in_words(need)} of memory, "
            f"more than the {in_words(free)} that are free; leave out the columns that are empty or rare."
        )


def _unit_rows(X: Any) -> Any:
    return normalize(X)


@dataclass(frozen=True)
class Scaling:
    """Centres rows and divides them by their spread, so that single precision neither rounds nor overflows.

    Attributes
    ----------
    center : array of shape (d,)
    spread : float
        Largest distance of a coordinate from its centre.
    """

    center: FloatArray
    spread: float

    @classmethod
    def of(cls, points: Any) -> "Scaling":
        """Scaling of some points, of the host or of a GPU."""
        center = points.mean(axis=0, dtype=np.float64)
        return cls.within(points.min(axis=0), points.max(axis=0), center)

    @classmethod
    def within(cls, low: Any, high: Any, center: Any) -> "Scaling":
        """Scaling of points in a box."""
        return cls(center, float(np.maximum(high - center, center - low).max()) or 1.0)

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Scale rows."""
        return ((rows - self.center) / self.spread).astype(np.float32)

    def restored(self, scaled: FloatArray) -> FloatArray:
        """Rows as they were."""
        return scaled * self.spread + self.center


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
    """Choose and build the search for these points."""
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
        self.tree = KDTree(points, copy_data=True)  # the user may write into the points meanwhile
        self.points = self.tree.data
        self.locality = self.tree.indices
        self.n_jobs = n_jobs

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the points; the tree is built anew, since SciPy would follow a damaged one."""
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
        """Pickle the points; the index is built anew, since faiss would follow a damaged one."""
        return {"points": self.points, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(checked_points(state["points"]), state["n_jobs"])  # type: ignore[misc]
