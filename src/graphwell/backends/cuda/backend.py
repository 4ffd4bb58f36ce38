"""Fits on one NVIDIA GPU. Rows may lie there already; results then go back as arrays of the same library."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Answers, Backend, Block, Engine, Rows, Vector
from graphwell.backends.cuda._cupy import cupy
from graphwell.backends.cuda.dlpack import fetched, given_back, is_on_gpu, points_on_gpu, rows_on_gpu
from graphwell.backends.cuda.engine import CudaEngine
from graphwell.backends.cuda.graph import CudaGraph, FetchedGraph
from graphwell.backends.induction import Induction
from graphwell.graph import Graph
from graphwell.graph.checks import neighbor_counts
from graphwell.graph.knn import check_metric
from graphwell.progress import Progress

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem


class CudaBackend(Backend):
    """Graph and vectors are arrays of CuPy.

    Parameters
    ----------
    n_jobs : int, optional
        Not used: the GPU has its own threads.
    """

    name = "cuda"

    def __init__(self, n_jobs: int | None = None) -> None:
        super().__init__(n_jobs)
        cupy()  # says what is missing before any work is done

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Check the rows, of the host or of the GPU."""
        if not is_on_gpu(X):
            return super().read_rows(X, metric)
        check_metric(metric)
        values = rows_on_gpu(X)
        return Rows(X, values, *values.shape)

    def read_labels(self, y: Any) -> Any:
        """Return labels of any kind as an array of the host."""
        return fetched(y) if is_on_gpu(y) else y

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> Any:
        """Link each row to its nearest rows; the graph stays on the GPU."""
        progress("neighbours", None)
        counts = neighbor_counts(n_neighbors, scale_neighbor, rows.n_rows)
        return CudaGraph.from_points(
            *points_on_gpu(rows.values, metric, rows.change), rows.n_features, *counts
        )

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Fetch rows at some places."""
        return (
            fetched(super().some_rows(rows, places))
            if is_on_gpu(rows.values)
            else super().some_rows(rows, places)
        )

    def asarray(self, values: Any) -> Vector:
        """Bring values of the vertices to the GPU."""
        return cupy().asarray(values)

    def to_host(self, vector: Vector) -> Any:
        """Fetch a vector."""
        return vector.get()

    def place(self, graph: Graph) -> Any:
        """Copy the graph to the GPU, unless it came from there."""
        return CudaGraph.of(graph)

    def shown(self, graph: Any) -> Graph:
        """Return a graph of the host that fetches its matrix when it is asked for."""
        return FetchedGraph(graph)

    def engine(self, graph: Any) -> Engine:
        """Return the engine of a graph on the GPU."""
        return CudaEngine(graph)

    def answers(
        self,
        rows: Rows,
        problem: "Problem",
        engine: Engine,
        assigned: Vector,
        scores: Block,
        columns: IntArray,
        classes: Any,
        prior: FloatArray,
        of_graph: Block | None = None,
    ) -> Answers:
        """Return what the user is told of every row, where the rows lie."""
        told = super().answers(rows, problem, engine, assigned, scores, columns, classes, prior, of_graph)
        predictor = GpuInduction(**vars(told.predictor))
        labels, distributions = (like(rows.given, values) for values in (told.labels, told.distributions))
        return Answers(labels, distributions, told.reachable, told.bridged, predictor)


@dataclass(frozen=True)
class GpuInduction(Induction):
    """Scores of new rows that may lie on the GPU; they go back to where the rows lie."""

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row; they add up to 1."""
        return like(X, super().scores(fetched(X) if is_on_gpu(X) else X))

    def labels(self, X: Any) -> Any:
        """Return the class of each new row."""
        scores = super().scores(fetched(X) if is_on_gpu(X) else X)
        return like(X, self.classes[scores.argmax(axis=1)])


def like(X: Any, array: Any) -> Any:
    """Results go back to where the caller's rows lie; labels that are no numbers stay on the host."""
    if not is_on_gpu(X) or np.asarray(array).dtype.kind not in "biuf":
        return array
    return given_back(array, X)
