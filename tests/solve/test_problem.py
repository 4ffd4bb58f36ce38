"""What is known before the descent begins."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.solve.problem import Problem
from tests.helpers import chain


@pytest.mark.parametrize("fidelity", [0.0, float("nan"), -1.0])
def test_a_fidelity_that_is_not_positive_is_refused(fidelity):
    with pytest.raises(ValueError, match="fidelity must be positive"):
        Problem(chain(1.0), np.array([0, 1]), 2, fidelity=fidelity)


def test_known_labels_and_the_parts_they_reach():
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    problem = Problem(Graph.from_affinity(W), np.array([2, -1, -1, -1, 1]), 3, fidelity=4.0)
    assert problem.is_known.tolist() == [True, False, False, False, True]
    assert problem.known.tolist() == [2, 0, 0, 0, 1]
    assert problem.fidelities.tolist() == [4, 0, 0, 0, 4]
    assert problem.reachable.tolist() == [True, True, False, False, True]
