"""Fits on the workers of the Dask client in use.

`DaskBackend` is what the client has of it: it checks the rows, starts the fit on every worker, and makes Dask
arrays of what they keep. `BlockBackend` is what each worker has: the backend of one machine on its own rows.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from scipy import sparse

from graphwell._rows import narrow
from graphwell._threads import once
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Answers, Backend, Engine, Result, Rows, State, Vector
from graphwell.backends.dask.arrays import RowBlocks, array_of, lazy
from graphwell.backends.dask.client import connected_client
from graphwell.backends.dask.communicator import Communicator, WorkerCommunicator
from graphwell.backends.dask.graph import from_affinities
from graphwell.backends.dask.predict import DaskInduction, Part, RowScores, Searched
from graphwell.backends.dask.rounds import Cluster
from graphwell.backends.dask.search import Partition, build_graph
from graphwell.backends.induction import answered
from graphwell.graph import Graph
from graphwell.graph.checks import frozen, neighbor_counts
from graphwell.graph.knn import FeatureMap, check_metric
from graphwell.memory import fit_bytes, give_back, in_words
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.solve.fit import Run
    from graphwell.solve.problem import Problem

# Of the entries of a matrix of affinities: as they came, by columns, symmetric, and laid out for sweeps.
COPIES, BYTES_PER_ENTRY = 4, 12


@dataclass(frozen=True)
class Placed:
    """Stands for what lies on the workers in what they tell the client."""

    name: str


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
        self.searched: tuple[Any, ...] | None = None
        self.partition: Partition | None = None
        self.found: RowScores | None = None

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> Any:
        """Link each row to its nearest rows; each worker has the rows of near cells."""
        counts = neighbor_counts(
            n_neighbors, scale_neighbor, rows.n_rows, warn=lambda told: self.notes.append((told, UserWarning))
        )
        need = fit_bytes(rows.n_rows, max(counts), 1) + 3 * 8 * rows.n_rows * rows.n_features
        self._check_memory(f"A fit of {rows.n_rows:,} rows", need)
        features = FeatureMap(metric, change=rows.change)
        parts = [features(block) for block in rows.values]
        width = self.comm.allreduce(parts[0].shape[1] if parts else 0, max)
        points = np.concatenate(parts or [np.zeros((0, width))])
        del parts
        if rows.evidence is None:
            rows.values.clear()  # what is not needed any more counts
        first = int(self.first_rows[self.comm.rank])
        self.graph, cells, self.partition, floor = build_graph(
            self.comm, points, first, rows.n_rows, counts, self.n_jobs or 1, progress
        )
        self.searched = cells, floor, counts, features
        give_back()
        return self.graph

    def read_affinities(self, blocks: Any) -> tuple[Rows, Any]:
        """Take rows of a symmetric matrix of affinities as those of the graph."""
        entries, n = self.comm.allreduce(sum(block.nnz for block in blocks)), int(self.first_rows[-1])
        self._check_memory(f"A graph of {n:,} rows", COPIES * BYTES_PER_ENTRY * entries)
        self.graph = from_affinities(self.comm, blocks, self.first_rows)
        return Rows(None, None, n, n), self.graph

    def _check_memory(self, what: str, need: float) -> None:
        """Refuse what needs more memory than all workers have together."""
        if need > self.memory:
            raise ValueError(
                f"{what} needs about {in_words(need)} of memory, but the workers of the Dask cluster have "
                f"{in_words(self.memory)} together; give more workers, or larger ones."
            )

    def asarray(self, values: Any) -> Vector:
        """Return the values as an array of all rows, whole numbers in few bytes."""
        values = np.asarray(values)
        if values.dtype.kind not in "iu" or not values.size:
            return values
        return narrow(values, max(int(values.max()) + 1, -int(values.min())))

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as an array of all rows."""
        return np.asarray(vector)

    def shown(self, graph: Any) -> Any:
        """Return what stands for the graph on the client."""
        self.graph = graph
        return Placed("graph")

    def engine(self, graph: Any) -> Engine:
        """Return the engine of the own rows of a graph."""
        from graphwell.backends.dask.engine import BlockEngine

        return BlockEngine(graph, self.n_jobs or 1)

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> FloatArray:
        """Ask a function about the rows that this worker took; return what is said of its vertices."""
        said = [np.asarray(function(block), dtype=np.float32) for block in rows.values]
        numbers = np.arange(*self.first_rows[self.comm.rank :][:2])
        owner = np.empty(rows.n_rows, dtype=np.int32)
        for rank, vertices in enumerate(self.graph.everyone):
            owner[vertices] = rank
        columns = (numbers, np.concatenate([np.zeros((0, width), np.float32), *said]))
        numbers, values = self.comm.route(owner[numbers], *columns)
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
        decided = np.where(reachable, chosen, prior.argmax()).astype(np.min_scalar_type(-len(prior)))
        votes = np.zeros((len(vertices), 0)) if of_graph is None else of_graph
        votes = np.where(reachable[:, None], votes, prior[: votes.shape[1]])
        self.found = RowScores(decided, found, reachable, bridged, votes)
        return Answers(*map(Placed, ("labels", "distributions", "reachable", "bridged", "predictor")))


def fit_here(
    work: Callable[..., Any],
    rows: Rows,
    affinities: bool,
    first_rows: IntArray,
    run: Any,
    watches: bool,
    more: tuple[Any, ...],
    resources: tuple[Any, ...],
    comm: WorkerCommunicator,
    blocks: list[Any],
) -> dict[str, Any]:
    """A fit, as every worker does it; return what the worker keeps."""
    began = time.perf_counter()
    backend = BlockBackend(comm, first_rows, *resources)
    rows, graph = replace(rows, values=blocks), None
    if affinities:
        rows, graph = backend.read_affinities(blocks)
        blocks.clear()

    def ask(step: Any) -> Any:
        state = State(np.asarray(step.state.labels), np.asarray(step.state.offsets))
        return comm.ask(replace(step, state=state))

    run = replace(run, progress=comm.tell, callback=ask if watches else None)
    attributes, notes = work(backend, rows, graph, run, *more)
    placed, found = backend.graph, cast(RowScores, backend.found)
    facts = {name: getattr(placed, name) for name in ("recall_", "n_components", "bridges", "n_vertices")}
    facts |= {"halo": comm.allreduce(len(placed.halo)) / placed.n_vertices, "searched": backend.searched}
    # of the rows that this worker took, from what all say of their vertices
    owner = np.searchsorted(first_rows, placed.vertices, side="right") - 1
    numbers, *columns = comm.route(owner, placed.vertices, *found)
    effort = Effort(comm.rounds, comm.bytes_sent, time.perf_counter() - began, comm.seconds_waited)
    told = (attributes, [*backend.notes, *notes], facts) if comm.rank == 0 else None
    return {
        "graph": (placed.vertices, placed.W, placed.columns, placed.components.own),
        "part": Part(placed.vertices, found, backend.partition),
        "rows": RowScores(*columns).at(np.argsort(numbers)),
        "told": (effort, told),
    }


class DaskBackend(Backend):
    """Rows and results are Dask arrays; the graph lies on the workers."""

    name = "dask"

    def __init__(self, n_jobs: int | None = None) -> None:
        super().__init__(n_jobs)
        self.cluster = Cluster(connected_client())

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Look at what the array says of its blocks; each is checked by the worker that reads it."""
        check_metric(metric)
        return Rows(X, RowBlocks.of(X, affinities=False), int(X.shape[0]), int(X.shape[1]))

    def read_affinities(self, X: Any) -> tuple[Rows, Any]:
        """Take a symmetric matrix of affinities, in blocks of whole rows, as the graph itself."""
        graph = Placed("graph")  # the workers read it
        return Rows(X, RowBlocks.of(X, affinities=True), int(X.shape[0]), int(X.shape[1])), graph

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
        there, resources = replace(rows, given=None, values=None), self.cluster.resources()
        quiet, watches = replace(run, callback=None, progress=silent, cancel=None), run.callback is not None

        def job(first_rows: IntArray) -> Callable[..., Any]:
            given = (first_rows, quiet, watches, more, resources)
            return partial(fit_here, work, there, rows.values.affinities, *given)

        def hear(step: Any, told: Any) -> Any:
            return run.told(*told) if run.callback is None or step is None else bool(run.callback(step))

        finish = partial(self._finished, rows)
        return self.cluster.everywhere(rows.values, max(1, rows.n_rows // 2), job, hear, finish)

    def _finished(self, rows: Rows, kept: list[Any], first_rows: IntArray) -> tuple[dict[str, Any], Any]:
        """Attributes of the first worker, with Dask arrays and a graph of the parts that all workers keep."""
        cluster, each = self.cluster, self.cluster.each
        efforts, (told, *_) = zip(*cluster.fetched(each(kept, itemgetter("told"))), strict=True)
        attributes, notes, facts = told
        classes, prior, searched = attributes["classes_"], attributes["class_prior_"], facts.pop("searched")
        if searched is not None:
            cells, floor, counts, features = searched
            searched = Searched(cells, floor, counts, features, rows.n_features, rows.evidence)
        # the rows of each chunk, and a copy on another worker: what the fit said is not lost with one
        chunks, answers = rows.given.chunks[0], []
        for first, length in zip(np.cumsum([0, *chunks]).tolist(), chunks, strict=False):
            rank = min(int(np.searchsorted(first_rows, first, side="right")), len(kept)) - 1
            own = first - int(first_rows[rank])
            answers += each([kept[rank]], _answers_of, own, own + length)
        copies = cluster.copied(answers)

        def array(function: Callable[..., Any], width: int | None, dtype: Any, *arguments: Any) -> Any:
            return array_of([lazy(function, copy, *arguments) for copy in copies], chunks, width, dtype)

        scores = array(attrgetter("distributions"), len(classes), np.float64)
        reachable = array(attrgetter("reachable"), None, bool)
        parts = each(kept, itemgetter("part"))
        placed = {
            "graph": ClusterGraph(cluster, each(kept, itemgetter("graph")), {**facts, "efforts": efforts}),
            "labels": array(_named, None, classes.dtype, classes),
            "distributions": scores,
            "reachable": reachable,
            "bridged": array(attrgetter("bridged"), None, bool),
            "predictor": DaskInduction(cluster, scores, reachable, classes, prior, answers, parts, searched),
        }
        found = {
            name: placed[value.name] if isinstance(value, Placed) else value
            for name, value in attributes.items()
        }
        return found, notes


class ClusterGraph:
    """A graph whose rows lie on the workers of a Dask cluster, as the client knows it.

    `parts` are futures of the rows of each worker, `facts` is what is known without fetching them: `halo` is
    the share of vertices that other workers need, `efforts` what the fit cost each worker.
    """

    origin = None
    n_neighbors = None
    sharpness = 1.0

    def __init__(self, cluster: Cluster, parts: list[Any], facts: dict[str, Any]) -> None:
        self.cluster, self.parts, self.facts, self.n_blocks = cluster, parts, facts, len(parts)

    @once
    def fetched(self) -> Graph:
        """The graph on this machine: all of its affinities are fetched from the workers."""
        parts, n = self.cluster.fetched(self.parts), self.facts["n_vertices"]
        order = np.argsort(np.concatenate([vertices for vertices, *_ in parts]))
        rows = [
            sparse.csr_array((W.data, columns[W.indices], W.indptr), shape=(W.shape[0], n))
            for _, W, columns, _ in parts
        ]
        return Graph(frozen(sparse.vstack(rows).tocsr()[order]), bridges=self.facts["bridges"])

    @once
    def components(self) -> IntArray:
        """Number of the connected component of each vertex; nothing else of the graph is fetched."""
        parts = self.cluster.fetched(self.cluster.each(self.parts, itemgetter(0, 3)))
        vertices, components = map(np.concatenate, zip(*parts, strict=True))
        return np.asarray(components[np.argsort(vertices)])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not (name == "W" or name in self.facts or hasattr(Graph, name)):
            raise AttributeError(f"a graph on a Dask cluster has no attribute {name!r}")
        return self.facts[name] if name in self.facts else getattr(self.fetched, name)

    def __reduce__(self) -> Any:
        """Pickled, it becomes the graph of one machine."""
        return Graph, (self.fetched.W, None, 1.0, self.fetched.bridges)

    def __repr__(self) -> str:
        return f"ClusterGraph({self.n_vertices:,} vertices on {self.n_blocks} workers)"


def _answers_of(kept: dict[str, Any], first: int, stop: int) -> RowScores:
    return cast(RowScores, kept["rows"].at(slice(first, stop)))


def _named(found: RowScores, classes: Any) -> Any:
    return classes[found.assigned]
