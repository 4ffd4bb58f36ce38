"""Problems and results."""

from dataclasses import replace

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends import find_backend
from graphwell.solve.descent import Result, Status, on_host
from graphwell.solve.problem import Problem, of_present_classes
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


def test_classes_that_can_get_no_row_are_left_out():
    problem = Problem(chain(1.0, 1.0), np.array([2, -1, 0]), 4)
    narrow, present = of_present_classes(problem, find_backend())
    assert narrow.labels.tolist() == [1, -1, 0]
    assert (narrow.n_classes, present.tolist()) == (2, [0, 2])
    sized = replace(problem, class_shares=np.array([0.5, 0.0, 0.2, 0.3]))
    narrow, present = of_present_classes(sized, find_backend())
    assert narrow.class_shares.tolist() == [0.5, 0.2, 0.3]
    assert present.tolist() == [0, 2, 3]
    bounded = replace(problem, size_bounds=np.array([[0, 0.1, 0, 0], [1.0, 1, 1, 1]]))
    narrow, present = of_present_classes(bounded, find_backend())
    assert narrow.size_bounds.tolist() == [[0, 0.1, 0], [1, 1, 1]]
    assert present.tolist() == [0, 1, 2]
    everything = replace(problem, labels=np.array([0, 1, 2]), n_classes=3)
    assert of_present_classes(everything, find_backend())[0] is everything


def test_every_status_is_a_sentence():
    for status in Status:
        assert status.value.endswith(".")
        assert status.value[0].isupper()


def test_a_result_is_fetched_whole():
    result = Result(np.array([1]), np.array([0.5]), Status.SETTLED, n_sweeps=3, energies=(1.0,))
    fetched = on_host(result, lambda array: array + 1)
    assert (fetched.labels.tolist(), fetched.offsets.tolist()) == ([2], [1.5])
    assert (fetched.n_sweeps, fetched.energies, fetched.status) == (3, (1.0,), Status.SETTLED)
    assert "energies" not in repr(result)
