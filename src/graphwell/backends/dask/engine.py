"""The verbs on a graph whose blocks lie on the workers of a Dask cluster.

`Columns` hold an array for each block of the graph on its worker, in the order of its layout. Vectors are
written down and worked out there. What needs exchanges between the blocks is work that the workers do
together.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from scipy import sparse

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.aggregation import in_units_of, means_of, unit_of
from graphwell.backends.arrays import HostVectors
from graphwell.backends.base import Coarse, Solution, State, Swept
from graphwell.backends.blocks import columns as on_columns
from graphwell.backends.blocks import gradients
from graphwell.backends.blocks import rows as on_rows
from graphwell.backends.blocks import sweep as on_block
from graphwell.backends.blocks.correction import view_of
from graphwell.backends.blocks.nearest import nearest
from graphwell.backends.blocks.rows import in_few_bytes, narrow
from graphwell.backends.blocks.said import assembled, of_own
from graphwell.backends.conjugate_gradients import MAX_ITERATIONS
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.handles import Handle
from graphwell.backends.dask.tasks import given
from graphwell.backends.dask.teams import Team, ready_for_letters, together, undisturbed
from graphwell.backends.dask.vectors import (
    Columns,
    Of,
    VectorLibrary,
    WorkerVector,
    as_they_are,
    copies_alone,
    group_minima,
    group_sums,
    held_by,
    parts_of,
    told,
    where_made,
)
from graphwell.progress import tell

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem

STATES_KEPT = 2
"""Of the descent: while the copies of the last one are made, the one before is still there."""


@dataclass(frozen=True)
class SaidOnWorkers:
    """What a function says of all rows, by block of the input.

    Attributes
    ----------
    blocks : list of handles
    starts : array
        Number of the first row of each block, and the number of all.
    """

    blocks: list[Handle]
    starts: IntArray


class DaskEngine(HostVectors):
    """Sweeps and products over a graph on a cluster.

    All sweeps of one epsilon are one task for each worker. The state that they begin from is copied to a
    second worker meanwhile: of the descent, the death of one costs the current step, and at its beginning
    the one before. The states are bit for bit those of the CPU engine, for any number of blocks and workers.

    Parameters
    ----------
    graph : DaskGraph
    """

    def __init__(self, graph: DaskGraph) -> None:
        self.graph, self.tasks, self.xp = graph, graph.tasks, VectorLibrary(graph)
        self._last: tuple[Problem, list[Handle]] | None = None
        self._swept: list[ref[Columns]] = []
        ready_for_letters(self.tasks)
        self.tasks.wait(graph.blocks)

    def asarray(self, values: Any) -> Any:
        """Bring a value of each vertex to the workers, whole numbers in few bytes."""
        if isinstance(values, WorkerVector) or np.shape(values) != (self.graph.n_vertices,):
            return values if isinstance(values, WorkerVector) else np.asarray(values)
        cut = self.graph.cut(in_few_bytes(values))
        return held_by(self.graph, self.tasks.put_off(self.tasks.each("placed", given, cut)))

    def to_host(self, vector: Any) -> Any:
        """Return a vector as an array of the client."""
        return np.asarray(vector)

    def group_sums(self, groups: Any, values: Any, n_groups: int) -> FloatArray:
        """Return the sum of the values of each group of vertices."""
        return group_sums(self.graph, groups, values, n_groups)

    def group_minima(self, groups: Any, values: Any, n_groups: int) -> FloatArray:
        """Return the smallest value of each group of vertices."""
        return group_minima(self.graph, groups, values, n_groups)

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        moving = (self._narrow(state.labels, problem.n_classes), state.offsets.astype(np.float32, copy=False))
        same = {"epsilon": epsilon, "step_size": step_size, "count": count}
        ends: list[Any] = []
        sources = iter([where_made])

        def step() -> list[Handle]:
            of = next(sources, copies_alone)
            cut = [parts_of(self.graph, values, of) for values in moving]
            team = self._together("sweeps", on_block.sweeps, self._forces(problem), *cut, **same)
            made, ends[:] = team.kept("sweeps", on_block.end_of, originals=True)
            return made

        swept = Columns(self.tasks, self._undisturbed(step), step)
        self._swept.append(ref(swept))
        if len(self._swept) > STATES_KEPT and (before := self._swept.pop(0)()) is not None:
            before.forget()
        parts: Any = [WorkerVector(self.graph, itemgetter(part), swept) for part in (0, 1)]
        energies, changes = zip(*ends, strict=True)
        return Swept(State(parts[0].astype(np.int32), parts[1]), float(sum(energies)), int(sum(changes)))

    def _forces(self, problem: "Problem") -> list[Handle]:
        """What acts on the vertices besides their neighbours; the workers keep it for one problem."""
        if self._last is None or self._last[0] is not problem:
            balance = problem.balance
            total = (self.graph.total_degree or 1.0) if balance else 1.0
            pressure = None if balance is None else (balance.strength, balance.shares)
            labels: Any = WorkerVector(
                self.graph, np.asarray, self._narrow(problem.labels, problem.n_classes)
            )
            there: Any = replace(problem, labels=labels)
            same = {name: getattr(problem, name) for name in ("n_classes", "implicit")}
            acting = {"total_degree": total, "balance": pressure, **same}
            cut = (labels.parts(), there.fidelities.astype(np.float32).parts())
            forces = self.tasks.each("forces", on_block.make_forces, self.graph.blocks, *cut, **acting)
            self._last = problem, self.tasks.put_off(forces)
        return self._last[1]

    def product(self, block: Columns) -> Columns:
        """Return ``S @ block``."""
        graph, each = self.graph, self.tasks.each

        def make(of: Of) -> list[Handle]:
            near = graph.every(each("export", on_columns.outlets, graph.blocks, of(block)))
            return each("product", on_columns.product, graph.blocks, range(self._n), of(block), near)

        return self._columns(make)

    def votes(self, labels: IntArray, values: FloatArray, n_classes: int) -> Columns:
        """Return ``S`` times the block with `values` in the columns of the labels."""
        return self.product(self.indicator(labels, values, n_classes))

    def solve(
        self, scaling: FloatArray, b: Columns, max_iterations: int | None = None, coarse: Coarse | None = None
    ) -> Solution:
        """Solve ``(I - A S A) x = b`` by conjugate gradients on the workers."""
        inside, ends, views = self.column(scaling), [], self._views(coarse)
        same = {"max_iterations": max_iterations or MAX_ITERATIONS}

        def make(of: Of) -> list[Handle]:
            seen = [None] * self._n if views is None else of(views)
            team = self._together("solve", gradients.solve, of(inside), of(b), seen, **same)
            solved, found = team.kept("solve", gradients.end_of, gradients.solution_of)
            ends.extend(found)
            return solved

        x = self._columns(make)
        tell(1.0)
        return Solution(x, *ends[0])

    def _views(self, coarse: Coarse | None) -> Columns | None:
        """What each block knows of a coarse level, by the cells of the search; None without them."""
        if coarse is None or self.graph.cells is None:
            return None
        groups, n_groups = self.graph.cells
        given = (coarse.level.astype(np.float32), groups, list(range(self._n)))
        return self._each("coarse-view", view_of, *given, n_groups=n_groups)

    def largest_eigenvalue(self, iterations: int) -> float:
        """Return that of ``diag(S 1) - S``, by so many power iterations."""
        x = self._each("drawn", on_columns.drawn, self.graph.rows, n=self.graph.n_vertices)
        program = partial(on_columns.largest_eigenvalue, iterations=iterations)
        found = self._undisturbed(lambda: self._together("eigenvalue", program, x.handles).fetched())
        return float(found[0])

    def nearest(self, labels: IntArray) -> IntArray:
        """Return the known label nearest along the graph; -1 if there is none in reach."""
        program, graph = partial(nearest, power=self.graph.sharpness), self.graph
        found = self._undisturbed(
            lambda: self._together("nearest", program, graph.rows, graph.cut(labels)).fetched()
        )
        return np.asarray(graph.joined(found))

    def indicator(self, labels: IntArray, values: FloatArray, n_classes: int) -> Columns:
        """Return a block with `values` in the columns of the labels."""
        given = (self._narrow(labels, n_classes), values.astype(np.float32))
        return self._each("indicator", on_columns.indicator, *given, n_classes=n_classes)

    def column(self, vector: FloatArray) -> Columns:
        """Return a vector as a block of one column."""
        return self._each("column", on_columns.column, vector.astype(np.float32))

    def vector(self, block: Columns) -> WorkerVector:
        """Return the first column of a block."""
        return self._by_vertex("vector", block)

    def scaled(self, block: Columns, factors: FloatArray) -> Columns:
        """Return the block with each row times its factor."""
        return self._each("scaled", on_columns.scaled, block, factors.astype(np.float32))

    def added(self, a: Columns, b: Columns, factor: float = 1.0) -> Columns:
        """Return ``a + factor * b``."""
        return self._each("added", on_columns.by_row, a, b, verb="added", factor=factor)

    def logarithms(self, block: Columns) -> Columns:
        """Return the logarithm of each entry."""
        return self._each("logarithms", on_columns.by_row, block, verb="logarithms")

    def argmax(self, block: Columns, prices: FloatArray | None = None) -> WorkerVector:
        """Return the column with the largest entry of each row, after the prices have been added."""
        return self._by_vertex("argmax", block, prices=prices)

    def counts(self, block: Columns, prices: FloatArray, among: BoolArray) -> IntArray:
        """Return how many of the rows `among` each column wins under the prices."""
        return np.asarray(
            np.sum(self._told("counts", on_columns.counts, block, among, prices=prices), axis=0)
        )

    def margins(self, block: Columns) -> WorkerVector:
        """Return the distance between the two largest shares of each row."""
        return self._by_vertex("margins", block)

    def shares(self, block: Columns, power: float = 1.0) -> Columns:
        """Return the powers of a block with rows that add up to 1."""
        return self._each("shares", on_columns.by_row, block, verb="shares", power=power)

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex; -1 if it has none."""
        found = self._rows("heaviest", on_rows.heaviest, power=self.graph.sharpness)
        return np.asarray(self.graph.joined(found))

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        power = self.graph.sharpness
        extents = self._rows("largest", on_rows.largest, power=power)
        unit = unit_of(max(largest for largest, _ in extents), sum(count for _, count in extents))
        (everywhere,) = self.tasks.keep([self.tasks.lazy("groups", given, groups)])
        same = {"power": power, "n_groups": n_groups, "unit": unit}
        found = self._rows("condensed", on_rows.condensed, [everywhere] * self._n, **same)
        return in_units_of(sum(found), unit)

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, as a SciPy matrix of the client."""
        same = {"vertices": vertices, "power": self.graph.sharpness, "n": self.graph.n_vertices}
        found = self._rows("some-rows", on_rows.some_rows, **same)
        numbers, parts = zip(*found, strict=True)
        return sparse.vstack(parts).tocsr()[np.argsort(np.concatenate(numbers))]

    def group_means(self, block: Columns, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices."""
        unit = unit_of(1.0, len(groups))
        totals = self._told("totals", on_columns.totals, block, groups, n_groups=n_groups, unit=unit)
        return means_of(np.sum(totals, axis=0), unit)

    def spread(self, values: "FloatArray | SaidOnWorkers", groups: IntArray | None = None) -> Columns:
        """Return a block in which each vertex has the row of its group; what is said of rows has one each."""
        if isinstance(values, SaidOnWorkers):
            return self._brought(values)
        groups = np.arange(self.graph.n_vertices) if groups is None else groups
        return self._each("spread", on_columns.spread, groups, values=values)

    def _brought(self, said: SaidOnWorkers) -> Columns:
        """What was said of all rows, brought to the blocks of the graph by the workers alone."""
        graph, lazy = self.graph, self.tasks.lazy

        def make(of: Of) -> list[Handle]:
            pieces = [
                [lazy("said", of_own, *block, rows) for block in zip(said.blocks, said.starts, strict=False)]
                for rows in graph.rows
            ]
            return self.tasks.each("heard", assembled, pieces, graph.blocks, graph.rows, starts=said.starts)

        return self._columns(make)

    def _rows(self, name: str, function: Any, *columns: Any, **same: Any) -> list[Any]:
        """What a task for each block says of its rows of ``W``, with the user's numbers of their columns."""
        return told(self.graph, name, function, *self.graph.numbered, *columns, **same)

    @property
    def _n(self) -> int:
        return self.graph.n_blocks

    def _together(self, name: str, program: Any, *columns: Any, **same: Any) -> Team:
        """Run a program for each block of the graph, all at the same time."""
        return together(self.tasks, name, program, self.graph.blocks, *columns, **same)

    def _columns(self, make: Callable[[Of], list[Handle]]) -> Columns:
        """Columns made from others, with the next tasks that are started."""
        handles = self._undisturbed(lambda: self.tasks.put_off(make(as_they_are)))
        return Columns(self.tasks, handles, lambda: make(lambda c: c.make()))

    def _each(self, name: str, function: Any, *given: Any, **same: Any) -> Columns:
        """Columns from a task for each block of the graph, given other columns and vectors."""
        return self._columns(lambda of: self._tasks(name, function, given, same, of))

    def _told(self, name: str, function: Any, *given: Any, **same: Any) -> list[Any]:
        """What a task for each block of the graph says, given columns and vectors."""
        return told(self.graph, name, function, self.graph.blocks, *given, **same)

    def _tasks(self, name: str, function: Any, given: Any, same: dict[str, Any], of: Of) -> list[Handle]:
        parts = [parts_of(self.graph, one, of) for one in given]
        return self.tasks.each(name, function, self.graph.blocks, *parts, **same)

    def _undisturbed(self, work: Callable[[], list[Any]]) -> list[Any]:
        """Do some work, again where a worker is lost meanwhile."""
        return undisturbed(self.tasks, self._n, work)

    def _by_vertex(self, verb: str, block: Columns, **same: Any) -> WorkerVector:
        """A vector from a verb on each block."""
        found = self._each(verb, on_columns.by_vertex, block, verb=verb, **same)
        return WorkerVector(self.graph, np.asarray, found)

    def _narrow(self, labels: Any, n_classes: int) -> Any:
        """Labels in the fewest bytes, as an array of the client or a vector."""
        if isinstance(labels, WorkerVector):
            return WorkerVector(self.graph, narrow, labels, count=n_classes)
        return narrow(labels, n_classes)
