"""Fits on the workers of the Dask client in use.

`Backend` is what the client has of it: it checks the rows, starts the fit on every worker, and makes Dask
arrays of what they keep. `BlockBackend` is what each worker has: the backend of one machine on its own rows.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from graphwell._threads import once
from graphwell._types import FloatArray, IntArray
from graphwell.backends.arrays import in_few_bytes
from graphwell.backends.base import Answers, Engine, Result, Rows, Vector
from graphwell.backends.dask.arrays import (
    RowBlocks,
    affinity_blocks,
    array_of,
    blocks_of,
    check_inspected,
    inspect,
    lazy,
    row_blocks,
)
from graphwell.backends.dask.client import connected_client
from graphwell.backends.dask.communicator import Communicator
from graphwell.backends.dask.graph import BlockGraph, from_affinities
from graphwell.backends.dask.predict import AffinityInduction, DaskInduction, FittedPart, Found
from graphwell.backends.dask.rounds import Cluster, Kept, check_memory
from graphwell.backends.dask.search import Search, build_graph
from graphwell.backends.dask.worker import Mailbox, WorkerMail, ask_client
from graphwell.backends.induction import distributions, modest, wide_as
from graphwell.backends.registry import find_backend, find_cell_search
from graphwell.errors import OptionError, warn_user
from graphwell.graph import Graph
from graphwell.graph.checks import frozen, neighbor_counts
from graphwell.graph.knn import FeatureMap, check_metric
from graphwell.memory import fit_bytes, give_back
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.solve.fit import Run
    from graphwell.solve.problem import Problem

COPIES, BYTES_PER_ENTRY = 4, 12
"""Of the entries of a matrix of affinities: as they came, by columns, symmetric, and laid out for sweeps."""


@dataclass(frozen=True)
class Placed:
    """Stands for what lies on the workers in what they tell the client."""

    name: str


class BlockBackend:
    """The backend of one worker: its rows and vectors are its own, arrays of the host are of all rows.

    Parameters
    ----------
    comm : Communicator
    first_rows : array, optional
        Number of the first row that each worker took, and the number of all.
    n_threads : int
    device : str
        What cells are searched with.
    memory : float
        Bytes that all workers have together.
    """

    name = "dask"

    def __init__(
        self,
        comm: Communicator,
        first_rows: IntArray | None = None,
        n_threads: int = 1,
        device: str = "cpu",
        memory: float = np.inf,
    ) -> None:
        self.comm, self.first_rows, self.n_threads = comm, first_rows, n_threads
        self.device, self.memory = device, memory
        self.notes: list[tuple[Any, type[Warning]]] = []
        self.search: Search | None = None
        self.graph: BlockGraph | None = None
        self.features: FeatureMap | None = None
        self.found: Found | None = None

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> BlockGraph:
        """Link each row to its nearest rows; each worker has the rows of near cells."""

        def note(told: Any) -> None:
            self.notes.append((told, UserWarning))

        counts = neighbor_counts(n_neighbors, scale_neighbor, rows.n_rows, warn=note)
        need = fit_bytes(rows.n_rows, max(counts), 1) + 3 * 8 * rows.n_rows * rows.n_features
        check_memory(f"A fit of {rows.n_rows:,} rows", need, self.memory)
        assert self.first_rows is not None
        self.features = FeatureMap(metric, change=rows.change)
        parts = [self.features(block) for block in rows.values]
        width = self.comm.allreduce(parts[0].shape[1] if parts else 0, max)
        points = np.concatenate(parts) if parts else np.zeros((0, width))
        if not all(self.comm.gather(bool(np.isfinite(points).all()))):
            raise ValueError(
                "X holds NaN or infinite values, although it did not when it was checked; "
                "a block must hold the same finite values every time it is computed."
            )
        del parts
        if rows.evidence is None:
            rows.values.clear()  # what is not needed any more counts
        first, search = int(self.first_rows[self.comm.rank]), find_cell_search(self.device)
        self.graph, self.search = build_graph(
            self.comm, points, first, rows.n_rows, counts, self.n_threads, search, progress
        )
        give_back()
        return self.graph

    def read_affinities(self, blocks: Any) -> tuple[Rows, BlockGraph]:
        """Take rows of a symmetric matrix of affinities as those of the graph."""
        assert self.first_rows is not None
        entries = self.comm.allreduce(sum(block.nnz for block in blocks))
        n = int(self.first_rows[-1])
        check_memory(f"A graph of {n:,} rows", COPIES * BYTES_PER_ENTRY * entries, self.memory)
        self.graph = from_affinities(self.comm, blocks, self.first_rows)
        return Rows(None, None, n, n), self.graph

    def asarray(self, values: Any) -> Vector:
        """Return the values as an array of all rows, whole numbers in few bytes."""
        return in_few_bytes(values)

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as an array of all rows."""
        return np.asarray(vector)

    def place(self, graph: Any) -> Any:
        """Take the own rows of a graph of the host."""
        if not isinstance(graph, Graph):
            return graph
        size, n = self.comm.size, graph.n_vertices
        starts = np.arange(size + 1) * n // size
        own = np.arange(starts[self.comm.rank], starts[self.comm.rank + 1])
        rows = graph.W[own]
        numbers = np.unique(rows.indices)
        return BlockGraph.from_rows(
            self.comm, own, rows, numbers, numbers.astype(np.int64), starts, recall_=graph.recall_
        )

    def shown(self, graph: Any) -> Any:
        """Return what stands for the graph on the client."""
        self.graph = graph
        return Placed("graph")

    def engine(self, graph: Any) -> Engine:
        """Return the engine of the own rows of a graph."""
        from graphwell.backends.dask.engine import BlockEngine

        return BlockEngine(graph, self.n_threads)

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> FloatArray:
        """Ask a function about the rows that this worker took; return what is said of its vertices."""
        assert self.graph is not None
        assert self.first_rows is not None
        said = [np.asarray(function(block), dtype=np.float32) for block in rows.values]
        own = np.concatenate([np.zeros((0, width), np.float32), *said])
        first, stop = self.first_rows[self.comm.rank], self.first_rows[self.comm.rank + 1]
        pieces = []
        for vertices in self.graph.everyone:
            theirs = vertices[(vertices >= first) & (vertices < stop)]
            pieces.append((theirs, own[theirs - first]))
        numbers, values = (np.concatenate(p) for p in zip(*self.comm.each(pieces), strict=True))
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
    ) -> Answers:
        """Keep what is told of each row; rows that no label reaches have the prior."""
        own, bridges = engine.graph.own, problem.graph.bridges
        reachable, n = own(problem.reachable), len(engine.graph.vertices)
        chosen = own(assigned).astype(np.int64)
        bridged = np.zeros(n, dtype=bool) if bridges is None else bridges.rows[engine.graph.vertices]
        found = distributions(np, chosen, wide_as(np, scores, columns, len(prior)))
        found = modest(np, found, bridged)
        found[~reachable] = prior
        decided = np.where(reachable, chosen, prior.argmax()).astype(np.min_scalar_type(-len(prior)))
        self.found = Found(decided, found, reachable, bridged)
        names = ("labels", "distributions", "reachable", "bridged", "predictor")
        return Answers(*(cast(Any, Placed(name)) for name in names))

    def by_row(self, found: Found) -> Found:
        """What is said of the rows that this worker took, from what all say of their vertices."""
        assert self.graph is not None
        assert self.first_rows is not None
        vertices, pieces = self.graph.vertices, []
        for first, stop in zip(self.first_rows[:-1], self.first_rows[1:], strict=True):
            at = np.flatnonzero((vertices >= first) & (vertices < stop))
            pieces.append((vertices[at], found.at(at)))
        received = self.comm.each(pieces)
        order = np.argsort(np.concatenate([numbers for numbers, _ in received]))
        return Found.joined([part for _, part in received]).at(order)


@dataclass(frozen=True)
class Effort:
    """What a round cost one worker: exchanges of messages, bytes sent, and seconds in all and of waiting."""

    rounds: int
    bytes_sent: int
    seconds: float
    seconds_waited: float


@dataclass(frozen=True)
class Share:
    """What a worker keeps of a fit.

    Attributes
    ----------
    attributes, notes : dict, list
        What the client is told at once; the first worker has it.
    rows : Found
        What is said of the rows that this worker took.
    part : FittedPart, optional
    graph : tuple
        Numbers of its vertices, their rows of ``W``, and the user's number of each column.
    facts : dict
        What the client knows of the graph.
    effort : Effort
    """

    attributes: dict[str, Any] | None
    notes: list[Any]
    rows: Found | None
    part: FittedPart | None
    graph: Any
    facts: dict[str, Any]
    effort: Effort


@dataclass(frozen=True)
class Job:
    """A fit, or the building of a graph alone, as every worker runs it (see `worker.Job`)."""

    work: Callable[..., Any]
    rows: Rows
    affinities: bool
    first_rows: IntArray
    run: Any
    more: tuple[Any, ...]
    n_threads: int
    device: str
    memory: float

    def __call__(self, comm: Communicator, box: Mailbox, blocks: list[Any]) -> Share:
        """Run it, given the blocks of rows that this worker took."""
        began = time.perf_counter()
        backend = BlockBackend(comm, self.first_rows, self.n_threads, self.device, self.memory)
        rows, graph = replace(self.rows, values=blocks), None
        if self.affinities:
            rows, graph = backend.read_affinities(blocks)
            blocks.clear()
        run = replace(self.run, ask=partial(ask_client, comm, box), look=comm.check)
        attributes, notes = self.work(backend, rows, graph, run, *self.more)
        placed, found, search = backend.graph, backend.found, backend.search
        assert placed is not None
        n_halo = comm.allreduce(len(placed.halo))
        facts = {
            "recall_": placed.recall_, "n_components": placed.n_components, "bridges": placed.bridges,
            "n_vertices": placed.n_vertices, "halo": n_halo / placed.n_vertices,
        }  # fmt: skip
        if search is not None:
            facts |= {"search": (search.cells, search.floor), "features": backend.features}
            facts["counts"] = (search.n_neighbors, search.scale_neighbor)
        by_row = None if found is None else backend.by_row(found)
        part = None if found is None or search is None else FittedPart(search, found)
        mail = cast("WorkerMail | None", comm.mail)
        sent = (0, 0.0) if mail is None else (mail.bytes_sent, mail.seconds_waited)
        seconds = time.perf_counter() - began
        return Share(
            attributes if comm.rank == 0 else None, [*backend.notes, *notes], by_row, part,
            (placed.vertices, placed.W, placed.columns), facts,
            Effort(comm.rounds, sent[0], seconds, sent[1]),
        )  # fmt: skip


class Backend:
    """Rows and results are Dask arrays; the graph lies on the workers.

    Parameters
    ----------
    n_jobs : int, optional
        Not used: the workers have their own threads.
    device : str
        What the workers search with; each must have one.
    """

    name = "dask"

    def __init__(self, n_jobs: int | None = None, device: str = "cpu") -> None:
        self.cluster, self.device = Cluster(connected_client()), device
        if device != "cpu":
            self.cluster.ask(look_for, device)

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Look at every block of the rows once; whatever is wrong with them gets one sentence."""
        check_metric(metric)
        source = row_blocks(X)
        pairs = zip(source.blocks, source.readers, strict=True)
        found = self.cluster.results([lazy(inspect, block, read, metric) for block, read in pairs])
        check_inspected(found, source.starts)
        return Rows(X, source, int(X.shape[0]), int(X.shape[1]))

    def read_affinities(self, X: Any) -> tuple[Rows, Any]:
        """Take a symmetric matrix of affinities, in blocks of whole rows, as the graph itself."""
        if self.device != "cpu":
            problem = "{field} must be cpu for a graph that is a Dask array: nothing is searched; got {!r}."
            raise OptionError("device", problem, self.device)
        rows = Rows(X, affinity_blocks(X), int(X.shape[0]), int(X.shape[1]))
        return rows, GivenGraph(lambda: self.build_graph(rows, 0, 0, "precomputed", silent))

    def read_labels(self, y: Any) -> Any:
        """Return labels of any kind as an array of the client."""
        return y.compute() if hasattr(y, "compute") else y

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Fetch rows at some places."""
        found = self.cluster.results(blocks_of(rows.given[np.sort(places)]))
        return np.concatenate(found).astype(np.float64)

    def apart(self, work: Callable[..., Result], *arguments: Any, progress: Progress) -> Result:
        """Have one of the workers do the work."""
        (found,) = self.cluster.results([lazy(work, *arguments, silent)])
        return cast(Result, found)

    def together(
        self, work: Callable[..., tuple[dict[str, Any], Any]], rows: Rows, graph: Any, run: "Run", *more: Any
    ) -> tuple[dict[str, Any], Any]:
        """Have every worker do the work on its rows; return what the first says, with Dask arrays."""
        return self._everywhere(work, rows, run.elsewhere(), run.answers(), *more)

    def _everywhere(
        self, work: Callable[..., Any], rows: Rows, run: Any, hear: Callable[[str, Any], Any], *more: Any
    ) -> tuple[dict[str, Any], Any]:
        source: RowBlocks = rows.values
        there = replace(rows, given=None, values=None)
        n_threads, memory = self.cluster.n_threads(), self.cluster.memory()

        def job(first_rows: IntArray) -> Job:
            given = (run, more, n_threads, self.device, memory)
            return Job(work, there, source.affinities, first_rows, *given)

        finish = partial(self._finished, rows)
        return self.cluster.everywhere(source, max(1, rows.n_rows // 2), job, hear, finish)

    def _finished(self, rows: Rows, kept: Kept) -> tuple[dict[str, Any], Any]:
        """What the first worker says, with Dask arrays of what all keep of each row."""
        told = kept.cluster.fetched(kept.each(attrgetter("attributes", "notes", "facts", "effort")))
        attributes, notes, facts, _ = told[0]
        parts, efforts = kept.each(attrgetter("graph")), [each[3] for each in told]
        placed = {"graph": ClusterGraph(kept.cluster, parts, facts, efforts)}
        if any(isinstance(value, Placed) and value.name == "labels" for value in attributes.values()):
            placed |= self._answers(kept, rows, facts, attributes)
        found = {
            name: placed[value.name] if isinstance(value, Placed) else value
            for name, value in attributes.items()
        }
        return found, notes

    def _answers(
        self, kept: Kept, rows: Rows, facts: dict[str, Any], attributes: dict[str, Any]
    ) -> dict[str, Any]:
        classes, prior, source = attributes["classes_"], attributes["class_prior_"], rows.values
        pieces = []
        for rank, future in enumerate(kept.futures):
            for b in range(kept.first_blocks[rank], kept.first_blocks[rank + 1]):
                own = source.starts[b : b + 2] - kept.first_rows[rank]
                pieces.append(kept.cluster.client.submit(_piece, future, *own.tolist(), pure=False))
        answers, pieces = pieces, kept.cluster.copied(pieces)
        chunks = rows.given.chunks[0]

        def array(function: Callable[..., Any], width: int | None, like: Any, *arguments: Any) -> Any:
            left, shape = iter(pieces), (0,) if width is None else (0, width)
            blocks = [
                lazy(function, next(left), *arguments) if length else lazy(np.empty, shape, like.dtype)
                for length in chunks
            ]
            return array_of(blocks, chunks, width, like.dtype)

        no_row = np.zeros(0, dtype=bool)
        scores = array(attrgetter("distributions"), len(classes), np.zeros(0))
        reachable = array(attrgetter("reachable"), None, no_row)
        fitted = (kept.cluster, scores, reachable, classes, prior, answers)
        predictor: Any = AffinityInduction(*fitted)
        if "search" in facts:
            known: tuple[Any, ...] = (*facts["search"], facts["counts"], facts["features"])
            known = (kept.each(attrgetter("part")), *known, rows.n_features, rows.evidence)
            predictor = cast(Any, DaskInduction)(*fitted, *known)
        return {
            "labels": array(_named, None, classes, classes),
            "distributions": scores,
            "reachable": reachable,
            "bridged": array(attrgetter("bridged"), None, no_row),
            "predictor": predictor,
        }

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> "ClusterGraph":
        """Link each row to its nearest rows; the graph stays on the workers until it is asked for."""
        sizes = (n_neighbors, scale_neighbor, metric)
        found, notes = self._everywhere(
            _graph_alone, rows, Telling(), lambda question, value: progress(*value), sizes
        )
        for told, kind in notes:
            warn_user(told, kind)
        return cast(ClusterGraph, found["graph_"])

    def place(self, graph: Any) -> Any:
        """Return the graph itself."""
        return graph

    def shown(self, graph: Any) -> Any:
        """Return the graph itself, which fetches its matrices when they are asked for."""
        return graph

    def engine(self, graph: Any) -> Engine:
        """Return the engine of this machine; a graph on the workers is fetched."""
        return find_backend("cpu").engine(graph if isinstance(graph, Graph) else graph.fetched)

    def asarray(self, values: Any) -> Vector:
        """Return the values as an array of this machine."""
        return np.asarray(values)

    def to_host(self, vector: Vector) -> Any:
        """Return the array itself."""
        return vector


@dataclass(eq=False, repr=False)
class ClusterGraph:
    """A graph whose rows lie on the workers of a Dask cluster, as the client knows it.

    Attributes
    ----------
    cluster : Cluster
    parts : list of futures
        The rows of each worker.
    facts : dict
        What is known without fetching them: `n_vertices`, `n_components`, `recall_`, `bridges`, and `halo`,
        the share of vertices that other workers need.
    efforts : list of Effort
        What the round that made it cost each worker.
    """

    cluster: Cluster
    parts: list[Any]
    facts: dict[str, Any]
    efforts: list[Effort]
    origin = None
    can_relink = False
    n_neighbors = None
    sharpness = 1.0

    @property
    def n_blocks(self) -> int:
        """Number of workers that have rows of it."""
        return len(self.parts)

    @once
    def fetched(self) -> Graph:
        """The graph on this machine: all of its affinities are fetched from the workers."""
        parts = self.cluster.fetched(self.parts)
        order = np.argsort(np.concatenate([vertices for vertices, _, _ in parts]))
        shape = (self.facts["n_vertices"],) * 2
        rows = [
            sparse.csr_array((W.data, columns[W.indices], W.indptr), shape=(W.shape[0], shape[1]))
            for _, W, columns in parts
        ]
        W = frozen(sparse.vstack(rows).tocsr()[order])
        return Graph(W, bridges=self.facts["bridges"])

    def __getattr__(self, name: str) -> Any:
        if name in ("n_vertices", "n_components", "recall_", "bridges", "halo"):
            return self.facts[name]
        matrices = ("W", "S", "L", "L_s", "n_edges", "isolated", "nbytes", "inverse_roots")
        if name not in (*matrices, "degrees", "components", "fingerprint", "sharpened", "bridged"):
            raise AttributeError(f"a graph on a Dask cluster has no attribute {name!r}")
        return getattr(self.fetched, name)

    def __reduce__(self) -> Any:
        """Pickled, it becomes the graph of one machine."""
        return Graph, (self.fetched.W, None, 1.0, self.bridges)

    def __repr__(self) -> str:
        return f"ClusterGraph({self.n_vertices:,} vertices on {self.n_blocks} workers)"


@dataclass(frozen=True, eq=False)
class GivenGraph:
    """A graph that the rows themselves are: made where somebody asks for it outside of a fit."""

    make: Callable[[], ClusterGraph]

    @once
    def made(self) -> ClusterGraph:
        """The graph."""
        return self.make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)


def look_for(device: str) -> None:
    """Say in a sentence what this worker lacks to compute on a device."""
    find_backend(device)


@dataclass(frozen=True)
class Telling:
    """A run of workers that tells how far it is, and nothing else."""

    ask: Any = None
    look: Any = None

    def told(self, stage: str, share: float | None) -> None:
        """Tell how far a stage is."""
        self.look()
        self.ask("told", (stage, share))


def _graph_alone(
    backend: BlockBackend, rows: Rows, graph: Any, run: Telling, sizes: Any
) -> tuple[dict[str, Any], Any]:
    """Build the graph, and fit nothing."""
    if graph is None:
        graph = backend.build_graph(rows, sizes[0], sizes[1], sizes[2], run.told)
    return {"graph_": backend.shown(graph)}, []


def _piece(share: Share, first: int, stop: int) -> Found:
    assert share.rows is not None
    return share.rows.at(np.arange(first, stop))


def _named(found: Found, classes: Any) -> Any:
    return classes[found.assigned]
