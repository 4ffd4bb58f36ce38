"""Whole fits: graphwell's own recipe, the paper's, and engines that are kept."""

import numpy as np
import pytest

from graphwell import Fixed, Graph, Status
from graphwell.backends import find_backend
from graphwell.solve.fit import EngineCache, Recipe, engine_of, fit, paper_recipe
from graphwell.solve.problem import Problem
from graphwell.solve.start import from_labels
from tests.helpers import chain, clusters, first_labels

DEFAULT = Recipe()


def run(problem, recipe=DEFAULT, n_jobs=None):
    return fit(find_backend("cpu", n_jobs=n_jobs), problem, recipe, rng=np.random.default_rng(0))


def test_clear_clusters_are_found_from_one_label_each():
    graph, truth = clusters([80, 80, 80])
    problem = Problem(graph, first_labels(truth, 1), 3)
    found = run(problem)
    np.testing.assert_array_equal(found.result.labels, truth)
    np.testing.assert_array_equal(found.scores.argmax(axis=1), truth)
    assert found.problem is problem
    assert set(found.seconds) == {"start", "descent"}
    assert found.result.solver_iterations > 0
    assert found.result.solver_residual <= 1e-4
    assert found.result.coarse
    assert not run(problem, Recipe(coarse=False)).result.coarse


def test_classes_of_very_different_size_are_kept():
    graph, truth = clusters([300, 100, 20])
    problem = Problem(graph, first_labels(truth, 3), 3)
    assert (run(problem).result.labels == truth).mean() > 0.98
    poisson_weighted = run(problem, Recipe(start="diffusion", coarse=False))
    assert (poisson_weighted.result.labels == truth).mean() < 0.9


def test_the_pressure_moves_class_sizes_towards_their_shares():
    graph = Graph.from_features(np.random.default_rng(1).normal(size=(600, 2)))
    labels = np.where(np.arange(600) < 2, np.arange(600), -1)
    for share in (0.3, 0.7):
        problem = Problem(graph, labels, 2, class_shares=np.array([share, 1 - share]))
        assert (run(problem).result.labels == 0).mean() == pytest.approx(share, abs=0.12)


def test_a_result_that_its_own_labels_contradict_is_given_up():
    rng = np.random.default_rng(2)
    graph = Graph.from_features(rng.normal(size=(400, 2)))
    problem = Problem(graph, np.where(rng.random(400) < 0.4, rng.integers(4, size=400), -1), 4)
    found, start = run(problem), run(problem, Recipe(time=0.0))
    assert found.result.status is Status.HELD_BACK
    assert (start.result.status, start.result.n_sweeps) == (Status.START_KEPT, 0)
    np.testing.assert_array_equal(found.result.labels, start.result.labels)


def test_a_label_never_changes_at_fidelity_30_and_can_at_fidelity_1():
    graph, truth = clusters([60, 60])
    labels = first_labels(truth, 20)
    labels[0] = 1
    strict = run(Problem(graph, labels, 2, fidelity=30.0)).result.labels
    np.testing.assert_array_equal(strict[labels >= 0], labels[labels >= 0])
    assert run(Problem(graph, labels, 2, fidelity=1.0)).result.labels[0] == 0


@pytest.mark.parametrize(("n_classes", "goes"), [(499, True), (500, False)])
def test_of_very_many_classes_the_coarse_level_is_left_out(n_classes, goes):
    graph = Graph.from_features(np.random.default_rng(3).normal(size=(600, 3)))
    labels = np.where(np.arange(600) < n_classes, np.arange(600), -1)
    result = run(Problem(graph, labels, n_classes)).result
    assert result.coarse is goes


def test_one_class_needs_no_descent():
    found = run(Problem(chain(1.0), np.array([0, -1]), 1))
    assert (found.result.status, found.seconds) == (Status.ONE_CLASS, {})
    assert found.engine.to_host(found.scores).tolist() == [[1.0], [1.0]]


def test_large_graphs_stop_early_once_no_vertex_changes_class(monkeypatch):
    graph, truth = clusters([80, 80, 80])
    problem = Problem(graph, first_labels(truth, 1), 3)
    whole = run(problem).result
    monkeypatch.setitem(fit.__globals__, "EARLY_STOPPING_MIN_VERTICES", graph.n_vertices)
    early = run(problem).result
    np.testing.assert_array_equal(early.labels, whole.labels)
    assert early.n_sweeps < whole.n_sweeps
    assert early.epsilons[-1] == whole.epsilons[-1]


def test_equal_generators_give_equal_fits_for_any_number_of_threads():
    graph, truth = clusters([80, 50, 30], spread=2.5)
    problem = Problem(graph, first_labels(truth, 1), 3)
    for recipe in (DEFAULT, paper_recipe("random", Fixed(1.0, sweeps=20))):
        one, other = (run(problem, recipe, n_jobs=n).result for n in (1, 2))
        np.testing.assert_array_equal(one.offsets, other.offsets)
        np.testing.assert_array_equal(one.labels, other.labels)


def test_the_engine_is_kept_for_the_graph_that_was_fitted_last():
    graph, backend, cache = chain(1.0, 1.0), find_backend(), EngineCache()
    with cache.open():
        first = engine_of(backend, graph, 2.0)
        assert engine_of(find_backend(), graph, 2.0) is first
        assert engine_of(backend, graph, 1.0) is not first
        again = engine_of(backend, graph, 2.0)
        assert again is not first
        assert engine_of(backend, Graph.from_affinity(graph.W), 2.0) is not again
    assert engine_of(backend, graph, 2.0) is not engine_of(backend, graph, 2.0)  # unless somebody asked


@pytest.mark.parametrize(
    "status", [Status.START_KEPT, Status.HELD_BACK, Status.COMMUNITIES_KEPT, Status.SETTLED]
)
def test_scores_are_of_the_kind_that_an_earlier_run_kept(status):
    graph, truth = clusters([60, 60], spread=2.0)
    problem = Problem(graph, first_labels(truth, 3), 2)
    found, start = run(problem, Recipe(candidate=status)), run(problem, Recipe(time=0.0))
    of_start = np.array_equal(found.scores, start.scores)
    assert of_start == (status in (Status.START_KEPT, Status.HELD_BACK))


def test_a_start_from_labels_never_lies_on_the_integers():
    problem = Problem(chain(1.0, 1.0, 1.0), np.array([0, -1, -1, -1]), 2)
    engine = find_backend("cpu").engine(problem.graph)
    state = from_labels(problem, engine, np.array([0, 1, 1, -1]), np.random.default_rng(0))
    np.testing.assert_allclose(np.abs(state.offsets), [0.0, 0.3, 0.3, 0.3])
    assert state.labels[:3].tolist() == [0, 1, 1]
