"""One level up: the problem on graphs of communities, where it has a hundred vertices, not thousands.

Two things are easy there and hard on the vertices. The labels spread evenly: a harmonic function on
communities has no spikes at the labels, whatever their number, and classes may be of any size and consist of
several clusters. And the energy of the descent, which for small epsilon is the weight of the cut between
classes plus a pressure on their volumes, can be minimised nearly to its lowest value, as whole communities
change their class, first under noise that dies away.

The evidence for a class is what its labels say (see `graphwell.solve.coarse`) and the scores, which are the
mean of the start's and of the harmonic ones:

    weight sum_c volume_c log(score of community c for its class)

Solutions on different graphs are compared, and improved, on the units that all communities are made of.


Classes that consist of several clusters: every label claims a part of the graph, which takes its class.

That needs a label in nearly every cluster. So it is tried only where there are more labels than communities
of highest modularity, and where the labels may have been drawn at random: parts are about equally large, so
what a class gets follows from how many labels it has.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from graphwell._threads import ThreadPool, one_blas_thread
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Block, Engine, Vector
from graphwell.solve.coarse import (
    NOISES,
    CoarseGraph,
    harmonic_shares,
    heard,
    minimise,
    refined,
    searched,
    settled,
)
from graphwell.solve.communities import Groundwork, groundwork, groundwork_begun
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_prices, evenness_allowed, may_be_random

RESOLUTIONS = (4.0, 8.0, 16.0)
"""For ten classes: some 5, 10 and 20 communities each. They grow with the square root of the classes."""
ORDERS = (0, 1)
EVIDENCE, EVIDENCE_UNDER_PRESSURE = 0.05, 0.02
"""Weight of the scores; it is lower where sizes press, given or even ones: they tell much by themselves."""
SPOKEN_FOR = 0.25
"""A label speaks for so many of the finest communities, but never for more than its share of the vertices."""
SMALLEST_SHARE = 0.001
LOWEST_PRESSURE, HIGHEST_PRESSURE = 0.1, 1.0
"""Pressure on the volumes where classes are uneven by nature, and where they are even."""
CLASSES_FOR_HIGHEST = 10
"""With fewer classes the highest pressure is lower: the same force moves larger classes further."""
UNEVENNESS_UNDER_PRESSURE = 0.02
NEARLY_EVEN = 0.8
KEPT = 4
FORBIDDEN = -1e6


@dataclass(frozen=True, eq=False)
class Overview:
    """What the graphs of communities say about each vertex.

    Attributes
    ----------
    shares : Block
        Harmonic scores on the communities, averaged over all graphs.
    scores : Block
        Mean of the start's shares and of these.
    labels : Vector
        Class of each vertex in the solution of lowest energy.
    class_shares : array of shape (n_classes,)
        Sizes of the classes, averaged over the best solutions of all graphs.
    energy : float
        The lowest energy.
    even : float
        How even the classes are by nature, from 0 to 1.
    pressure : array of shape (n_classes,)
        Pressure on the volume of each class that the solution was found under.
    n_communities : tuple of int
        Of each graph.
    """

    shares: Block
    scores: Block
    labels: Vector
    class_shares: FloatArray
    energy: float
    even: float
    pressure: FloatArray
    n_communities: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Solution:
    """Classes of the units, their energy, and the class sizes averaged over the graphs of communities."""

    labels: IntArray
    energy: float
    class_shares: FloatArray


@dataclass(frozen=True, eq=False)
class Search:
    """Units, graphs of communities made of them, and what the scores say about each unit.

    Attributes
    ----------
    units : CoarseGraph
    graphs : list of CoarseGraph
        Their vertices are groups of units.
    scores : array of shape (n_units, n_classes)
    allowed : array of shape (n_classes,)
        Classes that a group may have.
    pool : ThreadPool
    weight : float
        Of the scores.
    """

    units: CoarseGraph
    graphs: list[CoarseGraph]
    scores: FloatArray
    allowed: BoolArray
    pool: ThreadPool
    weight: float = EVIDENCE

    @cached_property
    def logs(self) -> list[FloatArray]:
        """Logarithms of the mean scores of each group, for each graph."""
        return [np.log(graph.means(self.scores) + SMALLEST_SHARE) for graph in self.graphs]

    @cached_property
    def evidence(self) -> list[FloatArray]:
        """What each group gains in each class, for each graph."""
        return [self._gains(graph, logs) for graph, logs in zip(self.graphs, self.logs, strict=True)]

    @cached_property
    def unit_evidence(self) -> FloatArray:
        """What each unit gains in each class: by the mean of what its communities have."""
        logs = [logs[graph.members] for graph, logs in zip(self.graphs, self.logs, strict=True)]
        return self._gains(self.units, np.mean(logs, axis=0))

    def _gains(self, graph: CoarseGraph, logs: FloatArray) -> FloatArray:
        """Gains by the scores, and by the labels that each group hears."""
        gains = self.weight * graph.volumes[:, None] * logs + 2 * graph.voices
        return np.where(self.allowed, gains, FORBIDDEN)

    def lowest(self, pressure: FloatArray) -> Solution:
        """The solution of lowest energy that was found under a pressure."""
        found, sizes, evidence = [], [], self.evidence
        tasks = list(product(range(len(self.graphs)), NOISES))

        def solution(task: tuple[int, float]) -> tuple[IntArray, float]:
            seed, noise = task
            return searched(self.graphs[seed], evidence[seed], pressure, noise, seed)

        solved = dict(zip(tasks, self.pool.results(solution, tasks), strict=True))
        for seed, graph in enumerate(self.graphs):
            solutions = [solved[seed, noise] for noise in NOISES]
            found += [labels[graph.members] for labels, _ in solutions]
            best = min(solutions, key=lambda solution: solution[1])[0][graph.members]
            sizes.append(np.bincount(best, weights=graph.sizes, minlength=len(pressure)))
        few = self.best(found, pressure)
        labels, energy = min(self.pool.results(lambda each: self.refine(each, pressure), few), key=_energy_of)
        return Solution(labels, energy, np.sum(sizes, axis=0) / np.sum(sizes))

    def best(self, found: list[IntArray], pressure: FloatArray) -> list[IntArray]:
        """The few different solutions of lowest energy, after units at borders changed sides."""
        different = {labels.tobytes(): labels for labels in found}.values()
        evidence = self.unit_evidence  # found here, not by every thread
        tidy = self.pool.results(
            lambda labels: settled(self.units, evidence, pressure, labels), list(different)
        )
        return [labels for labels, _ in sorted(tidy, key=_energy_of)[:KEPT]]

    def refine(self, labels: IntArray, pressure: FloatArray) -> tuple[IntArray, float]:
        """Improve a solution by moving parts of communities, and units."""
        partitions = [graph.members for graph in self.graphs[:: len(ORDERS)]]
        return refined(self.units, partitions, self.unit_evidence, pressure, labels)


def overview(problem: Problem, engine: Engine, start: Block) -> Overview:
    """Solve the problem on graphs of communities of several resolutions.

    Parameters
    ----------
    problem : Problem
    engine : Engine
        Of the problem's graph.
    start : Block
        Scores of the start.

    Examples
    --------
    Two pairs of triangles, each pair with one label:

    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> W = np.kron(np.eye(4), 1 - np.eye(3)) + np.eye(12, k=3) + np.eye(12, k=-3)
    >>> W[5, 8] = W[8, 5] = 0
    >>> problem = Problem(Graph.from_affinity(W), np.array([0] + 10 * [-1] + [1]), n_classes=2)
    >>> overview(problem, find_backend().engine(problem.graph), np.full((12, 2), 0.5)).labels
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """
    labels, n_classes = engine.to_host(problem.labels), problem.n_classes
    pool = ThreadPool(engine.n_threads)
    trust = None if problem.trust is None else engine.to_host(problem.trust)
    units, graphs = coarse_graphs(engine, labels, n_classes, pool, trust)
    with one_blas_thread():
        harmonic = pool.results(lambda graph: harmonic_shares(graph)[graph.members], graphs)
    begin, spread = engine.shares(start), engine.spread(shares_of(np.mean(harmonic, axis=0)), units.members)
    scores = engine.shares(engine.added(begin, spread))
    unit_scores = engine.group_means(scores, units.members, len(units.voices))
    if problem.class_shares is not None:
        unit_scores = priced(unit_scores, np.bincount(units.members), problem.class_shares)
    allowed = allowed_classes(labels, problem.class_shares, n_classes)
    search = Search(units, graphs, unit_scores, allowed, pool)
    solution, even, pressure = solved(search, problem.class_shares)
    return Overview(
        shares=spread,
        scores=scores,
        labels=engine.asarray(np.where(labels >= 0, labels, solution.labels[units.members])),
        class_shares=solution.class_shares,
        energy=solution.energy,
        even=even,
        pressure=pressure,
        n_communities=tuple(len(graph.voices) for graph in graphs),
    )


def coarse_graphs(
    engine: Engine, labels: IntArray, n_classes: int, pool: ThreadPool, trust: FloatArray | None = None
) -> tuple[CoarseGraph, list[CoarseGraph]]:
    """Units, and graphs of communities made of them, of several resolutions and orders."""
    ground = groundwork(engine)
    levels = levels_for(labels, ground, pool)
    speaks_for = spoken_for(labels, int(levels[-1][0].max()) + 1)
    units = units_with_voices(engine, ground, labels, n_classes, speaks_for, trust)
    return units, [units.coarser(*level) for level in levels]


def levels_for(labels: IntArray, ground: Groundwork, pool: ThreadPool) -> list[tuple[IntArray, Any]]:
    """Communities of all resolutions and orders, and their graphs; found once for each number of classes."""
    finer = np.sqrt(max(1, len(np.unique(labels[labels >= 0]))) / 10)
    wanted = [(resolution * finer, seed) for resolution in RESOLUTIONS for seed in ORDERS]
    return pool.results(lambda each: ground.level(*each), wanted)


@contextmanager
def communities_meanwhile(problem: Problem, engine: Engine) -> Iterator[None]:
    """Find the communities on the host while the block computes elsewhere.

    Where the block computes on the host, too, the two would be in each other's way.

    Examples
    --------
    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> problem = Problem(Graph.from_affinity([[0, 1], [1, 0]]), np.array([0, -1]), n_classes=2)
    >>> with communities_meanwhile(problem, find_backend().engine(problem.graph)):
    ...     "the start"
    'the start'
    """
    if engine.xp is np:
        yield
        return
    labels, pool = engine.to_host(problem.labels), ThreadPool(engine.n_threads)
    groundwork_begun(engine)  # here: the other thread does not ask the engine
    with ThreadPoolExecutor(1) as beside:
        found = beside.submit(copy_context().run, lambda: levels_for(labels, groundwork(engine), pool))
        yield
        found.result()


def units_with_voices(
    engine: Engine,
    ground: Groundwork,
    labels: IntArray,
    n_classes: int,
    speaks_for: float,
    trust: FloatArray | None = None,
) -> CoarseGraph:
    """The units, with what they hear of the labels, each of which speaks for so many vertices."""
    known = np.flatnonzero(labels >= 0)
    near, firm = engine.affinities_of(known), None if trust is None else trust[known]
    voices = speaks_for * heard(near, labels[known], n_classes, ground.members, ground.W.shape[0], firm)
    return CoarseGraph(ground.members, ground.W, voices, np.ones(len(labels)))


def shares_of(scores: FloatArray) -> FloatArray:
    """Rows that sum to 1; even ones where there is no score.

    Examples
    --------
    >>> shares_of(np.array([[3.0, 1.0], [0.0, 0.0]]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), 1 / scores.shape[1])


def priced(scores: FloatArray, sizes: IntArray, class_shares: FloatArray) -> FloatArray:
    """Scores of groups of such sizes, times prices under which the classes have about the given shares.

    Examples
    --------
    >>> priced(np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([5, 5]), np.array([0.5, 0.5])).argmax(axis=1)
    array([0, 1])
    """
    logs = np.log(scores + SMALLEST_SHARE)

    def sizes_under(prices: FloatArray) -> IntArray:
        return np.bincount((logs + prices).argmax(axis=1), weights=sizes, minlength=len(prices))

    return shares_of(np.exp(logs + best_prices(sizes_under, class_shares * sizes.sum())))


def spoken_for(labels: IntArray, n_communities: int) -> float:
    """Number of vertices that each label speaks for.

    Examples
    --------
    >>> spoken_for(np.array([0, 1] + 398 * [-1]), 10), spoken_for(np.array([0, 1, 1, 0]), 2)
    (10.0, 0.5)
    """
    n = len(labels)
    return float(min(SPOKEN_FOR * n / n_communities, n / max(1, (labels >= 0).sum())))


def allowed_classes(labels: IntArray, class_shares: FloatArray | None, n_classes: int) -> BoolArray:
    """Classes that have a label, or a size."""
    allowed = np.bincount(labels[labels >= 0], minlength=n_classes) > 0
    return allowed if class_shares is None else allowed | (class_shares > 0)


def solved(search: Search, class_shares: FloatArray | None) -> tuple[Solution, float, FloatArray]:
    """The solution, how even the classes are by nature, and the pressure that follows from it.

    Classes are even by nature if full pressure makes them so: classes that are not stay uneven under it.
    """
    n_classes, pressing = len(search.allowed), replace(search, weight=EVIDENCE_UNDER_PRESSURE)
    highest = np.full(n_classes, HIGHEST_PRESSURE * min(1.0, n_classes / CLASSES_FOR_HIGHEST))
    if class_shares is not None:
        silent = (class_shares > 0) & (search.units.voices.sum(axis=0) == 0)
        strength = HIGHEST_PRESSURE if silent.any() else highest  # nothing else speaks for a silent class
        pressure = strength / (n_classes * np.maximum(class_shares, SMALLEST_SHARE))
        return pressing.lowest(pressure), 0.0, pressure
    solution = pressing.lowest(highest)
    sizes = np.bincount(solution.labels[search.units.members], minlength=n_classes)
    even = evenness_allowed(sizes, UNEVENNESS_UNDER_PRESSURE)
    if even > NEARLY_EVEN:
        return solution, 1.0, highest
    pressure = LOWEST_PRESSURE + (highest - LOWEST_PRESSURE) * even
    return search.lowest(pressure), even, pressure


def _energy_of(solution: tuple[IntArray, float]) -> float:
    return solution[1]


NATURAL, PRESSURE = 1.0, 1.0
"""Resolution and pressure of plain modularity."""


def claimed_shares(problem: Problem, engine: Engine) -> tuple[FloatArray, IntArray] | None:
    """Shares of the classes in groups of vertices, if every label claims a part; the group of each vertex.

    None if the labels do not allow it. Shares are means over the solutions on several graphs of communities.

    Examples
    --------
    Four triangles, of which every second one is of class 1:

    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> graph = Graph.from_affinity(np.kron(np.eye(4), 1 - np.eye(3)))
    >>> problem = Problem(graph, np.array([0, 0, -1, 1, -1, -1, 0, 0, -1, 1, -1, -1]), n_classes=2)
    >>> shares, groups = claimed_shares(problem, find_backend().engine(graph))
    >>> shares[groups].argmax(axis=1)
    array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1])
    """
    labels = np.asarray(engine.to_host(problem.labels))
    known = np.flatnonzero(labels >= 0)
    counts = np.bincount(labels[known], minlength=problem.n_classes)
    if not may_be_random(counts):
        return None
    natural = groundwork(engine).merged(NATURAL)
    if len(known) <= int(natural.max()) + 1:
        return None
    claims = np.full(len(labels), -1)
    claims[known] = np.arange(len(known))
    pool = ThreadPool(engine.n_threads)
    trust = None if problem.trust is None else engine.to_host(problem.trust)
    units, graphs = coarse_graphs(engine, claims, len(known), pool, trust)
    everyone = np.ones(len(known), dtype=bool)
    search = Search(units, graphs, np.ones((len(units.voices), len(known))), everyone, pool, weight=0.0)
    pressure = np.full(len(known), PRESSURE)

    def solution(seed: int) -> FloatArray:
        graph = graphs[seed]
        found = min(minimise(graph, search.evidence[seed], pressure, seed), key=lambda each: each[1])[0]
        return np.eye(problem.n_classes)[labels[known][found[graph.members]]]

    return np.mean(pool.results(solution, range(len(graphs))), axis=0), units.members
