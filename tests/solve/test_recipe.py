"""graphwell's own descent: balance of the classes, the guard, and the largest stable step."""

import numpy as np
import pytest

from graphwell import Graph, Status
from graphwell.backends import State, make_engine
from graphwell.solve.balance import balanced_labels
from graphwell.solve.guard import balance_for, stands
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe, follow, prepare, schedule_of, stable_step
from tests.helpers import chain, random_graph


def clusters(sizes, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    X = spread * rng.normal(size=(len(truth), 12)) + 6 * np.eye(12)[truth]
    return Graph.from_features(X), truth


def first_labels(truth, per_class):
    labels = np.full(len(truth), -1)
    for c in np.unique(truth):
        members = np.flatnonzero(truth == c)[:per_class]
        labels[members] = c
    return labels


DEFAULT = Recipe()


def run(problem, recipe=DEFAULT):
    return follow(prepare(problem, recipe, make_engine, np.random.default_rng(0)), recipe)


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
    poisson_weighted = run(Problem(graph, labels, 3), Recipe(start="diffusion"))
    assert (poisson_weighted.result.labels == truth).mean() < 0.9


def test_a_start_that_is_uneven_gets_no_pressure_towards_even_classes():
    problem = Problem(chain(1.0), np.array([0, 1]), 2)
    assert balance_for(problem, np.repeat([0, 1], [50, 50])).strength == pytest.approx(0.3)
    assert 0 < balance_for(problem, np.repeat([0, 1], [60, 40])).strength < 0.3
    assert balance_for(problem, np.repeat([0, 1], [90, 10])) is None


def test_given_shares_are_pressed_for_whatever_the_start():
    problem = Problem(chain(1.0), np.array([0, 1]), 2, class_shares=np.array([0.9, 0.1]))
    assert balance_for(problem, np.repeat([0, 1], [10, 90])).shares.tolist() == [0.9, 0.1]


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
    prepared = prepare(Problem(graph, labels, 4), Recipe(), make_engine, np.random.default_rng(0))
    np.testing.assert_array_equal(outcome.result.labels, prepared.start.state.labels)


def test_labels_that_agree_with_their_neighbours_let_the_result_stand():
    graph, truth = clusters([40, 40])
    problem = Problem(graph, first_labels(truth, 5), 2)
    assert stands(problem, make_engine(problem.graph), State(truth, np.zeros(80)), truth)
    assert not stands(problem, make_engine(problem.graph), State(1 - truth, np.zeros(80)), truth)


def test_a_result_in_which_one_class_swallowed_another_does_not_stand():
    graph, truth = clusters([40, 40])
    problem = Problem(graph, np.where(np.arange(80) == 0, 0, -1), 2)
    assert not stands(
        problem, make_engine(problem.graph), State(np.zeros(80, dtype=int), np.zeros(80)), truth
    )


def test_time_zero_keeps_the_start():
    graph, truth = clusters([40, 40])
    outcome = run(Problem(graph, first_labels(truth, 2), 2), Recipe(time=0.0))
    assert outcome.result.status is Status.START_KEPT
    assert outcome.result.n_sweeps == 0
    np.testing.assert_array_equal(outcome.result.labels, truth)


@pytest.mark.parametrize("graph", [chain(1.0, 1.0, 1.0), random_graph(np.random.default_rng(3), 60, 0.3)])
def test_the_largest_step_is_stable(graph):
    step = stable_step(graph, make_engine(graph))
    row_sums = np.asarray(graph.S.sum(axis=1)).ravel()
    largest = np.linalg.eigvalsh(np.diag(row_sums) - graph.S.toarray())[-1]
    for epsilon in (2.0, 0.3):
        assert step < 2 / (epsilon * largest + 1 / epsilon)


def test_a_hub_makes_the_step_smaller_and_the_sweeps_more():
    W = np.zeros((400, 400))
    W[0, 1:] = W[1:, 0] = 1.0
    hub = Graph.from_affinity(W)
    step = stable_step(hub, make_engine(hub))
    assert step < 0.1
    assert schedule_of(Recipe(), step).sweeps * step == pytest.approx(8.0, rel=0.02)


def test_prices_bring_classes_to_the_sizes_asked_for():
    rng = np.random.default_rng(4)
    scores = rng.dirichlet([3, 2, 1], size=2000)
    for sizes in ([1000, 700, 300], [200, 800, 1000]):
        found = np.bincount(balanced_labels(scores, np.array(sizes)), minlength=3)
        np.testing.assert_allclose(found, sizes, atol=15)


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
