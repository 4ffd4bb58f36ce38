"""A backend in plain NumPy, for small graphs: the proof that an engine is one folder and one line.

It keeps ``S`` as a dense matrix and does its sweeps on all pairs of vertices. What the registry needs is the
class `Backend`; what solvers need is an engine with `product`, `sweep` and `nearest`.
"""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Engine, State, Swept
from graphwell.graph import Graph
from graphwell.solve.problem import Problem


class DenseEngine(Engine):
    """Sweeps and products with a dense matrix, in double precision."""

    graph: Graph

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.S = graph.S.toarray().astype(float)
        self.row_sums = self.S.sum(axis=1)
        self.phi = np.sqrt(graph.degrees / (graph.degrees.sum() or 1.0))

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block``."""
        return self.S @ block

    def nearest(self, labels: IntArray) -> IntArray:
        """Return the known label nearest along the graph: one matrix of lengths, relaxed n times."""
        affinity = self.graph.W.toarray().astype(float)
        lengths = np.full(affinity.shape, np.inf)
        lengths[affinity > 0] = 1 / affinity[affinity > 0]
        distance, found = np.where(labels >= 0, 0.0, np.inf), labels.copy()
        for _ in labels:
            through = distance + lengths
            best = through.argmin(axis=1)
            nearer = through.min(axis=1) < distance
            distance = np.where(nearer, through.min(axis=1), distance)
            found = np.where(nearer, found[best], found)
        return found

    def sweep(self, problem: Problem, state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        labels, offsets, changes = state.labels.astype(int), state.offsets.astype(float), 0
        for _ in range(count):
            r, pressure = 0.5 - np.abs(offsets), self._pressure(problem, labels, offsets)
            following = self._moved(problem, labels, offsets, epsilon, step_size, pressure)
            crossed = np.flatnonzero((following < -0.5) | (following >= 0.5))
            chosen = [self._best_class(i, labels, r, pressure) for i in crossed]
            following[crossed] -= np.floor(following[crossed] + 0.5)
            before, offsets = labels.copy(), following
            labels[crossed] = chosen
            changes += int((labels != before).sum())
        found = State(labels.astype(np.int32), offsets)
        return Swept(found, self._energy(problem, found, epsilon), changes)

    def _moved(
        self, problem: Problem, labels: Any, d: Any, epsilon: float, step_size: float, pressure: Any
    ) -> Any:
        """Offsets after one step against the gradient of equation (15)."""
        r, side, size = 0.5 - np.abs(d), np.where(d >= 0, 1.0, -1.0), np.abs(d)
        same = (self.S * (labels[:, None] == labels)) @ r
        pull = self.row_sums * r + self.S @ r - 2 * same + 2 * self.phi * pressure[labels]
        force = epsilon * side * pull - side * size * (1 - size) * (1 - 2 * size) / epsilon
        if problem.implicit:
            away = np.where(labels == problem.known, d, -side * (1 - size))
            pin = step_size * problem.fidelities
            return d + (step_size * force - pin * away) / (1 + pin)
        return d + step_size * (force - problem.fidelities * (labels - problem.known + d))

    def _best_class(self, i: int, labels: Any, r: Any, pressure: Any) -> int:
        """Class with the largest vote of the neighbours, less the pressure on it; the first met of equals."""
        near = np.flatnonzero(self.S[i])
        if len(near) == 0:
            return int(labels[i])
        votes = np.bincount(labels[near], self.S[i, near] * r[near], minlength=len(pressure))
        met = list(dict.fromkeys(labels[near].tolist()))
        return max(met, key=lambda c: votes[c] - self.phi[i] * pressure[c])

    def _pressure(self, problem: Problem, labels: Any, offsets: Any) -> Any:
        """How far the mass of each class lies above its share."""
        if problem.balance is None:
            return np.zeros(problem.n_classes)
        mass = np.bincount(labels, self.phi * (0.5 - np.abs(offsets)), minlength=problem.n_classes)
        return problem.balance.strength * (mass - problem.balance.shares * mass.sum())

    def _energy(self, problem: Problem, state: State, epsilon: float) -> float:
        """Energy of equation (13), each edge counted once."""
        f, r = np.abs(state.offsets), 0.5 - np.abs(state.offsets)
        same = state.labels[:, None] == state.labels
        rho = np.where(same, r[:, None] - r, r[:, None] + r)
        away = state.labels + state.offsets - problem.known
        wells = (f * (1 - f)) ** 2 / (2 * epsilon) + problem.fidelities / 2 * away**2
        return float(epsilon / 4 * (self.S * rho**2).sum() + wells.sum())


class DenseBackend(Backend):
    """Rows and graphs are those of the CPU; only the engine is another."""

    name = "dense"

    def engine(self, graph: Any) -> DenseEngine:
        """Return the engine of a graph."""
        return DenseEngine(graph)
