"""The label nearest along the graph, as a method."""

import numpy as np

from graphwell.estimators.baselines import NearestLabel
from graphwell.solve.problem import Problem
from tests.estimators.baselines.cases import connected_case
from tests.helpers import assert_nearest, chain


def test_labels_are_those_of_all_shortest_paths():
    graph, y = connected_case(7)
    assert_nearest(Problem(graph, y, 3), NearestLabel().fit(graph, y).transduction_)


def test_a_chain_is_split_by_length():
    # Lengths 1/w from the left end: 1, 2, 6; from the right end: 4, 5, 6.
    found = NearestLabel().fit(chain(1.0, 1.0, 0.25), np.array([0, -1, -1, 1]))
    assert found.transduction_.tolist() == [0, 0, 0, 1]
