"""graphwell's own descent, the paper's, and the largest stable step."""

from importlib import import_module

import numpy as np
import pytest

from graphwell import Fixed, Graph, Status
from graphwell.backends import find_backend
from graphwell.solve.fit import (
    Recipe,
    follow,
    one_class,
    paper_recipe,
    set_out,
)
from graphwell.solve.problem import Problem
from tests.helpers import chain, clusters, first_labels

DEFAULT = Recipe()


def run(problem, recipe=DEFAULT):
    return follow(set_out(problem, recipe, find_backend("cpu"), np.random.default_rng(0)), recipe)


def test_clear_clusters_are_found_from_one_label_each():
    graph, truth = clusters([80, 80, 80])
    outcome = run(Problem(graph, first_labels(truth, 1), 3))
    np.testing.assert_array_equal(outcome.result.labels, truth)
    assert outcome.result.solver_iterations > 0
    assert outcome.result.solver_residual <= 1e-4


def test_classes_of_very_different_size_are_kept():
    graph, truth = clusters([300, 100, 20])
    labels = first_labels(truth, 3)
    outcome = run(Problem(graph, labels, 3))
    assert (outcome.result.labels == truth).mean() > 0.98
    poisson_weighted = run(Problem(graph, labels, 3), Recipe(start="diffusion", coarse=False))
    assert (poisson_weighted.result.labels == truth).mean() < 0.9


def test_the_pressure_moves_class_sizes_towards_their_shares():
    rng = np.random.default_rng(1)
    graph = Graph.from_features(rng.normal(size=(600, 2)))
    labels = np.full(600, -1)
    labels[:2] = [0, 1]
    found = {}
    for share in (0.3, 0.7):
        problem = Problem(graph, labels, 2, class_shares=np.array([share, 1 - share]))
        found[share] = (run(problem).result.labels == 0).mean()
    assert found[0.3] == pytest.approx(0.3, abs=0.12)
    assert found[0.7] == pytest.approx(0.7, abs=0.12)


def test_a_result_that_its_own_labels_contradict_is_given_up():
    rng = np.random.default_rng(2)
    graph = Graph.from_features(rng.normal(size=(400, 2)))
    labels = np.where(rng.random(400) < 0.4, rng.integers(4, size=400), -1)
    outcome = run(Problem(graph, labels, 4))
    assert outcome.result.status is Status.HELD_BACK
    setting = set_out(Problem(graph, labels, 4), Recipe(), find_backend("cpu"), np.random.default_rng(0))
    np.testing.assert_array_equal(outcome.result.labels, setting.start.state.labels)


def test_time_zero_keeps_the_start():
    graph, truth = clusters([40, 40])
    outcome = run(Problem(graph, first_labels(truth, 2), 2), Recipe(time=0.0))
    assert outcome.result.status is Status.START_KEPT
    assert outcome.result.n_sweeps == 0
    np.testing.assert_array_equal(outcome.result.labels, truth)


@pytest.mark.parametrize("fidelity", [30.0, 1.0])
def test_permuting_the_class_names_permutes_the_default_result(fidelity):
    graph, truth = clusters([60, 50, 40], spread=1.6)
    labels = first_labels(truth, 4)
    names = np.array([2, 0, 1])
    one = run(Problem(graph, labels, 3, fidelity)).result.labels
    other = run(Problem(graph, np.where(labels >= 0, names[labels], -1), 3, fidelity)).result.labels
    assert (names[one] == other).mean() > 0.98


def test_a_label_never_changes_at_fidelity_30_and_can_at_fidelity_1():
    graph, truth = clusters([60, 60])
    labels = first_labels(truth, 20)
    labels[0] = 1
    strict = run(Problem(graph, labels, 2, fidelity=30.0)).result.labels
    given = labels >= 0
    np.testing.assert_array_equal(strict[given], labels[given])
    loose = run(Problem(graph, labels, 2, fidelity=1.0)).result.labels
    assert loose[0] == 0


def test_the_papers_recipe_sharpens_nothing_and_takes_its_own_steps():
    recipe = paper_recipe("nearest", Fixed(1.0, sweeps=80))
    assert (recipe.sharpness, recipe.step_size) == (1.0, 0.01)
    graph, truth = clusters([30, 30])
    outcome = run(Problem(graph, first_labels(truth, 2), 2), recipe)
    assert outcome.result.n_sweeps == 80
    assert outcome.result.epsilons == (1.0, 1.0)
    np.testing.assert_array_equal(outcome.result.labels, truth)


def test_one_class_needs_no_descent():
    engine, outcome = one_class(Problem(chain(1.0), np.array([0, -1]), 1), find_backend("cpu"))
    assert outcome.result.status is Status.ONE_CLASS
    assert engine.to_host(outcome.scores).tolist() == [[1.0], [1.0]]


def test_a_recipe_says_what_it_does():
    assert str(Recipe()) == "auto start, sharpness 2, time 8 per epsilon"
    assert str(Recipe(time=0.0, n_neighbors=5)) == "auto start, sharpness 2, no descent, 5 neighbours"


def test_large_graphs_are_in_a_hurry_once_no_vertex_changes_class(monkeypatch):
    graph, truth = clusters([80, 80, 80])
    problem = Problem(graph, first_labels(truth, 1), 3)
    patient = run(problem).result
    monkeypatch.setattr(import_module("graphwell.solve.fit"), "QUIET_TELLS_FROM", graph.n_vertices)
    hurried = run(problem).result
    np.testing.assert_array_equal(hurried.labels, patient.labels)
    assert hurried.n_sweeps < patient.n_sweeps
    assert hurried.epsilons[-1] == patient.epsilons[-1]
