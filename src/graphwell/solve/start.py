"""Where the descent starts. Labelled vertices always start at their label.

Each start declares its name, and how much work its linear systems are, with the decorator `start`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from graphwell.backends.base import Engine, State, Vector, Vectors
from graphwell.solve.balance import balanced_labels, class_counts, evenness
from graphwell.solve.harmonic import Scores, diffusion_scores, laplace_scores
from graphwell.solve.problem import Problem

OFFSET = 0.3
"""Size of the offset around a chosen class: exactly on the integers nothing would ever move."""


@dataclass(frozen=True)
class Start:
    """A first state, and the scores it came from where there are any."""

    state: State
    scores: Scores | None = None


FindStart = Callable[[Problem, Engine, np.random.Generator], Start]


@dataclass(frozen=True)
class StartRule:
    """A way to find a start.

    Attributes
    ----------
    find : callable
    summary : str
        What it does, in a few words.
    work : tuple of float
        Rough work of its linear systems, in any unit.
    scored : bool
        Whether it has scores, which the graph of communities can improve.
    """

    find: FindStart
    summary: str
    work: tuple[float, ...]
    scored: bool


STARTS: dict[str, StartRule] = {}


def start(
    name: str, summary: str, work: Sequence[float] = (1.0,), *, scored: bool = False
) -> Callable[[FindStart], FindStart]:
    """Register a function as a way to start."""

    def register(find: FindStart) -> FindStart:
        STARTS[name] = StartRule(find, summary, tuple(work), scored)
        return find

    return register


@start("auto", "diffusion, or plain Laplace learning where that is more decided", work=(1, 2, 2), scored=True)
def auto_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """The diffusion start, or plain Laplace learning where its scores are more decided.

    Poisson weights serve even classes; with a few labels for each of very uneven ones they let the small ones
    spill over. Plain Laplace learning does not, but from too few labels it decides nothing, or gives nearly
    everything to one class, and its scores show that.
    """
    both = diffusion_scores(problem, engine), laplace_scores(problem, engine)
    scores = max(both, key=lambda scores: decidedness(engine, scores) * evenness_of(problem, engine, scores))
    return Start(from_labels(problem, engine, labels_of(problem, engine, scores), rng), scores)


@start("diffusion", "the highest score under Laplace learning on Poisson weights", work=(1, 2), scored=True)
def diffusion_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """Every vertex takes its highest score under Laplace learning on Poisson weights.

    With a balance of the classes to be kept, the scores are first priced so that the sizes fit.
    """
    scores = diffusion_scores(problem, engine)
    return Start(from_labels(problem, engine, labels_of(problem, engine, scores), rng), scores)


@start("nearest", "the label nearest along the graph")
def nearest_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """Every vertex takes the label nearest along the graph; those that none reaches are drawn at random."""
    return Start(from_labels(problem, engine, engine.nearest(problem.labels), rng))


@start("random", "at random, as in the paper")
def random_start(problem: Problem, engine: Engine, rng: np.random.Generator) -> Start:
    """The paper's start: states drawn evenly from [-1/2, K - 1/2), labels in place."""
    u = engine.asarray(rng.random(problem.graph.n_vertices) * problem.n_classes - 0.5)
    labels = engine.xp.clip(engine.xp.floor(u + 0.5), 0, problem.n_classes - 1)
    return Start(_labels_in_place(problem, engine, labels.astype(np.int32), u - labels))


def evenness_of(problem: Problem, engine: Engine, scores: Scores) -> float:
    """Evenness of the classes with the highest scores."""
    return evenness(class_counts(engine, engine.argmax(scores.values), problem.n_classes))


def decidedness(engine: Engine, scores: Scores) -> float:
    """Mean distance between the two highest scores of a vertex, each vertex's scores adding up to 1."""
    return float(engine.margins(scores.values).mean())


def labels_of(problem: Problem, engine: Engine, scores: Scores) -> Vector:
    """Class with the highest score, under prices if class sizes are given; -1 where no label reaches."""
    reached = problem.reachable
    if problem.class_shares is None:
        labels = engine.argmax(scores.values)
    else:
        sizes = problem.class_shares * int(reached.sum())
        labels = balanced_labels(engine, scores.values, sizes, reached)
    return engine.xp.where(reached, labels, -1)


def from_labels(problem: Problem, engine: Vectors, labels: Vector, rng: np.random.Generator) -> State:
    """Place each vertex near a class, on a random side of it; -1 stands for a random class."""
    n, xp = problem.graph.n_vertices, engine.xp
    anywhere = engine.asarray(rng.integers(problem.n_classes, size=n))
    labels = xp.where(labels >= 0, labels, anywhere).astype(np.int32)
    side = engine.asarray(rng.random(n) < 0.5)
    return _labels_in_place(problem, engine, labels, xp.where(side, -OFFSET, OFFSET))


def _labels_in_place(problem: Problem, engine: Vectors, labels: Vector, offsets: Vector) -> State:
    xp = engine.xp
    labels = xp.where(problem.is_known, problem.known, labels).astype(np.int32)
    return State(labels, xp.where(problem.is_known, 0.0, offsets))
