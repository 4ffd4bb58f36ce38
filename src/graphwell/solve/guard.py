"""What keeps the descent from doing harm.

On data with a clear shape the descent is far better than its start. Where classes overlap, or are very
small, it lets large classes swallow small ones. Two things hold it back. The pressure towards even classes is
used only from a start that is nearly even. And the given labels are asked afterwards: where their own
neighbours would overrule too many of them, the result is given up for the start.
"""

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.base import Block, Engine, State, Vector
from graphwell.solve.balance import UNEVENNESS_ALLOWED, class_counts, evenness
from graphwell.solve.problem import Balance, Problem

EVEN_STRENGTH = 0.3
GIVEN_STRENGTH = 1.0
MOST_LABELS_OVERRULED = 0.16
MOST_VERTICES_OVERRULED = 0.07
EVENNESS_KEPT = 0.75
EVENNESS_GAINED, EVENNESS_GAINED_FROM_FEW = 1.05, 1.15
HOLDING_STRENGTH = 3.0
CHANCE = 1.3
LABELS_PER_CLASS_TO_TELL = 3
"""With fewer little can be told about classes that consist of several clusters."""
LABELS_PER_CLASS_ENOUGH = 20
"""With so many labels per class the graph of communities has nothing to add."""


def few_labels(problem: Problem, engine: Engine) -> bool:
    """Whether the labels are so few that the graph of communities helps to place them."""
    counts = class_counts(engine, problem.labels[problem.is_known], problem.n_classes)
    return int(counts.sum()) < LABELS_PER_CLASS_ENOUGH * int((counts > 0).sum())


def balance_for(problem: Problem, start_sizes: IntArray) -> Balance | None:
    """The pressure on class sizes: towards given shares, or towards even ones from a nearly even start.

    Examples
    --------
    >>> from graphwell import Graph
    >>> problem = Problem(Graph.from_affinity([[0, 1], [1, 0]]), np.array([0, 1]), n_classes=2)
    >>> balance_for(problem, np.array([1, 1])).strength
    0.3
    >>> balance_for(problem, np.array([3, 1])) is None
    True
    """
    if problem.class_shares is not None:
        return Balance(GIVEN_STRENGTH, problem.class_shares)
    strength = EVEN_STRENGTH * (1 - (1 - evenness(start_sizes)) / UNEVENNESS_ALLOWED)
    if strength <= 0:
        return None
    return Balance(round(float(strength), 12), np.full(problem.n_classes, 1 / problem.n_classes))


def holding_balance(problem: Problem, engine: Engine, first: Vector, even: float) -> Balance:
    """The pressure of a descent that begins at a coarse solution: towards its sizes, or even ones.

    Parameters
    ----------
    problem : Problem
    engine : Engine
    first : Vector
        Class of each vertex in the coarse solution.
    even : float
        How even the classes are by nature, from 0 to 1: decides between even sizes and those of the solution.

    Examples
    --------
    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> problem = Problem(Graph.from_affinity([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), np.array([0, -1, 1]), 2)
    >>> engine = find_backend().engine(problem.graph)
    >>> holding_balance(problem, engine, np.array([0, 0, 1]), even=0.0).shares.round(2)
    array([0.71, 0.29])
    """
    if problem.class_shares is not None:
        return Balance(GIVEN_STRENGTH, problem.class_shares)
    weights = engine.xp.sqrt(problem.graph.degrees)
    mass = np.asarray(engine.to_host(engine.group_sums(first, weights, problem.n_classes)))
    present = mass > 0
    strength = even * EVEN_STRENGTH + (1 - even) * HOLDING_STRENGTH
    shares = even * present / max(1, present.sum()) + (1 - even) * mass / (mass.sum() or 1.0)
    return Balance(round(float(strength), 12), shares)


def several_clusters(problem: Problem, sizes: IntArray, start_sizes: IntArray) -> bool:
    """Whether the classes may consist of several clusters: then the descent makes them far more even.

    One label per class tells nothing about that, and a few little.
    """
    given, n_classes = int(problem.is_known.sum()), problem.n_classes
    few = given < LABELS_PER_CLASS_TO_TELL * n_classes
    gained = EVENNESS_GAINED_FROM_FEW if few else EVENNESS_GAINED
    return given > n_classes and evenness(sizes) > gained * evenness(start_sizes)


def swallowed(sizes: IntArray, start_sizes: IntArray) -> bool:
    """Whether the classes are much less even than at the start: then some were swallowed on the way."""
    return evenness(sizes) < EVENNESS_KEPT * evenness(start_sizes)


def not_contradicted(problem: Problem, engine: Engine, state: State) -> bool:
    """Whether the neighbours of the given labels vote against no more of them than chance may have it.

    Chance grows with the root of the number of labels beyond one per class: of few labels, which may have
    been asked for at borders, a third can be overruled, of many only some.
    """
    known = problem.is_known
    voted = engine.argmax(votes(problem, engine, state))[known]
    allowed = CHANCE * np.sqrt(max(0, int(known.sum()) - problem.n_classes))
    return int((voted != problem.labels[known]).sum()) <= max(1.0, float(allowed))


def accepts(problem: Problem, engine: Engine, state: State, start_sizes: IntArray) -> bool:
    """Whether the given labels agree with the result, and no classes were swallowed on the way to it.

    A given label is overruled if its neighbours vote for another class. The result is accepted if few of
    them are, if those stand for few vertices (each for as many as its class holds per label), and if the
    classes are not much less even than at the start.
    """
    sizes = class_counts(engine, state.labels, problem.n_classes)
    if swallowed(sizes, start_sizes):
        return False
    known = problem.is_known
    voted = engine.argmax(votes(problem, engine, state))[known]
    return labels_agree(engine.to_host(problem.labels[known]), engine.to_host(voted), sizes)


def labels_agree(given: IntArray, voted: IntArray, sizes: IntArray) -> bool:
    """Whether few given labels are overruled by what their neighbours voted for, and stand for few vertices.

    Examples
    --------
    >>> given = np.array([0, 0, 1, 1])
    >>> labels_agree(given, given, sizes=np.array([5, 5]))
    True
    >>> labels_agree(given, 1 - given, sizes=np.array([5, 5]))
    False
    """
    overruled = given[voted != given]
    labels_per_class = np.bincount(given, minlength=len(sizes))
    stands_for = float((sizes[overruled] / sizes.sum() / labels_per_class[overruled]).sum())
    few = len(overruled) <= max(1.0, MOST_LABELS_OVERRULED * (len(given) - len(sizes)))
    return few and stands_for <= max(MOST_VERTICES_OVERRULED, 1.5 / len(given))


def votes(problem: Problem, engine: Engine, state: State) -> Block:
    """Presence of each class around each vertex: ``sum_{j in class} S_ij r_j``."""
    return engine.votes(state.labels, 0.5 - abs(state.offsets), problem.n_classes)


def presence(problem: Problem, engine: Engine, state: State) -> Block:
    """How firmly each vertex is in its class: ``r = 1/2 - |offset|`` in the column of the class."""
    return engine.indicator(state.labels, 0.5 - abs(state.offsets), problem.n_classes)


def support(problem: Problem, engine: Engine, state: State) -> Block:
    """Presence of each class around each vertex, the vertex itself included."""
    around = votes(problem, engine, state)
    return engine.added(around, presence(problem, engine, state))
