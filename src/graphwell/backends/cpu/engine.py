"""The CPU engine: Jacobi sweeps compiled by numba, on all cores, the same bits on any number of them.

It is the engine of each worker of a cluster, too: `own`, `vector`, `with_halo` and `allreduce` say there
which part of a vector is here, and what others have; on one machine they do nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwell._threads import ThreadPool, once, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Coarse, Engine, State, Swept
from graphwell.backends.conjugate_gradients import (
    MAX_ITERATIONS,
    TOLERANCE,
    Solution,
    conjugate_gradients,
)
from graphwell.backends.cpu import sweep as kernels
from graphwell.backends.cpu import systems
from graphwell.backends.cpu.layout import LANES, Packing, SlicedRows
from graphwell.backends.cpu.systems import (
    MOST_GROUPS,
    GroupCorrection,
    NumbaSystem,
    solve_forest,
    some_columns,
)
from graphwell.graph.graph import inverse_roots_of
from graphwell.memory import give_back
from graphwell.progress import heartbeat, one_of

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem

# With fewer, handing a part of the work over costs more than it brings.
ENTRIES_PER_THREAD = 200_000
# Vertices of a graph that is laid out only after freed memory went back to the system.
ROOM_IS_MADE_FROM = 100_000


@dataclass(frozen=True)
class Forces:
    """The forces on each position besides its neighbours; terms that a problem does not have are zero."""

    known: FloatArray
    fidelity: FloatArray
    phi: FloatArray
    heft: FloatArray
    counts: FloatArray
    strength: float
    shares: FloatArray


class NumbaEngine(Engine):
    """Sweeps and products over a graph on the CPU; `dtype` is the precision of weights and offsets."""

    def __init__(self, graph: "Graph", n_jobs: int | None = None, dtype: npt.DTypeLike = np.float32) -> None:
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.n_threads = thread_count(n_jobs)
        self.masses = getattr(graph, "masses", None)
        self.pool = ThreadPool(min(self.n_threads, 1 + 2 * graph.n_edges // ENTRIES_PER_THREAD))
        self._last: tuple[Problem, Forces] | None = None

    @once
    def rows(self) -> SlicedRows:
        """The normalised affinity in the order and form that products go over it."""
        self._make_room()
        graph, scaling = self.graph, inverse_roots_of(self.graph.degrees)
        return SlicedRows.from_csr(graph.W, self.dtype, scaling, graph.locality, self.pool)

    @once
    def moving(self) -> SlicedRows:
        """The matrix that sweeps go over where vertices stand for several rows: that of the rows.

        With m rows for a vertex, it is ``S_ij sqrt(m_j / m_i)``: the same as if every row had its vertex.
        """
        assert self.masses is not None
        roots, inverse = np.sqrt(self.masses), inverse_roots_of(self.graph.degrees)
        to, of = inverse * roots, inverse / roots
        return SlicedRows.from_csr(self.graph.W, self.dtype, to, self.graph.locality, self.pool, of)

    def release(self) -> None:
        """Forget the layout until it is asked for again."""
        self.__dict__.pop("rows", None)
        self.__dict__.pop("moving", None)
        self._last = None
        self._make_room()

    def _make_room(self) -> None:
        if self.graph.n_vertices >= ROOM_IS_MADE_FROM:
            give_back()

    def with_halo(self, placed: Any) -> Any:
        """Return values in the order of the layout, and behind them those of neighbours elsewhere."""
        return placed

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        real, forces = self.dtype.type, self._forces(problem)
        rows = self.rows if self.masses is None else self.moving
        packing = Packing.of(problem.n_classes, self.dtype)
        offsets = rows.placed(self.own(state.offsets), self.dtype)
        words = packing.pack(rows.placed(self.own(state.labels), np.int32), offsets)
        # r is kept in fixed point: its scale is taken from the weights
        unit, (rest_starts, rest_columns, rest_values) = real(2.0**packing.shift), rows.rest
        rest = (rest_starts, rest_columns, rest_values / unit)
        edges = (rows.starts, rows.columns, rows.values / unit, rest, rows.row_sums)
        steps = (real(epsilon), real(step_size), problem.implicit, packing.shift)
        words, changes = self._swept(count, forces, edges, self.with_halo(words), offsets, steps)
        energies = np.empty(len(rows.parts) - 1)
        found = (forces.known, forces.fidelity, forces.counts, words, offsets, float(epsilon), packing.shift)
        room = np.empty((len(energies), 2 * LANES), dtype=self.dtype)
        self._share(kernels.energy, edges, *found, room, energies)
        energy, changed = self.allreduce(np.array([energies.sum(), changes]))
        labels = rows.restored(packing.labels(words[: len(offsets)]))
        after = State(self.vector(labels), self.vector(rows.restored(offsets)))
        return Swept(after, float(energy), int(changed))

    def _swept(
        self, count: int, forces: Forces, edges: Any, words: IntArray, offsets: FloatArray, steps: Any
    ) -> tuple[IntArray, int]:
        """Do so many sweeps; return the states and how often a class changed."""
        following, changes, n = words.copy(), 0, len(offsets)
        acting = (forces.known, forces.fidelity, forces.phi, forces.heft)
        pressure, is_pressed = np.zeros_like(forces.shares), forces.strength > 0
        mass = np.zeros(len(pressure) if is_pressed else 0, dtype=np.int64)
        if is_pressed:
            weights = forces.heft * (0.5 - np.abs(offsets.astype(np.float64))) * (1 / kernels.MASS_UNIT)
            np.add.at(mass, words[:n] >> steps[3], weights.astype(np.int64))

        def move(*some: Any) -> tuple[int, IntArray]:
            room = np.zeros_like(pressure), np.empty(2 * LANES, dtype=self.dtype)
            mass_here = np.zeros_like(mass)
            return int(kernels.sweep(*some, *room, mass_here)), mass_here

        for _ in range(count):
            heartbeat()
            if is_pressed:  # by how far the mass of each class lies above its share
                masses = self.allreduce(mass)
                above = masses * kernels.MASS_UNIT - forces.shares * (masses.sum() * kernels.MASS_UNIT)
                pressure = (forces.strength * above).astype(self.dtype)
            found = self._share(move, edges, acting, pressure, words, following, offsets, steps)
            changes += sum(changed for changed, _ in found)
            mass = np.sum([each for _, each in found], axis=0)
            words, following = self.with_halo(following[:n]), words
        return words, changes

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block``, in the precision of the engine, some columns at a time."""
        if block.ndim == 1:
            return self.vector(self.product(self.own(block)[:, None])[:, 0])
        rows, found = self.rows, np.empty(block.shape, dtype=self.dtype)
        for some in some_columns(block.shape[1]):
            vectors = self.with_halo(rows.placed(block[:, some], self.dtype))
            out = np.empty((len(rows.row_sums), vectors.shape[1]), self.dtype)
            self._share(systems.multiply, rows.matrix, vectors, out)
            found[:, some] = rows.restored(out)[:, : found[:, some].shape[1]]
        return found

    @once
    def is_forest(self) -> bool:
        """Whether no way leads round, in a graph on whose longest ways conjugate gradients may not arrive.

        They take a step for every edge between a vertex and its labels: a path of 10^6 would ask for as many.
        """
        graph = self.graph
        return graph.n_vertices > MAX_ITERATIONS and graph.n_edges + graph.n_components == graph.n_vertices

    def solve(
        self, scaling: Any, b: Any, coarse: Coarse | None = None, tolerance: float = TOLERANCE
    ) -> Solution:
        """Solve ``(I - A S A) x = b``, some columns at a time: their vectors are what memory is needed for.

        Every column takes the steps that it would take beside others. The solution takes the place of `b`.
        """
        if b.ndim == 1:
            return super().solve(scaling, b, coarse, tolerance)
        if self.is_forest:
            factors = inverse_roots_of(self.graph.degrees) * scaling
            return Solution(solve_forest(self.graph.W, factors, b).astype(self.dtype), 0, 0.0)
        groups = None if coarse is None else coarse.groups(MOST_GROUPS)  # before the layout takes its memory
        system, correction = NumbaSystem(self, self.rows.placed(self.own(scaling), self.dtype)), None
        if coarse is not None and groups is not None:
            level = self.rows.placed(self.own(coarse.level), self.dtype)
            placed = self.rows.placed(self.own(groups), np.int16)
            correction = GroupCorrection(self, system.scaling, level, placed, int(groups.max(initial=-1)) + 1)
        self._make_room()
        x = b if b.dtype == self.dtype and b.flags.writeable else np.empty(b.shape, dtype=self.dtype)
        iterations, residual, slices = 0, 0.0, some_columns(b.shape[1])
        for number, some in enumerate(slices):
            with one_of(number, len(slices)):
                found = conjugate_gradients(system, b[:, some], tolerance, correction=correction)
            x[:, some] = found.x
            iterations, residual = max(iterations, found.iterations), max(residual, found.residual)
            del found  # the next columns need its room
        return Solution(x, iterations, residual)

    def nearest(self, labels: IntArray) -> IntArray:
        """Return the known label nearest along the graph; -1 if there is none in reach."""
        found = self.graph.nearest(labels >= 0)
        return np.where(found >= 0, labels[np.maximum(found, 0)], -1).astype(np.int32)

    def _share(self, kernel: Any, *arguments: Any) -> list[Any]:
        """Have the threads do a kernel on all parts of the layout; return what each range of parts gave."""
        parts = self.rows.parts
        return self.pool.share(len(parts) - 1, lambda first, last: kernel(first, last, parts, *arguments))

    def _forces(self, problem: "Problem") -> Forces:
        """The forces of a problem in the order of the layout; kept, since every step of a descent asks."""
        if self._last is not None and self._last[0] is problem:
            return self._last[1]
        balance, degrees, own = problem.balance, self.graph.degrees, self.own
        phi = np.sqrt(own(degrees) / (degrees.sum() or 1.0)) if balance else np.zeros(len(own(degrees)))
        counts, heft = np.ones(len(phi)), phi
        if self.masses is not None:  # the degree of each row that a vertex stands for
            counts, phi = self.masses, phi / np.sqrt(self.masses)
            heft = counts * phi
        values = (own(problem.known), own(problem.fidelities), phi, heft, counts)
        known, fidelity, phi, heft, counts = (self.rows.placed(each, self.dtype) for each in values)
        shares = (balance.shares if balance else np.zeros(problem.n_classes)).astype(self.dtype)
        strength = balance.strength if balance else 0.0
        forces = Forces(known, fidelity, phi, heft, counts, strength, shares)
        self._last = problem, forces
        return forces
