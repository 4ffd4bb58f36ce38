"""The model of the paper: what is minimised, by its equations, and Algorithm 1 in plain loops.

Slow, obvious, in double precision: the measure of every engine.

Every class is a branch of a star: an integer state is the tip of a branch, a half-integer state the centre
where all branches meet. `r_hat` is the distance from the centre, `rho` the distance along the star, so no
class is nearer to another than the rest.

The double sum of equation (13) visits every edge twice, so its gradient would hold ``2 ε G``; the paper's
algorithm steps along ``ε G``. The energy here counts each edge once and is the one whose gradient the
algorithm uses. Two terms of graphwell's own descent stand in the force alone, not in `energy`: the pressure
on class sizes (`_pressure`), and the implicit fidelity, whose distance runs along the star, not over class
numbers.

The steps of Algorithm 1 stand in the margin. Three readings are ours: every sweep updates all vertices from
the previous sweep's state; a labelled vertex starts at its label (`literal_start` does not, for comparison);
and the greedy step chooses a class and keeps the offset from it.
"""

import math
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Engine, State, Swept
from graphwell.graph import Graph
from graphwell.solve.problem import Problem

# --------------------------------------------------------------------------------- the energies


def double_well(u: FloatArray) -> FloatArray:
    """Double well with minima at -1 and +1: ``(u² - 1)² / 4``. Equation (2)."""
    return (u * u - 1) ** 2 / 4


def double_well_slope(u: FloatArray) -> FloatArray:
    """Slope of the double well, ``u³ - u``."""
    return u * (u * u - 1)


def fractional_part(u: FloatArray) -> FloatArray:
    """``{u} = u - floor(u)``, in [0, 1). Equation (9)."""
    return u - np.floor(u)


def periodic_well(u: FloatArray) -> FloatArray:
    """One well at every integer: ``{u}² ({u} - 1)² / 2``. Equation (8)."""
    f = fractional_part(u)
    return (f * (f - 1)) ** 2 / 2


def periodic_well_slope(u: FloatArray) -> FloatArray:
    """Slope of the periodic well, ``{u} ({u} - 1) (2 {u} - 1)``. Equation (17)."""
    f = fractional_part(u)
    return f * (f - 1) * (2 * f - 1)


def label(u: FloatArray) -> IntArray:
    """Class of a state, the nearest integer: ``floor(u + 1/2)``. Equation (10)."""
    return np.floor(u + 0.5).astype(np.int64)


def r_hat(u: FloatArray) -> FloatArray:
    """Distance to the nearest half-integer, ``|1/2 - {u}|``. Equation (11)."""
    return np.abs(0.5 - fractional_part(u))


def r_hat_slope(u: FloatArray) -> FloatArray:
    """Slope of ``r_hat``: -1 on the right of an integer, +1 on its left."""
    return np.where(fractional_part(u) < 0.5, -1.0, 1.0)


def rho(u: FloatArray, v: FloatArray) -> FloatArray:
    """Generalised difference: ``r_hat`` added across classes, subtracted inside one. Equation (12)."""
    r_u, r_v = r_hat(u), r_hat(v)
    return np.where(label(u) == label(v), np.abs(r_u - r_v), r_u + r_v)


def binary_energy(u: FloatArray, L_s: Any, epsilon: float, fidelity: FloatArray, known: FloatArray) -> float:
    """Energy of the two-class model, whose classes are -1 and +1; fidelity 0 where no label is known. (6)."""
    smoothing = epsilon / 2 * float(u @ (L_s @ u))
    return smoothing + float(double_well(u).sum()) / epsilon + float((fidelity / 2 * (u - known) ** 2).sum())


def multiclass_energy(
    u: FloatArray, S: Any, epsilon: float, fidelity: FloatArray, known: FloatArray
) -> float:
    """Energy of the multiclass model, each edge counted once. Equation (13)."""
    edges = S.tocoo()
    both_directions = float((edges.data * rho(u[edges.row], u[edges.col]) ** 2).sum())
    smoothing = epsilon / 4 * both_directions
    return (
        smoothing + float(periodic_well(u).sum()) / epsilon + float((fidelity / 2 * (u - known) ** 2).sum())
    )


def multiclass_gradient(
    u: FloatArray, S: Any, epsilon: float, fidelity: FloatArray, known: FloatArray
) -> FloatArray:
    """Gradient of `multiclass_energy` away from the half-integers. Equations (15) and (16)."""
    edges = S.tocoo()
    r, y = r_hat(u), label(u)
    signed = np.where(y[edges.row] == y[edges.col], -1.0, 1.0) * r[edges.col]
    pull = np.bincount(edges.row, edges.data * (r[edges.row] + signed), minlength=len(u))
    known_force = fidelity * (u - known)
    return epsilon * r_hat_slope(u) * pull + periodic_well_slope(u) / epsilon + known_force


# ---------------------------------------------------------------------------------- Algorithm 1


class ReferenceEngine(Engine):
    """Sweeps over a graph, one vertex and one edge at a time."""

    def __init__(self, graph: Graph) -> None:
        S, self.graph = graph.S, graph
        self.edges = [
            [(int(S.indices[e]), float(S.data[e])) for e in range(S.indptr[i], S.indptr[i + 1])]
            for i in range(graph.n_vertices)
        ]
        self.row_sums = [reduce(add, (weight for _, weight in edges), 0.0) for edges in self.edges]
        self.phi = [float(f) for f in np.sqrt(graph.degrees / (graph.degrees.sum() or 1.0))]

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block``."""
        out = np.zeros(np.shape(block))
        for i, edges in enumerate(self.edges):
            for j, weight in edges:
                out[i] += weight * np.asarray(block)[j]
        return out

    def nearest(self, labels: IntArray) -> IntArray:
        """Return the known label nearest along the graph, by relaxing edges until nothing changes."""
        affinity = self.graph.W.toarray()
        length = [0.0 if label >= 0 else math.inf for label in labels]
        found = [int(label) for label in labels]
        for _ in labels:
            for i, j in np.argwhere(affinity > 0):
                through = length[j] + 1 / affinity[i, j]
                if through < length[i]:
                    length[i], found[i] = through, found[j]
        return np.array(found)

    def sweep(self, problem: Problem, state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` sweeps of Algorithm 1 at one epsilon."""
        labels = [int(y) for y in state.labels]
        offsets = [float(d) for d in state.offsets]
        changes = 0
        # fmt: off
        for _ in range(count):                                          # for m < m_max
            before = _Before(self, problem, labels, offsets)
            for i in range(len(labels)):                                #   for i < n
                d = before.moved(i, offsets[i], epsilon, step_size)     #     u_i <- u_i - dt (...)
                if not -0.5 <= d < 0.5:                                 #     if Label(u_i) changes
                    d -= math.floor(d + 0.5)                            #       keep the offset
                    labels[i] = before.best_class(i)                    #       k <- argmin smoothing
                    changes += labels[i] != before.labels[i]
                offsets[i] = d
        # fmt: on
        final = State(np.array(labels, dtype=np.int32), np.array(offsets))
        return Swept(final, self.energy(problem, final, epsilon), changes)

    def energy(self, problem: Problem, state: State, epsilon: float) -> float:
        """Energy of equation (13), each edge counted once."""
        total = 0.0
        for i, edges in enumerate(self.edges):
            r, f = 0.5 - abs(state.offsets[i]), abs(state.offsets[i])
            for j, weight in edges:
                r_j = 0.5 - abs(state.offsets[j])
                rho = r - r_j if state.labels[i] == state.labels[j] else r + r_j
                total += epsilon / 4 * weight * rho**2
            away = state.labels[i] + state.offsets[i] - problem.known[i]
            total += (f * (1 - f)) ** 2 / (2 * epsilon) + problem.fidelities[i] / 2 * away**2
        return total


class _Before:
    """The state before a sweep, which all vertices are updated from."""

    def __init__(
        self, engine: ReferenceEngine, problem: Problem, labels: list[int], offsets: list[float]
    ) -> None:
        self.engine, self.problem = engine, problem
        self.labels, self.r = list(labels), [0.5 - abs(d) for d in offsets]
        self.pressure = self._pressure()

    def moved(self, i: int, d: float, epsilon: float, step_size: float) -> float:
        """Offset of a vertex after one step against the gradient of equation (15)."""
        side = 1.0 if d >= 0 else -1.0  # r' = -side
        size = abs(d)
        slope = side * size * (1 - size) * (1 - 2 * size)  # F'(u_i)
        force = epsilon * side * self._pull(i) - slope / epsilon
        known, fidelity = int(self.problem.known[i]), float(self.problem.fidelities[i])
        if self.problem.implicit:
            away = d if self.labels[i] == known else -side * (1 - size)  # along the star of rho
            pin = step_size * fidelity
            return d + (step_size * force - pin * away) / (1 + pin)
        away = self.labels[i] - known + d  # u_i - u0_i
        return d + step_size * (force - fidelity * away)

    def best_class(self, i: int) -> int:
        """Class that minimises the smoothing term.

        ``(r + r_j)² - (r - r_j)² = 4 r r_j``, so it is the class with the largest ``sum S_ij r_j`` among the
        neighbours, less the pressure on it. The class met first wins a tie; a vertex alone keeps its own.
        """
        votes: dict[int, float] = {}
        for j, weight in self.engine.edges[i]:
            votes[self.labels[j]] = votes.get(self.labels[j], 0.0) + weight * self.r[j]
        phi = self.engine.phi[i]
        return max(votes, key=lambda c: votes[c] - phi * self.pressure[c], default=self.labels[i])

    def _pull(self, i: int) -> float:
        """``sum_j S_ij (r_i +- r_j)``, with the pressure on its class."""
        total = same = 0.0
        for j, weight in self.engine.edges[i]:
            total += weight * self.r[j]
            same += weight * self.r[j] if self.labels[j] == self.labels[i] else 0.0
        pull = self.engine.row_sums[i] * self.r[i] + (total - 2 * same)
        return pull + 2 * self.engine.phi[i] * self.pressure[self.labels[i]]

    def _pressure(self) -> list[float]:
        """How far the mass of each class lies above its share."""
        mass = [0.0] * self.problem.n_classes
        if self.problem.balance is None:
            return mass
        for label, r, phi in zip(self.labels, self.r, self.engine.phi, strict=True):
            mass[label] += phi * r
        strength, shares = self.problem.balance.strength, self.problem.balance.shares
        return [strength * (mass[k] - float(shares[k]) * sum(mass)) for k in range(len(mass))]


def literal_start(problem: Problem, rng: np.random.Generator) -> State:
    """The start as printed in the paper: labelled vertices are drawn at random like all others."""
    u = rng.random(problem.graph.n_vertices) * problem.n_classes - 0.5  # u^0 <- rand((0, K)) - 1/2
    labels = np.clip(np.floor(u + 0.5), 0, problem.n_classes - 1).astype(np.int32)
    return State(labels, u - labels)
