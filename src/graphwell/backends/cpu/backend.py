"""Fits on this machine's processor."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._threads import ThreadPool, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Answers, Block, Engine, Result, Rows, Vector, Vectors
from graphwell.backends.induction import Induction, distributions, modest, wide_as
from graphwell.graph import Graph
from graphwell.graph.checks import read_features
from graphwell.graph.knn import check_metric
from graphwell.progress import Progress

if TYPE_CHECKING:
    from graphwell.solve.fit import Run
    from graphwell.solve.problem import Problem

ROWS_AT_A_TIME = 20_000


class Backend:
    """Rows, graph and results are arrays of NumPy and SciPy.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    """

    name = "cpu"

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Check the rows; whatever is wrong with them gets one sentence."""
        check_metric(metric)
        values = read_features(X)
        return Rows(X, values, *values.shape)

    def read_affinities(self, X: Any) -> tuple[Rows, Any]:
        """Take a symmetric matrix of affinities as the graph itself."""
        graph = Graph.from_affinity(X)
        return Rows(X, graph, graph.n_vertices, graph.n_vertices), self.place(graph)

    def read_labels(self, y: Any) -> Any:
        """Return the labels as they are."""
        return y

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> Graph:
        """Link each row to its nearest rows, with locally scaled weights."""
        return Graph.from_features(
            rows.values,
            n_neighbors,
            scale_neighbor,
            metric,
            self.n_jobs,
            change=rows.change,
            progress=progress,
        )

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Return rows at some places."""
        return rows.values[np.sort(places)]

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> FloatArray:
        """Return the values of a function of all rows, in single precision; threads ask for some thousands.

        How rows are cut into batches, and so every bit, is the same for any number of threads.
        """
        from threadpoolctl import threadpool_limits

        found = np.empty((rows.n_rows, width), dtype=np.float32)

        def ask(begin: int) -> None:
            few = np.arange(begin, min(begin + ROWS_AT_A_TIME, rows.n_rows))
            found[few] = function(self.some_rows(rows, few))

        with threadpool_limits(1):
            ThreadPool(thread_count(self.n_jobs)).map(ask, range(0, rows.n_rows, ROWS_AT_A_TIME))
        return found

    def apart(self, work: Callable[..., Result], *arguments: Any, progress: Progress) -> Result:
        """Do the work in this process."""
        return work(*arguments, progress)

    def together(self, work: Callable[..., Result], rows: Rows, graph: Any, run: "Run", *more: Any) -> Result:
        """Do the work in this process."""
        return work(self, rows, graph, run, *more)

    def asarray(self, values: Any) -> Vector:
        """Return the values as an array."""
        return np.asarray(values)

    def to_host(self, vector: Vector) -> Any:
        """Return the array itself."""
        return vector

    def place(self, graph: Graph) -> Graph:
        """Return the graph itself."""
        return graph

    def shown(self, graph: Any) -> Graph:
        """Return the graph itself."""
        found: Graph = graph
        return found

    def engine(self, graph: Any) -> Engine:
        """Return an engine whose sweeps and products are compiled by numba."""
        from graphwell.backends.cpu.engine import NumbaEngine

        return NumbaEngine(graph, n_jobs=self.n_jobs)

    def answers(
        self,
        rows: Rows,
        problem: "Problem",
        engine: Vectors,
        assigned: Vector,
        scores: Block,
        columns: IntArray,
        classes: Any,
        prior: FloatArray,
    ) -> Answers:
        """Return the answers for every row; rows that no label reaches have the prior."""
        scores = wide_as(engine.xp, scores, columns, len(classes))
        found, bridges = distributions(engine.xp, assigned, scores), problem.graph.bridges
        bridged = np.zeros(len(found), dtype=bool) if bridges is None else bridges.rows
        if bridges is not None:
            found = modest(engine.xp, found, engine.asarray(bridged))
        found[~problem.reachable] = engine.asarray(prior)
        found, reachable = engine.to_host(found), engine.to_host(problem.reachable)
        labels = classes[np.where(reachable, engine.to_host(assigned), prior.argmax())]
        origin = self.shown(problem.graph).origin
        predictor = Induction(origin, classes, found, reachable, prior, rows.evidence)
        return Answers(labels, found, reachable, bridged, predictor)
