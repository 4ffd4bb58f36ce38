"""Figures of labellings, by hand."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.solve.candidates import candidate_of, overruled
from graphwell.solve.problem import Problem


def test_a_candidate_counts_the_labels_that_its_neighbours_overrule(backend):
    graph = backend.place(Graph.from_affinity(np.ones((3, 3)) - np.eye(3)))
    problem = Problem(graph, backend.asarray(np.array([0, -1, -1])), 2)
    engine = backend.engine(graph)
    found = candidate_of("start", problem, engine, np.array([0, 1, 1]), np.zeros(2), chosen=True)
    assert found.overruled == overruled(problem, engine, np.array([0, 1, 1])) == 1
    assert found.energy == pytest.approx(4 / 6)
    assert found.normalised_cut == pytest.approx(2 / 2 + 2 / 4)
    assert found.chosen
