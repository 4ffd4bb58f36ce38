"""A fit is a value."""

import numpy as np
import pytest

from graphwell import Status
from graphwell.backends import find_backend
from graphwell.solve.fit import Recipe, fit, paper_recipe
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run
from tests.helpers import clusters, first_labels


def case():
    graph, truth = clusters([30, 30])
    return Problem(graph, first_labels(truth, 2), 2), truth


def test_a_fit_says_what_it_found_on_which_problem():
    problem, truth = case()
    found = fit(find_backend("cpu"), problem, Recipe(), Run(), np.random.default_rng(0))
    np.testing.assert_array_equal(found.result.labels, truth)
    np.testing.assert_array_equal(found.scores.argmax(axis=1), truth)
    assert found.problem is problem
    assert set(found.seconds) == {"start", "descent"}


def test_equal_generators_give_equal_fits():
    problem, _ = case()
    one, other = (
        fit(find_backend("cpu"), problem, paper_recipe("random"), Run(), np.random.default_rng(3))
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.result.offsets, other.result.offsets)


def test_one_class_is_no_work():
    problem, _ = case()
    alone = Problem(problem.graph, np.where(problem.labels == 0, 0, -1), 1)
    found = fit(find_backend("cpu"), alone, Recipe(), Run())
    assert found.result.status is Status.ONE_CLASS
    assert found.seconds == {}


def test_the_stages_are_told_and_the_callback_is_called():
    problem, _ = case()
    told, steps = [], []
    run = Run(
        callback=lambda step: steps.append(step.number), progress=lambda stage, share: told.append(stage)
    )
    found = fit(find_backend("cpu"), problem, Recipe(), run, np.random.default_rng(0))
    assert list(dict.fromkeys(told)) == ["start", "descent"]
    assert steps == list(range(1, len(found.result.energies) + 1))


def test_an_unknown_start_is_an_error():
    problem, _ = case()
    with pytest.raises(KeyError):
        fit(find_backend("cpu"), problem, Recipe(start="nonsense"), Run())
