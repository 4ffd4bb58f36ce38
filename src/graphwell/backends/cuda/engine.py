"""The engine on one GPU: all sweeps of an epsilon without a word from the host, the same on every run."""

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwell.backends.base import State, Swept
from graphwell.backends.cuda._cupy import GpuArray, cupy, memory_in_words
from graphwell.backends.cuda.graph import CudaGraph
from graphwell.backends.cuda.layout import GpuRows
from graphwell.backends.cuda.plan import Plan, struct
from graphwell.backends.cuda.system import CudaSystem, multiply, padded

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem


@dataclass(frozen=True, eq=False)
class _Forces:
    """What acts on each row besides its neighbours, as the kernels take it."""

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


class CudaEngine:
    """Sweeps and products over a graph on a GPU.

    Parameters
    ----------
    graph : Graph
        Of the host or of the GPU; states and blocks come back where those of the graph lie.
    dtype : {float32, float64}
        Precision of weights and offsets.
    """

    def __init__(self, graph: "Graph", dtype: npt.DTypeLike = np.float32) -> None:
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._on_host = not isinstance(graph, CudaGraph)
        self._gpu = CudaGraph.of(graph)
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
        if self._on_host:
            return Swept(State(labels.get(), offsets.get()), float(promise), int(promise))
        return Swept(State(labels, offsets), promise, promise)

    def product(self, block: GpuArray) -> GpuArray:
        """Return ``S @ block`` for a block of columns, in the precision of the engine."""
        width, vectors = block.shape[1], padded(block, self.dtype)
        out = cupy().empty_like(vectors)
        multiply("product", self._gpu.normalised, self._data, vectors, out)
        out = out[:, :width]
        return out.get() if self._on_host else out

    def system(self, scaling: GpuArray) -> CudaSystem:
        """Return the system of the matrix ``I - A S A``, `scaling` being the diagonal of ``A``."""
        return CudaSystem(self._gpu.normalised, self._data, scaling, self._on_host)

    @cached_property
    def rows(self) -> GpuRows:
        """The normalised affinity as sweeps want it."""
        entries = len(self._gpu.matrix.data)
        with memory_in_words("the graph", entries * (8 + 2 * self.dtype.itemsize)):
            return GpuRows.of(self._gpu.normalised, self.dtype)

    @cached_property
    def _row_sums(self) -> GpuArray:
        return self.rows.placed(self._gpu.normalised.row_sums, self.dtype)

    @cached_property
    def _data(self) -> GpuArray:
        return self._gpu.normalised.data.astype(self.dtype)

    def _forces(self, problem: "Problem") -> _Forces:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._place(problem)
        return self._last[1]

    def _place(self, problem: "Problem") -> _Forces:
        cp, n_classes = cupy(), problem.n_classes
        if n_classes not in self._plans:
            self._plans[n_classes] = Plan(self.rows, n_classes)
        plan = self._plans[n_classes]
        degrees, balance = self._gpu.degrees, problem.balance
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
