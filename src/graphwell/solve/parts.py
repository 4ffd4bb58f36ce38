"""Classes that consist of several clusters: every label claims a part of the graph, which takes its class.

That needs a label in nearly every cluster. So it is tried only where there are more labels than communities
of highest modularity, and where the labels may have been drawn at random: parts are about equally large, so
what a class gets follows from how many labels it has.
"""

import numpy as np

from graphwell._thread_pool import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Engine
from graphwell.solve.coarse import minimise
from graphwell.solve.communities import groundwork
from graphwell.solve.multilevel import Search, coarse_graphs
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import may_be_random

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
