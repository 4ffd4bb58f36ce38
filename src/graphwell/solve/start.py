"""Where the descent starts. Labelled vertices always start at their label."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphwell._arrays import divided, namespace
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Engine, State
from graphwell.solve.balance import balanced_labels
from graphwell.solve.harmonic import Scores, diffusion_scores, laplace_scores
from graphwell.solve.problem import Problem

OFFSET = 0.3
"""Size of the offset around a chosen class: exactly on the integers nothing would ever move."""


@dataclass(frozen=True)
class Start:
    """A first state, and the scores it came from where there are any."""

    state: State
    scores: Scores | None = None


def random_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """The paper's start: states drawn evenly from [-1/2, K - 1/2), labels in place."""
    u = problem.graph.asarray(rng.random(problem.graph.n_vertices) * problem.n_classes - 0.5)
    xp = namespace(u)
    labels = xp.clip(xp.floor(u + 0.5), 0, problem.n_classes - 1)
    return Start(_labels_in_place(problem, labels.astype(np.int32), u - labels))


def nearest_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """Every vertex takes the label nearest along the graph; those that none reaches are drawn at random."""
    return Start(from_labels(problem, nearest_labels(problem), rng))


def diffusion_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """Every vertex takes its highest score under Laplace learning on Poisson weights.

    With a balance of the classes to be kept, the scores are first priced so that the sizes fit.
    """
    scores = diffusion_scores(problem, engine)
    return Start(from_labels(problem, labels_of(problem, scores), rng), scores)


def auto_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """The diffusion start, or plain Laplace learning where its scores are more decided.

    Poisson weights serve even classes; with a few labels for each of very uneven ones they let the small ones
    spill over. Plain Laplace learning does not, but from too few labels it decides nothing, and its scores
    show that.
    """
    scores = max(diffusion_scores(problem, engine), laplace_scores(problem, engine), key=decidedness)
    return Start(from_labels(problem, labels_of(problem, scores), rng), scores)


def decidedness(scores: Scores) -> float:
    """Mean distance between the two highest scores of a vertex, each vertex's scores adding up to 1."""
    xp = namespace(scores.values)
    positive = xp.maximum(scores.values, 0.0)
    total = positive.sum(axis=1, keepdims=True)
    shares = divided(positive, total, where=total > 0)
    highest = shares.max(axis=1)
    shares[xp.arange(len(shares)), shares.argmax(axis=1)] = -1.0
    return float((highest - shares.max(axis=1)).mean())


STARTS: dict[str, Callable[[Problem, Engine, np.random.Generator], Start]] = {
    "auto": auto_start,
    "diffusion": diffusion_start,
    "nearest": nearest_start,
    "random": random_start,
}


SYSTEMS: dict[str, tuple[float, ...]] = {"auto": (1.0, 2.0, 2.0), "diffusion": (1.0, 2.0)}
"""Rough work of the linear systems of a start: one column for Poisson weights, one per class for scores."""


def labels_of(problem: Problem, scores: Scores) -> IntArray:
    """Class with the highest score, under prices if class sizes are given; -1 where no label reaches."""
    labels = scores.values.argmax(axis=1)
    if problem.class_shares is not None:
        reached = problem.reachable
        labels[reached] = balanced_labels(scores.values[reached], problem.class_shares * int(reached.sum()))
    return namespace(labels).where(problem.reachable, labels, -1)


def nearest_labels(problem: Problem) -> IntArray:
    """Label nearest along the graph, an edge being as long as 1 / weight; -1 where there is none.

    Examples
    --------
    >>> from graphwell import Graph
    >>> chain = Graph.from_affinity([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0.1], [0, 0, 0.1, 0]])
    >>> nearest_labels(Problem(chain, np.array([0, -1, -1, 1]), n_classes=2))
    array([0, 0, 0, 1], dtype=int32)
    """
    nearest = problem.graph.nearest(problem.is_known)
    xp = namespace(nearest)
    return xp.where(nearest >= 0, problem.labels[xp.maximum(nearest, 0)], -1).astype(np.int32)


def from_labels(problem: Problem, labels: IntArray, rng: np.random.Generator) -> State:
    """Place each vertex near a class, on a random side of it; -1 stands for a random class."""
    graph, xp = problem.graph, namespace(labels)
    anywhere = graph.asarray(rng.integers(problem.n_classes, size=graph.n_vertices))
    labels = xp.where(labels >= 0, labels, anywhere).astype(np.int32)
    side = graph.asarray(rng.random(graph.n_vertices) < 0.5)
    return _labels_in_place(problem, labels, xp.where(side, -OFFSET, OFFSET))


def _labels_in_place(problem: Problem, labels: IntArray, offsets: FloatArray) -> State:
    xp = namespace(labels)
    labels = xp.where(problem.is_known, problem.known, labels).astype(np.int32)
    return State(labels, xp.where(problem.is_known, 0.0, offsets))
