"""Starts of the descent: label propagation, the nearest label, or random as in the paper.

Laplace learning (harmonic functions; Zhu et al., 2003) makes each unlabelled vertex the weighted mean of its
neighbours. With few labels that mean is nearly constant, with a spike at each label. Poisson weights (Calder
et al., 2020) raise the weights near the labels, so that the spikes become slopes. Both hold on each connected
component by itself. With ``x = D^1/2 u`` the systems have the matrix ``I - A S A``, see
`graphwell.backends.conjugate_gradients`.

Labelled vertices always start at their label. The table `STARTS` at the end names the starts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell.backends.base import Block, Coarse, Engine, PlacedGraph, State, Vector
from graphwell.backends.conjugate_gradients import Solution
from graphwell.backends.induction import two_highest_apart
from graphwell.solve.communities import aggregates_of
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_classes, class_counts, evenness

# Of a Poisson weight: weights must be positive. Not recorded.
SMALLEST_WEIGHT = 1e-5
# Larger Poisson weights, near rows that only copies of them are near to, would overflow single precision.
LARGEST_WEIGHT = 1e12
# Vertices from which on solvers get a coarse level: MNIST takes 167 products instead of 602. In smaller
# graphs there is little to gain.
COARSE_FROM = 20_000
# Size of the offset around a chosen class: exactly on the integers both forces vanish, and nothing would
# ever move.
OFFSET = 0.3


# ----------------------------------------------------------------------------------------- label propagation


@dataclass(frozen=True)
class Scores:
    """Scores of every vertex and class, zero where no label reaches, with the work that they took."""

    values: Block
    iterations: int  # of conjugate gradients, in all
    residual: float  # the largest relative residual


def laplace_scores(problem: Problem, engine: Engine, vertex_weights: Vector | None = None) -> Scores:
    """Scores that are 0 or 1 at the labels and harmonic elsewhere.

    With positive factors `vertex_weights`, `g`, the edges get the weights ``g_i w_ij g_j``.
    """
    xp, graph, known = engine.xp, problem.graph, problem.is_known
    weighted = xp.sqrt(graph.degrees)  # g D^1/2
    if vertex_weights is not None:
        weighted = vertex_weights * weighted
    # Harmonic functions, equation (5) of Zhu et al.: (D_uu - W_uu) f_u = W_ul f_l. With x = D^1/2 f the
    # system is (I - A S A) x = b, where A leaves out the labelled vertices.
    root = xp.sqrt(xp.maximum(weighted * engine.product(weighted), 0.0))  # D^1/2 under the weights
    inside = xp.where(known, 0.0, quotient(xp, weighted, root))  # A
    b = engine.product(engine.indicator(problem.labels, weighted, problem.n_classes))
    b = scaled(engine, b, inside)  # W_ul f_l
    del weighted  # of a million rows, what is not needed any more counts
    solution = engine.solve(inside, b, coarse=coarse_level(engine, graph, root))
    outside = known | ~problem.reachable
    diffused = scaled(engine, solution.x, xp.where(outside, 0.0, quotient(xp, 1.0, root)))  # f_u
    del b
    labels = engine.indicator(problem.labels, xp.ones(graph.n_vertices), problem.n_classes)
    return Scores(labels + diffused, solution.iterations, solution.residual)


def poisson_weights(problem: Problem, engine: Engine) -> tuple[Vector, Solution]:
    """Positive vertex weights that are large near labels: the solution of a Poisson equation.

    ``L g = strength of the labels - their mean`` on each component, shifted so that the smallest is just
    positive. All classes are sources of the same strength, however many labels share it.
    """
    graph, xp = problem.graph, engine.xp
    rows = xp.ones(graph.n_vertices) if engine.masses is None else engine.masses
    # L g = sum over the labels of their strength - the mean, on each component, of which each row takes its
    # part; a singular system, in its range.
    source = source_strengths(problem, engine)
    source = source - rows * component_means(engine, graph, source / rows, rows)
    g, solution = solve_laplacian(engine, graph, source)
    del source, rows  # of a million rows, what is not needed any more counts
    g = g - component_means(engine, graph, g, graph.degrees)
    # g is determined up to a constant on each component: there its smallest value becomes just positive.
    lowest = engine.grouped(graph.components, g, graph.n_components, np.minimum)
    g = g - xp.take(lowest, graph.components) + SMALLEST_WEIGHT
    return g / max(1.0, float(g.max()) / LARGEST_WEIGHT), solution


def source_strengths(problem: Problem, engine: Engine) -> Vector:
    """Strength of each label as a source: by its class, and 1 for all where classes have equally many."""
    xp, known = engine.xp, problem.is_known
    trusted = known * 1.0 if problem.trust is None else xp.where(known, problem.trust, 0.0)
    by_class = engine.grouped(problem.known, trusted, problem.n_classes)
    mean = by_class.sum() / max(1, int((by_class > 0).sum()))
    return trusted * xp.take(quotient(xp, mean, by_class), problem.known)


def diffusion_scores(problem: Problem, engine: Engine) -> Scores:
    """Laplace learning on Poisson weights: the best all-round start for a descent."""
    g, solution = poisson_weights(problem, engine)
    scores = laplace_scores(problem, engine, g)
    residual = max(scores.residual, solution.residual)
    return Scores(scores.values, scores.iterations + solution.iterations, residual)


def solve_laplacian(engine: Engine, graph: PlacedGraph, sources: Any) -> tuple[Any, Solution]:
    """Solve ``L g = sources``, which sum to zero on each component; up to a constant on each."""
    root = engine.xp.sqrt(graph.degrees)
    inverse, ones = quotient(engine.xp, 1.0, root), engine.xp.ones(graph.n_vertices)
    b = scaled(engine, sources, inverse)
    solution = engine.solve(ones, b, coarse=coarse_level(engine, graph, root))
    return scaled(engine, solution.x, inverse), solution


def coarse_level(engine: Engine, graph: PlacedGraph, level: Vector) -> Coarse | None:
    """The coarse level of a large graph for solvers: groups of its vertices, found when asked for."""
    if graph.n_vertices < COARSE_FROM:
        return None
    return Coarse(level, lambda most: aggregates_of(engine).few(most))


def centred(engine: Engine, graph: PlacedGraph, block: Block, weights: Vector | None = None) -> Block:
    """Subtract from each column the (weighted) mean of each component."""
    weights = engine.xp.ones(len(block)) if weights is None else weights
    columns = [column - component_means(engine, graph, column, weights) for column in block.T]
    return engine.xp.stack(columns, axis=1)


def component_means(engine: Engine, graph: PlacedGraph, values: Vector, weights: Vector) -> Vector:
    """The weighted mean of the component of each vertex."""
    total = engine.grouped(graph.components, weights, graph.n_components)
    sums = engine.grouped(graph.components, weights * values, graph.n_components)
    return engine.xp.take(quotient(engine.xp, sums, total), graph.components)


def scaled(engine: Engine, values: Any, factors: Vector) -> Any:
    """Return a vector, or a block with each row, times its factor."""
    if values.ndim == 1:
        return values * factors
    return values * engine.own(factors).astype(values.dtype, copy=False)[:, None]


def quotient(xp: Any, a: Any, b: Vector) -> Vector:
    """Return ``a / b`` where `b` is positive, and 0 elsewhere."""
    return xp.where(b > 0, a / xp.where(b > 0, b, 1.0), 0.0)


# ------------------------------------------------------------------------------------------- the first state


@dataclass(frozen=True)
class Start:
    """A first state, and the scores it came from where there are any."""

    state: State
    scores: Scores | None = None


@dataclass(frozen=True)
class StartRule:
    """A way to find a start."""

    find: Callable[[Problem, Engine, np.random.Generator], Start]
    work: tuple[float, ...] = (1,)  # rough work of its linear systems, in any unit
    scored: bool = False  # whether it has scores, which the graph of communities can improve


def auto_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """The diffusion start, or plain Laplace learning where its scores are more decided.

    Poisson weights serve even classes; with a few labels for each of very uneven ones they let the small ones
    spill over. Plain Laplace learning does not, but from too few labels it decides nothing, or gives nearly
    everything to one class, and its scores show that.
    """
    found, decided = (diffusion_scores(problem, engine), laplace_scores(problem, engine)), []
    for scores in found:
        counts = class_counts(engine, engine.argmax(scores.values), problem.n_classes)
        margins = two_highest_apart(engine.xp, engine.shares(scores.values))
        decided.append(float(engine.allreduce(margins.sum())) * evenness(counts))
    return from_scores(problem, engine, found[int(np.argmax(decided))], rng)


def diffusion_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """Every vertex takes its highest score under Laplace learning on Poisson weights."""
    return from_scores(problem, engine, diffusion_scores(problem, engine), rng)


def from_scores(problem: Problem, engine: Engine, scores: Scores, rng: np.random.Generator) -> Start:
    """Every vertex takes its highest score, under prices if class sizes are given."""
    labels = best_classes(engine, scores.values, problem.class_shares, problem.reachable)
    return Start(from_labels(problem, engine, labels, rng), scores)


def nearest_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """Every vertex takes the label nearest along the graph; those that none reaches are drawn at random."""
    return Start(from_labels(problem, engine, engine.nearest(problem.labels), rng))


def random_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """The paper's start: states drawn evenly from [-1/2, K - 1/2), labels in place."""
    u = engine.asarray(rng.random(problem.graph.n_vertices) * problem.n_classes - 0.5)
    labels = engine.xp.clip(engine.xp.floor(u + 0.5), 0, problem.n_classes - 1)
    return Start(_labels_in_place(problem, engine, labels.astype(np.int32), u - labels))


def from_labels(problem: Problem, engine: Engine, labels: Vector, rng: np.random.Generator) -> State:
    """Place each vertex near a class, on a random side of it; -1, and where no label reaches, near any."""
    n, xp = problem.graph.n_vertices, engine.xp
    anywhere = engine.asarray(rng.integers(problem.n_classes, size=n))
    labels = xp.where((labels >= 0) & problem.reachable, labels, anywhere).astype(np.int32)
    side = engine.asarray(rng.random(n) < 0.5)
    return _labels_in_place(problem, engine, labels, xp.where(side, -OFFSET, OFFSET))


def _labels_in_place(problem: Problem, engine: Engine, labels: Vector, offsets: Vector) -> State:
    labels = engine.xp.where(problem.is_known, problem.known, labels).astype(np.int32)
    return State(labels, engine.xp.where(problem.is_known, 0.0, offsets))


STARTS = {
    "auto": StartRule(auto_start, work=(1, 2, 2), scored=True),
    "diffusion": StartRule(diffusion_start, work=(1, 2), scored=True),
    "nearest": StartRule(nearest_start),
    "random": StartRule(random_start),
}
