"""Whole fits: graphwell's own recipe, the paper's, and engines that are kept."""

import gc
import weakref
from importlib import import_module

import numpy as np
import pytest

import graphwell as gw
from graphwell import Fixed, Graph, Status
from graphwell.backends import find_backend
from graphwell.solve.communities import aggregates_of
from graphwell.solve.fit import Recipe, fit, paper_recipe
from graphwell.solve.problem import KeptEngine, Problem, engine_of, found_once
from graphwell.solve.run import Run
from tests.helpers import chain, clusters, first_labels

DEFAULT = Recipe()


def run(problem, recipe=DEFAULT):
    return fit(find_backend("cpu"), problem, recipe, rng=np.random.default_rng(0))


def test_clear_clusters_are_found_from_one_label_each():
    graph, truth = clusters([80, 80, 80])
    found = run(Problem(graph, first_labels(truth, 1), 3))
    np.testing.assert_array_equal(found.result.labels, truth)
    assert found.result.solver_iterations > 0
    assert found.result.solver_residual <= 1e-4


def test_classes_of_very_different_size_are_kept():
    graph, truth = clusters([300, 100, 20])
    labels = first_labels(truth, 3)
    found = run(Problem(graph, labels, 3))
    assert (found.result.labels == truth).mean() > 0.98
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
    found = run(Problem(graph, labels, 4))
    assert found.result.status is Status.HELD_BACK
    start = run(Problem(graph, labels, 4), Recipe(time=0.0))
    np.testing.assert_array_equal(found.result.labels, start.result.labels)


def test_time_zero_keeps_the_start():
    graph, truth = clusters([40, 40])
    found = run(Problem(graph, first_labels(truth, 2), 2), Recipe(time=0.0))
    assert found.result.status is Status.START_KEPT
    assert found.result.n_sweeps == 0
    np.testing.assert_array_equal(found.result.labels, truth)


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
    found = run(Problem(graph, first_labels(truth, 2), 2), recipe)
    assert found.result.n_sweeps == 80
    assert found.result.epsilons == (1.0, 1.0)
    np.testing.assert_array_equal(found.result.labels, truth)


def test_one_class_needs_no_descent():
    found = run(Problem(chain(1.0), np.array([0, -1]), 1))
    assert (found.result.status, found.seconds) == (Status.ONE_CLASS, {})
    assert found.engine.to_host(found.scores).tolist() == [[1.0], [1.0]]


def test_large_graphs_stop_early_once_no_vertex_changes_class(monkeypatch):
    graph, truth = clusters([80, 80, 80])
    problem = Problem(graph, first_labels(truth, 1), 3)
    whole = run(problem).result
    monkeypatch.setattr(import_module("graphwell.solve.fit"), "STOP_EARLY_FROM", graph.n_vertices)
    early = run(problem).result
    np.testing.assert_array_equal(early.labels, whole.labels)
    assert early.n_sweeps < whole.n_sweeps
    assert early.epsilons[-1] == whole.epsilons[-1]


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


@pytest.fixture
def graph():
    X, _ = gw.datasets.make_three_moons(100, random_state=0)
    return Graph.from_features(X)


def test_the_engine_is_kept_for_the_graph_that_was_fitted_last(graph):
    backend, kept = find_backend(), KeptEngine()
    first = kept.of(backend, graph, 2.0)
    assert kept.of(find_backend(), graph, 2.0) is first
    assert kept.of(backend, graph, 1.0) is not first
    again = kept.of(backend, graph, 2.0)
    assert again is not first
    assert kept.of(backend, Graph.from_affinity(graph.W), 2.0) is not again
    assert kept.of(find_backend(n_jobs=1), graph, 2.0) is not kept.of(find_backend(n_jobs=2), graph, 2.0)


def test_nothing_is_kept_unless_somebody_asked(graph):
    backend, kept = find_backend(), KeptEngine()
    assert engine_of(backend, graph, 2.0)[1] is not engine_of(backend, graph, 2.0)[1]
    with kept.open():
        inside = engine_of(backend, graph, 2.0)[1]
        assert engine_of(backend, graph, 2.0)[1] is inside
    assert engine_of(backend, graph, 2.0)[1] is not inside


def test_what_was_found_goes_with_the_engine(graph):
    calls = []
    find = found_once(lambda engine: calls.append(engine.graph.n_vertices) or len(calls))
    engine = find_backend().engine(graph)
    assert (find(engine), find(engine)) == (1, 1)
    assert find(find_backend().engine(graph)) == 2
    gone = weakref.ref(engine)
    del engine
    gc.collect()
    assert gone() is None


def test_communities_are_found_once_and_cannot_be_written_into(graph):
    ground = aggregates_of(find_backend().engine(graph))
    groups, W = ground.level(4.0, 1)
    assert ground.level(4.0, 1)[0] is groups
    assert ground.merged(4.0, 1) is groups
    assert not np.array_equal(groups, ground.merged(64.0, 1))
    assert W.sum() == pytest.approx(ground.W.sum())
    with pytest.raises(ValueError, match="read-only"):
        groups[0] = 1


@pytest.mark.parametrize(
    "status", [Status.START_KEPT, Status.HELD_BACK, Status.COMMUNITIES_KEPT, Status.SETTLED]
)
def test_scores_are_of_the_kind_that_an_earlier_run_kept(status):
    graph, truth = clusters([60, 60], spread=2.0)
    problem = Problem(graph, first_labels(truth, 3), 2)
    found = run(problem, Recipe(keep=status))
    start = run(problem, Recipe(time=0.0))
    of_start = np.array_equal(found.scores, start.scores)
    assert of_start == (status in (Status.START_KEPT, Status.HELD_BACK))
    assert found.result.candidates == ()
