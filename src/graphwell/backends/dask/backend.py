"""Fits on the workers of the Dask client in use.

`DaskBackend` is what the client has of it: it checks the rows, starts the fit on every worker, and makes Dask
arrays of what they keep. `BlockBackend` is what each worker has: the backend of one machine on its own rows.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np
from scipy import sparse

from graphwell._rows import narrow
from graphwell._threads import once
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import ROWS_AT_A_TIME, Answers, Backend, Engine, Result, Rows, Vector
from graphwell.backends.dask.arrays import RowBlocks, array_of, lazy
from graphwell.backends.dask.client import connected_client
from graphwell.backends.dask.communicator import Communicator, WorkerCommunicator
from graphwell.backends.dask.predict import DaskInduction, Kept, Searched
from graphwell.backends.dask.rounds import Cluster
from graphwell.backends.dask.search import build_graph
from graphwell.backends.induction import answered
from graphwell.errors import OptionError
from graphwell.graph import Graph
from graphwell.graph.checks import frozen, neighbor_counts
from graphwell.graph.knn import FeatureMap, check_metric
from graphwell.memory import fit_bytes, give_back, in_words
from graphwell.progress import Progress, heartbeat, silent

if TYPE_CHECKING:
    from graphwell.solve.fit import Run
    from graphwell.solve.problem import Problem


# Attributes of a fit that lie on the workers, or are made anew on the client.
ON_WORKERS = {
    "graph_", "transduction_", "label_distributions_", "reachable_", "bridged_", "_predictor", "result_",
}  # fmt: skip


class Effort(NamedTuple):
    """Cost of a round for one worker."""

    rounds: int  # exchanges of messages
    bytes_sent: int
    seconds: float
    seconds_waited: float  # for messages of others


class BlockBackend(Backend):
    """The backend of one worker: its rows and vectors are its own, arrays of the host are of all rows.

    `first_rows` are the numbers of the first row that each worker took, and of all; all workers have so many
    bytes of `memory` together.
    """

    name = "dask"

    def __init__(
        self, comm: Communicator, first_rows: Any = (0,), n_threads: int = 1, memory: float = np.inf
    ) -> None:
        super().__init__(n_threads)
        self.comm, self.first_rows, self.memory = comm, np.asarray(first_rows), memory
        self.notes: list[tuple[Any, type[Warning]]] = []
        self.graph: Any = None
        self.searched: Any = None  # where new rows find their neighbours
        self.partition: Any = None  # the own rows, to be asked
        self.said: list[FloatArray] = []  # by the models, of the rows that this worker took
        self.answers_here: dict[str, Any] = {}  # for the own vertices

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> Any:
        """Link each row to its nearest rows; each worker has the rows of near cells."""
        counts = neighbor_counts(
            n_neighbors, scale_neighbor, rows.n_rows, warn=lambda told: self.notes.append((told, UserWarning))
        )
        need = fit_bytes(rows.n_rows, max(counts), 1) + 3 * 8 * rows.n_rows * rows.n_features
        if need > self.memory:
            raise ValueError(
                f"A fit of {rows.n_rows:,} rows needs about {in_words(need)} of memory, but the workers of "
                f"the Dask cluster have {in_words(self.memory)} together; give more workers, or larger ones."
            )
        features = FeatureMap(metric, change=rows.change)
        first, read = int(self.first_rows[self.comm.rank]), self._read(rows, features)
        self.graph, cells, self.partition, floor = build_graph(
            self.comm, read, first, rows.n_rows, counts, self.n_jobs or 1, progress
        )
        self.searched = Searched(cells, floor, counts, features, rows.n_features, rows.evidence)
        give_back()
        return self.graph

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as an array of all rows."""
        return np.asarray(vector)

    def shown(self, graph: Any) -> Any:
        """Keep the graph here: the client gets a `ClusterGraph`."""
        self.graph = graph
        return graph

    def engine(self, graph: Any) -> Engine:
        """Return the engine of the own rows of a graph."""
        from graphwell.backends.dask.engine import BlockEngine

        return BlockEngine(graph, self.n_jobs or 1)

    def _read(self, rows: Rows, features: FeatureMap) -> list[FloatArray]:
        """The rows that this worker took, as they are compared, in a list that can be emptied.

        The models are asked about them meanwhile: of a million rows, what is not needed any more counts.
        """
        parts: list[FloatArray] = []
        while rows.values:
            block = rows.values.pop(0)
            for start in range(0, len(block), ROWS_AT_A_TIME) if rows.evidence is not None else ():
                heartbeat()
                said = rows.evidence(block[start : start + ROWS_AT_A_TIME])
                self.said.append(np.asarray(said, dtype=np.float32))
            parts.append(features(block))
        width = self.comm.allreduce(parts[0].shape[1] if parts else 0, max)
        return [np.concatenate(parts or [np.zeros((0, width))])]

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> FloatArray:
        """Return what the models said of the rows that this worker took, of its vertices now."""
        numbers = np.arange(*self.first_rows[self.comm.rank :][:2])
        owner = np.empty(rows.n_rows, dtype=np.int32)
        for rank, vertices in enumerate(self.graph.everyone):
            owner[vertices] = rank
        said = np.concatenate([np.zeros((0, width), np.float32), *self.said])
        self.said.clear()
        numbers, values = self.comm.route(owner[numbers], numbers, said)
        return np.asarray(values[np.argsort(numbers)[np.argsort(np.argsort(self.graph.vertices))]])

    def answers(
        self,
        rows: Rows,
        problem: "Problem",
        engine: Any,
        assigned: Vector,
        scores: FloatArray,
        columns: IntArray,
        classes: Any,
        prior: FloatArray,
        of_graph: FloatArray | None = None,
    ) -> Answers:
        """Keep what is told of each row; rows that no label reaches have the prior."""
        own, bridges, vertices = engine.own, problem.graph.bridges, engine.graph.vertices
        reachable, chosen = own(problem.reachable), own(assigned).astype(np.int64)
        bridged = np.zeros(len(vertices), dtype=bool) if bridges is None else bridges.rows[vertices]
        found = answered(np, chosen, scores, columns, len(prior), bridged)
        found[~reachable] = prior
        decided = narrow(np.where(reachable, chosen, prior.argmax()), len(prior))
        votes = found if of_graph is None else np.where(reachable[:, None], of_graph, prior)
        votes = np.column_stack([votes, np.ones(len(votes)), reachable])
        self.partition = replace(self.partition, votes=votes)
        self.answers_here = {
            "labels": decided,
            "distributions": found,
            "reachable": reachable,
            "bridged": bridged,
        }
        return Answers(**self.answers_here, predictor=None)


def fit_here(
    work: Callable[..., Any],
    rows: Rows,
    first_rows: IntArray,
    run: Any,
    more: tuple[Any, ...],
    resources: tuple[Any, ...],
    comm: WorkerCommunicator,
    blocks: list[Any],
) -> Kept:
    """A fit, as every worker does it; return what the worker keeps."""
    began = time.perf_counter()
    give_back()  # what the search for a metric left
    backend = BlockBackend(comm, first_rows, *resources)
    run = replace(run, progress=comm.tell)
    attributes, notes = work(backend, replace(rows, values=blocks), None, run, *more)
    placed, classes, result = backend.graph, attributes["classes_"], attributes["result_"]
    # of the rows that this worker took, from what all say of their vertices
    owner = np.searchsorted(first_rows, placed.vertices, side="right") - 1
    states = narrow(placed.own(result.labels), len(classes)), placed.own(result.offsets).astype(np.float32)
    names = (*backend.answers_here, "states", "offsets")
    numbers, *columns = comm.route(owner, placed.vertices, *backend.answers_here.values(), *states)
    order = np.argsort(numbers)
    answers = {name: column[order] for name, column in zip(names, columns, strict=True)}
    facts = {name: getattr(placed, name) for name in ("recall_", "n_components", "bridges", "n_vertices")}
    facts["halo"] = comm.allreduce(len(placed.halo)) / placed.n_vertices
    effort = Effort(comm.rounds, comm.bytes_sent, time.perf_counter() - began, comm.seconds_waited)
    few = {name: value for name, value in attributes.items() if name not in ON_WORKERS}
    few["result_"] = replace(result, labels=None, offsets=None)
    first = (few, [*backend.notes, *notes], facts, backend.searched) if comm.rank == 0 else None
    graph, told = (placed.vertices, placed.W, placed.columns), (effort, answers["labels"], first)
    return Kept(told, answers, graph, backend.partition)


class DaskBackend(Backend):
    """Rows and results are Dask arrays; the graph lies on the workers."""

    name = "dask"

    def __init__(self, n_jobs: int | None = None) -> None:
        super().__init__(n_jobs)
        self.cluster = Cluster(connected_client())

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Look at what the array says of its blocks; each is checked by the worker that reads it."""
        check_metric(metric)
        return Rows(X, RowBlocks.of(X), int(X.shape[0]), int(X.shape[1]))

    def read_affinities(self, X: Any) -> NoReturn:
        """Refuse a matrix of affinities: one machine holds what a graph needs of more rows."""
        raise ValueError(
            'metric="precomputed" works on one machine, and X is a Dask array; give X.compute().'
        )

    def read_labels(self, y: Any) -> Any:
        """Return labels of any kind as an array of the client."""
        return y.compute() if hasattr(y, "compute") else y

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Fetch rows at some places."""
        found = self.cluster.results(rows.values.picked(np.sort(places)))
        return np.concatenate(found).astype(np.float64)

    def apart(self, work: Callable[..., Result], *arguments: Any, progress: Progress) -> Result:
        """Have one of the workers do the work."""
        return cast(Result, self.cluster.results([lazy(work, *arguments, silent)])[0])

    def together(self, work: Callable[..., Any], rows: Rows, graph: Any, run: "Run", *more: Any) -> Any:
        """Have every worker do the work on its rows; return what the first says, with Dask arrays."""
        if run.callback is not None:
            problem = "{field} needs rows of one machine; on a cluster progress is told of every step."
            raise OptionError("callback", problem)
        there, resources = replace(rows, given=None, values=None), self.cluster.resources()
        labels, *others = more
        few = replace(labels, codes=narrow(labels.codes, len(labels.classes)))  # every worker gets them
        given = (replace(run, progress=silent, cancel=None), (few, *others), resources)

        def job(first_rows: IntArray) -> Callable[..., Any]:
            return partial(fit_here, work, there, first_rows, *given)

        finish = partial(self._finished, rows)
        return self.cluster.everywhere(rows.values, max(1, rows.n_rows // 2), job, run.report, finish)

    def _finished(self, rows: Rows, kept: list[Any], first_rows: IntArray) -> tuple[dict[str, Any], Any]:
        """Attributes of the first worker, with Dask arrays and a graph of the parts that all workers keep.

        The client has the labels, in few bytes: they are not lost with a worker.
        """
        told = self.cluster.results([lazy(getattr, each, "told") for each in kept])
        efforts, labels, (first, *_) = zip(*told, strict=True)
        attributes, notes, facts, searched = first
        classes, prior, chunks = attributes["classes_"], attributes["class_prior_"], rows.given.chunks[0]
        starts, assigned = np.cumsum([0, *chunks]), np.concatenate(labels)
        answers = [lazy(getattr, each, "answers") for each in kept]  # a worker that is idle asks for no more
        ranks = np.minimum(np.searchsorted(first_rows, starts[:-1], side="right"), len(kept)) - 1

        def array(name: str, dtype: Any, width: int | None = None) -> Any:
            parts = [
                lazy(_answers_of, answers[rank], name, first - first_rows[rank], length)
                for rank, first, length in zip(ranks, starts, chunks, strict=False)
            ]
            return array_of(parts, chunks, width, dtype)

        scores, reachable = array("distributions", np.float64, len(classes)), array("reachable", bool)
        states, offsets = array("states", assigned.dtype), array("offsets", np.float32)
        parts = [lazy(classes.take, part) for part in np.split(assigned, starts[1:-1])]
        found = {
            "result_": replace(attributes.pop("result_"), labels=states, offsets=offsets),
            "graph_": ClusterGraph(self.cluster, kept, {**facts, "efforts": efforts}),
            "transduction_": array_of(parts, chunks, None, classes.dtype),
            "label_distributions_": scores,
            "reachable_": reachable,
            "bridged_": array("bridged", bool),
            "_predictor": DaskInduction(self.cluster, scores, reachable, classes, prior, kept, searched),
        }
        return {**attributes, **found}, notes


class ClusterGraph:
    """A graph whose rows lie on the workers of a Dask cluster, as the client knows it.

    `facts` is what is known without fetching the rows: `halo` is the share of vertices that other workers
    need, `efforts` what the fit cost each worker.
    """

    origin = None
    n_neighbors = None
    sharpness = 1.0

    def __init__(self, cluster: Cluster, kept: list[Any], facts: dict[str, Any]) -> None:
        self.cluster, self.kept, self.facts, self.n_blocks = cluster, kept, facts, len(kept)

    @once
    def fetched(self) -> Graph:
        """The graph on this machine: all of its affinities are fetched from the workers."""
        parts, n = self.cluster.results([lazy(getattr, each, "graph") for each in self.kept]), self.n_vertices
        order = np.argsort(np.concatenate([vertices for vertices, *_ in parts]))
        rows = [
            sparse.csr_array((W.data, columns[W.indices], W.indptr), shape=(W.shape[0], n))
            for _, W, columns in parts
        ]
        return Graph(frozen(sparse.vstack(rows).tocsr()[order]), bridges=self.facts["bridges"])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not (name == "W" or name in self.facts or hasattr(Graph, name)):
            raise AttributeError(f"a graph on a Dask cluster has no attribute {name!r}")
        return self.facts[name] if name in self.facts else getattr(self.fetched, name)

    def __reduce__(self) -> Any:
        """Pickled, it becomes the graph of one machine."""
        return Graph, (self.fetched.W, None, 1.0, self.fetched.bridges)

    def __repr__(self) -> str:
        return f"ClusterGraph({self.n_vertices:,} vertices on {self.n_blocks} workers)"


def _answers_of(answers: dict[str, Any], name: str, first: int, length: int) -> Any:
    return answers[name][first : first + length]
