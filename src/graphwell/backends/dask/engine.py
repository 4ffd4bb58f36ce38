"""The verbs on the rows of one worker: those of one machine, with a halo exchange and sums over all."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import numpy as np
from scipy import sparse

from graphwell._threads import once, one_blas_thread
from graphwell._types import FloatArray, IntArray
from graphwell.backends.aggregation import (
    condensed_rows,
    grouped_totals,
    heaviest_entries,
    in_units_of,
    means_of,
    unit_of,
)
from graphwell.backends.base import Coarse, Solution, State, Swept
from graphwell.backends.cpu import sweep as kernels
from graphwell.backends.cpu import systems
from graphwell.backends.cpu.engine import Forces, NumbaEngine
from graphwell.backends.cpu.layout import LANES, Packing, SlicedRows
from graphwell.backends.cpu.shortest_paths import relax
from graphwell.backends.cpu.systems import GroupCorrection, NumbaSystem, some_columns
from graphwell.backends.dask.graph import BlockGraph
from graphwell.backends.dask.vectors import Vector, VectorLibrary
from graphwell.graph.graph import inverse_roots_of
from graphwell.progress import heartbeat

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem


class BlockEngine(NumbaEngine):
    """The engine of one machine on the rows of one worker.

    Vectors have the own rows, blocks of columns too; arrays of the host are of all vertices, and the same on
    every worker.
    """

    graph: Any

    def __init__(self, graph: BlockGraph, n_threads: int = 1) -> None:
        super().__init__(cast(Any, graph), n_threads)
        self.comm, self.xp = graph.comm, VectorLibrary(graph)

    @once
    def rows(self) -> SlicedRows:
        """The own rows of ``S`` in the layout of sweeps; columns beyond its positions are the halo."""
        degrees = self.graph.degrees.own
        scaling = inverse_roots_of(np.concatenate([degrees, self.graph.of_halo(degrees)]))
        return SlicedRows.from_csr(self.graph.sharp, self.dtype, scaling, pool=self.pool)

    def with_halo(self, placed: Any) -> Any:
        """Values in the order of the layout, and those of the halo."""
        position = self.rows.position
        outlets = {q: position[at] for q, at in self.graph.links[0].items()}
        return np.concatenate([placed, self.graph.of_halo(placed, outlets)])

    def asarray(self, values: Any) -> Any:
        """Take the own part of values of all vertices."""
        if isinstance(values, Vector):
            return values
        own = self.graph.own(np.asarray(values))
        return Vector(self.graph, own) if np.shape(values) == (self.graph.n_vertices,) else own

    def to_host(self, vector: Any) -> Any:
        """Return the values of all vertices."""
        return np.asarray(vector)

    def group_sums(self, groups: Any, values: Any, n_groups: int) -> FloatArray:
        """Return the sum of the values of each group of vertices."""
        own = np.bincount(self.graph.own(groups), self.graph.own(values), minlength=n_groups)
        return np.asarray(self.comm.allreduce(own))

    def group_minima(self, groups: Any, values: Any, n_groups: int) -> FloatArray:
        """Return the smallest value of each group of vertices."""
        own = super().group_minima(self.graph.own(groups), self.graph.own(values), n_groups)
        return np.asarray(self.comm.allreduce(own, np.minimum))

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon, with a halo exchange before each."""
        rows, real, graph = self.rows, self.dtype.type, self.graph
        packing, forces = Packing.of(problem.n_classes, self.dtype), self._forces(problem)
        offsets = rows.placed(graph.own(state.offsets), self.dtype)
        words = packing.pack(rows.placed(graph.own(state.labels), np.int32), offsets)
        words, n, changes = self.with_halo(words), rows.n_positions, 0
        following = words.copy()
        edges = (rows.starts, rows.columns, rows.values / real(2.0**packing.shift), rows.row_sums)
        steps = (real(epsilon), real(step_size), problem.implicit, packing.shift)
        acting, pressure = (forces.known, forces.fidelity, forces.phi), np.zeros_like(forces.shares)

        def weigh(*some: Any) -> IntArray:
            found = np.zeros(problem.n_classes, dtype=np.int64)
            kernels.masses(*some, found)
            return found

        def move(*some: Any) -> int:
            return int(kernels.sweep(*some, *kernels.room(problem.n_classes, self.dtype)))

        for _ in range(count):
            heartbeat()
            if forces.strength > 0:
                own = np.sum(self._share(weigh, words, offsets, forces.phi, packing.shift), axis=0)
                pressure = forces.pressure(self.comm.allreduce(own))
            changes += sum(self._share(move, *edges, *acting, pressure, words, following, offsets, *steps))
            words, following = self.with_halo(following[:n]), words
        energies = np.empty(len(rows.parts) - 1)
        found = (forces.known, forces.fidelity, words, offsets, float(epsilon), packing.shift)
        sums = np.empty((len(energies), 2 * LANES), dtype=self.dtype)
        self._share(kernels.energy, *edges, *found, sums, energies)
        energy, changes = self.comm.allreduce(np.array([energies.sum(), changes]))
        labels = rows.restored(packing.labels(words[:n]))
        after: Any = (Vector(graph, labels), Vector(graph, rows.restored(offsets)))
        return Swept(State(*after), float(energy), int(changes))

    def _place(self, problem: "Problem") -> Forces:
        balance, rows, own = problem.balance, self.rows, self.graph.own
        degrees = self.graph.degrees
        phi = np.sqrt(degrees.own / (degrees.sum() or 1.0)) if balance else np.zeros(len(degrees.own))
        return Forces(
            known=rows.placed(own(problem.known), self.dtype),
            fidelity=rows.placed(own(problem.fidelities), self.dtype),
            phi=rows.placed(phi, self.dtype),
            strength=balance.strength if balance else 0.0,
            shares=(balance.shares if balance else np.zeros(problem.n_classes)).astype(self.dtype),
        )

    def _multiplied(self, made: Callable[[slice], FloatArray], shape: tuple[int, ...]) -> FloatArray:
        rows, found = self.rows, np.empty(shape, dtype=self.dtype)
        for some in some_columns(shape[1]):
            vectors = self.with_halo(made(some))
            out = np.empty((rows.n_positions, vectors.shape[1]), self.dtype)
            self._share(systems.multiply, rows.starts, rows.columns, rows.values, vectors, out)
            found[:, some] = rows.restored(out)[:, : len(range(*some.indices(shape[1])))]
        return found

    def votes(self, labels: Any, values: Any, n_classes: int) -> FloatArray:
        """Return ``S`` times the block with `values` in the columns of the labels."""
        return super().votes(self.graph.own(labels), self.graph.own(values), n_classes)

    def system(self, scaling: Any) -> "BlockSystem":
        """Return the system of the matrix ``I - A S A``, `scaling` being the diagonal of ``A``."""
        return BlockSystem(self, self.rows.placed(self.graph.own(scaling), self.dtype))

    def product(self, block: Any) -> Any:
        """Return ``S`` times a block, or times a vector."""
        if block.ndim == 2:
            return super().product(block)
        return Vector(self.graph, super().product(block.own))

    def solve(self, scaling: Any, b: Any, coarse: Coarse | None = None) -> Solution:
        """Solve ``(I - A S A) x = b`` for a block or a vector."""
        if b.ndim == 2:
            return super().solve(scaling, b, coarse)
        found = super().solve(scaling, b.own[:, None], coarse)
        return replace(found, x=Vector(self.graph, found.x[:, 0]))

    def nearest(self, labels: Any) -> Any:
        """Return the known label nearest along the graph: each worker relaxes its rows until none changes."""
        W, own = self.graph.sharp, self.graph.own(labels)
        lengths, found = 1.0 / W.data, own.astype(np.int32)
        distances, n, changed = np.where(own >= 0, 0.0, np.inf), len(own), True
        while self.comm.allreduce(int(changed)):
            distances = np.concatenate([distances[:n], self.graph.of_halo(distances[:n])])
            found = np.concatenate([found[:n], self.graph.of_halo(found[:n])])
            changed = relax(W.indptr, W.indices, lengths, distances, found)
        return Vector(self.graph, found[:n])

    def indicator(self, labels: Any, values: Any, n_classes: int) -> FloatArray:
        """Return a block with `values` in the column of each vertex's label."""
        return super().indicator(self.graph.own(labels), self.graph.own(values), n_classes)

    def scaled(self, block: FloatArray, factors: Any) -> FloatArray:
        """Return the block with each row times its factor."""
        return super().scaled(block, self.graph.own(factors))

    def argmax(self, block: FloatArray, prices: FloatArray | None = None) -> Any:
        """Return the column with the largest entry of each row; with prices, of the logarithms plus these."""
        return Vector(self.graph, super().argmax(block, prices))

    def margins(self, block: FloatArray) -> Any:
        """Return the distance between the two largest shares of each row."""
        return Vector(self.graph, super().margins(block))

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex; -1 if it has none."""
        graph = self.graph
        rows = graph.rows
        return np.asarray(graph.joined(heaviest_entries(rows.indptr, rows.indices, rows.data)))

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        graph, W = self.graph, self.graph.sharp
        verb = f"condensed with the groups {crc32(groups.tobytes()):x}"  # sums of others are none
        extents = self.comm.gather((float(W.data.max(initial=0.0)), W.nnz), verb)
        unit = unit_of(max(largest for largest, _ in extents), sum(count for _, count in extents))
        own = condensed_rows(W, groups[graph.vertices], groups[graph.columns], n_groups, unit)
        return in_units_of(self.comm.allreduce(own), unit)

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, as a SciPy matrix of the host."""
        here = np.flatnonzero(np.isin(self.graph.vertices, vertices))
        found = self.comm.gather((self.graph.vertices[here], self.graph.rows[here]))
        numbers, parts = zip(*found, strict=True)
        return sparse.vstack(parts).tocsr()[np.argsort(np.concatenate(numbers))]

    def group_means(self, block: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices."""
        unit = unit_of(1.0, len(groups))
        totals = grouped_totals(self.graph.own(groups), block, n_groups, unit)
        return means_of(self.comm.allreduce(totals), unit)

    def spread(self, values: Any, groups: IntArray | None = None) -> FloatArray:
        """Return a block in which each vertex has the row of its group; without groups, its own row."""
        if groups is None:
            return np.asarray(values, dtype=np.float32)
        return np.asarray(values.astype(np.float32, copy=False)[self.graph.own(groups)])


class BlockSystem(NumbaSystem):
    """The own rows of ``I - A S A``: a halo exchange before each product, and sums over all workers."""

    def __init__(self, engine: BlockEngine, scaling: FloatArray) -> None:
        super().__init__(engine.rows, scaling, engine.pool)
        self.engine, self.comm = engine, engine.comm

    def dots(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the sums of ``a * b`` over all workers."""
        return np.asarray(self.comm.allreduce(super().dots(a, b)))

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image`` over all workers."""
        rows, dots, scaled = self.rows, self._sums(p), np.empty_like(p)
        self._share(systems.scale, self.scaling, p, scaled)
        matrix = (rows.starts, rows.columns, rows.values, self.scaling, self.engine.with_halo(scaled))
        self._share(systems.apply, *matrix, p, image, dots)
        return np.asarray(self.comm.allreduce(dots.sum(axis=0)))

    def advance(
        self, x: FloatArray, r: FloatArray, p: FloatArray, image: FloatArray, step: FloatArray
    ) -> FloatArray:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``."""
        return np.asarray(self.comm.allreduce(super().advance(x, r, p, image, step)))

    def correction(self, level: Any, groups: IntArray) -> "BlockCorrection":
        """What removes errors that are multiples of a level in each group."""
        own, rows = self.engine.graph.own, self.rows
        placed = rows.placed(own(level), self.scaling.dtype), rows.placed(own(groups), np.int16)
        return BlockCorrection(self, *placed, int(groups.max(initial=-1)) + 1)


class BlockCorrection(GroupCorrection):
    """The coarse correction of one machine; groups reach over workers, so their sums are taken of all."""

    def __init__(self, system: BlockSystem, level: FloatArray, groups: IntArray, n_groups: int) -> None:
        self.comm, self.pool, n = system.comm, system.pool, len(groups)
        with_halo = system.engine.with_halo
        level = np.where(system.scaling > 0, level, 0).astype(np.float64)
        squares = self.comm.allreduce(np.bincount(groups, weights=level**2, minlength=n_groups))
        lengths = np.sqrt(squares)
        level = level / np.where(lengths > 0, lengths, 1.0)[groups]
        self.level, self.groups = level.astype(system.scaling.dtype), groups
        self.order = np.argsort(groups, kind="stable").astype(np.int32)
        self.starts = np.searchsorted(groups[self.order], np.arange(n_groups + 1))
        rows, around = system.rows, with_halo(np.column_stack([self.level, system.scaling]))
        here, scaling = (np.ascontiguousarray(column) for column in around.T)
        all_groups, small = with_halo(groups), np.zeros((n_groups, n_groups))
        systems.condense(rows.starts, rows.columns, rows.values, scaling, here, all_groups, small)
        beyond = np.bincount(all_groups[n:], weights=here[n:].astype(np.float64) ** 2, minlength=n_groups)
        small[np.diag_indices(n_groups)] -= beyond  # of the halo, which its owners count
        small = self.comm.allreduce(small) + systems.LEAST * np.eye(n_groups)
        with one_blas_thread():
            inverse = np.linalg.inv(small) if self.comm.rank == 0 else None
        self.inverse = self.comm.broadcast(inverse)
        self.found = np.zeros((n_groups, 1))

    def find(self, r: FloatArray) -> FloatArray:
        """Find the correction of a residual; return the sums of their systems."""
        own = np.empty((len(self.inverse), r.shape[1]))
        members = (self.starts, self.order, self.level)
        self.pool.share(len(own), lambda first, last: systems.restrict(first, last, *members, r, own))
        sums = self.comm.allreduce(own)
        found = np.empty(sums.shape[::-1])
        both = (self.inverse, sums, found)
        self.pool.share(len(sums), lambda first, last: systems.multiply_dense(first, last, *both))
        self.found = found.T
        return np.asarray((sums * self.found).sum(axis=0))
