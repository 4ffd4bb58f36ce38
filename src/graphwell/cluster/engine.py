"""Sweeps on a cluster: the same engine seam, one task per block and sweep between two exchanges."""

from typing import TYPE_CHECKING

import numpy as np

from graphwell._types import FloatArray
from graphwell.cluster import sweep as on_block
from graphwell.cluster.graph import ClusterGraph
from graphwell.cluster.harmonic import column_product
from graphwell.cluster.tasks import Handle
from graphwell.engines.base import State, Swept

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem


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
        self._last: tuple[Problem, list[Handle]] | None = None

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        tasks, blocks, n = self.graph.tasks, self.graph.blocks, self.graph.n_blocks
        forces = self.forces(problem)
        states, exports = self._placed(problem, state)
        for _ in range(count):
            everywhere = [exports if problem.balance else []] * n
            states = tasks.each(
                "sweep",
                on_block.sweep,
                blocks,
                forces,
                states,
                self.graph.every(exports),
                everywhere,
                [epsilon] * n,
                [step_size] * n,
            )
            exports = tasks.each("export", on_block.export, blocks, forces, states)
        near = self.graph.every(exports)
        finished = tasks.each("finish", on_block.finish, blocks, forces, states, near, [epsilon] * n)
        labels, offsets, energies, changes = zip(*tasks.results(finished), strict=True)
        swept = State(self.graph.joined(labels), self.graph.joined(offsets))
        return Swept(swept, float(sum(energies)), int(sum(changes)))

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block`` for a block of columns that the client holds."""
        return column_product(self.graph, block)

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
        labels = self.graph.cut(state.labels.astype(np.int32))
        offsets = self.graph.cut(state.offsets.astype(np.float32))
        states = tasks.each("place", on_block.place, blocks, forces, labels, offsets)
        return states, tasks.each("export", on_block.export, blocks, forces, states)
