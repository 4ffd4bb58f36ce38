"""Scores that spread from the labels by diffusion: Laplace learning, plain or on Poisson weights.

Laplace learning makes each unlabelled vertex the weighted mean of its neighbours. With few labels that mean
is nearly constant, with a spike at each label. Poisson weights (Calder et al., 2020) raise the weights near
the labels, so that the spikes become slopes. Both hold on each connected component by itself.
"""

from dataclasses import dataclass

import numpy as np

from graphwell._arrays import divided, group_minima, group_sums, namespace
from graphwell._types import FloatArray
from graphwell.backends.base import Engine
from graphwell.graph import Graph
from graphwell.solve.linear import MAX_ITERATIONS, Solution, conjugate_gradients
from graphwell.solve.problem import Problem

SMALLEST_WEIGHT = 1e-5


@dataclass(frozen=True)
class Scores:
    """Scores of every vertex and class, with the work that they took.

    Attributes
    ----------
    values : array of shape (n, n_classes)
        Zero where no label reaches.
    iterations : int
        Conjugate-gradient iterations in all.
    residual : float
        Largest relative residual.
    """

    values: FloatArray
    iterations: int
    residual: float


def laplace_scores(
    problem: Problem,
    engine: Engine,
    vertex_weights: FloatArray | None = None,
    guess: FloatArray | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> Scores:
    """Scores that are 0 or 1 at the labels and harmonic elsewhere.

    Parameters
    ----------
    problem : Problem
    engine : Engine
        Multiplies by the normalised affinity of the problem's graph.
    vertex_weights : array of shape (n,), optional
        Positive factors `g`: the edges get the weights ``g_i w_ij g_j``.
    guess : array of shape (n, n_classes), optional
        Scores to begin from; zero by default.
    max_iterations : int
        Of the solver.
    """
    graph, known = problem.graph, problem.is_known
    xp = namespace(graph.degrees)
    g = xp.ones(graph.n_vertices) if vertex_weights is None else vertex_weights
    root = xp.sqrt(graph.degrees)
    degrees = g * root * engine.product((g * root)[:, None])[:, 0]
    new_root = xp.sqrt(xp.maximum(degrees, 0.0))
    scaling = divided(g * root, new_root, where=new_root > 0)
    labels = xp.zeros((graph.n_vertices, problem.n_classes), dtype=np.float32)
    given = xp.flatnonzero(known)
    labels[given, problem.labels[given]] = 1.0
    inside = xp.where(known, 0.0, scaling)
    b = engine.product((scaling * new_root)[:, None] * labels)
    b *= inside[:, None]
    begin = None
    if guess is not None:
        begin = xp.where(known, 0.0, new_root)[:, None] * guess
        b -= begin - inside[:, None] * engine.product(inside[:, None] * begin)
    solution = conjugate_gradients(engine.system(inside), b, max_iterations=max_iterations)
    x = solution.x if begin is None else begin + solution.x
    inverse = divided(1.0, new_root, where=~known & (new_root > 0)).astype(labels.dtype)
    values = labels + x.astype(labels.dtype, copy=False) * inverse[:, None]
    values[~problem.reachable] = 0.0
    return Scores(values, solution.iterations, solution.residual)


def poisson_weights(problem: Problem, engine: Engine) -> tuple[FloatArray, Solution]:
    """Positive vertex weights that are large near labels: the solution of a Poisson equation.

    ``L g = 1 at the labels - their mean`` on each component, shifted so that the smallest is just positive.
    """
    graph = problem.graph
    source = centred(graph, problem.is_known.astype(float))
    g, solution = solve_laplacian(graph, engine, source[:, None])
    lowest = group_minima(graph.components, g[:, 0], graph.n_components)
    return g[:, 0] - lowest[graph.components] + SMALLEST_WEIGHT, solution


def diffusion_scores(problem: Problem, engine: Engine) -> Scores:
    """Laplace learning on Poisson weights: the best all-round start for a descent."""
    g, solution = poisson_weights(problem, engine)
    scores = laplace_scores(problem, engine, g)
    return Scores(
        scores.values, scores.iterations + solution.iterations, max(scores.residual, solution.residual)
    )


def solve_laplacian(graph: Graph, engine: Engine, sources: FloatArray) -> tuple[FloatArray, Solution]:
    """Solve ``L g = sources`` on each component; `sources` must sum to zero on each.

    The solution has mean zero, weighted by degree, on each component.
    """
    xp = namespace(graph.degrees)
    root = xp.sqrt(graph.degrees)[:, None]
    inverse = divided(1.0, root, where=root > 0)
    solution = conjugate_gradients(engine.system(xp.ones(graph.n_vertices)), inverse * sources)
    return centred(graph, inverse * solution.x, graph.degrees), solution


def centred(graph: Graph, values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Subtract from each component its (weighted) mean."""
    xp = namespace(values)
    columns = values[:, None] if values.ndim == 1 else values
    weights = xp.ones(len(values)) if weights is None else weights
    total = group_sums(graph.components, weights, graph.n_components)
    means = xp.empty((graph.n_components, columns.shape[1]))
    for c in range(columns.shape[1]):
        sums = group_sums(graph.components, weights * columns[:, c], graph.n_components)
        means[:, c] = divided(sums, total, where=total > 0)
    return (columns - means[graph.components]).reshape(values.shape)
