"""What lies on the workers, an array for each block: columns of values, and vectors in arithmetic.

A vector has a value for every vertex. Arithmetic with NumPy's functions only writes down what is wanted; the
workers work it out, block by block, once a task needs it. So no vector of floats passes through the client,
which holds labels, and the vertices of each block.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks import formulas
from graphwell.backends.blocks.formulas import Formula, Members, Slot, Step, Table
from graphwell.backends.dask.handles import Handle
from graphwell.backends.dask.tasks import Tasks
from graphwell.backends.dask.teams import undisturbed

if TYPE_CHECKING:
    from graphwell.backends.dask.graph import DaskGraph


GONE = ("lost", "error", "cancelled")
"""What Dask says of results that a worker took with it."""


class Columns:
    """Columns on the workers, which know how they were made: lost ones are made again.

    Parameters
    ----------
    tasks : Tasks
    handles : list of handles
        One for each block of the graph.
    make : callable
        Makes them from what the client and the graph hold.
    """

    def __init__(self, tasks: Tasks, handles: list[Handle], make: Callable[[], list[Handle]]) -> None:
        self.tasks, self._handles, self.make = tasks, handles, make

    @property
    def handles(self) -> list[Handle]:
        """A handle for each block; made anew where workers took what Dask cannot make again."""
        if not self._handles or any(map(_failed, self._handles)):
            self._handles = self.tasks.keep(self.make())
        return self._handles

    def forget(self) -> None:
        """Let the workers forget them; whoever still asks for them has them made anew."""
        self.tasks.let_go(self._handles)
        self._handles = []


def _failed(handle: Handle) -> bool:
    return handle.future is not None and handle.future.status == "error"


Of = Callable[[Columns], list[Handle]]
"""Where to take columns from: as they are, or made from the beginning."""


def as_they_are(columns: Columns) -> list[Handle]:
    """The handles of columns."""
    return columns.handles


def where_made(columns: Columns) -> list[Handle]:
    """The handles of columns on the workers that made them, sooner there than copies, but gone with one."""
    return [
        handle if handle.original is None or handle.original.future.status in GONE else handle.original
        for handle in columns.handles
    ]


def copies_alone(columns: Columns) -> list[Handle]:
    """The handles of columns; what they are copies of is forgotten, since a worker is gone."""
    for handle in columns.handles:
        handle.original = None
    return columns.handles


def parts_of(graph: "DaskGraph", given: Any, of: Of) -> Sequence[Any]:
    """Something for each block of a graph: of columns, of a vector, or of values of all vertices."""
    if isinstance(given, Columns):
        return of(given)
    if isinstance(given, WorkerVector):
        return given.parts(of)
    return given if isinstance(given, list) else graph.cut(given)


def told(graph: "DaskGraph", name: str, function: Any, *given: Any, **same: Any) -> list[Any]:
    """What a function says of each block, given columns and vectors; asked again if a worker is lost."""
    tasks = graph.tasks

    def ask() -> list[Any]:
        parts = [parts_of(graph, one, as_they_are) for one in given]
        return tasks.results(tasks.each(name, function, *parts, **same), at_home=True)

    return undisturbed(tasks, graph.n_blocks, ask)


class WorkerVector(NDArrayOperatorsMixin):
    """A value for every vertex of a graph on the workers, written down as a call of NumPy.

    Parameters
    ----------
    graph : DaskGraph
    function : callable
    arguments : vectors, columns, arrays of all vertices, lists with something for each block, or constants
    """

    ndim = 1

    def __init__(self, graph: "DaskGraph", function: Any, *arguments: Any, **options: Any) -> None:
        self.graph, self.function, self.arguments, self.options = graph, function, arguments, options

    @property
    def shape(self) -> tuple[int]:
        """Number of vertices."""
        return (self.graph.n_vertices,)

    def __len__(self) -> int:
        return self.graph.n_vertices

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or "out" in options:
            return NotImplemented
        return WorkerVector(self.graph, ufunc, *inputs, **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if (function is np.where and len(arguments) == 3) or function is np.clip:
            return WorkerVector(self.graph, function, *arguments, **options)
        if function is np.isin and arguments[0] is self:
            return WorkerVector(self.graph, Members(arguments[1]), self)
        if function is np.bincount and len(arguments) == 1:
            return self.counts(options.get("minlength", 0))
        return NotImplemented

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.compute(), dtype=dtype)

    def __iter__(self) -> Any:
        return iter(self.compute())

    def __getitem__(self, at: Any) -> Any:
        """Values where a mask, an array or a vector, is true, or at other places: an array of the client."""
        if not isinstance(at, WorkerVector) and np.asarray(at).dtype != bool:
            return self.compute()[at]
        found = told(self.graph, "marked", formulas.marked, self, at)
        vertices = [part[at] for part, (at, _) in zip(self.graph.vertices, found, strict=True)]
        order = np.argsort(np.concatenate(vertices))
        return np.concatenate([values for _, values in found])[order]

    def astype(self, dtype: Any, copy: bool = True) -> "WorkerVector":
        """The values in another type."""
        return WorkerVector(self.graph, formulas.of_type, self, dtype=np.dtype(dtype))

    def clip(self, low: Any = None, high: Any = None) -> "WorkerVector":
        """The values within bounds."""
        return WorkerVector(self.graph, np.clip, self, low, high)

    def compute(self) -> Any:
        """The values as an array of the client."""
        return self.graph.joined(told(self.graph, "fetch-vector", np.asarray, self))

    def max(self) -> Any:
        """The largest value."""
        return np.concatenate(told(self.graph, "highest", formulas.highest, self)).max()

    def sum(self) -> Any:
        """The sum of all values, without any error that depends on the blocks."""
        one_group = WorkerVector(self.graph, np.zeros, self.graph.lengths, dtype=np.int8)
        return group_sums(self.graph, one_group, self, 1)[0]

    def mean(self) -> float:
        """The mean of all values."""
        return float(self.sum()) / len(self)

    def counts(self, n_groups: int) -> IntArray:
        """How many vertices have each number from 0 on; at least so many numbers."""
        found = told(self.graph, "counted", formulas.counted, self, n_groups=n_groups)
        width = max(map(len, found))
        return np.sum([np.pad(counts, (0, width - len(counts))) for counts in found], axis=0)

    def parts(self, of: Of = as_they_are) -> list[Handle]:
        """What works it out for each block, inside of the tasks that need it."""
        formula, leaves = self._written_down()
        given = [parts_of(self.graph, leaf, of) for leaf in leaves]
        handles = self.graph.tasks.each("vector", formula.of, *given)
        for handle in handles:
            handle.inside = True
        return handles

    def _written_down(self) -> tuple[Formula, list[Any]]:
        """The formula of this vector, and what it is worked out from."""
        leaves: list[Any] = []
        places: dict[int, int] = {}
        calls: list[WorkerVector] = []
        self._collect(leaves, calls, places)
        slot = {key: Slot(n if n >= 0 else len(leaves) - n - 1) for key, n in places.items()}
        steps = [
            Step(call.function, tuple(slot.get(id(each), each) for each in call.arguments), call.options)
            for call in calls
        ]
        return Formula(len(leaves), tuple(steps)), leaves

    def _collect(self, leaves: list[Any], calls: list["WorkerVector"], places: dict[int, int]) -> None:
        """Number leaves from 0 on and calls from -1 down, each after those that it needs."""
        for each in self.arguments:
            if id(each) in places:
                continue
            if isinstance(each, WorkerVector):
                each._collect(leaves, calls, places)
            elif isinstance(each, Columns | list) or (isinstance(each, np.ndarray) and each.ndim == 1):
                places[id(each)] = len(leaves)
                leaves.append(each)
        calls.append(self)
        places[id(self)] = -len(calls)


class VectorLibrary:
    """NumPy, with vectors on the workers where it would make one of its own."""

    def __init__(self, graph: "DaskGraph") -> None:
        self.graph = graph

    def ones(self, n: int) -> WorkerVector:
        """A vector of ones."""
        return WorkerVector(self.graph, np.ones, self.graph.lengths)

    def take(self, table: Any, numbers: Any) -> Any:
        """Entries of a small array, for a vector or an array of numbers."""
        if isinstance(numbers, WorkerVector):
            return WorkerVector(self.graph, Table(np.asarray(table)), numbers)
        return np.take(np.asarray(table), numbers)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def held_by(graph: "DaskGraph", handles: list[Handle]) -> WorkerVector:
    """A vector whose blocks Dask itself can make again."""
    return WorkerVector(graph, np.asarray, Columns(graph.tasks, handles, lambda: handles))


def group_sums(graph: "DaskGraph", groups: Any, values: Any, n_groups: int) -> FloatArray:
    """The sum of the values of each group of vertices: the same bits however they are cut into blocks."""
    peaks = told(graph, "group-peaks", formulas.group_peaks, groups, values, n_groups=n_groups)
    bounds = graph.n_vertices * np.max(peaks, axis=0)
    return np.sum(told(graph, "group-sums", formulas.group_sums, groups, values, bounds=bounds), axis=0)


def group_minima(graph: "DaskGraph", groups: Any, values: Any, n_groups: int) -> FloatArray:
    """The smallest value of each group of vertices."""
    found = told(graph, "group-minima", formulas.group_minima, groups, values, n_groups=n_groups)
    return np.asarray(np.min(found, axis=0))
