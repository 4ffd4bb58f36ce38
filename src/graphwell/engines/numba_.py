"""The CPU engine: Jacobi sweeps compiled by numba, on all cores, the same bits on any number of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt

from graphwell._pool import threads
from graphwell._threads import thread_count
from graphwell._types import FloatArray
from graphwell.engines import kernels
from graphwell.engines.base import State, Swept
from graphwell.engines.gather import COLUMNS_AT_ONCE
from graphwell.engines.layout import SlicedRows
from graphwell.engines.packing import Packing

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem

ENTRIES_PER_THREAD = 200_000
"""Below this, waiting for a second thread costs more than it brings."""


@dataclass(frozen=True)
class _Forces:
    """What acts on each position besides its neighbours, in the order of the layout.

    Terms that a problem does not have are zero, and cost next to nothing.
    """

    known: FloatArray
    fidelity: FloatArray
    phi: FloatArray
    strength: float
    shares: FloatArray


class NumbaEngine:
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

    def __init__(self, graph: "Graph", n_jobs: int | None = None, dtype: npt.DTypeLike = np.float32) -> None:
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        most = min(thread_count(n_jobs), int(numba.config.NUMBA_NUM_THREADS))
        self.n_threads = min(most, 1 + graph.W.nnz // ENTRIES_PER_THREAD)
        self.rows = SlicedRows.from_csr(graph.S, self.dtype)
        self.row_sums = self._placed(np.asarray(graph.S.sum(axis=1)).ravel())
        self._last: tuple[Problem, _Forces] | None = None

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        packing = Packing.of(problem.n_classes, self.dtype)
        forces = self._forces(problem)
        offsets = self._placed(state.offsets)
        words = packing.pack(self._placed(state.labels), offsets)
        votes = np.zeros((self.n_threads, problem.n_classes), dtype=self.dtype)
        edges = (self.rows.starts, self.rows.columns, self.rows.values / self.dtype.type(2.0**packing.shift))
        with threads(self.n_threads):
            words, changes = kernels.sweeps(
                *edges,
                self.row_sums,
                forces.known,
                forces.fidelity,
                forces.phi,
                self.dtype.type(forces.strength),
                forces.shares,
                np.zeros_like(forces.shares),
                words,
                offsets,
                votes,
                self.dtype.type(epsilon),
                self.dtype.type(step_size),
                problem.implicit,
                count,
                packing.shift,
            )
            energy = kernels.energy(
                *edges,
                self.row_sums,
                forces.known,
                forces.fidelity,
                words,
                offsets,
                float(epsilon),
                packing.shift,
            )
        labels = self._restored(packing.labels(words))
        return Swept(State(labels, self._restored(offsets)), float(energy), int(changes))

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block`` for a block of columns, in the precision of the engine."""
        S = self.graph.S
        block = np.ascontiguousarray(block, dtype=self.dtype)
        width = block.shape[1]
        if width > 1 and width % COLUMNS_AT_ONCE:
            padding = -width % COLUMNS_AT_ONCE
            return self.product(np.pad(block, ((0, 0), (0, padding))))[:, :width]
        out = np.empty_like(block)
        with threads(self.n_threads):
            if width == 1:
                kernels.vector_product(S.indptr, S.indices, self._data, block[:, 0], out[:, 0])
            else:
                kernels.product(S.indptr, S.indices, self._data, block, out)
        return out

    @cached_property
    def _data(self) -> FloatArray:
        return self.graph.S.data.astype(self.dtype)

    def _forces(self, problem: "Problem") -> _Forces:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._place(problem)
        return self._last[1]

    def _place(self, problem: "Problem") -> _Forces:
        n = self.graph.n_vertices
        degrees = self.graph.degrees
        balance = problem.balance
        phi = np.sqrt(degrees / (degrees.sum() or 1.0)) if balance else np.zeros(n)
        return _Forces(
            known=self._placed(problem.known.astype(self.dtype)),
            fidelity=self._placed(problem.fidelities),
            phi=self._placed(phi),
            strength=balance.strength if balance else 0.0,
            shares=(balance.shares if balance else np.zeros(problem.n_classes)).astype(self.dtype),
        )

    def _placed(self, by_vertex: Any) -> Any:
        integer = np.issubdtype(by_vertex.dtype, np.integer)
        placed = np.zeros(self.rows.n_positions, dtype=np.int32 if integer else self.dtype)
        placed[: len(by_vertex)] = by_vertex[self.rows.order]
        return placed

    def _restored(self, placed: Any) -> Any:
        by_vertex = np.empty(len(self.rows.order), dtype=placed.dtype)
        by_vertex[self.rows.order] = placed[: len(self.rows.order)]
        return by_vertex
