"""The two-class model of section 2, by the convex splitting of Bertozzi and Flenner.

The smoothing term is stepped implicitly and the rest explicitly, with a constant `c` added to one side and
taken from the other that makes any step stable. In the eigenvectors of ``L_s`` the implicit part is a
division.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray
from graphwell.graph import Graph
from graphwell.solve.reference import binary_energy, double_well_slope


@dataclass(frozen=True)
class BinaryRun:
    """States in about [-1, 1], number of iterations, and whether they settled."""

    u: FloatArray
    n_iterations: int
    converged: bool
    energy: float = 0.0


def convex_splitting(
    graph: Graph,
    known: FloatArray,
    epsilon: float,
    fidelity: float,
    step_size: float,
    n_eigenvectors: int,
    max_iter: int,
    tol: float,
) -> BinaryRun:
    """Minimise the energy of equation (6) in the leading eigenvectors of ``L_s``.

    `known` holds -1 and +1 for the known labels and 0 elsewhere. The graph should be connected: take the
    components one by one.
    """
    eigenvalues, vectors = smallest_eigenpairs(graph, n_eigenvectors)
    # E = E1 - E2, both convex: E1 has the smoothing and c |u|²/2, E2 the rest. c bounds the slopes of the
    # rest: that of the well is at most 2 / epsilon on [-1, 1], that of the fidelity term is its weight.
    weight, c = fidelity * np.abs(known), 2 / epsilon + fidelity
    # (1 + dt (epsilon lambda_k + c)) a_k = right-hand side, for the coefficient of each eigenvector
    shrink = 1 / (1 + step_size * (epsilon * eigenvalues + c))

    def advance(u: FloatArray) -> FloatArray:
        explicit = c * u - double_well_slope(u) / epsilon - weight * (u - known)  # E2'(u)
        return vectors @ (shrink * (vectors.T @ (u + step_size * explicit)))

    u, iterations, converged = _iterated(advance, known, max_iter, tol)
    return BinaryRun(u, iterations, converged, binary_energy(u, graph.L_s, epsilon, weight, known))


def balanced_splitting(
    graph: Graph,
    epsilons: Sequence[float],
    mass: float,
    step_size: float,
    n_eigenvectors: int,
    max_iter: int,
    tol: float,
) -> BinaryRun:
    """Minimise the energy without labels, the mean of the states being held at `mass`.

    Begins at the second eigenvector, cut so that the mean is right, and goes on from one epsilon to the next.
    `max_iter` and `tol` are those of each.
    """
    eigenvalues, vectors = smallest_eigenpairs(graph, n_eigenvectors)
    order = np.argsort(vectors[:, 1] / np.sqrt(np.maximum(graph.degrees, 1e-12)), kind="stable")
    u = np.ones(len(order))
    u[order[: round(len(order) * (1 - mass) / 2)]] = -1.0
    in_all, converged = 0, False
    for epsilon in epsilons:
        c = 2 / epsilon + 1
        shrink = 1 / (1 + step_size * (epsilon * eigenvalues + c))

        def advance(
            u: FloatArray, epsilon: float = epsilon, c: float = c, shrink: FloatArray = shrink
        ) -> FloatArray:
            explicit = u + step_size * (c * u - double_well_slope(u) / epsilon)
            moved = vectors @ (shrink * (vectors.T @ explicit))
            # projected: without a label all would be one class
            return np.asarray(moved + (mass - moved.mean()))

        u, iterations, converged = _iterated(advance, u, max_iter, tol)
        in_all += iterations
    nothing = np.zeros(len(u))
    return BinaryRun(u, in_all, converged, binary_energy(u, graph.L_s, epsilons[-1], nothing, nothing))


def _iterated(
    advance: Callable[[FloatArray], FloatArray], u: FloatArray, max_iter: int, tol: float
) -> tuple[FloatArray, int, bool]:
    """States once a step changes none by `tol`, the number of steps, and whether that came about."""
    for iteration in range(max_iter):
        before, u = u, advance(u)
        if float(np.abs(u - before).max()) < tol:
            return u, iteration + 1, True
    return u, max_iter, False


def smallest_eigenpairs(graph: Graph, count: int) -> tuple[FloatArray, FloatArray]:
    """Smallest eigenvalues of ``L_s``, rising, and their eigenvectors as columns."""
    n = graph.n_vertices
    if n <= max(64, 2 * count):
        values, vectors = np.linalg.eigh(graph.S.toarray())
        order = np.arange(n)[::-1]
    else:
        values, vectors = sparse.linalg.eigsh(graph.S, k=count, which="LA", v0=np.sqrt(graph.degrees + 1e-12))
        order = np.argsort(-values)
    few = order[:count]
    return np.maximum(1 - values[few], 0.0), np.ascontiguousarray(vectors[:, few])
