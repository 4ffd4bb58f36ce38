"""The place where a fit runs, and the verbs that solvers ask of it.

A `Backend` is such a place: the CPU, a GPU, a Dask cluster. It reads rows, builds their graph and lends an
`Engine` for it. Solvers are written once, in the verbs of an engine. Whoever adds a backend writes one folder
and one line of `registry.py`, and gets every test.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsInt, TypeVar

import numpy as np

from graphwell._threads import ThreadPool, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.aggregation import grouped_totals, heaviest_entries, means_of, merged_matrix, unit_of
from graphwell.backends.conjugate_gradients import TOLERANCE, Solution, System, conjugate_gradients
from graphwell.backends.induction import Induction, answered
from graphwell.graph import Graph
from graphwell.graph.canonical import Canonical
from graphwell.graph.checks import read_features
from graphwell.graph.knn import check_metric
from graphwell.progress import Progress

if TYPE_CHECKING:
    from graphwell.solve.fit import Run
    from graphwell.solve.problem import Problem

Result = TypeVar("Result")
# A value for every vertex: an array of the engine's library `xp`, in the order of the user's rows.
Vector = Any
# A column of values for every class: an array of `xp`; on a cluster, of the worker's own rows.
Block = Any
# A graph wherever it lies, with the names of `graphwell.Graph` that solvers use: `n_vertices`, `degrees`,
# `components`, `n_components`, `bridges`, `sharpened` and `bridged`.
PlacedGraph = Any
ROWS_AT_A_TIME = 20_000


@dataclass(frozen=True)
class State:
    """A class and an offset in [-1/2, 1/2) per vertex; the paper's state is their sum."""

    labels: IntArray
    offsets: FloatArray


@dataclass(frozen=True)
class Swept:
    """A state after some sweeps, its energy, and how often a vertex changed class on the way.

    An engine that does not wait for its sweeps gives the two numbers as promises: ``float(energy)`` and
    ``int(label_changes)`` wait for them.
    """

    state: State
    energy: SupportsFloat
    label_changes: SupportsInt


@dataclass(frozen=True, eq=False)
class Coarse:
    """A coarse level of a linear system, for engines that can use one."""

    level: Vector  # what ``A S A`` hardly changes
    groups: Callable[[int], IntArray | None]  # of each vertex, at most so many; None if there are more


class Engine:
    """One graph in the engine's own layout, and the verbs that solvers are written in.

    A result depends on the arguments alone: not on the number of threads, nor on earlier calls. Here the
    verbs are plain array operations, on blocks that are arrays of shape (n, n_classes). An engine gives
    `graph`, `product`, `sweep` and `nearest`; what its library can do faster it overrides.
    """

    xp: Any = np  # the library of its arrays: NumPy, or one that answers to the same names
    graph: Any = None  # a `PlacedGraph`
    dtype: np.dtype[Any] = np.dtype(np.float64)
    masses: FloatArray | None = None  # how many rows each vertex stands for; None where each is one
    n_threads = thread_count(None)  # of this machine that may share work on the host; no result depends on it
    stable_step: float | None = None  # what solvers found for this graph: see `solve.schedule`,
    aggregates: Any = None  # and `solve.communities`

    # ---------------------------------------------------------------------------------------------- the graph

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        raise NotImplementedError

    def product(self, block: Block) -> Block:
        """Return ``S`` times a block, or times a vector."""
        raise NotImplementedError

    def solve(
        self, scaling: Vector, b: Block, coarse: Coarse | None = None, tolerance: float = TOLERANCE
    ) -> Solution:
        """Solve ``(I - A S A) x = b``, a block or a vector, `scaling` the diagonal of ``A``; uses up `b`."""
        if b.ndim == 1:
            found = self.solve(scaling, self.own(b)[:, None], coarse, tolerance)
            return replace(found, x=self.vector(found.x[:, 0]))
        return conjugate_gradients(self.system(scaling), b, tolerance)

    def system(self, scaling: Vector) -> System:
        """Return the matrix ``I - A S A`` as conjugate gradients take it."""
        return System(self.product, scaling)

    def nearest(self, labels: IntArray) -> Vector:
        """Return the known label nearest along the graph, an edge being as long as 1 / weight; -1 if none."""
        raise NotImplementedError

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex, the first of equals; -1 if it has none."""
        return heaviest_entries(self.graph.W.indptr, self.graph.W.indices, self.graph.W.data)

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices, as a SciPy matrix of the host."""
        return merged_matrix(self.graph.W, groups, n_groups)

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, their numbers rising, as a SciPy matrix of the host."""
        return self.graph.W[vertices]

    # ------------------------------------------------------------------------------------- vectors and blocks

    def asarray(self, values: Any) -> Vector:
        """Bring values of the vertices from the host to where vectors lie."""
        return np.asarray(values)

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as a NumPy array."""
        return vector

    def release(self) -> None:
        """Give back memory that sweeps and products alone need; they take it again when asked for."""

    def indicator(self, labels: IntArray, values: Vector, n_classes: int) -> Block:
        """Return a block with `values` in the columns of the labels; a row of zeros where there is none."""
        labels, values = self.own(labels), self.own(values)
        block = self.xp.zeros((len(labels), n_classes), dtype=np.float32)
        known = self.xp.flatnonzero(labels >= 0)
        block[known, labels[known]] = values[known]
        return block

    def argmax(self, block: Block) -> Vector:
        """Return the column with the largest entry of each row, the first of equals."""
        return self.vector(block.argmax(axis=1))

    def shares(self, block: Block, power: float = 1.0) -> Block:
        """Return powers of the positive parts, with rows that add up to 1; a row of zeros becomes even.

        Examples
        --------
        >>> Engine().shares(np.array([[3.0, 1.0], [0.0, -1.0]]))
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        >>> Engine().shares(np.array([[3.0, 1.0]]), power=2.0)
        array([[0.9, 0.1]])
        """
        shares = self.xp.maximum(block, 0.0)
        if power != 1:
            shares **= power
        total = shares.sum(axis=1)
        shares /= self.xp.where(total > 0, total, 1)[:, None]
        shares[total <= 0] = 1 / block.shape[1]
        return shares

    def grouped(self, groups: IntArray, values: Vector, n_groups: int, combine: np.ufunc = np.add) -> Vector:
        """Return the sum of the values of each group of vertices, or with `np.minimum` the smallest."""
        groups, values = self.own(groups), self.own(values)
        if combine is np.add:
            found = np.bincount(groups, values, minlength=n_groups)
        else:
            found = np.full(n_groups, np.inf)
            combine.at(found, groups, values)
        return self.allreduce(found, combine)

    def group_means(self, block: Block, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices, on the host; entries lie between 0 and 1."""
        unit = unit_of(1.0, len(groups))
        totals = grouped_totals(self.own(groups), self.to_host(block), n_groups, unit)
        return means_of(self.allreduce(totals), unit)

    # ---------------------------------------------------- hooks of a cluster, whose workers have a part alone

    def own(self, values: Any) -> Any:
        """Return the part of a vector that is here: all of it, but for a worker of a cluster."""
        return values

    def vector(self, own: Any) -> Vector:
        """Return the vector whose part is here."""
        return own

    def allreduce(self, values: Any, combine: Callable[[Any, Any], Any] = np.add) -> Any:
        """Return the sum of what all workers have, or what else combines two of them."""
        return values


@dataclass(frozen=True)
class Rows:
    """A user's rows, checked."""

    given: Any  # as the user gave them: answers come back as arrays of the same kind
    values: Any  # as the backend builds a graph from them
    n_rows: int
    n_features: int
    change: Callable[[Any], Any] | None = None  # of rows before they are compared, see `tuning.metrics`
    evidence: Any = None  # class probabilities of rows by themselves, times its `weight`; can be pickled
    compact: Callable[[Any], Any] | None = None  # makes fewer columns, for trees
    order: Canonical | None = None  # in which the rows and columns are, and back to the user's
    masses: FloatArray | None = None  # how many rows each row stands for


@dataclass(frozen=True)
class Answers:
    """The answers of a fit for every row, as arrays of the kind that the user's rows are."""

    labels: Any
    distributions: Any
    reachable: Any  # whether a label reaches each row
    bridged: Any  # whether only over a bridge
    predictor: Any  # of new rows, as `backends.induction.Induction` has it; can be pickled


class Backend:
    """A place where fits run: this machine's processor, on arrays of NumPy and SciPy; others override.

    No result depends on `n_jobs`, the number of threads, which is that of all cores by default.
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
        """Take a symmetric matrix of affinities as the graph itself, which lies here."""
        graph = Graph.from_affinity(X)
        return Rows(X, graph, graph.n_vertices, graph.n_vertices), self.place(graph)

    def read_labels(self, y: Any) -> Any:
        """Return labels of any kind as an array of the host."""
        return y

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> Any:
        """Link each row to its nearest rows, with locally scaled weights."""
        return Graph.of_arranged(
            rows.values,
            n_neighbors,
            scale_neighbor,
            metric,
            self.n_jobs,
            change=rows.change,
            progress=progress,
        ).weighted(rows.masses)

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Return rows at some places, in ascending order, on the host."""
        return rows.values[np.sort(places)]

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> FloatArray:
        """Return what a function of the host gives for all rows, so many values for each.

        Threads ask for some thousands; how rows are cut, and so every bit, does not depend on their number.
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
        """Return ``work(*arguments, progress)``, done in this process, or by one worker on few rows."""
        return work(*arguments, progress)

    def together(self, work: Callable[..., Result], rows: Rows, graph: Any, run: "Run", *more: Any) -> Result:
        """Return ``work(backend, rows, graph, run, *more)``, done by every worker that has rows."""
        return work(self, rows, graph, run, *more)

    def asarray(self, values: Any) -> Vector:
        """Bring values of the vertices from the host to where vectors lie."""
        return np.asarray(values)

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as a NumPy array."""
        return vector

    def place(self, graph: Any) -> Any:
        """Return a graph of the host as one that lies here."""
        return graph

    def shown(self, graph: Any) -> Any:
        """Return the graph as users see it."""
        return graph

    def engine(self, graph: Any) -> Engine:
        """Return the engine for a graph that lies here."""
        from graphwell.backends.cpu.engine import NumbaEngine

        return NumbaEngine(graph, n_jobs=self.n_jobs)

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
        """Return the answers for every row; the prior where no label reaches.

        `columns` are the numbers of the classes of the columns of the scores; the others have no rows. Where
        classifiers are stacked, `of_graph` are the scores without them: new rows take those from neighbours.
        """
        bridges = problem.graph.bridges
        bridged = np.zeros(len(scores), dtype=bool) if bridges is None else bridges.rows
        found = answered(engine.xp, assigned, scores, columns, len(classes), engine.asarray(bridged))
        found[~problem.reachable] = engine.asarray(prior)
        found, reachable = engine.to_host(found), engine.to_host(problem.reachable)
        labels = classes[np.where(reachable, engine.to_host(assigned), prior.argmax())]
        origin = self.shown(problem.graph).origin
        votes = None
        if of_graph is not None:
            votes = engine.to_host(of_graph).astype(np.float64)
            votes[~reachable] = prior
        predictor = Induction(origin, classes, found, reachable, prior, rows.evidence, votes, rows.order)
        return Answers(labels, found, reachable, bridged, predictor)
