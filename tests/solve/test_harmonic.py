"""The scores that diffuse from labels, against dense closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.graph import Graph
from graphwell.solve.problem import Problem
from graphwell.solve.start import (
    centred,
    diffusion_scores,
    laplace_scores,
    poisson_weights,
    solve_laplacian,
)
from tests.helpers import chain, dense_harmonic, problems, random_graph


def precise(graph):
    return NumbaEngine(graph, dtype=np.float64)


def test_harmonic_scores_by_hand():
    # A chain of four between labels: the scores fall linearly in resistance 1, 1/2, 1.
    problem = Problem(chain(1.0, 2.0, 1.0), np.array([0, -1, -1, 1]), 2)
    scores = laplace_scores(problem, precise(problem.graph)).values
    np.testing.assert_allclose(scores[:, 1], [0, 0.4, 0.6, 1.0], atol=1e-4)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(problems(max_vertices=25))
def test_harmonic_scores_match_the_dense_solution(case):
    problem, rng = case
    if not problem.is_known.any():
        return
    g = rng.uniform(0.5, 2.0, problem.graph.n_vertices)
    found = laplace_scores(problem, precise(problem.graph), g).values
    W = problem.graph.W.toarray() * np.outer(g, g)
    expected = dense_harmonic(W, problem.labels, problem.n_classes)
    reached = problem.reachable
    np.testing.assert_allclose(found[reached], expected[reached], atol=2e-3)
    assert (found[~reached] == 0).all()


@settings(max_examples=40, deadline=None)
@given(problems(max_vertices=25))
def test_the_laplacian_is_inverted_on_each_component(case):
    problem, rng = case
    graph = problem.graph
    engine = precise(graph)
    sources = centred(engine, graph, rng.normal(size=(graph.n_vertices, 2)))
    found, _ = solve_laplacian(engine, graph, sources)
    found = centred(engine, graph, found, graph.degrees)
    np.testing.assert_allclose(graph.L.toarray() @ found, sources, atol=2e-3)
    for component in range(graph.n_components):
        members = graph.components == component
        weighted = graph.degrees[members] @ found[members]
        np.testing.assert_allclose(weighted, 0, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(problems(max_vertices=25))
def test_poisson_weights_are_positive_and_never_nan(case):
    problem, _ = case
    g, _ = poisson_weights(problem, precise(problem.graph))
    assert np.isfinite(g).all()
    assert (g > 0).all()


def test_poisson_weights_peak_at_the_labels():
    problem = Problem(chain(*np.ones(20)), np.where(np.arange(21) == 10, 0, -1), 1)
    g, _ = poisson_weights(problem, precise(problem.graph))
    assert g.argmax() == 10
    assert (np.diff(g[:11]) > 0).all()


def two_components():
    graph = random_graph(np.random.default_rng(0), 30, 0.5)
    W = np.zeros((60, 60))
    W[:30, :30] = W[30:, 30:] = graph.W.toarray()
    return Graph.from_affinity(W)


def test_components_with_different_labels_do_not_mix():
    labels = np.full(60, -1)
    labels[[0, 1, 30, 31]] = [0, 1, 2, 3]
    problem = Problem(two_components(), labels, 4)
    scores = diffusion_scores(problem, precise(problem.graph)).values
    assert (scores[:30, 2:] == 0).all()
    assert (scores[30:, :2] == 0).all()
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-3)


def test_a_component_with_one_class_belongs_to_it():
    labels = np.full(60, -1)
    labels[[0, 1, 30]] = [0, 1, 2]
    problem = Problem(two_components(), labels, 3)
    scores = diffusion_scores(problem, precise(problem.graph)).values
    np.testing.assert_allclose(scores[30:, 2], 1, atol=1e-3)


def test_single_precision_gives_the_same_labels():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(200, 3)) + 4 * c for c in range(3)])
    graph = Graph.from_features(X)
    labels = np.full(600, -1)
    labels[[0, 200, 400]] = [0, 1, 2]
    problem = Problem(graph, labels, 3)
    double = diffusion_scores(problem, precise(graph)).values
    single = diffusion_scores(problem, NumbaEngine(graph)).values
    np.testing.assert_allclose(single, double, atol=1e-3)


@pytest.mark.parametrize("n_classes", [1, 3])
def test_every_vertex_labelled_leaves_nothing_to_solve(n_classes):
    labels = np.arange(5) % n_classes
    problem = Problem(chain(1, 1, 1, 1), labels, n_classes)
    scores = diffusion_scores(problem, precise(problem.graph)).values
    np.testing.assert_array_equal(scores.argmax(axis=1), labels)
