"""The verbs on a graph whose blocks lie on the workers of a Dask cluster.

A `Block` of columns is a list with one handle for each block of the graph: an array on its worker, in the
order of its layout. Vectors pass through the client.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.arrays import HostVectors
from graphwell.backends.base import Solution, State, Swept
from graphwell.backends.blocks import columns as on_columns
from graphwell.backends.blocks import rows as on_rows
from graphwell.backends.blocks import sweep as on_block
from graphwell.backends.blocks.block import GraphBlock
from graphwell.backends.conjugate_gradients import MAX_ITERATIONS
from graphwell.backends.cpu.group_kernels import in_units_of, means_of, unit_of
from graphwell.backends.dask.conjugate_gradients import solve_on_workers
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.nearest import nearest_labels_on_workers
from graphwell.backends.dask.tasks import Handle, given
from graphwell.backends.dask.worker_cache import Chains, undisturbed

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem

Columns = list[Handle]


class DaskEngine(HostVectors):
    """Sweeps and products over a graph on a cluster.

    All sweeps of one epsilon are handed to Dask at once and begin from a state that the client holds: of the
    descent, the death of a worker can cost the current step alone, and nothing that Dask must remember
    grows with the sweeps. The states are bit for bit those of the CPU engine, for any number of blocks and
    workers.

    Parameters
    ----------
    graph : DaskGraph
    """

    def __init__(self, graph: DaskGraph) -> None:
        self.graph, self.tasks = graph, graph.tasks
        self._last: tuple[Problem, Columns] | None = None
        self.tasks.wait(graph.blocks)

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""

        def step() -> list[Any]:
            return self.tasks.results(self._swept(problem, state, epsilon, step_size, count))

        labels, offsets, energies, changes = zip(*undisturbed(self.tasks, self._n, step), strict=True)
        swept = State(self.graph.joined(labels), self.graph.joined(offsets))
        return Swept(swept, float(sum(energies)), int(sum(changes)))

    def _swept(
        self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int
    ) -> Columns:
        """One task per block and sweep; what only the block itself needs stays in its worker's memory."""
        own = (self.graph.blocks, self._forces(problem))
        labels = self.graph.cut(state.labels.astype(np.int32))
        offsets = self.graph.cut(state.offsets.astype(np.float32))
        chains = Chains(self.tasks, "sweeps", on_block.place, *own, labels, offsets)
        at_once = count if self._alone(problem) else 1
        same = {"epsilon": epsilon, "step_size": step_size, "count": at_once}
        for _ in range(count // at_once):
            everywhere = [chains.exports if problem.balance else []] * self._n
            chains.step("sweep", on_block.sweep, *own, self.graph.every(chains.exports), everywhere, **same)
        near = self.graph.every(chains.exports)
        return self.tasks.wait(chains.step("finish", on_block.finish, *own, near, epsilon=epsilon))

    def _alone(self, problem: "Problem") -> bool:
        """Whether no block needs anything from another: then all sweeps of a step are one task."""
        without_halo = not any(size for _, size in self.graph.halos)
        return without_halo and (self._n == 1 or problem.balance is None)

    def _forces(self, problem: "Problem") -> Columns:
        """What acts on the vertices besides their neighbours; the workers keep it for one problem."""
        if self._last is None or self._last[0] is not problem:
            balance = problem.balance
            total = (float(self.graph.degrees.sum()) or 1.0) if balance else 1.0
            pressure = None if balance is None else (balance.strength, balance.shares)
            pinned = (problem.labels.astype(np.int32), problem.fidelities)
            same = {name: getattr(problem, name) for name in ("n_classes", "implicit")}
            acting = {"total_degree": total, "balance": pressure, **same}
            self._last = (
                problem,
                self._each("forces", on_block.make_forces, *map(self.graph.cut, pinned), **acting),
            )
        return self._last[1]

    def product(self, block: Columns) -> Columns:
        """Return ``S @ block``."""
        exports = self.tasks.each("export", on_columns.outlets, self.graph.blocks, block)
        return self._each("product", GraphBlock.product, block, self.graph.every(exports))

    def solve(self, scaling: FloatArray, b: Columns, max_iterations: int | None = None) -> Solution:
        """Solve ``(I - A S A) x = b`` by conjugate gradients on the workers."""
        inside, most = self.column(scaling), max_iterations or MAX_ITERATIONS
        return undisturbed(self.tasks, self._n, lambda: solve_on_workers(self.graph, inside, b, most))

    def largest_eigenvalue(self, iterations: int) -> float:
        """Return that of ``diag(S 1) - S``, by so many power iterations."""
        graph, each = self.graph, self.tasks.each
        x = self.column(np.random.default_rng(0).random(graph.n_vertices) - 0.5)
        for _ in range(iterations):
            near = graph.every(each("export", on_columns.outlets, graph.blocks, x))
            images = each("power-product", on_columns.laplacian, graph.blocks, x, near)
            norms = each("power-norm", on_columns.squared, images)
            x = each("power-scale", on_columns.normalised, images, [norms] * self._n)
        return float(np.sqrt(sum(self.tasks.results(norms))))

    def nearest(self, labels: IntArray) -> IntArray:
        """Return the known label nearest along the graph; -1 if there is none in reach."""
        return nearest_labels_on_workers(self.graph, labels)

    def indicator(self, labels: IntArray, values: FloatArray, n_classes: int) -> Columns:
        """Return a block with `values` in the columns of the labels."""
        cut = (self.graph.cut(labels), self.graph.cut(np.asarray(values, dtype=np.float32)))
        return self._each("indicator", on_columns.indicator, *cut, n_classes=n_classes)

    def column(self, vector: FloatArray) -> Columns:
        """Return a vector as a block of one column."""
        parts = self.graph.cut(vector.astype(np.float32)[:, None])
        return self._each("column", GraphBlock.placed, parts)

    def vector(self, block: Columns) -> FloatArray:
        """Return the first column of a block."""
        return np.asarray(self._by_vertex("vector", block))

    def scaled(self, block: Columns, factors: FloatArray) -> Columns:
        """Return the block with each row times its factor."""
        return self._each("scaled", on_columns.scaled, block, self.graph.cut(factors.astype(np.float32)))

    def added(self, a: Columns, b: Columns, factor: float = 1.0) -> Columns:
        """Return ``a + factor * b``."""
        return self._each("added", on_columns.by_row, a, b, verb="added", factor=factor)

    def logarithms(self, block: Columns) -> Columns:
        """Return the logarithm of each entry."""
        return self._each("logarithms", on_columns.by_row, block, verb="logarithms")

    def argmax(self, block: Columns, prices: FloatArray | None = None) -> IntArray:
        """Return the column with the largest entry of each row, after the prices have been added."""
        return np.asarray(self._by_vertex("argmax", block, prices=prices))

    def counts(self, block: Columns, prices: FloatArray, among: BoolArray) -> IntArray:
        """Return how many of the rows `among` each column wins under the prices."""
        columns = (block, self.graph.cut(among))
        counted = self.tasks.results(self._each("counts", on_columns.counts, *columns, prices=prices))
        return np.asarray(np.sum(counted, axis=0))

    def margins(self, block: Columns) -> FloatArray:
        """Return the distance between the two largest shares of each row."""
        return np.asarray(self._by_vertex("margins", block))

    def shares(self, block: Columns, power: float = 1.0) -> Columns:
        """Return the powers of a block with rows that add up to 1."""
        return self._each("shares", on_columns.by_row, block, verb="shares", power=power)

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex; -1 if it has none."""
        found = self._rows("heaviest", on_rows.heaviest, power=self.graph.sharpness)
        return np.asarray(self.graph.joined(self.tasks.results(found)))

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        power = self.graph.sharpness
        extents = self.tasks.results(self._rows("largest", on_rows.largest, power=power))
        unit = unit_of(max(largest for largest, _ in extents), sum(count for _, count in extents))
        (everywhere,) = self.tasks.keep([self.tasks.lazy("groups", given, groups)])
        same = {"power": power, "n_groups": n_groups, "unit": unit}
        found = self._rows("condensed", on_rows.condensed, [everywhere] * self._n, **same)
        return in_units_of(sum(self.tasks.results(found)), unit)

    def group_means(self, block: Columns, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices."""
        columns, same = (
            (block, self.graph.cut(groups)),
            {"n_groups": n_groups, "unit": unit_of(1.0, len(groups))},
        )
        totals = self.tasks.results(self._each("totals", on_columns.totals, *columns, **same))
        return means_of(np.sum(totals, axis=0), same["unit"])

    def spread(self, values: FloatArray, groups: IntArray) -> Columns:
        """Return a block in which each vertex has the row of its group."""
        return self._each("spread", on_columns.spread, self.graph.cut(groups), values=values)

    def _rows(self, name: str, function: Any, *columns: Any, **same: Any) -> Columns:
        """A task for each block on its rows of ``W``, with the user's numbers of their columns."""
        return self.tasks.keep(self.tasks.each(name, function, *self.graph.numbered, *columns, **same))

    @property
    def _n(self) -> int:
        return self.graph.n_blocks

    def _each(self, name: str, function: Any, *columns: Any, **same: Any) -> Columns:
        """Start a task for each block of the graph and keep what it returns."""
        return self.tasks.keep(self.tasks.each(name, function, self.graph.blocks, *columns, **same))

    def _by_vertex(self, verb: str, block: Columns, **same: Any) -> Any:
        """Values of all vertices from a verb on each block."""
        found = self._each(verb, on_columns.by_vertex, block, verb=verb, **same)
        return self.graph.joined(self.tasks.results(found))
