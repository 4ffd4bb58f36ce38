"""Sweeps on a cluster: the same engine seam, one task per block and sweep between two exchanges."""

from typing import TYPE_CHECKING

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import State, Swept
from graphwell.backends.dask import sweep as on_block
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.harmonic import fetched, placed, product
from graphwell.backends.dask.tasks import Handle
from graphwell.backends.dask.worker_cache import DisplacedError
from graphwell.backends.system import ArraySystem

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem

MOST_DISPLACED = 3
"""Steps that may find their states on another worker; after so many, all states are left to Dask."""


class ClusterEngine:
    """Sweeps over a graph whose blocks lie on the workers of a Dask cluster.

    All sweeps of one epsilon are handed to Dask at once and begin from a state that the client holds: of the
    descent, the death of a worker can cost the current step alone, and nothing that Dask must remember
    grows with the sweeps. The states are bit for bit those of the CPU engine, for any number of blocks and
    workers.

    Parameters
    ----------
    graph : ClusterGraph
    """

    def __init__(self, graph: ClusterGraph) -> None:
        self.graph = graph
        self.displaced = 0
        self._last: tuple[Problem, list[Handle]] | None = None

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        finished = None
        if self.displaced < MOST_DISPLACED:
            try:
                ended = self.graph.tasks.at_home(self._chained(problem, state, epsilon, step_size, count))
                finished = self.graph.tasks.results(ended)
            except DisplacedError:
                self.displaced += 1
                self.graph.tasks.settle(self.graph.n_blocks)
        if finished is None:
            finished = self.graph.tasks.results(self._plain(problem, state, epsilon, step_size, count))
        labels, offsets, energies, changes = zip(*finished, strict=True)
        swept = State(self.graph.joined(labels), self.graph.joined(offsets))
        return Swept(swept, float(sum(energies)), int(sum(changes)))

    def _chained(
        self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int
    ) -> list[Handle]:
        """One task per block and sweep; what only the block itself needs stays in its worker's memory."""
        tasks, n = self.graph.tasks, self.graph.n_blocks
        blocks, forces = self.graph.blocks, self.forces(problem)
        tasks.named += 1
        chains = [f"sweeps of block {p} in {tasks.run}-{tasks.named}" for p in range(n)]
        exports = tasks.each(
            "place", on_block.place_here, blocks, forces, *self._cut(state), chains, bound=True
        )
        at_once = count if self._alone(problem) else 1
        last_number = count // at_once
        for number in range(1, last_number + 1):
            everywhere = [exports if problem.balance else []] * n
            same = [[value] * n for value in (epsilon, step_size, at_once)]
            exports = tasks.each(
                "sweep",
                on_block.sweep_here,
                blocks,
                forces,
                chains,
                [number] * n,
                exports,
                self.graph.every(exports),
                everywhere,
                *same,
                bound=True,
            )
        last = (chains, [last_number] * n, exports, self.graph.every(exports), [epsilon] * n)
        return tasks.each("finish", on_block.finish_here, blocks, forces, *last, bound=True)

    def _alone(self, problem: "Problem") -> bool:
        """Whether no block needs anything from another: then all sweeps of a step are one task."""
        without_halo = not any(size for _, size in self.graph.halos)
        return without_halo and (self.graph.n_blocks == 1 or problem.balance is None)

    def _plain(
        self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int
    ) -> list[Handle]:
        """Two tasks per block and sweep, whose results Dask holds and recovers."""
        tasks, n = self.graph.tasks, self.graph.n_blocks
        blocks, forces = self.graph.blocks, self.forces(problem)
        states, exports = self._placed(problem, state)
        for _ in range(count):
            everywhere = [exports if problem.balance else []] * n
            near = self.graph.every(exports)
            same = [[value] * n for value in (epsilon, step_size)]
            states = tasks.each("sweep", on_block.sweep, blocks, forces, states, near, everywhere, *same)
            exports = tasks.each("export", on_block.export, blocks, forces, states)
        near = self.graph.every(exports)
        return tasks.each("finish", on_block.finish, blocks, forces, states, near, [epsilon] * n)

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block`` for a block of columns that the client holds."""
        return fetched(self.graph, product(self.graph, placed(self.graph, block)))

    def system(self, scaling: FloatArray) -> ArraySystem:
        """Return the system of the matrix ``I - A S A`` for blocks that the client holds."""
        return ArraySystem(self.product, scaling)

    def presence(self, problem: "Problem", state: State, *, only_known: bool) -> list[Handle]:
        """Presence of each class around the vertices of each block, as lazy tasks."""
        states, exports = self._placed(problem, state)
        n = self.graph.n_blocks
        arguments = (self.graph.blocks, self.forces(problem), states, self.graph.every(exports))
        return self.graph.tasks.each("presence", on_block.presence, *arguments, [only_known] * n)

    def forces(self, problem: "Problem") -> list[Handle]:
        """What acts on the vertices besides their neighbours; the workers keep it for one problem."""
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._make_forces(problem)
        return self._last[1]

    def _make_forces(self, problem: "Problem") -> list[Handle]:
        n, balance = self.graph.n_blocks, problem.balance
        total = (float(self.graph.degrees.sum()) or 1.0) if balance else 1.0
        pressure = None if balance is None else (balance.strength, balance.shares)
        labels = self.graph.cut(problem.labels.astype(np.int32))
        same = (problem.fidelity, total, pressure, problem.n_classes, problem.implicit)
        columns = [[value] * n for value in same]
        tasks = self.graph.tasks
        return tasks.keep(tasks.each("forces", on_block.make_forces, self.graph.blocks, labels, *columns))

    def _placed(self, problem: "Problem", state: State) -> tuple[list[Handle], list[Handle]]:
        """States on the workers and what they export, from a state that the client holds."""
        tasks, blocks, forces = self.graph.tasks, self.graph.blocks, self.forces(problem)
        states = tasks.each("place", on_block.place, blocks, forces, *self._cut(state))
        return states, tasks.each("export", on_block.export, blocks, forces, states)

    def _cut(self, state: State) -> tuple[list[IntArray], list[FloatArray]]:
        labels = self.graph.cut(state.labels.astype(np.int32))
        return labels, self.graph.cut(state.offsets.astype(np.float32))
