"""Fits on the workers of the Dask client in use."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Answers, Engine, Result, Rows, Vector
from graphwell.backends.blocks.answers import answers_of, by_input_block, in_input_order, named_labels
from graphwell.backends.blocks.rows import in_few_bytes, narrow
from graphwell.backends.blocks.said import ask
from graphwell.backends.dask.affinities import read_affinities
from graphwell.backends.dask.client import connected_client
from graphwell.backends.dask.engine import DaskEngine, SaidOnWorkers
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.handles import Handle, array_of, blocks_of
from graphwell.backends.dask.inputs import read_input
from graphwell.backends.dask.predict import AffinityInduction, DaskInduction
from graphwell.backends.dask.search import build_graph
from graphwell.backends.dask.tasks import Tasks
from graphwell.backends.dask.teams import undisturbed
from graphwell.backends.dask.vectors import Columns, WorkerVector, as_they_are, parts_of
from graphwell.backends.registry import find_backend
from graphwell.errors import OptionError
from graphwell.graph.checks import neighbor_counts
from graphwell.memory import fit_bytes
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem


class Backend:
    """Rows and results are Dask arrays; the graph lies on the workers, block by block.

    Parameters
    ----------
    n_jobs : int, optional
        Not used: the workers have their own threads.
    device : str
        What the workers search with; each must have one.
    """

    name = "dask"

    def __init__(self, n_jobs: int | None = None, device: str = "cpu") -> None:
        self.tasks, self.device = Tasks(connected_client()), device
        if device != "cpu":
            self.tasks.ask_workers(look_for, device)

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Look at every block of the rows once; whatever is wrong with them gets one sentence."""
        source = read_input(self.tasks, X, metric)
        return Rows(X, source, source.n, source.n_features)

    def read_affinities(self, X: Any) -> tuple[Rows, DaskGraph]:
        """Take a symmetric matrix of affinities, in blocks of whole rows, as the graph itself."""
        if self.device != "cpu":
            problem = "{field} must be cpu for a graph that is a Dask array: nothing is searched; got {!r}."
            raise OptionError("device", problem, self.device)
        source, graph = read_affinities(self.tasks, X)
        return Rows(X, source, source.n, source.n), graph

    def read_labels(self, y: Any) -> Any:
        """Return labels of any kind as an array of the client."""
        return y.compute() if hasattr(y, "compute") else y

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> DaskGraph:
        """Link each row to its nearest rows; the graph stays on the workers."""
        counts = neighbor_counts(n_neighbors, scale_neighbor, rows.n_rows)
        need = fit_bytes(rows.n_rows, max(counts), 1) + 3 * 8 * rows.n_rows * rows.n_features
        self.tasks.check_memory(f"A fit of {rows.n_rows:,} rows", need)
        source = rows.values
        if rows.change is not None:
            source = read_input(self.tasks, rows.given, metric, rows.change)
        return build_graph(self.tasks, source, *counts, progress=progress, device=self.device)

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Fetch rows at some places."""
        return self._fetched(rows.given[np.sort(places)]).astype(np.float64)

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> SaidOnWorkers:
        """Let the workers ask the function, block by block, once the engine needs what it says."""
        source = rows.values
        held = zip(blocks_of(rows.given), rows.given.chunks[0], strict=True)
        blocks = [block for block, length in held if length]
        return SaidOnWorkers(self.tasks.each("hear", ask, blocks, voice=function), source.starts)

    def apart(self, work: Callable[..., Result], *arguments: Any, progress: Progress) -> Result:
        """Have one of the workers do the work."""
        (found,) = self.tasks.results([self.tasks.lazy("apart", work, *arguments, silent)])
        return cast(Result, found)

    def _fetched(self, X: Any) -> Any:
        """A Dask array as one of the client; says so where no worker is left to compute it."""
        return np.concatenate(self.tasks.results(blocks_of(X)))

    def asarray(self, values: Any) -> Vector:
        """Return the values as an array of the client, whole numbers in few bytes."""
        return in_few_bytes(values)

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as an array of the client."""
        return np.asarray(vector)

    def place(self, graph: "Graph") -> DaskGraph:
        """Cut a graph of this machine into a block for each worker."""
        return DaskGraph.from_graph(self.tasks, graph, len(self.tasks.workers()))

    def shown(self, graph: DaskGraph) -> DaskGraph:
        """Return the graph itself, which fetches its matrices when they are asked for."""
        return graph

    def engine(self, graph: DaskGraph) -> Engine:
        """Return the engine of a graph on the workers."""
        return DaskEngine(graph)

    def answers(
        self,
        rows: Rows,
        problem: "Problem",
        engine: Any,
        assigned: IntArray,
        scores: Columns,
        columns: IntArray,
        classes: Any,
        prior: FloatArray,
    ) -> Answers:
        """Return labels, scores and reachability as Dask arrays in the chunks of the rows."""
        tasks, graph, source = self.tasks, engine.graph, rows.values
        decided = np.where(problem.reachable, assigned, prior.argmax())
        told_classes = WorkerVector(graph, narrow, decided, count=len(prior))
        bridges = problem.graph.bridges
        bridged = engine.xp.ones(rows.n_rows) < 1 if bridges is None else bridges.rows
        told_of = (told_classes, problem.reachable, bridged)
        cut = [parts_of(graph, values, as_they_are) for values in told_of]
        same = {"columns": columns, "prior": prior}

        def make() -> list[Handle]:
            made = tasks.each("answers", answers_of, graph.blocks, scores.handles, *cut, **same)
            return tasks.wait(tasks.doubled(made), at_home=True)

        told = undisturbed(tasks, graph.n_blocks, make)
        pieces = tasks.each("split-answers", by_input_block, told, graph.rows, starts=source.starts)
        blocks = tasks.exchange("answers", pieces, len(source.blocks), in_input_order)
        chunks = rows.given.chunks[0]
        labels = _array(
            tasks, tasks.each("labels", named_labels, blocks, classes=classes), chunks, None, classes
        )
        names = ("distributions", "reachable", "bridged")
        answers = [tasks.each(name, attrgetter(name), blocks) for name in names]
        found = _array(tasks, answers[0], chunks, len(classes), np.zeros(0))
        reachable, over_bridges = (
            _array(tasks, column, chunks, None, np.zeros(0, dtype=bool)) for column in answers[1:]
        )
        fitted = (tasks, found, reachable, classes, prior)
        predictor: DaskInduction | AffinityInduction = (
            AffinityInduction(*fitted)
            if graph.search is None
            else DaskInduction(*fitted, graph.search, told, rows.evidence)
        )
        return Answers(labels, found, reachable, over_bridges, predictor)


def _array(tasks: Tasks, blocks: list[Handle], chunks: Sequence[int], width: int | None, like: Any) -> Any:
    """A Dask array of these blocks, with an empty one for each chunk of the input that held no rows."""
    left = iter(tasks.keep(blocks))
    shape = [0] if width is None else [0, width]
    every = [next(left) if length else tasks.lazy("empty", np.empty, shape, like.dtype) for length in chunks]
    return array_of(every, chunks, width, like.dtype)


def look_for(device: str) -> None:
    """Say in a sentence what this worker lacks to compute on a device."""
    find_backend(device)
