"""The engine on one card: all sweeps of an epsilon without a word from the host, the same on every run."""

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwell.engines.base import State, Swept
from graphwell.engines.cuda._cupy import CardArray, cupy, kernel, launch, memory_in_words
from graphwell.engines.cuda.graph import CudaGraph
from graphwell.engines.cuda.layout import CardRows
from graphwell.engines.cuda.plan import Plan, struct
from graphwell.engines.system import COLUMNS_AT_ONCE, ArraySystem

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem


@dataclass(frozen=True, eq=False)
class _Forces:
    """What acts on each row besides its neighbours, as the kernels take it."""

    plan: Plan
    rows: Any
    classes: Any
    held: tuple[CardArray, ...]
    """The arrays that the two point to."""


class CudaEngine:
    """Sweeps and products over a graph on a card.

    Parameters
    ----------
    graph : Graph
        Of the host or of the card; states and blocks come back where those of the graph lie.
    dtype : {float32, float64}
        Precision of weights and offsets.
    """

    def __init__(self, graph: "Graph", dtype: npt.DTypeLike = np.float32) -> None:
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._on_host = not isinstance(graph, CudaGraph)
        self._card = CudaGraph.of(graph)
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
            plan.place(cp.asarray(state.labels), cp.asarray(state.offsets))
            plan.sweep(forces.rows, forces.classes, step, count, problem.balance is not None)
            labels, offsets = plan.restored(count)
            energy, changes = plan.totals()
        if self._on_host:
            labels, offsets = labels.get(), offsets.get()
        return Swept(State(labels, offsets), energy, changes)

    def product(self, block: CardArray) -> CardArray:
        """Return ``S @ block`` for a block of columns, in the precision of the engine."""
        cp = cupy()
        block = cp.ascontiguousarray(cp.asarray(block), dtype=self.dtype)
        n, width = block.shape
        at_once = 1 if width == 1 else COLUMNS_AT_ONCE
        if width % at_once:
            block = cp.pad(block, ((0, 0), (0, -width % at_once)))
        out = cp.empty_like(block)
        matrix, groups = self._card.normalised, block.shape[1] // at_once
        real = "float" if self.dtype == np.float32 else "double"
        function = kernel("products.cu", "product", POINTER=matrix.pointer, REAL=real, WIDE=at_once)
        launch(function, n * groups, (matrix.indptr, matrix.indices, self._data, block, out, groups, n))
        out = out[:, :width]
        return out.get() if self._on_host else out

    def system(self, scaling: CardArray) -> ArraySystem:
        """Return the system of the matrix ``I - A S A``, `scaling` being the diagonal of ``A``."""
        return ArraySystem(self.product, scaling, self.dtype)

    @cached_property
    def rows(self) -> CardRows:
        """The normalised affinity as sweeps want it."""
        entries = len(self._card.matrix.data)
        with memory_in_words("the graph", entries * (8 + 2 * self.dtype.itemsize)):
            return CardRows.of(self._card.normalised, self.dtype)

    @cached_property
    def _row_sums(self) -> CardArray:
        return self.rows.placed(self._card.normalised.row_sums, self.dtype)

    @cached_property
    def _data(self) -> CardArray:
        return self._card.normalised.data.astype(self.dtype)

    def _forces(self, problem: "Problem") -> _Forces:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._place(problem)
        return self._last[1]

    def _place(self, problem: "Problem") -> _Forces:
        cp, n_classes = cupy(), problem.n_classes
        if n_classes not in self._plans:
            self._plans[n_classes] = Plan(self.rows, n_classes)
        plan = self._plans[n_classes]
        degrees, balance = self._card.degrees, problem.balance
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
