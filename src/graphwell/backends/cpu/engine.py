"""The CPU engine: Jacobi sweeps compiled by numba, on all cores, the same bits on any number of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwell._threads import ThreadPool, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.aggregation import fill_indicator
from graphwell.backends.arrays import ArrayEngine
from graphwell.backends.base import Coarse, Solution, State, Swept
from graphwell.backends.conjugate_gradients import conjugate_gradients, fast_width
from graphwell.backends.cpu import sweep as kernels
from graphwell.backends.cpu import systems
from graphwell.backends.cpu.layout import LANES, Packing, SlicedRows
from graphwell.backends.cpu.sweep import break_barrier, new_barrier
from graphwell.backends.cpu.systems import MOST_GROUPS, NumbaSystem, block_of, share, some_columns
from graphwell.memory import give_back
from graphwell.progress import heartbeat, one_of

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem

ENTRIES_PER_THREAD = 200_000
"""With fewer, handing a part of the work over costs more than it brings."""
ENTRIES_AT_ONCE = 200_000_000
"""Entries that sweeps go over before an interrupt is noticed: less than a second."""
ROWS_AT_ONCE = 8192
"""Rows of a block that plain array operations take together: their temporary arrays stay in the caches."""
ROOM_IS_MADE_FROM = 100_000
"""Vertices of a graph that is laid out only after freed memory went back to the system."""


@dataclass(frozen=True)
class Forces:
    """The forces on each position besides its neighbours, in the order of the layout.

    Terms that a problem does not have are zero, and cost next to nothing.
    """

    known: FloatArray
    fidelity: FloatArray
    phi: FloatArray
    strength: float
    shares: FloatArray

    def pressure(self, masses: IntArray) -> FloatArray:
        """How hard each class is pressed: by how far its mass lies above its share."""
        pressure = np.zeros_like(self.shares)
        kernels.press(masses[None], float(self.strength), self.shares, pressure)
        return pressure


class NumbaEngine(ArrayEngine):
    """Sweeps and products over a graph on the CPU.

    Parameters
    ----------
    graph : Graph
        The graph; its normalised affinity is laid out once.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    dtype : {float32, float64}
        Precision of weights and offsets.
    """

    graph: "Graph"

    def __init__(self, graph: "Graph", n_jobs: int | None = None, dtype: npt.DTypeLike = np.float32) -> None:
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.n_jobs = n_jobs
        self.pool = ThreadPool(min(self.n_threads, 1 + 2 * graph.n_edges // ENTRIES_PER_THREAD))
        self._last: tuple[Problem, Forces] | None = None

    @cached_property
    def rows(self) -> SlicedRows:
        """The normalised affinity in the order and form that sweeps and products go over it."""
        self._make_room()
        return SlicedRows.from_graph(self.graph, self.dtype, self.pool)

    def release(self) -> None:
        """Forget the layout until it is asked for again."""
        self.__dict__.pop("rows", None)
        self._last = None
        self._make_room()

    def _make_room(self) -> None:
        if self.graph.n_vertices >= ROOM_IS_MADE_FROM:
            give_back()

    @property
    def n_threads(self) -> int:
        """Threads that were asked for."""
        return thread_count(self.n_jobs)

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        rows, real = self.rows, self.dtype.type
        packing = Packing.of(problem.n_classes, self.dtype)
        forces = self._forces(problem)
        offsets = rows.placed(state.offsets, self.dtype)
        words = packing.pack(rows.placed(state.labels, np.int32), offsets)
        following = words.copy()
        edges = (rows.starts, rows.columns, rows.values / real(2.0**packing.shift), rows.row_sums)
        steps = (real(epsilon), real(step_size), problem.implicit, packing.shift)
        acting, changes = (forces.known, forces.fidelity, forces.phi), 0
        at_once = max(1, ENTRIES_AT_ONCE // max(1, len(rows.values)))
        for done in range(0, count, at_once):
            heartbeat()
            some = min(at_once, count - done)
            moving = (words, following, offsets)
            changes += self._sweeps(some, forces, (rows.parts, *edges, *acting, *moving, *steps))
            words, following = (following, words) if some % 2 else (words, following)
        energies = np.empty(len(rows.parts) - 1)
        found = (forces.known, forces.fidelity, words, offsets, float(epsilon), packing.shift)
        sums = np.empty((len(energies), 2 * LANES), dtype=self.dtype)
        self._share(kernels.energy, *edges, *found, sums, energies)
        labels = rows.restored(packing.labels(words))
        return Swept(State(labels, rows.restored(offsets)), float(energies.sum()), int(changes))

    def _sweeps(self, count: int, forces: Forces, arguments: tuple[Any, ...]) -> int:
        """Have the pool do so many sweeps; return how often a class changed."""
        barrier, n_parts = new_barrier(), len(self.rows.parts) - 1
        weights = np.empty((self.pool.n_threads, len(forces.shares)), dtype=np.int64)

        def work(thread: int, n_threads: int) -> int:
            cuts = np.arange(n_threads + 1) * n_parts // n_threads
            shared = (barrier, weights[:n_threads], count, float(forces.strength), forces.shares)
            own = (*kernels.room(len(forces.shares), self.dtype), np.zeros_like(forces.shares))
            return int(kernels.sweeps(thread, cuts, *shared, *arguments, *own))

        return sum(self.pool.together(work, lambda: break_barrier(barrier)))

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block`` for a block of columns, in the precision of the engine."""
        if block.ndim == 1:
            return self.product(block[:, None])[:, 0]
        return self._multiplied(lambda some: block_of(self.rows, block[:, some], self.dtype), block.shape)

    def votes(self, labels: IntArray, values: FloatArray, n_classes: int) -> FloatArray:
        """Return ``S`` times the block with `values` in the columns of the labels."""
        self._last = None  # of a million rows, what is not needed any more counts; sweeps place it anew
        self._make_room()
        classes, placed = self.rows.placed(labels, np.int32), self.rows.placed(values, np.float32)
        classes[len(labels) :] = -1

        def made(some: slice) -> FloatArray:
            width = len(range(*some.indices(n_classes)))
            vectors = np.zeros((len(classes), fast_width(width)), dtype=self.dtype)
            here = np.where((classes >= some.start) & (classes < some.stop), classes - some.start, -1)
            fill_indicator(here, placed, vectors)
            return vectors

        return self._multiplied(made, (len(labels), n_classes))

    def _multiplied(self, made: Callable[[slice], FloatArray], shape: tuple[int, ...]) -> FloatArray:
        """``S`` times the columns that are made, in the order of the layout, some at a time."""
        rows, found = self.rows, np.empty(shape, dtype=self.dtype)
        for some in some_columns(shape[1]):
            vectors = made(some)
            out = np.empty_like(vectors)
            self._share(systems.multiply, rows.starts, rows.columns, rows.values, vectors, out)
            del vectors
            found[:, some] = rows.restored(out)[:, : len(range(*some.indices(shape[1])))]
            del out
        return found

    def solve(self, scaling: FloatArray, b: FloatArray, coarse: Coarse | None = None) -> Solution:
        """Solve ``(I - A S A) x = b``, some columns at a time: their vectors are what memory is needed for.

        Every column takes the steps that it would take beside others. The solution takes the place of `b`.
        """
        if b.ndim == 1:
            found = self.solve(scaling, b[:, None], coarse)
            return replace(found, x=found.x[:, 0])
        groups = None if coarse is None else coarse.groups(MOST_GROUPS)  # before the layout takes its memory
        system = self.system(scaling)
        correction = None if coarse is None or groups is None else system.correction(coarse.level, groups)
        self._make_room()
        x = b if b.dtype == self.dtype and b.flags.writeable else np.empty(b.shape, dtype=self.dtype)
        iterations, residual, slices = 0, 0.0, some_columns(b.shape[1])
        for number, some in enumerate(slices):
            with one_of(number, len(slices)):
                found = conjugate_gradients(system, b[:, some], correction=correction)
            x[:, some] = found.x
            iterations, residual = max(iterations, found.iterations), max(residual, found.residual)
            del found  # the next columns need its room
        return Solution(x, iterations, residual)

    def indicator(self, labels: IntArray, values: FloatArray, n_classes: int) -> FloatArray:
        """Return a block with `values` in the column of each vertex's label."""
        block = np.zeros((len(labels), n_classes), dtype=np.float32)
        fill_indicator(labels, values, block)
        return block

    def scaled(self, block: FloatArray, factors: FloatArray) -> FloatArray:
        """Return the block with each row times its factor."""
        return self._by_rows(super().scaled, np.empty(block.shape, block.dtype), block, factors)

    def added(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return ``a + b``, in the place of `a` where that is wide enough."""
        kind = np.result_type(a, b)
        found = a if a.dtype == kind and a.flags.writeable else np.empty(a.shape, kind)
        return self._by_rows(super().added, found, a, b)

    def argmax(self, block: FloatArray, prices: FloatArray | None = None) -> IntArray:
        """Return the column with the largest entry of each row; with prices, of the logarithms plus these."""
        return self._by_rows(partial(super().argmax, prices=prices), np.empty(len(block), np.int64), block)

    def margins(self, block: FloatArray) -> FloatArray:
        """Return the distance between the two largest shares of each row."""
        return self._by_rows(super().margins, np.empty(len(block), block.dtype), block)

    def shares(self, block: FloatArray, power: float = 1.0) -> FloatArray:
        """Return the powers of a block with rows that add up to 1; a row of zeros becomes even."""
        return self._by_rows(partial(super().shares, power=power), np.empty(block.shape, block.dtype), block)

    def _by_rows(self, work: Callable[..., FloatArray], found: FloatArray, *given: FloatArray) -> FloatArray:
        """The result of plain array operations on some thousand rows at a time, by all threads."""

        def some(first: int) -> None:
            rows = slice(first, first + ROWS_AT_ONCE)
            found[rows] = work(*(each[rows] for each in given))

        self.pool.map(some, range(0, len(found), ROWS_AT_ONCE))
        return found

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        self._make_room()
        return super().condensed(groups, n_groups)

    def nearest(self, labels: IntArray) -> IntArray:
        """Return the known label nearest along the graph; -1 if there is none in reach."""
        found = self.graph.nearest(labels >= 0)
        return np.where(found >= 0, labels[np.maximum(found, 0)], -1).astype(np.int32)

    def system(self, scaling: FloatArray) -> "NumbaSystem":
        """Return the system of the matrix ``I - A S A``, `scaling` being the diagonal of ``A``."""
        return NumbaSystem(self.rows, self.rows.placed(scaling, self.dtype), self.pool)

    def _share(self, kernel: Any, *arguments: Any) -> list[Any]:
        return share(self.pool, self.rows, kernel, *arguments)

    def _forces(self, problem: "Problem") -> Forces:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._place(problem)
        return self._last[1]

    def _place(self, problem: "Problem") -> Forces:
        n = self.graph.n_vertices
        degrees = self.graph.degrees
        balance = problem.balance
        phi = np.sqrt(degrees / (degrees.sum() or 1.0)) if balance else np.zeros(n)
        return Forces(
            known=self.rows.placed(problem.known, self.dtype),
            fidelity=self.rows.placed(problem.fidelities, self.dtype),
            phi=self.rows.placed(phi, self.dtype),
            strength=balance.strength if balance else 0.0,
            shares=(balance.shares if balance else np.zeros(problem.n_classes)).astype(self.dtype),
        )
