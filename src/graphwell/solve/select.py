"""Candidates and their judge: the start, the communities, the coarse solution, and the descent from it.

What keeps the descent from doing harm.

On data with a clear shape the descent is far better than its start. Where classes overlap, or are very
small, it lets large classes swallow small ones. Two things hold it back. The pressure towards even classes is
used only from a start that is nearly even. And the given labels are asked afterwards: where their own
neighbours would overrule too many of them, the result is given up for the start.


Figures by which labellings of a graph can be compared, all measured in one walk over its edges.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphwell._once import once
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Block, Engine, State, Vector
from graphwell.solve.multilevel import Overview, claimed_shares, overview
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.result import Candidate, Status
from graphwell.solve.sizes import (
    UNEVENNESS_ALLOWED,
    class_counts,
    evenness,
    likeliest,
    refuted,
    settled_sizes,
)
from graphwell.solve.start import Start, from_labels


@dataclass(frozen=True)
class Setting:
    """A problem on the graph of a recipe, with its engine and its start: what descents can share.

    Where the graph of communities was looked at, `above` is what it said, and `first` the state that the
    descent begins at.
    """

    problem: Problem
    engine: Engine
    start: Start
    seconds: float = 0.0
    above: Overview | None = None
    first: State | None = None

    @once
    def several(self) -> Block:
        """Shares of the classes if they may consist of several clusters."""
        assert self.above is not None
        claimed = claimed_shares(self.problem, self.engine)
        return self.above.shares if claimed is None else self.engine.spread(*claimed)


def seen_from_above(setting: Setting, rng: np.random.Generator) -> Setting:
    """Add what the graph of communities says to the scores of the start, and begin the descent there."""
    problem, engine, scores = setting.problem, setting.engine, setting.start.scores
    assert scores is not None
    given = engine.to_host(problem.labels)
    above = overview(problem, engine, scores.values)
    if problem.size_bounds is not None:
        counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
        sizes = settled_sizes(counts, above.class_shares, problem.size_bounds)
        if sizes is not None:
            problem = replace(problem, class_shares=sizes)
            above = overview(problem, engine, scores.values)
    best = engine.asarray(likeliest(engine, above.scores, given, problem.class_shares))
    labels = engine.xp.where(problem.reachable, best, -1)
    start = Start(from_labels(problem, engine, labels, rng), replace(scores, values=above.scores))
    coarse = engine.xp.where(problem.reachable, above.labels, -1)
    first = from_labels(problem, engine, coarse, rng)
    return replace(setting, problem=problem, start=start, above=above, first=first)


def verdict(setting: Setting, final: State) -> Status | None:
    """Why the result of a descent is not accepted; None if it is."""
    problem, engine, above = setting.problem, setting.engine, setting.above
    start_sizes = class_counts(engine, setting.start.state.labels, problem.n_classes)
    if above is None:
        return None if accepts(problem, engine, final, start_sizes) else Status.HELD_BACK
    sizes = class_counts(engine, final.labels, problem.n_classes)
    if problem.class_shares is None and several_clusters(problem, sizes, start_sizes):
        given = np.asarray(engine.to_host(problem.labels))
        alone = np.bincount(likeliest(engine, setting.several, given), minlength=problem.n_classes)
        counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
        if not all(refuted(each / each.sum(), counts) for each in (start_sizes, alone)):
            took_all = swallowed(alone, start_sizes)
            return Status.HELD_BACK if took_all else Status.COMMUNITIES_KEPT
    kept = not swallowed(sizes, start_sizes) and not_contradicted(problem, engine, final)
    return None if kept else Status.HELD_BACK


def communities_start(setting: Setting) -> Start:
    """What the graph of communities says by itself, as a start."""
    problem, engine, begin = setting.problem, setting.engine, setting.start
    assert begin.scores is not None
    found = engine.asarray(likeliest(engine, setting.several, engine.to_host(problem.labels)))
    labels = engine.xp.where(problem.reachable, found, begin.state.labels).astype(np.int32)
    return Start(State(labels, begin.state.offsets), replace(begin.scores, values=setting.several))


def all_candidates(setting: Setting, final: State, status: Status | None) -> tuple[Candidate, ...]:
    """The labellings that were compared, measured, and which of them the verdict chose."""
    problem, engine, above = setting.problem, setting.engine, setting.above
    if above is None:
        return ()
    given, host = engine.to_host(problem.labels), engine.to_host
    alone = setting.several if status is Status.COMMUNITIES_KEPT else above.shares
    tried = {
        "start": host(setting.start.state.labels),
        "communities": likeliest(engine, alone, given),
        "coarse": host(above.labels),
        "descent": host(final.labels),
    }
    chosen = {Status.HELD_BACK: "start", Status.COMMUNITIES_KEPT: "communities", None: "descent"}[status]
    return measured_candidates(problem, engine, tried, above.pressure, chosen)


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


TABLE_AT_MOST = 4
"""Entries of a table for each value that is looked up in it."""


def measured_candidates(
    problem: Problem, engine: Engine, labellings: dict[str, IntArray], pressure: FloatArray, chosen: str
) -> tuple[Candidate, ...]:
    """Measure labellings.

    Parameters
    ----------
    problem : Problem
    engine : Engine
        Of the problem's graph.
    labellings : dict of str to array of shape (n,)
        Class of each vertex, on the host.
    pressure : array of shape (n_classes,)
        Pressure on the volume of each class.
    chosen : str
        Name of the one that was chosen.

    Examples
    --------
    Two pairs, cut through one of them:

    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> pairs = Graph.from_affinity(np.kron(np.eye(2), [[0, 1], [1, 0]]))
    >>> problem = Problem(pairs, np.array([0, -1, -1, 1]), n_classes=2)
    >>> engine = find_backend().engine(problem.graph)
    >>> labellings = {"start": np.array([0, 0, 0, 1]), "descent": np.array([0, 0, 1, 1])}
    >>> start, descent = measured_candidates(problem, engine, labellings, np.ones(2), "descent")
    >>> start.energy, round(start.normalised_cut, 3), start.overruled
    (1.125, 1.333, 1)
    >>> descent.energy, descent.overruled, descent.chosen
    (0.5, 0, True)
    """
    given = np.asarray(engine.to_host(problem.labels))
    groups, first = treated_alike(list(labellings.values()), given >= 0)
    W = engine.condensed(groups, len(first))
    return tuple(
        _candidate(name, W, labels[first], given[first], pressure, chosen=name == chosen)
        for name, labels in labellings.items()
    )


def treated_alike(labellings: list[IntArray], apart: IntArray) -> tuple[IntArray, IntArray]:
    """Groups of vertices that every labelling puts into the same class, and the first vertex of each.

    Vertices that are set apart are groups of their own.

    Examples
    --------
    >>> treated_alike([np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])], np.array([True, False, False, False]))
    (array([3, 0, 1, 2]), array([1, 2, 3, 0]))
    """
    together = np.zeros(len(apart), dtype=np.int64)
    for labels in labellings:
        together = ranked(together * (int(labels.max()) + 1) + labels)
    alone = np.flatnonzero(apart)
    together[alone] = len(apart) + np.arange(len(alone))
    groups = ranked(together)
    first = np.empty(int(groups.max()) + 1, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]  # of several vertices the last that is written stays
    return groups, first


def ranked(codes: IntArray) -> IntArray:
    """Rank of each code among those that occur: from a table of all codes, or by sorting if it were large.

    Examples
    --------
    >>> ranked(np.array([7, 3, 7])), ranked(np.array([700, 3, 700]))
    (array([1, 0, 1]), array([1, 0, 1]))
    """
    bound = int(codes.max()) + 1
    if bound > TABLE_AT_MOST * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    is_there = np.zeros(bound, dtype=bool)
    is_there[codes] = True
    return (np.cumsum(is_there) - 1)[codes]


def _candidate(
    name: str, W: Any, labels: IntArray, given: IntArray, pressure: FloatArray, *, chosen: bool
) -> Candidate:
    """Figures of one labelling, from the affinities between groups of vertices."""
    n_classes = len(pressure)
    rows = np.repeat(np.arange(len(labels)), np.diff(W.indptr))
    votes = np.bincount(
        rows * n_classes + labels[W.indices], weights=W.data, minlength=len(labels) * n_classes
    ).reshape(len(labels), n_classes)
    between = np.stack([votes[labels == k].sum(axis=0) for k in range(n_classes)])
    volumes = between.sum(axis=1)
    cut, total = volumes - between.diagonal(), float(volumes.sum()) or 1.0
    energy = float(cut.sum() / total + (pressure * (volumes / total) ** 2).sum())
    normalised = float(np.divide(cut, volumes, out=np.zeros(n_classes), where=volumes > 0).sum())
    known = np.flatnonzero(given >= 0)
    overruled = int((votes[known].max(axis=1) > votes[known, given[known]]).sum())
    return Candidate(name, energy, normalised, overruled, chosen)
