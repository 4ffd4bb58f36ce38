"""The engine on one GPU: all sweeps of an epsilon without a word from the host, the same on every run."""

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Coarse, Engine, State, Swept
from graphwell.backends.conjugate_gradients import MAX_ITERATIONS, TOLERANCE, Solution
from graphwell.backends.cuda import reductions
from graphwell.backends.cuda._cupy import GpuArray, cupy, memory_in_words
from graphwell.backends.cuda.conjugate_gradients import is_small, solve_on_gpu
from graphwell.backends.cuda.graph import CudaGraph
from graphwell.backends.cuda.groups import condensed, group_means, some_rows
from graphwell.backends.cuda.layout import GpuRows
from graphwell.backends.cuda.matrix import GpuMatrix
from graphwell.backends.cuda.plan import Plan, struct
from graphwell.backends.cuda.system import CudaSystem, multiply, padded

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem


@dataclass(frozen=True, eq=False)
class _Forces:
    """Terms of each row besides its neighbours, as the kernels take them."""

    plan: Plan
    rows: Any
    classes: Any
    held: tuple[GpuArray, ...]
    """The arrays that the two point to."""


class _Totals:
    """Energy and class changes of some sweeps, fetched when either is asked for."""

    def __init__(self, on_gpu: GpuArray) -> None:
        self._on_gpu = on_gpu

    @cached_property
    def _fetched(self) -> Any:
        return self._on_gpu.get()

    def __float__(self) -> float:
        return float(self._fetched[:1].view(np.float64)[0])

    def __int__(self) -> int:
        return int(self._fetched[1])


class CudaEngine(Engine):
    """Sweeps and products over a graph on a GPU.

    Parameters
    ----------
    graph : CudaGraph
    dtype : {float32, float64}
        Precision of weights and offsets.
    """

    graph: CudaGraph

    def __init__(self, graph: CudaGraph, dtype: npt.DTypeLike = np.float32) -> None:
        self.xp = cupy()
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._last: tuple[Any, _Forces] | None = None
        self._plans: dict[int, Plan] = {}
        self._lock = threading.Lock()

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        cp, real = cupy(), self.dtype.type
        with self._lock:
            forces = self._forces(problem)
            plan = forces.plan
            step = struct(
                epsilon=real(epsilon),
                step_size=real(step_size),
                implicit=np.int32(problem.implicit),
                shift=np.int32(plan.packing.shift),
                count=np.int32(count),
            )
            totals = plan.place(cp.asarray(state.labels), cp.asarray(state.offsets))
            balanced = problem.balance is not None
            plan.sweep(forces.rows, forces.classes, step, count, balanced, totals)
            labels, offsets = plan.restored(count)
        promise = _Totals(totals)
        return Swept(State(labels, offsets), promise, promise)

    def product(self, block: GpuArray) -> GpuArray:
        """Return ``S @ block`` for a block of columns, in the precision of the engine."""
        if block.ndim == 1:
            return self.product(block[:, None])[:, 0]
        width, vectors = block.shape[1], padded(block, self.dtype)
        out = cupy().empty_like(vectors)
        multiply("product", self.graph.normalised, self._data, vectors, out)
        return out[:, :width]

    def nearest(self, labels: IntArray) -> GpuArray:
        """Return the known label nearest along the graph; -1 if there is none in reach."""
        cp, found = cupy(), self.graph.nearest(labels >= 0)
        return cp.where(found >= 0, labels[cp.maximum(found, 0)], -1).astype(np.int32)

    def asarray(self, values: Any) -> GpuArray:
        """Bring values of the vertices to the GPU."""
        return cupy().asarray(values)

    def to_host(self, vector: GpuArray) -> Any:
        """Fetch a vector."""
        return vector if isinstance(vector, np.ndarray) else vector.get()

    def grouped(
        self, groups: GpuArray, values: GpuArray, n_groups: int, combine: np.ufunc = np.add
    ) -> GpuArray:
        """Return the sum of the values of each group, or the smallest; the same bits on every run."""
        kernel = reductions.group_sums if combine is np.add else reductions.group_minima
        return kernel(groups, values, n_groups)

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex; -1 if it has none."""
        return self.graph.matrix.heaviest()

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        return condensed(self.graph.matrix, groups, n_groups)

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, as a SciPy matrix of the host."""
        return some_rows(self.graph.matrix, vertices)

    def group_means(self, block: GpuArray, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices."""
        return group_means(block, groups, n_groups)

    def solve(
        self, scaling: GpuArray, b: GpuArray, coarse: Coarse | None = None, tolerance: float = TOLERANCE
    ) -> Solution:
        """Solve ``(I - A S A) x = b`` by conjugate gradients."""
        if b.ndim == 1 or not is_small(b) or tolerance != TOLERANCE:
            return super().solve(scaling, b, None, tolerance)
        return solve_on_gpu(self.system(scaling), b, MAX_ITERATIONS)

    def system(self, scaling: GpuArray) -> CudaSystem:
        """Return the system of the matrix ``I - A S A``, `scaling` being the diagonal of ``A``."""
        return CudaSystem(self._in_system, scaling, self.graph.cell_by_cell)

    @cached_property
    def rows(self) -> GpuRows:
        """The normalised affinity as sweeps want it."""
        entries = len(self.graph.matrix.data)
        with memory_in_words("the graph", entries * (8 + 2 * self.dtype.itemsize)):
            return GpuRows.of(self.graph.normalised, self.dtype, self.graph.cell_by_cell)

    @cached_property
    def _row_sums(self) -> GpuArray:
        return self.rows.placed(self.graph.normalised.row_sums, self.dtype)

    @cached_property
    def _in_system(self) -> GpuMatrix:
        """The normalised affinity as systems want it: neighbours near each other in memory."""
        matrix, order = self.graph.normalised.with_data(self._data), self.graph.cell_by_cell
        return matrix if order is None else matrix.reordered(order)

    @cached_property
    def _data(self) -> GpuArray:
        return self.graph.normalised.data.astype(self.dtype)

    def _forces(self, problem: "Problem") -> _Forces:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._place(problem)
        return self._last[1]

    def _place(self, problem: "Problem") -> _Forces:
        cp, n_classes = cupy(), problem.n_classes
        if n_classes not in self._plans:
            self._plans[n_classes] = Plan(self.rows, n_classes)
        plan = self._plans[n_classes]
        degrees, balance = self.graph.degrees, problem.balance
        phi = cp.sqrt(degrees / (float(degrees.sum()) or 1.0)) if balance else cp.zeros(len(degrees))
        by_vertex = (problem.known, problem.fidelities, phi)
        known, fidelity, phi = (self.rows.placed(cp.asarray(values), self.dtype) for values in by_vertex)
        shares = cp.asarray(balance.shares if balance else np.zeros(n_classes), dtype=self.dtype)
        rows = struct(
            row_sums=self._row_sums.data.ptr,
            known=known.data.ptr,
            fidelity=fidelity.data.ptr,
            phi=phi.data.ptr,
            origin=np.int32(0),
        )
        classes = struct(
            shares=shares.data.ptr,
            mass=plan.mass.data.ptr,
            strength=self.dtype.type(balance.strength if balance else 0.0),
            n_classes=np.int32(n_classes),
        )
        return _Forces(plan, rows, classes, (known, fidelity, phi, shares))
