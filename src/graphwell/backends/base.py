"""The seam: what solvers ask of the place where a fit runs.

A `Backend` is such a place: the CPU, a GPU, a Dask cluster. It reads rows, builds their graph and lends an
`Engine` for it. Solvers are written once, in the verbs of an engine. Whoever adds a backend writes one folder
and one line of `registry.py`, and gets every test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, SupportsInt, TypeVar

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.progress import Progress

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.graph.components import Bridges
    from graphwell.solve.fit import Run
    from graphwell.solve.problem import Problem

Result = TypeVar("Result")
Vector = Any
"""A value for every vertex: an array of the engine's library `xp`, in the order of the user's rows."""
Block = Any
"""A column of values for every class: of the engine's own kind, which only its verbs look into."""


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


@dataclass(frozen=True)
class Solution:
    """Solution of a linear system with one column per right-hand side."""

    x: Block
    iterations: int
    residual: float  # the largest norm of a residual column, relative to its right-hand side


class PlacedGraph(Protocol):
    """A graph as solvers see it, wherever it lies; a `graphwell.Graph` is one."""

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""

    @property
    def degrees(self) -> Vector:
        """Sum of each row of the affinities."""

    @property
    def components(self) -> Vector:
        """Number of the connected component of each vertex."""

    @property
    def n_components(self) -> int:
        """Number of connected components."""

    @property
    def fingerprint(self) -> str:
        """A hash of the affinities."""

    @property
    def n_neighbors(self) -> int | None:
        """Number of neighbours that each row chose; None if the graph was not made from rows."""

    @property
    def bridges(self) -> "Bridges | None":
        """Edges that join components without a known vertex to others, if there are any."""

    def sharpened(self, power: float) -> "PlacedGraph":
        """Return the graph with every affinity raised to a power."""

    def bridged(self, known: Vector) -> "PlacedGraph":
        """Return the graph with each component without a known vertex joined to the nearest; rows needed."""


class Vectors(Protocol):
    """Where vectors lie, and what is done with them besides the functions of their library."""

    xp: Any
    """The library: NumPy, or one that answers to the same names."""

    @property
    def n_threads(self) -> int:
        """Threads of this machine that may share work on the host; no result depends on it."""

    def group_sums(self, groups: IntArray, values: Vector, n_groups: int) -> Vector:
        """Return the sum of the values of each group of vertices."""

    def group_minima(self, groups: IntArray, values: Vector, n_groups: int) -> Vector:
        """Return the smallest value of each group of vertices."""

    def asarray(self, values: Any) -> Vector:
        """Bring values of the vertices from the host to where vectors lie."""

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as a NumPy array."""

    def release(self) -> None:
        """Give back memory that sweeps and products alone need; they take it again when asked for."""


@dataclass(frozen=True, eq=False)
class Coarse:
    """A coarse level of a linear system, for solvers that can use one."""

    level: Vector  # what ``A S A`` hardly changes
    groups: Callable[[int], IntArray | None]  # of each vertex, at most so many; None if there are more


class Engine(Vectors, Protocol):
    """One graph in the engine's own layout, and the verbs that solvers are written in.

    A result depends on the arguments alone: not on the number of threads, nor on earlier calls.
    """

    @property
    def graph(self) -> Any:
        """The graph, a `PlacedGraph`."""

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""

    def product(self, block: Block) -> Block:
        """Return ``S`` times a block, or times a vector."""

    def votes(self, labels: IntArray, values: Vector, n_classes: int) -> Block:
        """Return ``S`` times what `indicator` makes of these, which need not be there as a whole."""

    def solve(self, scaling: Vector, b: Block, coarse: Coarse | None = None) -> Solution:
        """Solve ``(I - A S A) x = b``, a block or a vector, `scaling` the diagonal of ``A``; uses up `b`."""

    def nearest(self, labels: IntArray) -> Vector:
        """Return the known label nearest along the graph, an edge being as long as 1 / weight; -1 if none."""

    def indicator(self, labels: IntArray, values: Vector, n_classes: int) -> Block:
        """Return a block with `values` in the columns of the labels; a row of zeros where there is none."""

    def scaled(self, block: Block, factors: Vector) -> Block:
        """Return the block with each row times its factor."""

    def added(self, a: Block, b: Block) -> Block:
        """Return ``a + b``; uses up `a`."""

    def argmax(self, block: Block, prices: FloatArray | None = None) -> Vector:
        """Return the column with the largest entry of each row; with prices, of the logarithms plus these."""

    def shares(self, block: Block, power: float = 1.0) -> Block:
        """Return powers of the positive parts, with rows that add up to 1; a row of zeros becomes even."""

    def margins(self, block: Block) -> Vector:
        """Return the distance between the two largest shares of each row."""

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex, the first of equals; -1 if it has none."""

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices, as a SciPy matrix of the host."""

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, their numbers rising, as a SciPy matrix of the host."""

    def group_means(self, block: Block, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices, on the host; entries lie between 0 and 1."""

    def spread(self, values: FloatArray, groups: IntArray | None = None) -> Block:
        """Return rows of the host, or of `ask_rows`, as a block; with groups, of the group of each vertex."""


class RowEvidence(Protocol):
    """Class probabilities of each row by itself; can be pickled."""

    @property
    def weight(self) -> float:
        """Its share of the scores; the graph counts the rest of 1."""

    def __call__(self, X: Any) -> FloatArray:
        """Return the probabilities of rows of the host times the weight."""


@dataclass(frozen=True)
class Rows:
    """A user's rows, checked."""

    given: Any  # as the user gave them: answers come back as arrays of the same kind
    values: Any  # as the backend builds a graph from them
    n_rows: int
    n_features: int
    change: Callable[[Any], Any] | None = None  # of rows before they are compared, see `tuning.metrics`
    evidence: RowEvidence | None = None  # what is known of each row besides the graph


@dataclass(frozen=True)
class Answers:
    """The answers of a fit for every row, as arrays of the kind that the user's rows are."""

    labels: Any
    distributions: Any
    reachable: Any  # whether a label reaches each row
    bridged: Any  # whether only over a bridge
    predictor: "Predictor"


class Predictor(Protocol):
    """Scores of new rows after a fit; can be pickled."""

    @property
    def takes_features(self) -> bool:
        """Whether new rows are features rather than affinities."""

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row; they add up to 1."""

    def labels(self, X: Any) -> Any:
        """Return the class of each new row."""

    def least_certain(self, k: int, given: BoolArray, bridged: Any) -> IntArray:
        """Return the `k` least certain of the fitted rows whose label was not given, those first.

        Rows that no label reaches come before all others, then those that are bridged.
        """


class Backend(Protocol):
    """A place where fits run."""

    name: str

    def read_rows(self, X: Any, metric: str) -> Rows:
        """Check the rows; whatever is wrong with them gets one sentence."""

    def read_affinities(self, X: Any) -> tuple[Rows, PlacedGraph]:
        """Take a symmetric matrix of affinities as the graph itself, which lies here."""

    def read_labels(self, y: Any) -> Any:
        """Return labels of any kind as an array of the host."""

    def build_graph(
        self, rows: Rows, n_neighbors: int, scale_neighbor: int, metric: str, progress: Progress
    ) -> PlacedGraph:
        """Link each row to its nearest rows, with locally scaled weights."""

    def some_rows(self, rows: Rows, places: IntArray) -> Any:
        """Return rows at some places, in ascending order, on the host."""

    def ask_rows(self, rows: Rows, function: Callable[[Any], FloatArray], width: int) -> Any:
        """Return what a function of the host gives for all rows, so many values for each, for `spread`."""

    def apart(self, work: Callable[..., Result], *arguments: Any, progress: Progress) -> Result:
        """Return ``work(*arguments, progress)``, done in this process, or by one worker on few rows."""

    def together(self, work: Callable[..., Result], rows: Rows, graph: Any, run: "Run", *more: Any) -> Result:
        """Return ``work(backend, rows, graph, run, *more)``, done by every worker that has rows."""

    def asarray(self, values: Any) -> Vector:
        """Bring values of the vertices from the host to where vectors lie."""

    def to_host(self, vector: Vector) -> Any:
        """Return a vector as a NumPy array."""

    def place(self, graph: "Graph") -> PlacedGraph:
        """Return a graph of the host as one that lies here."""

    def shown(self, graph: PlacedGraph) -> Any:
        """Return the graph as users see it."""

    def engine(self, graph: PlacedGraph) -> Engine:
        """Return the engine for a graph that lies here."""

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
        """Return the answers for every row; the prior where no label reaches.

        `columns` are the numbers of the classes of the columns of the scores; the others have no rows.
        """
