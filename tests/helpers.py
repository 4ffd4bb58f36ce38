"""Graphs and problems for tests."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from graphwell.backends import State
from graphwell.graph import Graph
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.reference import ReferenceEngine
from graphwell.solve.start import random_start


def chain(*weights: float) -> Graph:
    """Vertices in a row, joined by edges of these weights."""
    n = len(weights) + 1
    W = sparse.diags_array([weights, weights], offsets=[-1, 1], shape=(n, n), dtype=float)
    return Graph.from_affinity(W)


def random_graph(rng: np.random.Generator, n: int, density: float) -> Graph:
    """Any graph: at low density with isolated vertices and several components."""
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return Graph.from_affinity(W + W.T)


@st.composite
def problems(
    draw: Any, max_vertices: int = 40, max_classes: int = 6, beyond_the_paper: bool = False
) -> tuple[Problem, np.random.Generator]:
    """A random problem, pathological ones included, and a generator to go on with."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, max_vertices))
    n_classes = draw(st.integers(1, max_classes))
    graph = random_graph(rng, n, draw(st.sampled_from([0.0, 0.05, 0.2, 1.0])))
    labels = np.where(rng.random(n) < 0.3, rng.integers(n_classes, size=n), -1)
    if not beyond_the_paper:
        return Problem(graph, labels, n_classes), rng
    balance = Balance(draw(st.sampled_from([0.3, 3.0])), rng.dirichlet(np.ones(n_classes)))
    problem = Problem(
        graph,
        labels,
        n_classes,
        fidelity=draw(st.sampled_from([0.5, 30.0])),
        balance=draw(st.sampled_from([None, balance])),
        implicit=draw(st.booleans()),
    )
    return problem, rng


def start_of(problem: Problem, rng: np.random.Generator) -> State:
    return random_start(problem, ReferenceEngine(problem.graph), rng).state
