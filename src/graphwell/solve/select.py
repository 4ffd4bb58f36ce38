"""Which result is kept: the descent's, unless the given labels or the class sizes contradict it.

On data with a clear shape the descent is far better than its start. Where classes overlap, or are very
small, it lets large classes swallow small ones. So its result is compared with the other labellings that are
there:

- *start*: the highest scores of label propagation, which the coarse level has improved;
- *communities*: harmonic labels on the graph of communities alone.

A given label is overruled if its neighbours vote for another class. ``docs/decisions.md`` says how the
constants were chosen.
"""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._threads import once
from graphwell._types import IntArray
from graphwell.backends.base import Block, Engine, State, Vector
from graphwell.solve.coarse import CoarseSolution, claimed_shares
from graphwell.solve.descent import Status
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import class_counts, evenness, likeliest, refuted
from graphwell.solve.start import Start, scaled

# Of the labels beyond one per class: chosen on 15 data sets, then run unchanged on fresh label sets.
MOST_LABELS_OVERRULED = 0.16
# Share of the vertices that overruled labels stand for; 0.04 wrongly gave up two label sets of MNIST.
MOST_VERTICES_OVERRULED = 0.07
# Of the start's evenness. The experiment is not recorded.
EVENNESS_KEPT = 0.75
EVENNESS_GAINED, EVENNESS_GAINED_FROM_FEW = 1.05, 1.15
# Labels that chance may overrule, times the root of those beyond one per class; this and 1.15 were chosen
# after label sets 0-27 had been seen. The experiment behind 1.05 is not recorded.
CHANCE = 1.3
# The same from many labels: 13 of 100 that were asked for at borders were overruled where 98 % of MNIST's
# digits modulo 3 are right (seed 0).
CHANCE_OF_MANY = 1.4
# At or above this many labels per class the scores of the coarse level are no better than those of the start:
# label sets 0, 2, 4 of letter, 35 per class, 15.5 -> 16.2 % wrong, of satimage, 60 per class, 12.4 -> 13.4 %.
LABELS_PER_CLASS_ENOUGH = 20
# With fewer, little can be told about classes that consist of several clusters. Not recorded.
LABELS_PER_CLASS_TO_TELL = 3


@dataclass(frozen=True)
class Prepared:
    """A problem on the graph of a recipe, with its engine and its start: everything but the descent."""

    problem: Problem
    engine: Engine
    start: Start
    coarse: CoarseSolution | None = None  # where the problem was solved on the coarse level
    initial: State | None = None  # where the descent begins then; at the start by default
    second: "Prepared | None" = None  # from many labels: for a second descent, from the coarse solution

    @once
    def community_shares(self) -> Block:
        """Shares by the communities alone, or by clusters that single labels claim where labels allow it."""
        assert self.coarse is not None
        claimed = claimed_shares(self.problem, self.engine)
        return self.coarse.shares if claimed is None else claimed


def select(prepared: Prepared, final: State) -> Status | None:
    """Why the result of a descent is not kept; None if it is."""
    problem, engine, n_classes = prepared.problem, prepared.engine, prepared.problem.n_classes
    start_sizes = class_counts(engine, prepared.start.state.labels, n_classes)
    sizes = class_counts(engine, final.labels, n_classes)
    given = np.asarray(engine.to_host(problem.labels))
    n_given = int((given >= 0).sum())
    least_even = EVENNESS_KEPT * evenness(start_sizes)  # below, a class was swallowed

    # Where classes consist of several clusters, the descent makes them far more even. One label per class
    # tells nothing about that, and a few little.
    few = n_given < LABELS_PER_CLASS_TO_TELL * n_classes
    gained = EVENNESS_GAINED_FROM_FEW if few else EVENNESS_GAINED
    several = prepared.coarse is not None and problem.class_shares is None
    several = several and n_classes < n_given < LABELS_PER_CLASS_ENOUGH * n_classes
    if several and evenness(sizes) > gained * evenness(start_sizes):
        found = likeliest(engine, prepared.community_shares, given)
        community_sizes = np.bincount(found, engine.masses, minlength=n_classes)
        counts = np.bincount(given[given >= 0], minlength=n_classes)
        # If the labels refute start and communities alike, the descent stands.
        if not all(refuted(each / each.sum(), counts) for each in (start_sizes, community_sizes)):
            held = evenness(community_sizes) < least_even
            return Status.HELD_BACK if held else Status.COMMUNITIES_KEPT
    kept = evenness(sizes) >= least_even and labels_agree(prepared, final, sizes)
    return None if kept else Status.HELD_BACK


def labels_agree(prepared: Prepared, final: State, sizes: IntArray) -> bool:
    """Whether the neighbours of the given labels vote against few of them.

    After a coarse solution, against no more than chance may have it. Chance grows with the root of the number
    of labels beyond one per class: of few labels, which may have been asked for at borders, a third can be
    overruled, of many only some. Without one, the labels that are overruled must stand for few vertices
    besides, each for as many as its class holds per label.
    """
    problem, engine = prepared.problem, prepared.engine
    voted = engine.to_host(engine.argmax(votes(problem, engine, final))[problem.is_known])
    given = np.asarray(engine.to_host(problem.labels[problem.is_known]))
    overruled, beyond = given[voted != given], max(0, len(given) - problem.n_classes)
    if prepared.coarse is not None:  # the number that are overruled, against the spread of a binomial number
        many = len(given) >= LABELS_PER_CLASS_ENOUGH * problem.n_classes
        return len(overruled) <= max(1.0, (CHANCE_OF_MANY if many else CHANCE) * np.sqrt(beyond))
    per_label = sizes / sizes.sum() / np.maximum(np.bincount(given, minlength=len(sizes)), 1)
    few = len(overruled) <= max(1.0, MOST_LABELS_OVERRULED * beyond)  # then the vertices they stand for
    return few and float(per_label[overruled].sum()) <= max(MOST_VERTICES_OVERRULED, 1.5 / len(given))


def communities_start(prepared: Prepared) -> Start:
    """Labels and scores by the communities alone, as a start."""
    problem, engine, start = prepared.problem, prepared.engine, prepared.start
    assert start.scores is not None
    found = engine.asarray(likeliest(engine, prepared.community_shares, engine.to_host(problem.labels)))
    labels = engine.xp.where(problem.reachable, found, start.state.labels).astype(np.int32)
    return Start(State(labels, start.state.offsets), replace(start.scores, values=prepared.community_shares))


# ------------------------------------------------------------------- presence of each class in a state


def votes(problem: Problem, engine: Engine, state: State) -> Block:
    """Presence of each class around each vertex: ``sum_{j in class} S_ij r_j``."""
    firmness, roots = 0.5 - abs(state.offsets), engine.masses
    if roots is None:
        return engine.product(engine.indicator(state.labels, firmness, problem.n_classes))
    roots = np.sqrt(roots)  # `S` of the rows, not of what stands for them
    around = engine.product(engine.indicator(state.labels, roots * firmness, problem.n_classes))
    return scaled(engine, around, 1 / roots)


def support(problem: Problem, engine: Engine, state: State) -> Block:
    """Presence of each class around each vertex, and how firmly the vertex itself is in its class."""
    around = votes(problem, engine, state)
    engine.release()  # of a million rows, what only sweeps and products need takes a quarter of the memory
    return around + engine.indicator(state.labels, 0.5 - abs(state.offsets), problem.n_classes)


def contradictions(prepared: Prepared, *labellings: Vector) -> list[tuple[int, float]]:
    """Given labels that their neighbours vote against, and the share of the weight that is cut."""
    problem, engine, n_classes = prepared.problem, prepared.engine, prepared.problem.n_classes
    given = np.asarray(engine.to_host(problem.labels))
    known = np.flatnonzero(given >= 0)
    near, found = engine.affinities_of(known), []
    rows = np.repeat(np.arange(len(known)) * n_classes, np.diff(near.indptr))
    for vector in labellings:
        labels = np.asarray(engine.to_host(vector))
        between = engine.condensed(labels, n_classes)
        total = float(between.sum()) or 1.0
        cut = float(between.sum() - between.trace()) / total
        voted = np.bincount(rows + labels[near.indices], near.data, len(known) * n_classes)
        voted = voted.reshape(-1, n_classes)
        overruled = int((voted.max(axis=1) > voted[np.arange(len(known)), given[known]]).sum())
        found.append((overruled, cut))
    return found
